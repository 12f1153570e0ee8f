"""Result folders of `fuse run` as pandas tables."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class SetUpWarning(UserWarning):
    """A run's set-up is doubtful or broken."""


@dataclass(frozen=True)
class Verdict:
    """Whether a run's set-up holds: `state` is healthy, doubtful or broken, `line` says it with the cause and what to do.

    Code, family, peer, sentence and remedy are the cause's, None where it is healthy; a peer of None: the device.

    `findings` has all that was found as dictionaries with these keys, the worst first; what was handled has the state healthy.
    """

    state: str
    line: str
    code: str | None
    family: str | None
    peer: str | None
    sentence: str | None
    remedy: str | None
    findings: list[dict[str, Any]]

    def __str__(self) -> str:
        return self.line


def load_verdict(run: str | Path) -> Verdict:
    """The verdict in `result.json`. Raises KeyError for a run of a version that had none."""
    found = load_result(run)["verdict"]
    return Verdict(**{key: found[key] for key in Verdict.__annotations__})


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
    """`trajectory.tum`: timestamp (int64 nanoseconds), x, y, z, qx, qy, qz, qw, and the number of its world, from 0.

    A trajectory that was lost restarts in another world: coordinates of two worlds do not compare.
    """
    import pandas

    names = ["time", "x", "y", "z", "qx", "qy", "qz", "qw"]
    worlds: list[int] = []
    rows: list[str] = []
    world = 0
    with open(Path(run) / "trajectory.tum", encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                world += line.startswith("# a new world begins")
            elif line.strip():
                rows.append(line)
                worlds.append(world)
    table = pandas.read_csv(io.StringIO("".join(rows)), sep=" ", names=names, dtype={"time": str})
    # Seconds are printed from integers: split at the point, no rounding.
    parts = table.pop("time").str.split(".", expand=True)
    table.insert(0, "timestamp", parts[0].astype("int64") * 1_000_000_000 + parts[1].str.ljust(9, "0").astype("int64"))
    table["world"] = worlds
    return table


def load_result(run: str | Path) -> dict[str, Any]:
    """`result.json`."""
    with open(Path(run) / "result.json", encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document
