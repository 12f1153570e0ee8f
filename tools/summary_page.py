#!/usr/bin/env python3
"""Writes a generated page docs/<page>.md: picture, conclusion in two sentences, one screen of tables, from the tables of all its figures.

    tools/summary_page.py <page> [<figures>]    figures: .build/pages/<page>.md by default

Pages: results worlds robustness motions radios convergence tracking trajectory. Every figure is copied from there as it stands.
`tools/update-*` call this last. Standard library only.
"""
import re
import sys
import textwrap
from pathlib import Path

from page_picture import ROOT, bars


class Details:
    """The tables of a page: by heading, in their order."""

    def __init__(self, path):
        self.text = Path(path).read_text()
        self.tables = []
        heading, block = "", []
        for line in self.text.splitlines() + [""]:
            if line.startswith("|"):
                block.append([cell.strip() for cell in line.strip().strip("|").split("|")])
                continue
            if len(block) > 2:
                self.tables.append((heading, block[0], block[2:]))
            block = []
            if line.startswith("#"):
                heading = line.lstrip("# ")

    def table(self, heading, first=None):
        """Header and rows of the first table under a heading that begins so, and whose first header cell begins with `first`."""
        for title, head, rows in self.tables:
            if title.startswith(heading) and (first is None or head[0].startswith(first)):
                return head, rows
        raise SystemExit(f"summary_page.py: no table '{heading}' {first or ''}")

    def cell(self, heading, row, column, first=None):
        head, rows = self.table(heading, first)
        return next(cells[head.index(column)] for cells in rows if cells[0] == row)


def number(cell):
    """The number at the beginning of a cell; None for "-"."""
    found = re.match(r"-?[\d.]+", cell)
    return float(found[0]) if found else None


def plain(cell):
    """A cell without its confidence interval."""
    return cell.split(" [")[0]


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def columns(table, names, titles=None, keep=str):
    """Some columns of a table; the first one always."""
    head, rows = table
    places = [0] + [head.index(name) for name in names]
    return [head[0]] + (titles or names), [[keep(row[place]) for place in places] for row in rows]


def span(cells):
    """Least and largest of some cells, as they stand."""
    known = sorted((plain(cell) for cell in cells if number(cell) is not None), key=number)
    return known[0] if known[0] == known[-1] else f"{known[0]} to {known[-1]}"


def short(name):
    return name.split("/")[-1]


def page(name, title, conclusion, body, details=True):
    lines = [f"# {title}", "", f"![{title}](pictures/{name}.svg)", "", *textwrap.wrap(conclusion, 140, break_on_hyphens=False), ""] + body
    figures = f", with all figures, confidence intervals and conditions in `.build/pages/{name}.md`" if details else ""
    lines += ["", f"Written by `tools/update-{name}`{figures}. Definitions of the figures: [metrics.md](metrics.md)."]
    (ROOT / "docs" / f"{name}.md").write_text("\n".join(lines) + "\n")


def results(d):
    head, rows = d.table("Windows of 12 s", "Finding")
    rows = [[short(row[0])] + row[1:] for row in rows]
    coverage = head.index("coverage %")
    bars("results", "Windows of 12 s: intervals that contain the truth, %", [(row[0], [number(row[coverage])]) for row in rows], [""],
         maximum=100, reference=(90, "90 % wanted"))
    recordings, links, converged, updates, false = [], 0, 0, 0, 0
    part = d.text[d.text.index("## Recordings of real sensors"):d.text.index("## Own scenarios")]
    for name, block in re.findall(r"^### (\S+)\n\n```\n(.*?)```", part, re.M | re.S):
        shares = re.findall(r"(\d+) % of (\d+) intervals", block)
        sums = [tuple(map(int, found)) for found in re.findall(r"(\d+) of (\d+) converged updates false", block)]
        found = re.search(r"^trajectory: ([\d.]+) m", block, re.M)
        peers, found_links = len(re.findall(r"^  (?:against )?truth\b", block, re.M)), len(re.findall(r"^  converged after", block, re.M))
        wrong, all_updates = sum(s[0] for s in sums), sum(s[1] for s in sums)
        recordings.append([
            short(name), str(peers), str(found_links), f"{wrong} of {all_updates}", span([s[0] for s in shares]) if shares else "-",
            found[1] if found else "-"])
        if name.startswith("real/"):
            links, converged, updates, false = links + peers, converged + found_links, updates + all_updates, false + wrong
    conclusion = (
        f"{converged} of {links} links of real sensors converged at some time; {false} of {updates} converged updates were false. "
        f"In windows of 12 s, {span([row[coverage] for row in rows])} % of the 90 % intervals contain the truth, by recording.")
    names = ["angle ° median", "° 90 %", "over 20° off %", "coverage %", "first angle s", "converged %", "false %"]
    page("results", "Results on recordings", conclusion, [
        "## Windows of 12 s, real sensors", "", *markdown(*columns((head, rows), names)), "",
        "## Whole recordings, real sensors and another simulator", "",
        *markdown(["recording", "links", "ever converged", "false of converged updates", "coverage % by link", "trajectory ATE yaw m"], recordings)])


def worlds(d):
    kinds = [("Stationary peers", "stationary peers"), ("Several antennas", "several antennas"), ("Moving peers", "moving peers"),
             ("Phones", "phones"), ("Rest first", "rest first"), ("Errors of the pose", "errors of the pose"), ("Errors in time", "errors in time"),
             ("Bodies", "bodies"), ("Slow walkers", "slow walkers"), ("Stop and go", "stop and go")]
    tables = [d.table(heading, "worlds") for heading, _ in kinds]
    head = tables[0][0]
    rows = [[name] + table[1][0] for (_, name), table in zip(kinds, tables)]
    angle, coverage, ever = (1 + head.index(name) for name in ["updates with an angle %", "coverage of these %", "links ever falsely converged"])
    bars("worlds", "Random worlds, %", [(row[0], [number(row[angle]), number(row[coverage])]) for row in rows],
         ["updates with an angle", "coverage of these"], maximum=100, reference=(90, "90 % wanted"))
    first, last = rows[0], rows[2]
    conclusion = (
        f"In {first[1]} random worlds {first[angle]} % of the updates have an angle, and {first[coverage]} % of their intervals contain the truth. "
        f"{first[ever]} of {first[2]} links ever converged falsely, with moving peers {last[ever]} of {last[2]}.")
    paths = [[name] + [cell for row in d.table(heading, "trajectory")[1] for cell in row[1:3]] for heading, name in kinds]
    page("worlds", "Random worlds", conclusion, [
        *markdown([""] + head, rows), "", "Trajectories, median and 90th percentile:", "",
        *markdown(["", "ATE yaw m", "90 %", "NEES position", "90 %", "NEES attitude", "90 %"], paths), "",
        "Which worlds and links were wrong is there, too."])


def robustness(d):
    rows = []

    def case(name, figure, heading, column, with_it, without):
        rows.append([name, figure, d.cell(heading, with_it, column), d.cell(heading, without, column)])

    case("NLOS for a tenth of the time (with; clean)", "median angle error °", "NLOS", "angle °", "mc-nlos", "mc-arc-vertical")
    case("one NLOS interval of 2.5 s (with; clean)", "median angle error °", "NLOS", "angle °", "mc-nlos-burst", "mc-arc-vertical")
    moving = "falsely converged trials %"
    case("a found peer moves: moving alternative", moving, "Moving peers", moving, "true path", "true path, no alternative")
    head, unfound = next((head, rows) for title, head, rows in d.tables if title == "Moving peers" and "wrong angles %" in head)
    table = {row[0]: row[head.index("wrong angles %")] for row in unfound}
    for scenario, name in [("mc-moving-unfound", "arm"), ("mc-moving-unfound-walk", "walk")]:
        rows.append([
            f"a peer moves during the search, {name}: moving alternative", "wrong angles %", table[f"{scenario}, true path"],
            table[f"{scenario}, true path, no alternative"]])
    for scenario, name in [("mc-aoa-mirrored", "inverted sign"), ("mc-aoa-turned", "array rotated by 30°")]:
        case(f"AoA, {name}: validity test", moving, "Inconsistent", moving, scenario, f"{scenario}, no validity test")
    case("AoA, bias of 3°: bias model", "coverage %", "Inconsistent", "coverage %", "mc-aoa-offset", "mc-aoa-offset, no validity test")
    for scenario in ["mc-walk", "mc-walk-l", "mc-arc"]:
        case(
            f"odometry drift of 8 cm/√m, {scenario} (with; true path)", "wrong angles %", "Odometry drift", "wrong angles %",
            f"{scenario}, 0.08 m, 0.03 rad", f"{scenario}, true path")
    case("guidance (obeyed; random)", "converged %", "Guidance", "converged %", "obeys", "random")
    chosen = [row for row in rows if row[1] in (moving, "wrong angles %") and "odometry" not in row[0]]
    name = lambda row: row[0].replace("a peer moves during the search", "moves in search").split(":")[0]
    bars("robustness", "Wrong or falsely converged, %", [(name(row), [number(row[2]), number(row[3])]) for row in chosen],
         ["with the model", "without it"], maximum=100)
    by = {row[0]: row for row in rows}
    found, mirrored = by["a found peer moves: moving alternative"], by["AoA, inverted sign: validity test"]
    conclusion = (
        f"Where a found peer moves, {plain(found[2])} % of the trials converge falsely, without the moving alternative {plain(found[3])} %. "
        f"With inverted angles of arrival it is {plain(mirrored[2])} %, without the validity test {plain(mirrored[3])} %.")
    page("robustness", "NLOS, moving peers, inconsistent AoA, odometry drift, and guidance", conclusion,
         markdown(["case", "figure", "with", "without"], rows))


def motions(d):
    heading = "Figures by motion"
    finding, moments = d.table(heading, "Finding"), d.table(heading, "Where the angle")
    left = columns(finding, ["angle ° median", "° 90 %", "over 20° off %", "coverage %", "first angle s", "converged %", "false %"])
    right = columns(moments, ["published where ideal does %", "error ratio", "half-width ratio"])
    rows = [a + b[1:] for a, b in zip(left[1], right[1])]
    publishes = len(left[0])
    bars("motions", "Angle published where the ideal observer publishes one, %", [(row[0], [number(row[publishes])]) for row in rows], [""], maximum=100)
    by = rows[-1]
    conclusion = (
        f"Over all motions the median angle error is {plain(by[1])}°, and {plain(by[4])} % of the 90 % intervals contain the truth. "
        f"An angle is published in {plain(by[publishes])} % of the moments at which the ideal observer publishes one, with {plain(by[publishes + 2])} times its half-width.")
    page("motions", "Figures by motion", conclusion, [
        *markdown(["motion"] + left[0][1:] + right[0][1:], rows), "",
        "`mc-sway` has too little motion for an angle. The ideal observer knows path and noise model: [ideal-observer.md](ideal-observer.md)."])


def radios(d):
    rows, names = [], ["published", "error ratio", "half-width ratio", "coverage", "ideal's coverage"]
    for motion in ["mc-arc-vertical", "mc-walk-l"]:
        head, found = d.table(motion)
        get = lambda name: found[0][head.index(name)]
        rows.append([f"random radios, {motion}"] + [get(name) for name in names])
    for title, head, found in d.tables:
        if title.startswith("White noise"):
            get = lambda name: found[-1][head.index(name)]
            rows.append([title] + [get(name) for name in names])
    shorter = [("White noise of ", "white "), ("coloured of ", ""), (" to the finder", ""), (" for a twentieth of the time", ""), (" and ", " ")]

    def label(name):
        for old, new in shorter:
            name = name.replace(old, new)
        return name

    bars("radios", "Intervals that contain the truth", [(label(row[0]), [number(row[4]), number(row[5])]) for row in rows],
         ["fuse", "ideal observer"], maximum=1, reference=(0.9, "0.9 wanted"))
    drawn, fixed = rows[:2], rows[2:]
    fewest = min(fixed, key=lambda row: number(row[1]))
    conclusion = (
        f"Over random radios {span([row[4] for row in drawn])} of the intervals contain the truth, at {span([row[3] for row in drawn])} times the ideal observer's half-width. "
        f"Over fixed radios it is {span([row[4] for row in fixed])}; the fewest angles ({fewest[1]}) are published for {label(fewest[0])}.")
    page("radios", "Radios of every kind", conclusion, [
        *markdown(["radio (all motions)"] + names, rows), "",
        "Random radios differ in noise, rate, NLOS and losses; fixed ones have four motions each."])


def convergence(d):
    known, estimated = d.table("On the true path"), d.table("With the estimated trajectory")
    bound = known[0].index("upper bound % of the trials (95 %)")
    bars("convergence", "Falsely converged trials, upper bound in % (95 %), on the true path", [(row[0], [number(row[bound])]) for row in known[1]], [""])
    total = lambda table, column: sum(int(row[table[0].index(column)]) for row in table[1])
    worst = max(known[1], key=lambda row: number(row[bound]))
    conclusion = (
        f"On the true path {total(known, 'falsely, ever')} of {total(known, 'trials')} trials ever converged falsely, with the estimated trajectory {total(estimated, 'falsely, ever')} of {total(estimated, 'trials')}. "
        f"The largest upper bound on the true path is {worst[bound]} % ({worst[0]}).")
    page("convergence", "Rate of false convergence", conclusion, [
        "A trial is false when any of its updates is `converged` with an angle error over 20 degrees or a position error over max(1.5 m, 0.25 x distance). Target, radio and",
        "noise differ from seed to seed.", "", "## On the true path", "", *markdown(*known), "", "## With the estimated trajectory", "", *markdown(*estimated),
        "", "## The limit of the probability over 20 degrees away", "",
        "`maxProbabilityBeyond20Degrees` is the largest whose measured risk keeps below what users are promised, false at most 1 % of the links that converge, by its upper bound on one set of trials",
        "(Learn then Test, arXiv 2110.01052); the other set shows it. Motions mc-arc-vertical, mc-walk, mc-walk-l on the true path.", "",
        "Chosen on seeds from 300001:", "", *markdown(*d.table("Chosen on")), "", "Shown on seeds from 100001:", "", *markdown(*d.table("Shown on"))], details=False)


def tracking(d):
    head, rows = d.table("Against the truth", "motion")
    names = ["tracker", "median px", "95 % px", "within 2 px", "ms", "p99 ms", "ATE m"]
    kept = columns((head, rows), ["lens"] + names)
    error, lens, tracker = head.index("median px"), head.index("lens"), head.index("tracker")
    groups = {}
    for row in rows:
        groups.setdefault(f"{row[0]}, {row[lens]}", []).append((row[tracker], number(row[error])))
    bars("tracking", "Median error of tracks, pixels", [(label, [value for _, value in sorted(pair)]) for label, pair in groups.items()], ["fuse", "plain OpenCV"])
    of = lambda name, column: span([row[head.index(column)] for row in rows if row[tracker] == name])
    conclusion = (
        f"Tracks err by {of('fuse', 'median px')} px in the median (plain OpenCV {of('plain OpenCV', 'median px')} px), and a frame takes {of('fuse', 'ms')} ms in the mean. "
        f"The trajectory from these tracks is off by {of('fuse', 'ATE m')} m, from plain OpenCV's by {of('plain OpenCV', 'ATE m')} m.")
    page("tracking", "From images to tracks", conclusion, [
        "`fuse run` tracks a recording's images on the way where there is no `features.csv`; `fuse track` does it once and writes the files, with",
        "the same results to the byte. How, step by step: [method](method/image-tracking.md); what was tried:",
        "[experiments/image-tracking.md](experiments/image-tracking.md).", "", *markdown(*kept), "",
        "`within 2 px`: frames until a track is over 2 pixels off. `ms`: processor time of a frame on one thread, without decoding."])


def trajectory(d):
    table = d.table("Another simulator's logs")
    head, rows = table
    logs = [row for row in rows if number(row[1]) is not None]
    mean = rows[-1]
    bars("trajectory", "Yaw-aligned ATE, m", [(row[0], [number(row[head.index("true initial state")]), number(row[head.index("offline")]), number(row[1])]) for row in logs],
         ["fuse", "fuse --offline", "published filter"])
    first, _, third = (place for place, name in enumerate(head) if name == "ratio")
    phone_head, phone = d.table("A phone in a hand", "")
    ate, nees = phone_head.index("ATE yaw m"), phone_head.index("NEES pos")
    conclusion = (
        f"On another simulator's logs the error is {mean[first]} times that of a published filter, offline {mean[third]} times (geometric means). "
        f"A real phone's walk is off by {phone[0][ate]} m, offline by {phone[1][ate]} m, with a NEES of {phone[0][nees]} and {phone[1][nees]} (3 is consistent).")
    stale = re.search(r"^Figures as of .*?\.", d.text, re.M)
    page("trajectory", "The trajectory", conclusion, ([stale[0], ""] if stale else []) + [
        "## Another simulator's logs, the same tracks as a published filter", "", "ATE in metres. The published filter (`peer`) is OpenVINS with relaxed gates and calibration off.", "",
        *markdown(head, rows), "", "## A phone in a hand (real)", "", *markdown(phone_head, phone), "",
        "## Consistency, 50 seeds with drawn initial errors", "", *markdown(*d.table("Consistency"))])


PAGES = {f.__name__: f for f in [results, worlds, robustness, motions, radios, convergence, tracking, trajectory]}

if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in PAGES:
        sys.exit(__doc__)
    figures = Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / ".build/pages" / f"{sys.argv[1]}.md"
    if not figures.exists():
        sys.exit(f"summary_page.py: found no {figures}, expected the figures that tools/update-{sys.argv[1]} writes there")
    PAGES[sys.argv[1]](Details(figures))
