#!/usr/bin/env python3
"""Re-fits the cuts of the default rule and prints what they are worth on packs that were left out.

usage: fit.py MEASURES.TSV     (README.md beside this file says how the table is made, and what this printed)

The terms are those of crates/core/src/verify/judgement.rs. The first one (jaccard >= 0.5) is fixed. Each other term is
opened as far as it goes while no pack loses more than LOSS of F1 against the rule without it: hard negatives decide, so a pack
of a kind that nobody has labelled profits as much as those at hand. Packs of one origin are left out together.
"""
import sys
from collections import defaultdict

import numpy as np

LOSS = 0.003
NOISE = [0.16, 0.15, 0.14, 0.13, 0.12, 0.11, 0.10, 0.09, 0.08]
REUSE = [0.30, 0.25, 0.20, 0.18, 0.15, 0.12, 0.10, 0.08]


def origin(pack):
    return pack.split("_")[0]


def read(path):
    columns = defaultdict(lambda: defaultdict(list))
    with open(path, encoding="utf-8") as lines:
        names = next(lines).rstrip("\n").split("\t")[1:]
        for line in lines:
            pack, *cells = line.rstrip("\n").split("\t")
            for name, cell in zip(names, cells):
                columns[pack][name].append(float(cell))
    return {pack: {name: np.array(values) for name, values in table.items()} for pack, table in columns.items()}


def accepted(table, noise, reuse):
    t = table
    shared = t["jaccard"] >= 0.5
    is_noise = (
        (t["shorter"] >= 64)
        & (t["shorter"] >= 0.9 * t["longer"])
        & (t["rare"] >= 0.5)
        & (t["spelling"] - (t["words"] + t["jaccard"]) / 2 >= noise)
    )
    is_reuse = (t["shorter"] >= 100) & (t["jaccard"] * t["rare"] >= reuse) & (t["chain"] >= 0.65)
    return shared | is_noise | is_reuse


def f1(table, noise, reuse):
    found = accepted(table, noise, reuse)
    right = (found & (table["label"] == 1)).sum()
    wrong = (found & (table["label"] == 0)).sum()
    missed = table["truth"][0] - right
    return 2 * right / max(2 * right + wrong + missed, 1)


def fit(packs):
    """The loosest cuts that cost no pack more than LOSS."""
    never = 9.0
    fits = lambda noise, reuse, before: all(f1(t, noise, reuse) >= f1(t, *before) - LOSS for t in packs.values())
    noise = never
    for cut in NOISE:
        if not fits(cut, never, (never, never)):
            break
        noise = cut
    reuse = never
    for cut in REUSE:
        if not fits(noise, cut, (noise, never)):
            break
        reuse = cut
    return noise, reuse


def main():
    packs = read(sys.argv[1])
    cuts = fit(packs)
    print("fitted on all packs: noise %.2f, reuse %.2f" % cuts)
    print("%-26s %8s %8s %8s   cuts without it" % ("pack", "0.5 only", "fitted", "left out"))
    for pack, table in packs.items():
        others = fit({name: other for name, other in packs.items() if origin(name) != origin(pack)})
        print("%-26s %8.3f %8.3f %8.3f   noise %.2f, reuse %.2f"
              % (pack, f1(table, 9.0, 9.0), f1(table, *cuts), f1(table, *others), *others))


if __name__ == "__main__":
    main()
