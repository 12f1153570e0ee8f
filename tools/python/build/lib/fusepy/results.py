"""Result folders of `fuse run` as pandas tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def load_updates(run: str | Path) -> pandas.DataFrame:
    """`updates.jsonl`: a row an update, keys as columns; `peer` is null in rows of the session itself.

    `timestamp` stays int64 nanoseconds; `status` and `reasons` are taken out of `convergence`.
    """
    import pandas

    # Line by line: pandas' own reader rounds the last digits.
    with open(Path(run) / "updates.jsonl", encoding="utf-8") as file:
        table = pandas.DataFrame([json.loads(line) for line in file])
    if "convergence" in table:
        known = [c if isinstance(c, dict) else {} for c in table["convergence"]]
        table["status"] = [c.get("status") for c in known]
        table["reasons"] = [c.get("reasons") for c in known]
    return table


def load_trajectory(run: str | Path) -> pandas.DataFrame:
    """`trajectory.tum`: timestamp (int64 nanoseconds), x, y, z, qx, qy, qz, qw."""
    import pandas

    names = ["time", "x", "y", "z", "qx", "qy", "qz", "qw"]
    table = pandas.read_csv(Path(run) / "trajectory.tum", sep=" ", names=names, dtype={"time": str})
    # Seconds are printed from integers: split at the point, no rounding.
    parts = table.pop("time").str.split(".", expand=True)
    table.insert(0, "timestamp", parts[0].astype("int64") * 1_000_000_000 + parts[1].str.ljust(9, "0").astype("int64"))
    return table


def load_result(run: str | Path) -> dict[str, Any]:
    """`result.json`."""
    with open(Path(run) / "result.json", encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document
