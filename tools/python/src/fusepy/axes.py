"""Which of the body's axes points ahead and which up, as `fuse import` takes it (Sources/Importing/Check/MotionCheck.swift)."""

from __future__ import annotations

from typing import Any

#: Names, and the body's axes that point ahead and up.
NAMES = {"rep103": ("x", "z"), "frd": ("x", "-z"), "rfu": ("y", "z"), "android": ("-z", "y"), "arkit": ("-z", "-x"),
         "optical": ("z", "-y")}
ALIASES = {"flu": "rep103", "ros": "rep103", "base_link": "rep103", "ios": "android", "phone": "android", "opencv": "optical",
           "camera": "optical", "px4": "frd", "enu": "rfu"}
EXPECTED = f"forward and up, two of x, y, z, -x, -y, -z ({{forward: x, up: z}}), or one of {', '.join(NAMES)}"


def device_matrix(statement: Any) -> list[float] | None:
    """`device_T_BS`, 16 numbers row by row, of a name, of `forward=x,up=z` or of {"forward": "x", "up": "z"}; None for
    anything else."""
    if isinstance(statement, str):
        name = ALIASES.get(statement.lower(), statement.lower())
        if name in NAMES:
            statement = dict(zip(("forward", "up"), NAMES[name]))
        else:
            parts = [part.strip(" {}").replace(":", "=").split("=") for part in statement.split(",")]
            if any(len(part) != 2 for part in parts):
                return None
            statement = {key.strip().lower(): value for key, value in parts}
    if not isinstance(statement, dict) or {k for k in statement if k != "__lines__"} != {"forward", "up"}:
        return None
    forward, up = _axis(statement["forward"]), _axis(statement["up"])
    if forward is None or up is None or any(a and b for a, b in zip(forward, up)):
        return None
    right = [forward[1] * up[2] - forward[2] * up[1], forward[2] * up[0] - forward[0] * up[2],
             forward[0] * up[1] - forward[1] * up[0]]
    rows = [[right[k], up[k], -forward[k], 0.0] for k in range(3)] + [[0.0, 0.0, 0.0, 1.0]]
    return [float(v) + 0.0 for row in rows for v in row]


def _axis(text: Any) -> list[float] | None:
    name = str(text).strip().lower()
    sign = -1.0 if name.startswith("-") else 1.0
    name = name.lstrip("+-")
    return [sign if name == axis else 0.0 for axis in "xyz"] if name in ("x", "y", "z") else None
