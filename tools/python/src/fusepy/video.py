"""`fuse-import-video`: the frames of a video, or of a folder or archive of images, as the images of cam0."""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .staged import StagedFolder, end_on_signals

IMAGES = (".jpg", ".jpeg", ".png")
#: A video may be so much shorter or longer at its end than the list of its frames: an app that is stopped drops some.
TOLERANCE = 0.01


@dataclass
class Frames:
    """Frames one at a time, grey, with what turns them upright."""

    name: str
    #: Degrees clockwise that the container asks for; the frames come as the sensor gave them.
    rotation: int
    size: tuple[int, int]
    read: Iterator[Any]
    decisions: list[str] = field(default_factory=list)


def import_video(video: str | Path, folder: str | Path, camera: int = 0) -> int:
    """Writes the frames of `video` as images of a camera, by the stamps and the calibration that 'fuse import' left in
    `<folder>/video`. Returns how many. One frame at a time is in memory.

    `video`: a file that OpenCV decodes, a folder with images by number (Record3D's `rgb`, `rgbd`), or an archive that has them.
    Raises ValueError where it cannot be read, has another number of frames than there are stamps, or does not fit the lens.
    """
    return _import(Path(video), Path(folder), camera)[0]


def _import(video: Path, folder: Path, camera: int) -> tuple[int, list[str], bool]:
    """The number of images, what was decided, and whether the lens is known."""
    stamps = folder / "video" / f"cam{camera}.csv"
    calibration = folder / "video" / f"cam{camera}.yaml"
    for needed in (stamps, calibration):
        if not needed.exists():
            raise ValueError(f"{needed}: no such file, expected 'fuse import' of a phone's recording to have written it")
    times = _stamps(stamps)
    frames = _open(video)
    text, turn = _calibration(calibration, frames)
    with StagedFolder(folder) as staged:
        count = _write(frames, times, stamps, turn, staged.staging / "mav0" / f"cam{camera}")
        (staged.staging / "mav0" / f"cam{camera}" / "sensor.yaml").write_text(text, encoding="utf-8")
        staged.commit(lambda name: name.startswith(f"mav0/cam{camera}/data"))
    return count, frames.decisions, "intrinsics" in yaml.safe_load(text)


def _stamps(path: Path) -> dict[int, int]:
    """Stamps, nanoseconds, by the number of the frame; a frame without one (-1) is left out."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines()[1:] if line]
    found: dict[int, int] = {}
    for k, line in enumerate(lines):
        cells = line.split(",")
        try:
            found[int(cells[1]) if len(cells) > 1 else k] = int(cells[0])
        except ValueError:
            raise ValueError(f"{path}:{k + 2}: '{line[:40]}', expected a stamp in nanoseconds") from None
    return found


# -- frames


def _open(video: Path) -> Frames:
    if video.is_dir() or video.suffix.lower() in (".r3d", ".zip"):
        return _images(video)
    import cv2

    capture = cv2.VideoCapture(str(video))
    if not capture.isOpened():
        raise ValueError(f"{video}: no video, expected one that OpenCV can decode")
    rotation = int(capture.get(cv2.CAP_PROP_ORIENTATION_META) or 0) % 360
    capture.set(cv2.CAP_PROP_ORIENTATION_AUTO, 0)
    is_read, first = capture.read()
    if not is_read:
        raise ValueError(f"{video}: no frame, expected a video that OpenCV can decode")

    def read() -> Iterator[Any]:
        frame, more = first, True
        while more:
            yield cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
            more, frame = capture.read()
        capture.release()

    return Frames(str(video), rotation, (first.shape[1], first.shape[0]), read())


def _images(source: Path) -> Frames:
    """Images whose names are the numbers of the frames."""
    import cv2
    import numpy as np

    archive = None if source.is_dir() else zipfile.ZipFile(source)
    names = archive.namelist() if archive else [str(p.relative_to(source)) for p in sorted(source.rglob("*")) if p.is_file()]
    numbered = [(int(m.group(1)), name) for name in names if (m := re.search(r"(?:^|/|\D)(\d+)\.(?:jpe?g|png)\Z", name, re.I))
                and "depth" not in name.lower() and "conf" not in name.lower()]
    if not numbered:
        raise ValueError(f"{source}: no images, expected files named by the number of their frame, such as rgb/0.jpg")

    def load(name: str) -> Any:
        data = archive.read(name) if archive else (source / name).read_bytes()
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION)
        if image is None:
            raise ValueError(f"{source}: {name}: no image, expected JPEG or PNG")
        return image

    ordered = [name for _, name in sorted(numbered)]
    first = load(ordered[0])
    return Frames(str(source), 0, (first.shape[1], first.shape[0]), (load(name) for name in ordered))


# -- the lens


#: OpenCV's axes of a frame in the device's: as the sensor gives it (x right is the phone's lower end), and upright.
LANDSCAPE = [0, -1, 0, 0, -1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]
UPRIGHT = [1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]


def _calibration(path: Path, frames: Frames) -> tuple[str, int]:
    """The text of the camera's `sensor.yaml` for frames of this size, and how far they are turned clockwise for it."""
    document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    lens = document.get("intrinsics")
    if lens is None:
        width, height = frames.size
        document.setdefault("resolution", [width, height])
        if "T_BS" not in document:
            document["T_BS"] = _placed(frames, width, height)
        frames.decisions.append("the lens is not known: 'fuse import calibration <file>' (OpenCV, ROS, Kalibr) adds it to the folder")
        return "".join(f"{key}: {_shown(value)}\n" for key, value in document.items()), 0
    if "T_BS" in document and "resolution" in document and tuple(document["resolution"]) == frames.size:
        # Nothing to fit: the lens is whole.
        return path.read_text(encoding="utf-8"), 0
    size = document.get("resolution")
    for turn in sorted({0, frames.rotation if frames.rotation in (90, 180, 270) else 0}):
        width, height = frames.size if turn % 180 == 0 else frames.size[::-1]
        scale = _fit(lens, size, width, height)
        if scale is None:
            continue
        values = [float(v) * scale for v in lens]
        if len(values) == 2:
            values += [width / 2, height / 2]
            frames.decisions.append("the principal point is not stated: the middle of the frame")
        if size is not None and scale != 1:
            frames.decisions.append(f"the lens is of {size[0]}x{size[1]} pixels, the frames are {width}x{height}: scaled")
        if turn:
            frames.decisions.append(f"frames are turned by {turn} degrees, as the video says, to fit the lens")
        document["resolution"], document["intrinsics"] = [width, height], values
        if "T_BS" not in document:
            document["T_BS"] = _placed(frames, width, height)
        elif turn:
            raise ValueError(f"{frames.name}: frames that are turned by {turn} degrees, expected them as the sensor gives them: "
                             f"{path} places the camera so")
        return "".join(f"{key}: {_shown(value)}\n" for key, value in document.items()), turn
    raise ValueError(f"{frames.name}: frames of {frames.size[0]}x{frames.size[1]} pixels, expected "
                     + (f"{size[0]}x{size[1]}, or that scaled," if size else f"a middle near {lens[2]:.0f}, {lens[3]:.0f},") + f" as in {path}")


def _placed(frames: Frames, width: int, height: int) -> list[int]:
    frames.decisions.append(f"frames are {'upright' if height > width else 'in landscape'}: the camera's axes follow from that")
    return UPRIGHT if height > width else LANDSCAPE


def _fit(lens: list[float], size: list[int] | None, width: int, height: int) -> float | None:
    """What the lens is to be multiplied by for frames of this size; None where it does not fit."""
    if size is not None:
        scale = width / size[0]
        return scale if abs(height - scale * size[1]) <= 1.5 else None
    if len(lens) == 2:
        return 1.0
    return 1.0 if abs(lens[2] / width - 0.5) < 0.15 and abs(lens[3] / height - 0.5) < 0.15 else None


def _shown(value: Any) -> str:
    return "[" + ", ".join(repr(v) for v in value) + "]" if isinstance(value, list) else str(value)


# -- writing


def _write(frames: Frames, times: dict[int, int], stamps: Path, turn: int, target: Path) -> int:
    import cv2

    turns = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}
    (target / "data").mkdir(parents=True, exist_ok=True)
    written: list[int] = []
    seen = 0
    last = max(times, default=-1)
    for number, frame in enumerate(frames.read):
        seen = number + 1
        time = times.get(number, -1)
        if time < 0:
            continue
        cv2.imwrite(str(target / "data" / f"{time}.png"), cv2.rotate(frame, turns[turn]) if turn else frame)
        written.append(time)
    if abs(seen - (last + 1)) > TOLERANCE * (last + 1):
        raise ValueError(f"{frames.name}: {seen} frames, expected {last + 1} as in {stamps}")
    if seen != last + 1:
        frames.decisions.append(f"{seen} frames, {last + 1} stamps: the last {abs(seen - last - 1)} are left out")
    lines = ["#timestamp [ns],filename", *(f"{time},{time}.png" for time in written)]
    (target / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(written)


def main(arguments: list[str] | None = None) -> int:
    """0 done, 2 not."""
    parser = argparse.ArgumentParser(prog="fuse-import-video", description="A video's frames as the images of cam0.")
    parser.add_argument("video", type=Path, help="the video, or a folder or an .r3d file with images by number")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder of 'fuse import'")
    options = parser.parse_args(arguments)
    end_on_signals()
    try:
        count, decisions, has_lens = _import(options.video, options.output, 0)
    except (ValueError, OSError, zipfile.BadZipFile, yaml.YAMLError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    for decision in decisions:
        print(f"  {decision}")
    check = f"fuse import --check {options.output}, then fuse run {options.output}"
    print(f"{count} images; next: {check if has_lens else f'fuse import calibration <file> -o {options.output}, then {check}'}")
    return 0
