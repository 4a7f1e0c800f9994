#!/usr/bin/env python3
"""The speed of twindex and of rensa over one collection, in one run, on one core.

    pip install rensa zstandard
    python benchmarks/peers/speed.py target/release/twindex docs.jsonl.zst...

rensa is the fastest of the libraries that were compared for quality. It takes documents as sets of words (no shingles) and
answers which documents share a band with another one, or, one by one, with which; nothing is verified. twindex reads the same file, verifies every pair
and lists it with its scores. Both get CPU time, the file's decompression and parsing included; the best of five.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"

import rensa  # noqa: E402  (its threads are fixed at import)
import zstandard  # noqa: E402

PERMUTATIONS, BANDS, THRESHOLD, SEED = 126, 42, 0.5, 42
TIMES = 5


def texts(path):
    with open(path, "rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        rows = reader.read()
    return [json.loads(row)["text"] for row in rows.splitlines()], len(rows)


def with_rensa(path, digest):
    began = time.process_time()
    documents, size = texts(path)
    words = [text.lower().split() for text in documents]
    matrix = digest(words, PERMUTATIONS, SEED)
    index = rensa.RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS)
    flags = index.query_duplicate_flags_matrix_one_shot(matrix)
    return time.process_time() - began, len(documents), size, f"{sum(flags)} documents share a band"


def one_by_one(path):
    """A document after another, each asking who shares a band with it: what a list of pairs, or an unending stream, needs."""
    began = time.process_time()
    documents, size = texts(path)
    index = rensa.RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS)
    candidates = 0
    for number, text in enumerate(documents):
        signature = rensa.RMinHash(PERMUTATIONS, SEED)
        signature.update(text.lower().split())
        candidates += len(index.query(signature))
        index.insert(number, signature)
    return time.process_time() - began, len(documents), size, f"{candidates} candidates"


def with_twindex(program, command, path):
    with tempfile.TemporaryDirectory() as folder:
        outputs = ["--output", f"{folder}/out.jsonl"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(
            [program, command, path, "--threads", "1", "--quiet", "--json", *outputs],
            check=True, capture_output=True, text=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = json.loads(ended.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, summary["documents"], summary["bytes"], f"{summary['pairs']} verified pairs"


def main():
    program, *paths = sys.argv[1:]
    for path in paths:
        rows = {
            "twindex pairs": lambda: with_twindex(program, "pairs", path),
            "twindex dedup": lambda: with_twindex(program, "dedup", path),
            "rensa": lambda: with_rensa(path, rensa.RMinHash.digest_matrix_from_token_sets),
            "rensa, rho": lambda: with_rensa(path, rensa.RMinHash.digest_matrix_from_token_sets_rho),
            "rensa, one by one": lambda: one_by_one(path),
        }
        print(f"{path}\n{'':18}{'CPU s':>8}{'documents/s':>14}{'MB/s':>8}")
        for name, run in rows.items():
            seconds, documents, size, found = min(run() for _ in range(TIMES))
            print(f"{name:18}{seconds:8.2f}{documents / seconds:14,.0f}{size / 1e6 / seconds:8.1f}  {found}")


if __name__ == "__main__":
    main()
