#!/usr/bin/env python3
"""The steps of tools/fleet/Snakefile; docs/fleet.md says how they go together.

    fleet.py import <sources> <list> [--importer <command>]   makes what is no recording yet, and the list of the shard's recordings
    fleet.py merge <folder of rows> <rows> <table>        all rows by name, as they stand, and their figures as Parquet
    fleet.py compare <comparison> <table>...              the last table, beside the one before it where there are two, paired by recording
    fleet.py choose <comparison> <names> <number or all>  the recordings that get a report: the worst, and the worst regressions
    fleet.py report <names> <index> --jobs N --run <side>=<command>...   runs them and writes their reports
    fleet.py page <comparison> <index of reports> <page> --title <title>
"""
from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Figures of a comparison, and what is better: less, more, or a target.
FIGURES = {
    "angleErrorDegrees": "less", "angleCRPSDegreesAt6s": "less", "angleCRPSDegreesAt10s": "less", "angleShareAt6s": "more", "angleShareAt10s": "more",
    "wrongAngles": "less", "coverage90": 0.9, "distanceCoverage90": 0.9, "convergedShare": "more", "timeToConverge": "less", "falseConverged": "less",
    "verticalDecided": "more", "verticalWrong": "less", "distanceError": "less", "positionError": "less", "ateYawAligned": "less",
}
COUNTS = ["links", "found", "falselyFound", "honest", "overConfident"]
# What orders recordings: the price of an answer that is not silence for free.
PRICE = "angleCRPSDegreesAt6s"
# Rows on the page; the table has all.
MOST = 5000


class Side:
    """One finder: its executable and options."""

    def __init__(self, name: str, fuse: str, settings: dict) -> None:
        options = dict(settings or {})
        self.fuse = os.path.abspath(options.pop("fuse", fuse))
        known = {"config": "--config", "from": "--from", "to": "--to", "windows": "--windows", "every": "--every"}
        flags = {"odometry", "offline", "calibrate", "no-ranges", "baseline", "ideal"}
        run, evaluated = [], []
        self.files = [self.fuse] + ([options["config"]] if options.get("config") else [])
        if not options.get("ideal"):
            evaluated.append("--no-ideal")
        for key, value in options.items():
            if key in known:
                words = [known[key], str(value)]
            elif key in flags:
                words = [f"--{key}"] if value is True else []
            else:
                raise SystemExit(f"error: fleet.yaml: sides.{name}: found '{key}', expected one of fuse, {', '.join([*known, *sorted(flags)])}")
            if key != "ideal":
                evaluated += words
            if key not in ("windows", "every", "baseline", "ideal"):
                run += words
        self.words = shlex.join([self.fuse, "eval", *evaluated])
        self.run_words = shlex.join([self.fuse, "run", *run])


class Fleet:
    """fleet.yaml: recordings (a file of lines), shards, sides, importer, fuse, threads, reports, name."""

    KEYS = {"recordings", "shards", "sides", "importer", "fuse", "threads", "reports", "name"}

    def __init__(self, config: dict) -> None:
        for key in sorted(set(config) - self.KEYS):
            raise SystemExit(f"error: fleet.yaml: found '{key}', expected one of {', '.join(sorted(self.KEYS))}")
        if "recordings" not in config:
            raise SystemExit("error: fleet.yaml: found no 'recordings', expected a file with a path or 'world:<kind>:<seed>' a line")
        self.recordings, self.importer = config["recordings"], config.get("importer", "")
        self.name = config.get("name", Path.cwd().name)
        self.threads, self.reports = int(config.get("threads", 1)), str(config.get("reports", 20))
        self.fuse = os.path.abspath(config.get("fuse", HERE.parent.parent / ".build/release/fuse"))
        self.sides = {name: Side(name, self.fuse, settings) for name, settings in (config.get("sides") or {"new": {}}).items()}
        if len(self.sides) > 2:
            raise SystemExit(f"error: fleet.yaml: found {len(self.sides)} sides, expected one, or an old and a new one")
        count = int(config.get("shards", 10))
        self.parts: dict[str, list[str]] = {}
        seen: set[str] = set()
        for number, line in enumerate(Path(self.recordings).read_text().splitlines(), 1):
            source = line.strip().rstrip("/") if line.strip() != "/" else "/"
            if not source or source.startswith("#"):
                continue
            if source in seen:
                raise SystemExit(f"error: {self.recordings}:{number}: found {source} again, expected each recording once")
            seen.add(source)
            # By the name, not by the place in the list: another recording moves no other one to another shard.
            shard = int(hashlib.sha256(source.encode()).hexdigest()[:12], 16) % count
            self.parts.setdefault(f"{shard:05}", []).append(source)
        if not self.parts:
            raise SystemExit(f"error: {self.recordings}: found no recording, expected a path or 'world:<kind>:<seed>' a line")
        self.shards = sorted(self.parts)

    def write_shards(self) -> None:
        for shard, sources in self.parts.items():
            write_if_new(Path("work/sources") / f"{shard}.txt", "".join(source + "\n" for source in sorted(sources)))


def write_if_new(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        write(path, text)


def write(path: Path | str, text: str) -> None:
    """Whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text)
    os.replace(partial, path)


# Import


def recording_of(source: str) -> str:
    """The folder of a source: itself, or where it is imported to."""
    if (Path(source) / "mav0").is_dir():
        return source
    return "recordings/" + re.sub(r"[^A-Za-z0-9._-]+", "-", source.removeprefix("world:")).strip("-.") + "-" + hashlib.sha256(source.encode()).hexdigest()[:8]


def import_shard(options: argparse.Namespace) -> None:
    names = []
    for source in Path(options.sources).read_text().splitlines():
        folder = recording_of(source)
        names.append(folder)
        if folder == source:
            continue
        # What it was made by; a kill leaves none, and it is made again.
        mark, by = Path(folder + ".source"), json.dumps([source, options.importer, stamp(source)]) + "\n"
        if mark.exists() and mark.read_text() == by and Path(folder).is_dir():
            continue
        Path("recordings").mkdir(exist_ok=True)
        mark.unlink(missing_ok=True)
        if source.startswith("world:"):
            _, kind, seed = (source.split(":") + ["", ""])[:3]
            code = subprocess.run([HERE.parent / "update-worlds", "record", "--", kind, seed, folder]).returncode
            if code not in (0, 3):  # 3: no room is large enough
                raise SystemExit(f"error: {options.sources}: found {source}, expected world:<kind>:<seed>, a kind of 'tools/update-worlds kinds'")
            made = code == 0
        elif options.importer:
            command = options.importer.replace("{source}", shlex.quote(source)).replace("{folder}", shlex.quote(folder))
            with open(folder + ".log", "w") as log:
                made = subprocess.run(command, shell=True, stdout=log, stderr=subprocess.STDOUT).returncode == 0
        else:
            made = False
        # One that fails is a row with its error: the evaluation finds no recording in its place.
        if made:
            write(mark, by)
        else:
            print(f"warning: {source}: not imported" + (f", see {folder}.log" if options.importer else ", fleet.yaml has no 'importer'"), file=sys.stderr)
    write(options.list, "".join(name + "\n" for name in names))


def stamp(source: str) -> list[int]:
    """Size and time of a source that is a file or a folder: another one is imported again."""
    try:
        status = os.stat(source)
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]


# Merge and compare


def database():
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = true")
    return connection


def merge(options: argparse.Namespace) -> None:
    """DuckDB sorts on disk where memory is short. Rows stand as `fuse eval` wrote them: the same bytes whatever the shards."""
    connection = database()
    files = sorted(str(path) for path in Path(options.folder).glob("*.jsonl"))
    rows = connection.execute(
        "SELECT json::VARCHAR, json->>'$.error' IS NULL FROM read_json_objects(?, format = 'newline_delimited', maximum_object_size = 67108864) "
        "ORDER BY json->>'$.name'", [files])
    partial, columns = Path(f"{options.rows}.partial"), None
    partial.parent.mkdir(parents=True, exist_ok=True)
    with open(partial, "w") as out:
        while part := rows.fetchmany(1000):
            for line, good in part:
                out.write(line + "\n")
                if good and columns is None:
                    columns = kinds(json.loads(line))
    columns = columns or {}
    columns = {"name": "VARCHAR", "key": "VARCHAR", "version": "VARCHAR", "error": "VARCHAR", "verdict": "JSON", **columns}
    chosen = ", ".join(f"\"{name}\"" for name in columns if name != "verdict")
    connection.execute(
        f"COPY (SELECT {chosen}, verdict->>'$.state' AS verdict FROM read_json(?, format = 'newline_delimited', columns = {columns!r}, "
        "maximum_object_size = 67108864) ORDER BY name) TO " + literal(f"{options.table}.partial") + " (FORMAT parquet)", [str(partial)])
    os.replace(f"{options.table}.partial", options.table)
    os.replace(partial, options.rows)


def kinds(row: dict) -> dict[str, str]:
    """Column types of the figures: numbers and nulls at the top, and those of other solvers."""
    return {key: "DOUBLE" for key, value in row.items() if (value is None and key not in ("error", "verdict")) or isinstance(value, (int, float))}


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def compare(options: argparse.Namespace) -> None:
    connection = database()
    tables = options.tables
    for number, table in enumerate(tables):
        connection.execute(f"CREATE VIEW side{number} AS SELECT * FROM read_parquet({literal(table)})")
    last = f"side{len(tables) - 1}"
    present = [name for (name, *_) in connection.execute(f"DESCRIBE {last}").fetchall()]
    figures = [name for name in FIGURES if name in present]
    counts = [name for name in COUNTS if name in present]
    sides = []
    for number, table in enumerate(tables):
        row = connection.execute(
            f"SELECT count(*), count(error), count(*) FILTER (verdict = 'broken'), {', '.join(f'sum({name})' for name in counts) or '1'} FROM side{number}").fetchone()
        values = connection.execute(f"SELECT {', '.join(f'avg({name}), median({name}), count({name})' for name in figures) or '1'} FROM side{number}").fetchone()
        sides.append({
            "name": Path(table).stem, "recordings": row[0], "errors": row[1], "broken": row[2], **{name: int(value or 0) for name, value in zip(counts, row[3:])},
            "figures": {name: values[3 * k:3 * k + 3] for k, name in enumerate(figures)}})
    pairs = {}
    if len(tables) == 2:
        for name in figures:
            goal = FIGURES[name]
            worse = {"less": f"b.{name} - a.{name}", "more": f"a.{name} - b.{name}"}.get(goal, f"abs(b.{name} - {goal}) - abs(a.{name} - {goal})")
            n, old, new, difference, deviation, worsened, improved = connection.execute(
                f"SELECT count(*), avg(a.{name}), avg(b.{name}), avg(b.{name} - a.{name}), stddev_samp(b.{name} - a.{name}), "
                f"count(*) FILTER ({worse} > 1e-9), count(*) FILTER ({worse} < -1e-9) FROM side0 a JOIN side1 b USING (name) "
                f"WHERE a.{name} IS NOT NULL AND b.{name} IS NOT NULL").fetchone()
            half = 1.96 * deviation / math.sqrt(n) if n and n > 1 and deviation is not None else None
            pairs[name] = {
                "pairs": n, "old": old, "new": new, "difference": difference, "interval": None if half is None else [difference - half, difference + half],
                "worse": worsened, "better": improved, "goal": goal}
    chosen = [name for name in figures if name in (
        PRICE, "angleErrorDegrees", "angleShareAt6s", "coverage90", "distanceCoverage90", "wrongAngles", "timeToConverge", "ateYawAligned")]
    old = ", ".join(f"a.{name} AS old_{name}" for name in chosen)
    join = f"LEFT JOIN side0 a USING (name)" if len(tables) == 2 else ""
    price = f"b.{PRICE}" if PRICE in figures else "NULL"
    rise = f"coalesce({price}, 45) - coalesce(a.{PRICE}, 45)" if len(tables) == 2 and PRICE in figures else "0"
    query = (
        f"SELECT b.name, b.error, b.verdict, {', '.join(['b.' + name for name in counts + chosen])}{', ' + old if join and old else ''}"
        f"{', a.error AS old_error' if join else ''}, {rise} AS rise FROM {last} b {join}")
    worst = "b.error IS NULL, b.verdict IS DISTINCT FROM 'broken', " + ("b.falselyFound DESC NULLS LAST, " if counts else "") + f"{price} DESC NULLS LAST, b.name"
    limit = f" LIMIT {MOST}"
    found = {}
    for order in (worst, "rise DESC, b.name"):
        result = connection.execute(f"SELECT * FROM ({query} ORDER BY {order}{limit})")
        names = [column[0] for column in result.description]
        for row in result.fetchall():
            found.setdefault(row[0], dict(zip(names, row)))
    rows = list(found.values())
    ranks = {name: k for k, (name,) in enumerate(connection.execute(f"SELECT b.name FROM {last} b {join} ORDER BY {worst}{limit}").fetchall())}
    rows.sort(key=lambda row: ranks.get(row["name"], len(ranks)))
    write(options.comparison, json.dumps({"sides": sides, "pairs": pairs, "chosen": chosen, "rows": rows}, indent=1) + "\n")


def choose(options: argparse.Namespace) -> None:
    rows = [row for row in json.loads(Path(options.comparison).read_text())["rows"] if row["error"] is None]
    if options.most == "all":
        names = [row["name"] for row in rows]
    else:
        most = int(options.most)
        names = [row["name"] for row in rows[:most]] + [row["name"] for row in sorted(rows, key=lambda row: -row["rise"])[:most] if row["rise"] > 0]
    write_if_new(Path(options.names), "".join(name + "\n" for name in sorted(set(names))))
    os.utime(options.names)


# Reports


def report(options: argparse.Namespace) -> None:
    runs = dict(run.split("=", 1) for run in options.run)
    names = Path(options.names).read_text().splitlines()
    Path("reports").mkdir(exist_ok=True)

    def one(name: str) -> str | None:
        identity = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[-60:] + "-" + hashlib.sha256(name.encode()).hexdigest()[:8]
        page, folders = f"reports/{identity}.html", []
        fuse = ""
        for side, words in runs.items():
            folder, words = f"work/runs/{side}/{identity}", shlex.split(words)
            fuse = words[0]
            Path(folder).parent.mkdir(parents=True, exist_ok=True)
            folders.append(folder)
            done = subprocess.run([*words, name, "-o", folder, "--quiet"], capture_output=True, text=True)
            if done.returncode != 0:
                print(f"warning: {name}: {done.stderr.strip()[-300:]}", file=sys.stderr)
                return None
        done = subprocess.run([fuse, "report", *folders, "-o", page], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"warning: {name}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return page if done.returncode == 0 else None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pages = dict(zip(names, pool.map(one, names)))
    write(options.index, json.dumps({name: page for name, page in pages.items() if page}, indent=1) + "\n")


# Page


def page(options: argparse.Namespace) -> None:
    comparison = json.loads(Path(options.comparison).read_text())
    comparison["reports"] = json.loads(Path(options.index).read_text())
    comparison["title"] = options.title
    comparison["cost"] = cost(comparison["sides"])
    style = (HERE.parent.parent / "Sources/Report/Page/report.css").read_text()
    # The palette and the page of reports; what follows it is theirs.
    style = style[:style.index("\n.peers {")]
    text = (HERE / "page.html").read_text()
    data = json.dumps(comparison).replace("<", "\\u003c")
    write(options.page, text.replace("/*STYLE*/", style).replace("/*DATA*/", data))


def cost(sides: list[dict]) -> dict[str, float | None]:
    """Processor seconds a recording, by side, as Snakemake measured the last job of each shard; what a job took over costs nothing."""
    found = {}
    for side in sides:
        seconds = 0.0
        for path in Path("benchmarks", side["name"]).glob("*.tsv"):
            head, *rows = [line.split("\t") for line in path.read_text().splitlines()]
            seconds += sum(float(row[head.index("s")]) for row in rows)
        found[side["name"]] = round(seconds / side["recordings"], 3) if side["recordings"] else None
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)

    def step(name, function, *arguments):
        one = steps.add_parser(name)
        one.set_defaults(function=function)
        for argument in arguments:
            one.add_argument(argument)
        return one

    imports = step("import", import_shard, "sources", "list")
    imports.add_argument("--importer", default="")
    step("merge", merge, "folder", "rows", "table")
    step("compare", compare, "comparison").add_argument("tables", nargs="+")
    step("choose", choose, "comparison", "names", "most")
    reports = step("report", report, "names", "index")
    reports.add_argument("--jobs", type=int, default=1)
    reports.add_argument("--run", action="append", required=True)
    step("page", page, "comparison", "index", "page").add_argument("--title", required=True)
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main()
