from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fusepy.video import import_video, main

cv2 = pytest.importorskip("cv2")


def write_video(path: Path, frames: int) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10, (64, 48))
    for k in range(frames):
        writer.write(np.full((48, 64, 3), 20 * k, dtype=np.uint8))
    writer.release()


def write_folder(folder: Path) -> None:
    (folder / "video").mkdir()
    (folder / "video/cam0.csv").write_text("#timestamp [ns]\n" + "".join(f"{k * 10**8}\n" for k in range(6)))
    (folder / "video/cam0.yaml").write_text("sensor_type: camera\n")


def test_frames_become_images(tmp_path: Path) -> None:
    write_folder(tmp_path)
    write_video(tmp_path / "data.avi", 6)
    assert import_video(tmp_path / "data.avi", tmp_path) == 6
    assert (tmp_path / "mav0/cam0/sensor.yaml").exists()
    assert (tmp_path / "mav0/cam0/data.csv").read_text().splitlines()[2] == "100000000,100000000.png"
    image = cv2.imread(str(tmp_path / "mav0/cam0/data/300000000.png"), cv2.IMREAD_GRAYSCALE)
    assert image.shape == (48, 64) and abs(int(image[20, 20]) - 60) < 4


def test_another_number_of_frames_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(tmp_path)
    write_video(tmp_path / "data.avi", 5)
    assert main([str(tmp_path / "data.avi"), "-o", str(tmp_path)]) == 2
    assert "5 frames, expected 6" in capsys.readouterr().err
    assert not (tmp_path / "mav0/cam0").exists()
