"""Where a robot's sensors are on its body, as its bag says: the static transforms of `/tf_static`."""

from __future__ import annotations

import math
from typing import Any

Matrix = list[list[float]]


def _product(a: Matrix, b: Matrix) -> Matrix:
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def _inverse(m: Matrix) -> Matrix:
    turn = [[m[j][i] for j in range(3)] for i in range(3)]
    place = [-sum(turn[i][k] * m[k][3] for k in range(3)) for i in range(3)]
    return [turn[i] + [place[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def _matrix(transform: Any) -> Matrix | None:
    q = [float(getattr(transform.rotation, name)) for name in "wxyz"]
    place = [float(getattr(transform.translation, name)) for name in "xyz"]
    norm = math.sqrt(sum(v * v for v in q))
    if not 0.99 < norm < 1.01 or not all(math.isfinite(v) for v in place):
        return None
    w, x, y, z = (v / norm for v in q)
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), place[0]],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), place[1]],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), place[2]], [0.0, 0.0, 0.0, 1.0]]


class Frames:
    """A tree of frames. Each transform takes coordinates of a child to its parent."""

    def __init__(self) -> None:
        self._parents: dict[str, tuple[str, Matrix]] = {}

    def add(self, message: Any) -> None:
        """Takes a tf2_msgs/TFMessage."""
        for transform in getattr(message, "transforms", []):
            matrix = _matrix(transform.transform)
            child, parent = transform.child_frame_id.lstrip("/"), transform.header.frame_id.lstrip("/")
            if matrix is not None and child != parent:
                self._parents[child] = (parent, matrix)

    def _to_root(self, frame: str) -> tuple[list[str], list[Matrix]]:
        names, matrices = [frame], [[[float(i == j) for j in range(4)] for i in range(4)]]
        while names[-1] in self._parents and len(names) < 100:
            parent, matrix = self._parents[names[-1]]
            names.append(parent)
            matrices.append(_product(matrix, matrices[-1]))
        return names, matrices

    def between(self, body: str, sensor: str) -> list[float] | None:
        """`T_BS`, 16 numbers row by row: takes coordinates of `sensor` to `body`; None where they are not connected."""
        names, matrices = self._to_root(body.lstrip("/"))
        others, chain = self._to_root(sensor.lstrip("/"))
        common = next((name for name in others if name in names), None)
        if common is None:
            return None
        matrix = _product(_inverse(matrices[names.index(common)]), chain[others.index(common)])
        return [value + 0.0 for row in matrix for value in row]
