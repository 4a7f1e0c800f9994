#!/usr/bin/env python3
"""What twindex and other tools remove from one labelled collection, and how much of that is wrong: one table.

    pip install -r benchmarks/peers/requirements.txt
    python benchmarks/peers/removals.py target/release/twindex PACK [--only TOOL]... [--json]

PACK is a folder with docs.jsonl.zst (id, text), truth.tsv (pairs of ids that are duplicates), ignore.tsv.zst (pairs that count
neither way), judged.tsv.zst (where pack.json says "judged_only": the only pairs that count) and pack.json.

Each tool runs as it ships or as its documentation shows, as a process of its own on one core, from the same JSONL file to a file of
what it keeps. Seconds are of the whole process, imports included; memory is the largest resident set of one process (17 MB, that of
this script, is the least that shows). Each tool runs twice; the faster run counts.

Only the kept ids are judged, because most tools do not say why a document went. A removed document is
  right        if a kept document is its labelled duplicate, or joined to it by labelled pairs;
  not judged   else, if the labels leave a pair of it and a kept document open;
  wrong        else.
"left": the labelled duplicates that could still go, in each labelled family all kept documents but one.

Weaknesses. Read "not judged" with "wrong": many packs (pack.json) leave every unlabelled pair open that has half of its three-word
shingles in common. That is the measure of twindex's default recipe, so its removals are hardly ever wrong there, by construction, and
pages of one template about different things are among those not judged. "right" is free of that line. A document that went for a bad
reason is right if its duplicate happens to stay, which favours tools that remove much; a pair that goes as a whole counts twice. Tuned
to the collection, a tool may do better than as it ships.

The run fails if a tool loses or invents a document, if its two runs differ, or if twindex names a witness that is not kept or does
not hold 0.9 of the removed document's three-word shingles, counted here anew.
"""

import argparse
import collections
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

COVERAGE = 0.9
# twindex cuts a few words otherwise than the expression below (symbols that join words, rare scripts).
TOLERANCE = 0.03
WITHOUT_SPACES = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{WITHOUT_SPACES}]|[^\W_{WITHOUT_SPACES}]+")
UNPACK = "import sys, zstandard; zstandard.ZstdDecompressor().copy_stream(open(sys.argv[1], 'rb'), open(sys.argv[2], 'wb'))"


def documents(source):
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield line, row["id"], row["text"]


def write(source, folder, keep):
    """Every line goes to the kept or to the removed documents; `keep` is asked in the order of the file."""
    with open(f"{folder}/kept.jsonl", "w", encoding="utf-8") as kept, open(f"{folder}/removed.jsonl", "w", encoding="utf-8") as removed:
        for line, name, text in documents(source):
            (kept if keep(name, text) else removed).write(line)


def one_by_one(source, folder, sketch, find, add):
    """The usual loop over an index: a document goes if the index finds something, else it is added."""

    def keep(name, text):
        made = sketch(text)
        if find(made):
            return False
        add(name, made)
        return True

    write(source, folder, keep)


def datasketch(source, folder, threshold=0.9):
    from datasketch import MinHash, MinHashLSH

    def sketch(text):
        made = MinHash(num_perm=128)
        made.update_batch([word.encode() for word in set(text.split())])
        return made

    index = MinHashLSH(threshold=threshold, num_perm=128)
    one_by_one(source, folder, sketch, index.query, index.insert)


def simhash(source, folder):
    from simhash import Simhash, SimhashIndex

    # As it ships, a feature that comes more than 255 times is an error with NumPy 2. Fingerprints are the same.
    Simhash.large_weight_cutoff = float("inf")
    index = SimhashIndex([], k=3)
    one_by_one(source, folder, Simhash, index.get_near_dups, index.add)


def rensa(source, folder):
    from rensa import RMinHashDeduplicator

    deduplicator = RMinHashDeduplicator(threshold=0.8, num_perm=128, use_lsh=True)
    flags = iter(deduplicator.add_pairs((name, text.split()) for _, name, text in documents(source)))
    write(source, folder, lambda name, text: next(flags))


def datatrove(source, folder):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    config = MinhashConfig()
    signatures, buckets, remove = (f"{folder}/{name}" for name in ("signatures", "buckets", "remove"))
    reader = JsonlReader(os.path.dirname(source))
    kept, removed = (JsonlWriter(folder, f"{name}.jsonl", compression=None) for name in ("kept", "removed"))
    steps = [
        (1, [reader, MinhashDedupSignature(signatures, config=config)]),
        (config.num_buckets, [MinhashDedupBuckets(signatures, buckets, config=config)]),
        (1, [MinhashDedupCluster(buckets, remove, config=config)]),
        (1, [reader, MinhashDedupFilter(remove, exclusion_writer=removed), kept]),
    ]
    for number, (tasks, pipeline) in enumerate(steps):
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=f"{folder}/logs/{number}").run()


LIBRARIES = {
    "datasketch": datasketch,
    "datasketch-0.5": lambda source, folder: datasketch(source, folder, 0.5),
    "datatrove": datatrove,
    "rensa": rensa,
    "simhash": simhash,
}

# What is compared before a document goes, and the setting.
TOOLS = {
    "twindex": ("texts", "dedup, default recipe, --threads 1"),
    "datasketch": ("no", "MinHashLSH as it ships: threshold 0.9, 128 permutations; words; query, else insert"),
    "datasketch-0.5": ("no", "the same with the threshold of its documentation's example, 0.5"),
    "text-dedup": ("no", "minhash as it ships: 5 words, 250 permutations, threshold 0.7; clusters are chained, texts under 5 words dropped"),
    "datatrove": ("no", "MinhashConfig as it ships: 5 words, 14 buckets of 8; clusters are chained"),
    "rensa": ("sketches", "RMinHashDeduplicator as its README shows: threshold 0.8, 128 permutations, LSH; words"),
    "simhash": ("fingerprints", "64 bits of 4 characters in a row, SimhashIndex with k=3; query, else add"),
}


def command(tool, program, source, folder):
    if tool == "twindex":
        return [program, "dedup", source, "--threads", "1", "--quiet", "--output", f"{folder}/kept.jsonl", "--removed", f"{folder}/removed.jsonl"]
    if tool == "text-dedup":
        data = ["--path", "json", "--data_files", source, "--split", "train", "--cache_dir", f"{folder}/cache", "--column", "text"]
        return [sys.executable, "-m", "text_dedup.minhash", *data, "--output", f"{folder}/arrow", "--num_proc", "1"]
    return [sys.executable, __file__, "--run", tool, source, folder]


def version(tool, program):
    if tool == "twindex":
        return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    return importlib.metadata.version(tool.removesuffix("-0.5"))


def measure(words, folder):
    """What a process and those that it waited for used. Linux counts the memory of the starting process in: texts are read later."""
    own = {"HF_HOME": f"{folder}/home", "HF_HUB_OFFLINE": "1", "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with open(f"{folder}/log", "wb") as log:
        began = time.perf_counter()
        child = subprocess.Popen(words, stdout=log, stderr=log, env=os.environ | own)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(words)}: exit code {child.returncode}\n{pathlib.Path(folder, 'log').read_text(errors='replace')[-2000:]}")
    return {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss * 1024 / 1e6}


def outcome(folder):
    """The kept ids and the rows of the removed documents; text-dedup writes none of the latter."""
    if os.path.exists(f"{folder}/arrow"):
        from datasets import load_from_disk

        return list(load_from_disk(f"{folder}/arrow")["id"]), None
    kept, removed = ([json.loads(line) for line in open(f"{folder}/{name}.jsonl", encoding="utf-8")] for name in ("kept", "removed"))
    return [row["id"] for row in kept], removed


def pairs(path):
    """The neighbours of every id in a file of pairs, which may be packed or absent."""
    neighbours = collections.defaultdict(set)
    if os.path.exists(f"{path}.zst"):
        with tempfile.NamedTemporaryFile() as plain:
            subprocess.run([sys.executable, "-c", UNPACK, f"{path}.zst", plain.name], check=True)
            lines = pathlib.Path(plain.name).read_text(encoding="utf-8")
    else:
        lines = pathlib.Path(path).read_text(encoding="utf-8") if os.path.exists(path) else ""
    for left, right in (line.split("\t")[:2] for line in lines.splitlines()):
        neighbours[left].add(right)
        neighbours[right].add(left)
    return neighbours


def families(truth):
    """For every labelled id the set of those that labelled pairs join to it, itself included: one set for the whole family."""
    family = {}
    for start in truth:
        waiting, own = [start], family.get(start, set())
        while waiting:
            name = waiting.pop()
            if name not in family:
                family[name] = own
                own.add(name)
                waiting.extend(truth[name])
    return family


class Labels:
    def __init__(self, pack):
        self.meta = json.loads(pathlib.Path(pack, "pack.json").read_text(encoding="utf-8"))
        self.family = families(pairs(f"{pack}/truth.tsv"))
        self.ignored = pairs(f"{pack}/ignore.tsv")
        self.judged = pairs(f"{pack}/judged.tsv") if self.meta.get("judged_only") else None

    def verdict(self, name, kept):
        if not kept.isdisjoint(self.family.get(name, ())):
            return "right"
        unjudged = self.judged is not None and kept.isdisjoint(self.judged.get(name, ()))
        return "not judged" if unjudged or not kept.isdisjoint(self.ignored.get(name, ())) else "wrong"

    def left(self, kept):
        distinct = {id(family): family for family in self.family.values()}
        return sum(max(0, len(kept & family) - 1) for family in distinct.values())


def shingles(text):
    words = WORD.findall(text.lower())
    return {tuple(words[at:at + 3]) for at in range(max(1, len(words) - 2))}


def faults_of(tool, kept, removed, texts):
    if len(kept) != len(set(kept)) or not texts.keys() >= set(kept):
        yield f"{tool}: a kept document came twice, or is not of the collection"
    if removed is not None and sorted(kept + [row["id"] for row in removed]) != sorted(texts):
        yield f"{tool}: kept and removed documents are not the collection"
    for row in removed if tool == "twindex" else ():
        own, other = shingles(texts[row["id"]]), shingles(texts[row["witness"]])
        if row["witness"] not in set(kept) or len(own & other) < (COVERAGE - TOLERANCE) * len(own):
            yield f"twindex: {row['witness']} is not kept, or holds only {len(own & other) / len(own):.3f} of {row['id']}"


def judge(tool, runs, labels, texts, faults):
    """A row of the table from the folders and figures of the runs of a tool."""
    outcomes = [outcome(folder) for folder, _ in runs]
    if len({frozenset(kept) for kept, _ in outcomes}) > 1:
        faults.append(f"{tool}: two runs kept different documents")
    faults.extend(faults_of(tool, *outcomes[0], texts))
    kept = set(outcomes[0][0])
    verdicts = {name: labels.verdict(name, kept) for name in texts if name not in kept}
    row = {"removed": len(verdicts), "left": labels.left(kept), "wrong_ids": [name for name in verdicts if verdicts[name] == "wrong"]}
    counts = collections.Counter(verdicts.values())
    row |= {word: counts[word] for word in ("right", "wrong", "not judged")}
    return row | min((figures for _, figures in runs), key=lambda figures: figures["seconds"])


def table(answer):
    print(f"{answer['pack']}: {answer['documents']:,} documents; {answer['machine']}, one core; Python {sys.version.split()[0]}\n")
    print("| tool | verified | removed | of those wrong | not judged | right | left | seconds | peak MB |\n|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in answer["rows"]:
        counts = " | ".join(f"{row[word]:,}" for word in ("removed", "wrong", "not judged", "right", "left"))
        print(f"| {row['tool']} {row['version']} | {row['verified']} | {counts} | {row['seconds']:.2f} | {row['peak_mb']:,.0f} |")
    print("", *(f"{row['tool']}: {row['setting']}" for row in answer["rows"]), sep="\n")


def main():
    if sys.argv[1:2] == ["--run"]:
        return LIBRARIES[sys.argv[2]](*sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("twindex")
    parser.add_argument("pack")
    parser.add_argument("--only", action="append", choices=TOOLS, metavar="TOOL", help=f"one of {', '.join(TOOLS)}; may come again")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with CPU seconds and the ids of wrong removals")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as work:
        source, runs, faults = f"{work}/input/docs.jsonl", {}, []
        os.mkdir(f"{work}/input")
        subprocess.run([sys.executable, "-c", UNPACK, f"{arguments.pack}/docs.jsonl.zst", source], check=True)
        for tool in arguments.only or TOOLS:
            folders = [tempfile.mkdtemp(dir=work), tempfile.mkdtemp(dir=work)]
            runs[tool] = [(folder, measure(command(tool, arguments.twindex, source, folder), folder)) for folder in folders]
        labels, texts = Labels(arguments.pack), {name: text for _, name, text in documents(source)}
        rows = [{"tool": tool} | judge(tool, runs[tool], labels, texts, faults) for tool in runs]
    for row in rows:
        row["version"] = version(row["tool"], arguments.twindex)
        row["verified"], row["setting"] = TOOLS[row["tool"]]
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))[1]
    answer = {"pack": labels.meta["name"], "documents": len(texts), "machine": cpu, "rows": rows, "faults": faults}
    print(json.dumps(answer)) if arguments.json else table(answer)
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
