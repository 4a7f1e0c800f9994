"""FAISS on the fingerprints of `cargo xtask bench hamming`: one thread, range search, one JSON line for each index.

usage: hamming.py STORED QUERIES RADIUS      (files of little-endian 64-bit fingerprints)
"""

import json
import sys
import time

import faiss
import numpy

stored_path, queries_path, radius = sys.argv[1], sys.argv[2], int(sys.argv[3])
stored = numpy.fromfile(stored_path, dtype="<u8").view(numpy.uint8).reshape(-1, 8)
queries = numpy.fromfile(queries_path, dtype="<u8").view(numpy.uint8).reshape(-1, 8)
faiss.omp_set_num_threads(1)


def multi_hash(tables, bits, flips):
    index = faiss.IndexBinaryMultiHash(64, tables, bits)
    index.nflip = flips
    return index


def hash_index(bits, flips):
    index = faiss.IndexBinaryHash(64, bits)
    index.nflip = flips
    return index


# Exact configurations of MultiHash for a radius of 3, the usual ones of Hash, and the linear scan with fewer queries.
INDEXES = [
    ("faiss-multihash", "4 x 16 bits, no flips", lambda: multi_hash(4, 16, 0), len(queries)),
    ("faiss-multihash", "2 x 32 bits, 1 flip", lambda: multi_hash(2, 32, 1), len(queries)),
    ("faiss-multihash", "3 x 21 bits, 1 flip", lambda: multi_hash(3, 21, 1), len(queries)),
    ("faiss-hash", "16 bits, 1 flip", lambda: hash_index(16, 1), len(queries)),
    ("faiss-hash", "20 bits, 1 flip", lambda: hash_index(20, 1), len(queries)),
    ("faiss-flat", "linear scan", lambda: faiss.IndexBinaryFlat(64), len(queries)),
]

for row, note, make, most in INDEXES:
    index = make()
    index.add(stored)
    best, matches = float("inf"), 0
    for _ in range(2):
        start = time.process_time()
        # Range search gives what is strictly nearer than its radius.
        limits, _, _ = index.range_search(queries[:most], radius + 1)
        best = min(best, time.process_time() - start)
        matches = int(limits[-1])
    line = {"row": row, "queries_per_second": most / best, "matches": matches, "note": f"faiss {faiss.__version__}, {note}"}
    print(json.dumps(line), flush=True)
