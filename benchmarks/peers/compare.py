#!/usr/bin/env python3
"""twindex and other libraries on the same documents, with the same definition of a duplicate: one table a pack.

    python3 benchmarks/peers/compare.py target/release/twindex PACKS [--pack NAME]... [--only TOOL]... [--write]

PACKS is a folder with score.py and dev/NAME. The script makes a virtual environment with the pinned versions of requirements.txt in
target/peers and runs itself there. --write also writes benchmarks/results/peers.md; packs that are left out keep their last
figures, which are in results/data/peers.json.

A duplicate is a pair with a Jaccard of at least 0.5 of three-word shingles; every tool is set to that, with 126 to 128 permutations where it
has them (datatrove has a second row with its own, for a higher similarity). Each runs as a process of its own on one core, from the JSONL file to a file of pairs (text-dedup and datatrove: of
clusters), which score.py of the packs judges. Seconds are of the whole process, imports included; memory is its largest
resident set. FAISS searches fingerprints that twindex made (recipe simhash), within three bits; making them is not counted.
The labels of two packs leave unlabelled pairs open that share half of their three-word shingles (pack.json): all tools
search for that here, but precision is best for what measures it exactly. The best of each column is bold, whoever it is.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import pickle
import platform
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENVIRONMENT = ROOT / "target" / "peers"
RESULTS = ROOT / "benchmarks" / "results"
COMMAND = "python3 benchmarks/peers/compare.py target/release/twindex PACKS"
PACKS = ["tweets_retweets_dev", "en_mdn_revisions_dev", "licences_scancode_dev"]
THRESHOLD, WORDS, BANDS, ROWS, RADIUS = 0.5, 3, 42, 3, 3
PERMUTATIONS = BANDS * ROWS


def documents(source):
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["id"], row["text"]


def shingles(text):
    words = text.lower().split()
    return {" ".join(words[at:at + WORDS]) for at in range(max(1, len(words) - WORDS + 1))}


def write_pairs(path, found):
    with open(path, "w", encoding="utf-8") as file:
        file.write("left\tright\n")
        file.writelines(f"{left}\t{right}\n" for left, right in found)


def gaoya(source, output):
    from gaoya.minhash import MinHashStringIndex

    index, names = MinHashStringIndex(32, THRESHOLD, BANDS, ROWS, None, "word", True, (WORDS, WORDS)), []

    def found():
        for number, (name, text) in enumerate(documents(source)):
            yield from ((names[other], name) for other in index.query(text))
            index.insert_document(number, text)
            names.append(name)

    write_pairs(output, found())


def rensa(source, output):
    from rensa import RMinHash, RMinHashLSH

    index, made, names = RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS), [], []

    def found():
        for number, (name, text) in enumerate(documents(source)):
            sketch = RMinHash(PERMUTATIONS, 42)
            sketch.update(list(shingles(text)))
            for other in index.query(sketch):
                if sketch.jaccard(made[other]) >= THRESHOLD:
                    yield names[other], name
            index.insert(number, sketch)
            made.append(sketch)
            names.append(name)

    write_pairs(output, found())


def datasketch(source, output):
    from datasketch import MinHash, MinHashLSH

    index, made = MinHashLSH(threshold=THRESHOLD, num_perm=128), {}

    def found():
        for name, text in documents(source):
            sketch = MinHash(num_perm=128)
            sketch.update_batch([shingle.encode() for shingle in shingles(text)])
            yield from ((other, name) for other in index.query(sketch) if sketch.jaccard(made[other]) >= THRESHOLD)
            index.insert(name, sketch)
            made[name] = sketch

    write_pairs(output, found())


def datatrove(source, output, buckets_of=(BANDS, ROWS)):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    folder = os.path.dirname(output) + "/datatrove"
    count, hashes = buckets_of
    config = MinhashConfig(n_grams=WORDS, num_buckets=count, hashes_per_bucket=hashes)
    signatures, buckets, remove = (f"{folder}/{name}" for name in ("signatures", "buckets", "remove"))
    reader = JsonlReader(os.path.dirname(source))
    kept, removed = (JsonlWriter(folder, f"{name}.jsonl", compression=None) for name in ("kept", "removed"))
    steps = [
        (1, [reader, MinhashDedupSignature(signatures, config=config)]),
        (count, [MinhashDedupBuckets(signatures, buckets, config=config)]),
        (1, [MinhashDedupCluster(buckets, remove, config=config, save_cluster_id=True)]),
        (1, [reader, MinhashDedupFilter(remove, exclusion_writer=removed, load_cluster_ids=True), kept]),
    ]
    for number, (tasks, pipeline) in enumerate(steps):
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=f"{folder}/logs/{number}").run()
    with open(output, "w", encoding="utf-8") as clusters:
        clusters.write("id\tcluster\n")
        for name in ("kept", "removed"):
            for line in open(f"{folder}/{name}.jsonl", encoding="utf-8"):
                row = json.loads(line)
                if row["metadata"].get("minhash_cluster_id", -1) >= 0:
                    clusters.write(f"{row['id']}\t{row['metadata']['minhash_cluster_id']}\n")


def datatrove_defaults(source, output):
    datatrove(source, output, (14, 8))


def faiss(source, output):
    """`source` is a table of ids and fingerprints in hexadecimal."""
    import faiss as library
    import numpy

    library.omp_set_num_threads(1)
    rows = [line.rstrip("\n").split("\t") for line in open(source, encoding="utf-8")]
    rows = [row for row in rows if re.fullmatch("[0-9a-f]{16}", row[1])]
    values = numpy.array([int(row[1], 16) for row in rows], dtype="<u8").view(numpy.uint8).reshape(-1, 8)
    index = library.IndexBinaryMultiHash(64, 4, 16)
    index.nflip = 0
    index.add(values)
    limits, _, others = index.range_search(values, RADIUS + 1)

    def found():
        for number in range(len(rows)):
            near = {int(other) for other in others[limits[number]:limits[number + 1]]}
            yield from ((rows[other][0], rows[number][0]) for other in near if other < number)

    write_pairs(output, found())


LIBRARIES = {
    "gaoya": gaoya,
    "rensa": rensa,
    "datasketch": datasketch,
    "datatrove": datatrove,
    "datatrove defaults": datatrove_defaults,
    "faiss-cpu": faiss,
}
TOOLS = ["twindex", "twindex simhash", *LIBRARIES, "text-dedup"]
IN_CLUSTERS = {"datatrove", "datatrove defaults", "text-dedup"}
NOTES = {
    "twindex": "pairs, default recipe: every pair verified by its texts",
    "twindex simhash": "pairs --recipe simhash: within three bits, then verified",
    "gaoya": "MinHashStringIndex, words, 42 bands of 3; compares signatures",
    "rensa": "RMinHash of all shingles, 42 bands; compares signatures",
    "datasketch": "MinHashLSH, 128 permutations; compares signatures",
    "datatrove": "42 buckets of 3, as gaoya; clusters, nothing compared",
    "datatrove defaults": "14 buckets of 8, its defaults; clusters, nothing compared",
    "faiss-cpu": "IndexBinaryMultiHash 4 x 16 over twindex's simhashes, within three bits; nothing compared",
    "text-dedup": "minhash, 128 permutations; clusters, nothing compared",
}


def command(tool, program, source, fingerprints, folder):
    output = f"{folder}/found.tsv"
    if tool.startswith("twindex"):
        recipe = ["--recipe", "simhash"] if tool.endswith("simhash") else []
        return [program, "pairs", source, *recipe, "--threads", "1", "--quiet", "--output", output]
    if tool == "text-dedup":
        data = ["--path", "json", "--data_files", source, "--split", "train", "--cache_dir", f"{folder}/cache", "--column", "text"]
        setting = ["--ngram", str(WORDS), "--threshold", str(THRESHOLD), "--num_perm", "128", "--min_length", "1"]
        return [sys.executable, "-m", "text_dedup.minhash", *data, *setting, "--output", f"{folder}/arrow", "--num_proc", "1", "--debug"]
    return [sys.executable, __file__, "--run", tool, fingerprints if tool == "faiss-cpu" else source, output]


def text_dedup_clusters(source, folder):
    """Its union-find by row number, as a table of clusters."""
    with open(f"{folder}/arrow/uf.pkl", "rb") as file:
        found = pickle.load(file)
    with open(f"{folder}/found.tsv", "w", encoding="utf-8") as clusters:
        clusters.write("id\tcluster\n")
        for number, (name, _) in enumerate(documents(source)):
            if number in found.parent:
                clusters.write(f"{name}\t{found.find(number)}\n")


def measure(words, folder):
    own = {"HF_HOME": f"{folder}/home", "HF_HUB_OFFLINE": "1", "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with open(f"{folder}/log", "wb") as log:
        began = time.perf_counter()
        child = subprocess.Popen(words, stdout=log, stderr=log, env=os.environ | own)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(words)}: exit code {child.returncode}\n{pathlib.Path(folder, 'log').read_text(errors='replace')[-1500:]}")
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "mb": usage.ru_maxrss * 1024 / 1e6}


def version(tool, program):
    if tool.startswith("twindex"):
        return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    return importlib.metadata.version(tool.split()[0])


def one_pack(name, tools, program, packs):
    """What was found about a pack: a row a tool. A tool that fails has a row that says so."""
    pack, rows = f"{packs}/dev/{name}", []
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(f"{work}/documents")
        source, fingerprints = f"{work}/documents/docs.jsonl", f"{work}/fingerprints.tsv"
        subprocess.run(["zstd", "-dq", "--long=27", f"{pack}/docs.jsonl.zst", "-o", source], check=True)
        subprocess.run([program, "fingerprint", source, "--recipe", "simhash", "--quiet", "--output", fingerprints], check=True)
        for tool in tools:
            print(f"{name}: {tool}", file=sys.stderr)
            row = {"tool": f"{tool} {version(tool, program)}", "note": NOTES[tool]}
            folder = f"{work}/{tool.replace(' ', '-')}"
            os.mkdir(folder)
            try:
                row |= measure(command(tool, program, source, fingerprints, folder), folder)
                if tool == "text-dedup":
                    text_dedup_clusters(source, folder)
                kind = ["--clusters"] if tool in IN_CLUSTERS else []
                judged = subprocess.run([sys.executable, f"{packs}/score.py", *kind, pack, f"{folder}/found.tsv"], check=True, capture_output=True, text=True)
                row |= json.loads(judged.stdout)
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(getattr(error, "stderr", None) or error, file=sys.stderr)
                row["note"] = "failed"
            rows.append(row)
        count = sum(1 for _ in documents(source))
        return {"documents": count, "bytes": os.path.getsize(source), "machine": machine(), "rows": rows}


COLUMNS = [("seconds", "seconds", min, "{:.2f}"), ("CPU s", "cpu", min, "{:.2f}"), ("peak MB", "mb", min, "{:.0f}"),
           ("F1", "f1", max, "{:.3f}"), ("precision", "precision", max, "{:.3f}"), ("recall", "recall", max, "{:.3f}")]


def table(rows):
    lines = ["| | " + " | ".join(name for name, *_ in COLUMNS) + " | |", "|---|" + "---:|" * len(COLUMNS) + "---|"]
    best = {key: form.format(choose(row[key] for row in rows if key in row)) for _, key, choose, form in COLUMNS}
    for row in rows:
        cells = [form.format(row[key]) if key in row else "-" for _, key, _, form in COLUMNS]
        cells = [f"**{cell}**" if cell == best[key] else cell for cell, (_, key, _, _) in zip(cells, COLUMNS)]
        lines.append(f"| {row['tool']} | " + " | ".join(cells) + f" | {row['note']} |")
    return "\n".join(lines)


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))[1]
    return f"{cpu}, one core; Python {platform.python_version()}"


def page(answers):
    parts = [f"# Other libraries, the same documents and the same definition\n\nWritten by `{COMMAND} --write`.\n\n{__doc__.strip().split(chr(10) * 2)[-1]}"]
    parts.extend(f"## {name}\n\n{found['documents']:,} documents, {found['bytes'] / 1e6:.1f} MB. {found['machine']}.\n\n{table(found['rows'])}"
                 for name, found in answers.items())
    return "\n\n".join(parts) + "\n"


def write(answers):
    """Renews the figures of these packs, and the page of all packs."""
    data = RESULTS / "data" / "peers.json"
    known = json.loads(data.read_text(encoding="utf-8")) if data.exists() else {}
    known |= answers
    data.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    ordered = sorted(known, key=lambda name: PACKS.index(name) if name in PACKS else len(PACKS))
    (RESULTS / "peers.md").write_text(page({name: known[name] for name in ordered}), encoding="utf-8")


def ensure_environment():
    """Runs this script again with the Python of the virtual environment, which is made if it is missing."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    wanted = (HERE / "requirements.txt").read_text()
    stamp = ENVIRONMENT / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--requirement", HERE / "requirements.txt"], check=True)
        stamp.write_text(wanted)
    if pathlib.Path(sys.prefix) != ENVIRONMENT:
        os.execv(python, [str(python), *sys.argv])


def main():
    if sys.argv[1:2] == ["--run"]:
        tool, source, output = sys.argv[2:]
        return LIBRARIES[tool](source, output)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("packs")
    parser.add_argument("--pack", action="append", default=[])
    parser.add_argument("--only", action="append", choices=TOOLS, default=[])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    ensure_environment()
    program, packs = os.path.abspath(arguments.program), os.path.abspath(arguments.packs)
    answers = {name: one_pack(name, arguments.only or TOOLS, program, packs) for name in arguments.pack or PACKS}
    print(page(answers))
    if arguments.write:
        write(answers)


if __name__ == "__main__":
    main()
