"""Prints all figures of docs/trajectory.md from the measurements of tools/update-trajectory. Standard library only."""

import json
import math
import random
import sys
from pathlib import Path

folder = Path(sys.argv[1])
LOGS = ["corridor1", "gore", "room1", "hh_walk", "hh_sweep"]
# OpenVINS on the same files, started at the truth, its gates relaxed and its calibration off: yaw-aligned ATE in metres.
# Source: the README of the recordings.
PEER = {"corridor1": 0.020, "gore": 0.048, "room1": 0.021, "hh_walk": 0.032, "hh_sweep": 0.014}
# The same source: that filter took 4.0 ms a frame where the frame kernel took 2.4 ms.
PEER_KERNELS = 4.0 / 2.4


def lines(name):
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def by_log(name):
    return {Path(line["name"]).name: line for line in lines(name)}


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def row(cells):
    print("| " + " | ".join(cells) + " |")


def head(cells):
    row(cells)
    print("|---|" + "---:|" * (len(cells) - 1))


def interval_of_mean(values):
    """95 % by bootstrap, with a fixed seed."""
    draw = random.Random(1)
    means = sorted(sum(draw.choice(values) for _ in values) / len(values) for _ in range(2000))
    return means[50], means[1949]


print("# The trajectory, all figures\n")
print("Written by `tools/update-trajectory`. Definitions of the figures: `docs/metrics.md`.\n")

print("## Another simulator's logs, the same tracks as a published filter\n")
print("Yaw-aligned ATE in metres. The peer is OpenVINS with relaxed gates and calibration off, initialised from the ground truth.\n")
head(["log", "peer", "true initial state", "ratio", "NEES pos", "NEES att", "own initialisation", "ratio", "offline", "ratio"])
columns = {name: by_log(name) for name in ["truth", "own", "offline"]}
ratios = {name: [] for name in columns}
for log in LOGS:
    cells = [log, number(PEER[log])]
    for name, figures in columns.items():
        ate = figures.get(log, {}).get("ateYawAligned")
        ratio = None if ate is None else ate / PEER[log]
        ratios[name].append(ratio)
        cells += [number(ate), number(ratio, 2)]
        if name == "truth":
            cells += [number(figures.get(log, {}).get(key), 1) for key in ["neesPosition", "neesAttitude"]]
    row(cells)
means = [geometric_mean(r) if r and None not in r else None for r in ratios.values()]
row(["geometric mean", "", "", number(means[0], 2), "", "", "", number(means[1], 2), "", number(means[2], 2)])

print("\n## A phone in a hand (real, `tango-handheld`)\n")
head(["", "ATE yaw m", "ATE SE3 m", "attitude °", "NEES pos", "NEES att"])
for name, title in [("tango", "own initialisation"), ("tango-offline", "`--offline`")]:
    for line in lines(name):
        keys = [("ateYawAligned", 3), ("ateSE3", 3), ("attitudeDegrees", 1), ("neesPosition", 1), ("neesAttitude", 1)]
        row([title] + [number(line.get(key), digits) for key, digits in keys])

print("\nStarted in the middle, during a walk: the parts without the sweeps at the recording's beginning.\n")
head(["from s", "ATE yaw m", "NEES pos", "NEES att", "offline ATE yaw m", "NEES pos", "NEES att"])
for start in [6, 12, 18, 24, 30]:
    cells = [str(start)]
    for name in [f"tango-{start}", f"tango-{start}-offline"]:
        figures = (lines(name) or [{}])[0]
        cells += [number(figures.get("ateYawAligned"))]
        cells += [number(figures.get(key), 1) for key in ["neesPosition", "neesAttitude"]]
    row(cells)

print("\n## Consistency: 50 seeds, with initial errors drawn from the initial covariance\n")
head(["scenario", "ATE yaw m", "NEES pos", "NEES att", "pos means in band %", "att means in band %"])
for line in lines("drawn"):
    fractions = [line.get(f"anees{part}InBand") for part in ["Position", "Attitude"]]
    row(
        [line["name"], number(line.get("ateYawAligned"))]
        + [number(line.get(key), 2) for key in ["neesPosition", "neesAttitude"]]
        + [number(None if fraction is None else 100 * fraction, 1) for fraction in fractions]
    )

print("\n## Effect of ranges: trajectory error with ranges over without, 20 seeds\n")
head(["scenario", "mean ratio", "95 %", "largest"])
without = {line["name"]: line["ateYawAligned"] for line in lines("without")}
for scenario in ["search", "long-walk"]:
    pairs = [(l["ateYawAligned"], without[l["name"]]) for l in lines("ranges") if l["name"].split()[0] == scenario]
    if pairs:
        values = [a / b for a, b in pairs]
        low, high = interval_of_mean(values)
        row([scenario, number(sum(values) / len(values)), f"{low:.3f} to {high:.3f}", number(max(values))])

if lines("stand"):
    print("\n## Stationary for a minute\n")
    head(["scenario", "ATE yaw m", "attitude °", "NEES pos", "NEES att"])
    for line in lines("stand"):
        keys = [("ateYawAligned", 4), ("attitudeDegrees", 3), ("neesPosition", 2), ("neesAttitude", 2)]
        row([line["name"]] + [number(line.get(key), digits) for key, digits in keys])

print("\n## Processor time of a frame\n")
print("Processor time of all work on one frame, beside the frame kernel of docs/benchmark.md on the same machine in the same")
print(f"process. The peer took {PEER_KERNELS:.2f} of that kernel.\n")
head(["log", "mean us", "p99 us", "p99 / mean", "kernel us", "mean / kernel", "mean / peer", "memory MB"])
for log in LOGS:
    path = folder / f"cost-{log}.json"
    if not path.exists():
        continue
    cost = json.loads(path.read_text())
    frame, kernel = cost["stages"]["frame"]["microseconds"], cost["kernel"]["frame"]
    ratio = frame["mean"] / kernel
    row(
        [log, number(frame["mean"], 0), number(frame["p99"], 0), number(frame["p99"] / frame["mean"], 2)]
        + [number(kernel, 0), number(ratio, 2), number(ratio / PEER_KERNELS, 2), number(cost["peakMemoryBytes"] / 1e6, 0)]
    )
