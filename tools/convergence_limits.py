#!/usr/bin/env python3
"""A row of docs/convergence.md: what a limit of the probability over 20 degrees away risks. `tools/update-convergence` calls it.

    tools/convergence_limits.py                heads of the table
    tools/convergence_limits.py <limit> <rows  the rows of `fuse eval --scenario ... --format jsonl` of some motions under the limit

Links are independent, their updates are not: the bound is the exact one (Clopper and Pearson, Biometrika 26, 1934) on the share of links that ever converged falsely among those that
converged, one-sided 95 %.
"""
import json
import math
import sys


def tail(n, k, p):
    """P(at most k of n)."""
    if p <= 0:
        return 1.0
    logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p) for i in range(k + 1)]
    return sum(map(math.exp, logs))


def bound(n, k):
    """The largest p with P(at most k of n) >= 0.05."""
    if n == 0 or k >= n:
        return 1.0
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(n, k, middle) >= 0.05 else (low, middle)
    return high


def main():
    if len(sys.argv) == 1:
        print("| limit % | trials | converged | falsely, ever | upper bound % of the converged (95 %) | false % of the converged updates | seconds to converge |\n|---:|---:|---:|---:|---:|---:|---:|")
        return
    rows = [json.loads(line) for line in sys.stdin if line.startswith("{")]
    trials = sum(row["trials"] for row in rows)
    links = sum(round(row["trials"] * row["convergedShare"]) for row in rows)
    false = sum(round(row["trials"] * (row["falselyConvergedTrials"] or 0)) for row in rows)
    updates = sum(row["converged"] or 0 for row in rows)
    wrong = sum((row["converged"] or 0) * (row["falseConverged"] or 0) for row in rows)
    waits = [(row["timeToConverge"], row["trials"] * row["convergedShare"]) for row in rows if row["timeToConverge"] is not None]
    mean = sum(wait * weight for wait, weight in waits) / max(sum(weight for _, weight in waits), 1e-9)
    print(f"| {100 * float(sys.argv[1]):g} | {trials} | {links} | {false} | {100 * bound(links, false):.2f} | {100 * wrong / max(updates, 1e-9):.3f} | {mean:.1f} |")


if __name__ == "__main__":
    main()
