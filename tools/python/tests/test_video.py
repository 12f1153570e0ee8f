from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from fusepy.video import LANDSCAPE, UPRIGHT, import_video, main

cv2 = pytest.importorskip("cv2")


def write_video(path: Path, frames: int, size: tuple[int, int] = (64, 48)) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10, size)
    for k in range(frames):
        writer.write(np.full((size[1], size[0], 3), 20 * k % 240, dtype=np.uint8))
    writer.release()


PLACED = ("sensor_type: camera\nT_BS: [0, -1, 0, 0, -1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]\nresolution: [64, 48]\n"
          "camera_model: pinhole\nintrinsics: [50.0, 50.0, 32.0, 24.0]\ndistortion_model: none\ndistortion_coefficients: []\n")


def write_folder(folder: Path, stamps: str | None = None, calibration: str = PLACED, frames: int = 6) -> None:
    (folder / "video").mkdir()
    listed = "#timestamp [ns]\n" + "".join(f"{k * 10**8}\n" for k in range(frames))
    (folder / "video/cam0.csv").write_text(stamps or listed)
    (folder / "video/cam0.yaml").write_text(calibration)


def test_frames_become_images(tmp_path: Path) -> None:
    write_folder(tmp_path)
    write_video(tmp_path / "data.avi", 6)
    assert import_video(tmp_path / "data.avi", tmp_path) == 6
    assert (tmp_path / "mav0/cam0/sensor.yaml").read_text() == PLACED
    assert (tmp_path / "mav0/cam0/data.csv").read_text().splitlines()[2] == "100000000,100000000.png"
    image = cv2.imread(str(tmp_path / "mav0/cam0/data/300000000.png"), cv2.IMREAD_GRAYSCALE)
    assert image.shape == (48, 64) and abs(int(image[20, 20]) - 60) < 4


def test_another_number_of_frames_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(tmp_path)
    write_video(tmp_path / "data.avi", 5)
    assert main([str(tmp_path / "data.avi"), "-o", str(tmp_path)]) == 2
    assert "5 frames, expected 6" in capsys.readouterr().err
    assert not (tmp_path / "mav0/cam0").exists()


@pytest.mark.parametrize("frames", [299, 302])
def test_a_frame_or_two_at_the_end_may_be_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str], frames: int) -> None:
    write_folder(tmp_path, frames=300)
    write_video(tmp_path / "data.avi", frames)
    assert main([str(tmp_path / "data.avi"), "-o", str(tmp_path)]) == 0
    assert f"{frames} frames, 300 stamps" in capsys.readouterr().out
    assert len((tmp_path / "mav0/cam0/data.csv").read_text().splitlines()) == min(frames, 300) + 1


def test_stamps_go_by_the_frames_number(tmp_path: Path) -> None:
    """Frames without a stamp are left out: -1, or a number that the list does not have."""
    write_folder(tmp_path, "#timestamp [ns],frame []\n100,0\n300,2\n500,4\n600,5\n")
    write_video(tmp_path / "data.avi", 6)
    assert import_video(tmp_path / "data.avi", tmp_path) == 4
    image = cv2.imread(str(tmp_path / "mav0/cam0/data/300.png"), cv2.IMREAD_GRAYSCALE)
    assert abs(int(image[20, 20]) - 40) < 4
    (tmp_path / "b").mkdir()
    write_folder(tmp_path / "b", "#timestamp [ns]\n100\n-1\n300\n400\n500\n600\n")
    assert import_video(tmp_path / "data.avi", tmp_path / "b") == 5


LENS = "sensor_type: camera\ncamera_model: pinhole\ndistortion_model: none\ndistortion_coefficients: []\n"


@pytest.mark.parametrize(("size", "more", "expected", "place"), [
    # MARS logger: a focal length alone.
    ((64, 48), "intrinsics: [50, 51]\n", [50, 51, 32, 24], LANDSCAPE),
    # ios_logger: a principal point, by which upright frames are told from others.
    ((64, 48), "intrinsics: [50, 51, 33, 23]\n", [50, 51, 33, 23], LANDSCAPE),
    ((48, 64), "intrinsics: [50, 51, 23, 33]\n", [50, 51, 23, 33], UPRIGHT),
    # Record3D: the lens of larger images.
    ((48, 64), "resolution: [96, 128]\nintrinsics: [100, 102, 46, 66]\n", [50, 51, 23, 33], UPRIGHT),
])
def test_the_lens_is_fitted_to_the_frames(tmp_path: Path, size: tuple[int, int], more: str, expected: list[float],
                                         place: list[int]) -> None:
    write_folder(tmp_path, calibration=LENS + more)
    write_video(tmp_path / "data.avi", 6, size)
    import_video(tmp_path / "data.avi", tmp_path)
    found = yaml.safe_load((tmp_path / "mav0/cam0/sensor.yaml").read_text())
    assert found["intrinsics"] == expected and found["resolution"] == list(size) and found["T_BS"] == place


def test_an_unknown_lens_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the frames are placed by their shape, only the lens is missing, and the next step says so."""
    write_folder(tmp_path, calibration="sensor_type: camera\n")
    write_video(tmp_path / "data.avi", 6)
    assert main([str(tmp_path / "data.avi"), "-o", str(tmp_path)]) == 0
    assert "next: fuse import calibration <file>" in capsys.readouterr().out
    written = yaml.safe_load((tmp_path / "mav0/cam0/sensor.yaml").read_text())
    assert written["T_BS"] == LANDSCAPE and written["resolution"] == [64, 48] and "intrinsics" not in written


@pytest.mark.parametrize(("more", "says"), [
    ("resolution: [640, 360]\nintrinsics: [50, 51, 320, 180]\n", "frames of 64x48 pixels, expected 640x360"),
    ("intrinsics: [50, 51, 24, 33]\n", "expected a middle near 24, 33"),
])
def test_a_lens_of_other_frames_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, says: str) -> None:
    write_folder(tmp_path, calibration=LENS + more)
    write_video(tmp_path / "data.avi", 6)
    assert main([str(tmp_path / "data.avi"), "-o", str(tmp_path)]) == 2
    assert says in capsys.readouterr().err and not (tmp_path / "mav0/cam0").exists()


@pytest.mark.parametrize("archive", [False, True])
def test_images_by_number_are_a_video(tmp_path: Path, archive: bool) -> None:
    """Record3D's folder and its .r3d file: 10 comes after 9."""
    source = tmp_path / "scan"
    (source / "rgbd").mkdir(parents=True)
    for k in range(12):
        cv2.imwrite(str(source / f"rgbd/{k}.jpg"), np.full((64, 48), 10 * k, dtype=np.uint8))
        (source / f"rgbd/{k}.depth").write_bytes(b"depth")
    if archive:
        with zipfile.ZipFile(tmp_path / "scan.r3d", "w") as file:
            for image in sorted(source.rglob("*.*")):
                file.write(image, image.relative_to(source))
        source = tmp_path / "scan.r3d"
    (tmp_path / "walk").mkdir()
    write_folder(tmp_path / "walk", calibration=LENS + "resolution: [48, 64]\nintrinsics: [50, 51, 23, 33]\n", frames=12)
    assert import_video(source, tmp_path / "walk") == 12
    image = cv2.imread(str(tmp_path / "walk/mav0/cam0/data/1100000000.png"), cv2.IMREAD_GRAYSCALE)
    assert abs(int(image[20, 20]) - 110) < 4


@pytest.mark.parametrize(("name", "content"), [("empty.mp4", b""), ("zero.mp4", bytes(100)), ("no.r3d", b"PK\3\4..")])
def test_what_is_no_video_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes) -> None:
    write_folder(tmp_path)
    (tmp_path / name).write_bytes(content)
    assert main([str(tmp_path / name), "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("error: ")
