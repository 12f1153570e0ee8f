"""`fuse-import-video`: the frames of a video as the images of cam0."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from .staged import StagedFolder, end_on_signals


def import_video(video: str | Path, folder: str | Path, camera: int = 0) -> int:
    """Writes the frames of `video` as images of a camera, by the stamps and the calibration that 'fuse import' left in
    `<folder>/video`. Returns how many. One frame at a time is in memory.

    Raises ValueError where the video cannot be read or has another number of frames than there are stamps.
    """
    import cv2

    folder = Path(folder)
    stamps = folder / "video" / f"cam{camera}.csv"
    calibration = folder / "video" / f"cam{camera}.yaml"
    for needed in (stamps, calibration):
        if not needed.exists():
            raise ValueError(f"{needed}: no such file, expected 'fuse import spectacular' to have written it")
    times = [int(line) for line in stamps.read_text(encoding="utf-8").splitlines()[1:] if line]
    capture = cv2.VideoCapture(str(video))
    if not capture.isOpened():
        raise ValueError(f"{video}: no video, expected one that OpenCV can decode")
    with StagedFolder(folder) as staged:
        _write(capture, video, times, stamps, calibration, staged.staging / "mav0" / f"cam{camera}")
        staged.commit(lambda name: name.startswith(f"mav0/cam{camera}/data"))
    return len(times)


def _write(capture: Any, video: str | Path, times: list[int], stamps: Path, calibration: Path, target: Path) -> None:
    import cv2

    (target / "data").mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    while True:
        is_read, frame = capture.read()
        if not is_read:
            break
        if len(names) < len(times):
            name = f"{times[len(names)]}.png"
            cv2.imwrite(str(target / "data" / name), cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY))
        names.append(name)
    capture.release()
    if len(names) != len(times):
        raise ValueError(f"{video}: {len(names)} frames, expected {len(times)} as in {stamps}")
    lines = ["#timestamp [ns],filename", *(f"{time},{time}.png" for time in times)]
    (target / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shutil.copyfile(calibration, target / "sensor.yaml")


def main(arguments: list[str] | None = None) -> int:
    """0 done, 2 not."""
    parser = argparse.ArgumentParser(prog="fuse-import-video", description="A video's frames as the images of cam0.")
    parser.add_argument("video", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder of 'fuse import'")
    options = parser.parse_args(arguments)
    end_on_signals()
    try:
        print(f"{import_video(options.video, options.output)} images")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0
