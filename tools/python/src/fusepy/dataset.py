"""Writes a dataset folder in bounded memory: rows of one sensor are put in order within a window."""

from __future__ import annotations

import heapq
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

IMU_HEADER = ("#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],"
              "a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]")
POSE_HEADER = ("#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []")
RANGE_HEADER = ("#timestamp [ns],peer_id [],range [m],range_std [m],azimuth [rad],elevation [rad],antenna_id [],"
                "rssi [dBm],first_path_power [dBm]")
PEER_HEADER = "#timestamp [ns],peer_id [],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m]"
IMAGE_HEADER = "#timestamp [ns],filename"


def number(value: float | None, decimals: int) -> str:
    """A number with fixed decimals; empty where there is none. Never minus zero."""
    if value is None:
        return ""
    text = f"{value:.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


@dataclass
class Table:
    """One `data.csv`: rows may come up to `window` nanoseconds out of order."""

    path: Path
    header: str
    window: int = 2_000_000_000
    unique: bool = True
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._heap: list[tuple[int, int, str]] = []
        self._sequence = 0
        self._last: int | None = None
        self._file: TextIO | None = None
        self.first: int | None = None

    @property
    def last(self) -> int | None:
        return self._last

    def add(self, time: int, cells: str) -> None:
        self._sequence += 1
        heapq.heappush(self._heap, (time, self._sequence, cells))
        while self._heap and self._heap[0][0] < time - self.window:
            self._write(*heapq.heappop(self._heap))

    def _write(self, time: int, _: int, cells: str) -> None:
        if self._last is not None and time < self._last:
            self.counts["rows left out, time going back"] += 1
            return
        if self.unique and time == self._last:
            self.counts["rows left out, stamp repeated"] += 1
            return
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path.with_name("." + self.path.name + ".partial"), "w", encoding="utf-8", newline="\n")
            self._file.write(self.header + "\n")
            self.first = time
        self._last = time
        self._file.write(f"{time},{cells}\n")
        self.counts["rows"] += 1

    def finish(self) -> None:
        """Writes what is left and gives the file its name."""
        while self._heap:
            self._write(*heapq.heappop(self._heap))
        if self._file is not None:
            self._file.close()
            os.replace(self._file.name, self.path)
            self._file = None


def yaml_list(values: list[float]) -> str:
    return "[" + ", ".join(repr(float(v)) for v in values) + "]"


IDENTITY = [1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0]


def sensor_yaml(path: Path, kind: str, T_BS: list[float] | None, keys: dict[str, Any]) -> None:
    """Writes one `sensor.yaml`; lists in one line, nested ones as sections. Without `T_BS` nothing is said of the place."""
    lines = [f"sensor_type: {kind}"]
    if T_BS is not None:
        lines.append(f"T_BS: {yaml_list(T_BS)}")
    for key, value in keys.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f'  "{k}": {yaml_list(v)}' for k, v in value.items()]
        elif isinstance(value, list):
            lines.append(f"{key}: [" + ", ".join(repr(v) for v in value) + "]")
        elif value is not None:
            lines.append(f"{key}: {value}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
