#!/usr/bin/env python3
"""The finder beside batch least squares, on the same path and ranges, by the same judge.

    tools/peers.py worlds <fuse> <first seed> <count> <jobs>    a line of JSON a world and solver: random worlds of tools/update-worlds, kind searches
    tools/peers.py page <lines of worlds> <lines of 'fuse eval --each --baseline --format jsonl' of real sensors, or an empty file>
                                                                writes docs/peers.md and its picture

`tools/update-peers` calls both. Standard library only.
"""
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
import textwrap

from page_picture import ROOT, bars

SECONDS = [6, 10, 20, 28]
SOLVER = ", least squares"


def world(fuse, seed, folder):
    path = f"{folder}/{seed}.yaml"
    words = [fuse, "eval", "--scenario", path, "--seeds", "1", "--first-seed", str(seed), "--baseline", "--no-ideal", "--format", "jsonl", "--quiet"]
    with open(path, "w") as file:
        drawn = subprocess.run([ROOT / "tools/update-worlds", "scenario", "searches", str(seed)], stdout=file)
    if drawn.returncode == 3:  # no room is large enough
        return ""
    drawn.check_returncode()
    found = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    for row in rows:
        row["name"] = row["name"].replace(path, str(seed))
    return "".join(json.dumps(row) + "\n" for row in rows)


def worlds(fuse, first, count, jobs):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for lines in pool.map(lambda seed: world(fuse, seed, folder), range(first, first + count)):
            print(lines, end="", flush=True)


class Sample:
    """Trials with the finder's row and the other solver's."""

    def __init__(self, path):
        with open(path) as file:
            rows = {row["name"]: row for row in map(json.loads, file)}
        self.pairs = [(row, rows[name + SOLVER]) for name, row in rows.items() if name + SOLVER in rows]

    def figure(self, key, seconds, of):
        """Its value and 95 % interval: the bootstrap over trials, on the same draws for all."""
        key = f"{key}At{seconds}s"
        there = [pair for pair in self.pairs if pair[0].get(f"angleShareAt{seconds}s") is not None]
        if not there:
            return None
        draw = random.Random(1)
        draws = [there] + [[draw.choice(there) for _ in there] for _ in range(1000)]
        values = [of([(a.get(key), b.get(key)) for a, b in pairs]) for pairs in draws]
        known = sorted(value for value in values[1:] if value is not None)
        if values[0] is None:
            return None
        ends = (known[int(0.025 * len(known))], known[int(0.975 * len(known))]) if len(there) >= 10 and known else None
        return values[0], ends, len(there)


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def median(values):
    values = sorted(value for value in values if value is not None)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2 if values else None


COLUMNS = [  # title, figure, summary, factor, digits
    ("error °", "angleErrorDegrees", median, 1, 1), ("published %", "angleShare", mean, 100, 0), ("coverage %", "coverage90", mean, 100, 0),
    ("CRPS °", "angleCRPSDegrees", mean, 1, 1), ("interval score °", "angleIntervalScoreDegrees", mean, 1, 0),
]


def cell(found, factor, digits, sign=""):
    if found is None:
        return "-"
    value, ends, _ = found
    text = f"{factor * value:{sign}.{digits}f}"
    return text + (f" [{factor * ends[0]:{sign}.{digits}f}, {factor * ends[1]:{sign}.{digits}f}]" if ends else "")


def table(sample):
    titles = [title for title, *_ in COLUMNS]
    lines = ["| | trials | " + " | ".join([titles[0], "where both answer", *titles[1:]]) + " |", "|---|" + "---:|" * (len(COLUMNS) + 2)]
    for seconds in SECONDS:
        for side, name in enumerate(["finder", "least squares"]):
            both = sample.figure("angleErrorDegrees", seconds, lambda pairs, s=side: median([p[s] for p in pairs if None not in p]))
            found = [sample.figure(key, seconds, lambda pairs, s=side, f=summary: f([p[s] for p in pairs])) for _, key, summary, _, _ in COLUMNS]
            if found[1] is None:
                continue
            cells = [cell(value, factor, digits) for value, (*_, factor, digits) in zip(found, COLUMNS)]
            lines.append(f"| {seconds} s, {name} | {found[1][2]} | " + " | ".join([cells[0], cell(both, 1, 1), *cells[1:]]) + " |")
        apart = [sample.figure(key, seconds, difference) for key in ("angleCRPSDegrees", "angleIntervalScoreDegrees")]
        if apart[0] is not None:
            lines.append(f"| {seconds} s, difference | {apart[0][2]} | | | | | {cell(apart[0], 1, 1, '+')} | {cell(apart[1], 1, 0, '+')} |")
    return lines


def difference(pairs):
    return mean(a - b for a, b in pairs if a is not None and b is not None)


def page(worlds_path, real_path):
    simulated, real = Sample(worlds_path), Sample(real_path)
    score = lambda sample, side, s, key="angleCRPSDegrees", of=mean: sample.figure(key, s, lambda pairs: of([p[side] for p in pairs]))
    groups = []
    for sample, name in [(simulated, "random worlds"), (real, "real sensors")]:
        for seconds in SECONDS:
            found = [score(sample, side, seconds) for side in (0, 1)]
            if None not in found:
                groups.append((f"{name}, {seconds} s", [round(value[0], 1) for value in found]))
    title = "What an answer about the angle costs: CRPS, degrees"
    bars("peers", title, groups, ["finder", "least squares"], maximum=45, reference=(45, "who says nothing"))
    share = lambda side: score(simulated, side, 10, "angleShare")[0]
    coverage = lambda side: score(simulated, side, 10, "coverage90")[0]
    crps = [score(simulated, side, 10)[0] for side in (0, 1)]
    intervals = [score(simulated, side, 10, "angleIntervalScoreDegrees")[0] for side in (0, 1)]
    conclusion = (
        f"10 s after the motion began, the finder has an angle in {100 * share(0):.0f} % of random worlds and {100 * coverage(0):.0f} % of its 90 % intervals hold the truth; "
        f"least squares answers in {100 * share(1):.0f} %, and {100 * coverage(1):.0f} % of its intervals do. Priced with its silence the finder's answer costs a CRPS of {crps[0]:.1f} "
        f"degrees and an interval score of {intervals[0]:.0f}, that of least squares {crps[1]:.1f} and {intervals[1]:.0f}.")
    lines = ["# The finder beside batch least squares", "", f"![{title}](pictures/peers.svg)", "", *textwrap.wrap(conclusion, 140), ""]
    lines += textwrap.wrap(
        "What one would write first: all ranges so far, the position and a bias of the peer by Levenberg-Marquardt with Huber's loss from 24 starts, the mode of "
        "least cost with its covariance, every second (`fuse eval --baseline`). It gets the finder's own path and the same ranges, and is judged by the same judge at the "
        "same moments. Scores are proper, less is better: neither silence (45, 342) nor a wrong width pays. Differences: finder less least squares, paired by trial. Brackets: 95 % "
        "intervals, the bootstrap over trials. Another solver: `fuse eval <recording> --solution FILE.csv`.", 140)
    seeds = [int(pair[0]["name"].split()[0]) for pair in simulated.pairs]
    lines += ["", "## Random worlds", "", f"Kind `searches` of `tools/update-worlds`, seeds {min(seeds)} to {max(seeds)}: 36 s, range errors of real size that are bound to the pose.", ""]
    lines += table(simulated)
    if real.pairs:
        names = sorted({pair[0]["name"].rsplit(" ", 2)[0].split("/")[-1] for pair in real.pairs if pair[0].get("angleShareAt6s") is not None})
        lines += ["", "## Real sensors", "", f"Windows of 34 s, each a separate search, a new one every 8 s, so that they overlap: {', '.join(names)}.", "", *table(real)]
    lines += ["", "Written by `tools/update-peers`; figures are defined in [metrics.md](metrics.md)."]
    (ROOT / "docs" / "peers.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["worlds"] and len(words) == 5:
        worlds(os.path.abspath(words[1]), *map(int, words[2:]))
    elif words[:1] == ["page"] and len(words) == 3:
        page(*words[1:])
    else:
        sys.exit(__doc__)
