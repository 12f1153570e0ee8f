"""A result folder as a recording of the rerun viewer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def to_rerun(run: str | Path, output: str | Path, recording: str | Path | None = None) -> int:
    """Writes `output` (.rrd): trajectory, device, peers with their uncertainty, directions, distances, findings.

    recording: the dataset folder; its cam0 images are added where there are some. Returns how many updates went in.
    """
    import rerun as rr

    run = Path(run)
    stream = rr.RecordingStream("fuse", recording_id=run.name)
    stream.save(str(output))
    stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    poses = np.atleast_2d(np.loadtxt(run / "trajectory.tum")) if (run / "trajectory.tum").stat().st_size else np.empty((0, 8))
    if len(poses):
        stream.log("world/path", rr.LineStrips3D([poses[:, 1:4]]), static=True)
    for row in poses:
        stream.set_time("time", timestamp=float(row[0]))
        stream.log("world/device", rr.Transform3D(translation=row[1:4], quaternion=rr.Quaternion(xyzw=row[4:8])))
    count = 0
    with open(run / "updates.jsonl", encoding="utf-8") as file:
        for line in file:
            _log(rr, stream, json.loads(line))
            count += 1
    if recording is not None:
        _images(rr, stream, Path(recording) / "mav0" / "cam0")
    stream.disconnect()
    return count


def _log(rr: Any, stream: Any, update: dict[str, Any]) -> None:
    stream.set_time("time", timestamp=np.datetime64(update["timestamp"], "ns"))
    peer = update.get("peer")
    status = (update.get("convergence") or {}).get("status")
    if peer is None:
        stream.log("session", rr.TextLog(f"session: {status}"))
        return
    name = f"peers/{peer}"
    if update.get("distance") is not None:
        stream.log(f"{name}/distance", rr.Scalars(update["distance"]))
    if update.get("horizontalAngle") is not None:
        stream.log(f"{name}/horizontalAngle", rr.Scalars(update["horizontalAngle"]))
    transform = update.get("worldTransform")
    if transform is None:
        stream.log(f"world/{name}", rr.Clear(recursive=True))
    else:
        place = [transform[3], transform[7], transform[11]]
        covariance = np.array(update.get("positionCovariance") or np.zeros(9)).reshape(3, 3)
        values, axes = np.linalg.eigh(covariance)
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1
        sizes = 2 * np.sqrt(np.maximum(values, 1e-8))
        stream.log(f"world/{name}", rr.Ellipsoids3D(half_sizes=[sizes], centers=[place],
                                                    quaternions=[_quaternion(rr, axes)], labels=[peer]))
    direction = update.get("direction")
    if direction is not None:
        stream.log(f"world/device/{name}", rr.Arrows3D(vectors=[direction]))
    if update.get("guidance"):
        stream.log(f"{name}/guidance", rr.TextLog(update["guidance"]))


def _quaternion(rr: Any, matrix: Any) -> Any:
    """Of a rotation matrix, by the largest of its four components."""
    m = np.asarray(matrix)
    squares = np.array([1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2],
                        1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + m.trace()])
    k = int(np.argmax(squares))
    q = np.empty(4)
    q[k] = np.sqrt(squares[k]) / 2
    pairs = {0: ((1, m[1, 0] + m[0, 1]), (2, m[0, 2] + m[2, 0]), (3, m[2, 1] - m[1, 2])),
             1: ((0, m[1, 0] + m[0, 1]), (2, m[2, 1] + m[1, 2]), (3, m[0, 2] - m[2, 0])),
             2: ((0, m[0, 2] + m[2, 0]), (1, m[2, 1] + m[1, 2]), (3, m[1, 0] - m[0, 1])),
             3: ((0, m[2, 1] - m[1, 2]), (1, m[0, 2] - m[2, 0]), (2, m[1, 0] - m[0, 1]))}
    for index, value in pairs[k]:
        q[index] = value / (4 * q[k])
    return rr.Quaternion(xyzw=q)


def _images(rr: Any, stream: Any, camera: Path) -> None:
    table = camera / "data.csv"
    if not table.exists():
        return
    for line in table.read_text(encoding="utf-8").splitlines()[1:]:
        stamp, name = line.split(",")[:2]
        path = camera / "data" / name.strip()
        if path.exists():
            stream.set_time("time", timestamp=np.datetime64(int(stamp), "ns"))
            stream.log("camera/image", rr.EncodedImage(path=path))
