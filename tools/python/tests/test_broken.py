"""Broken bags of each kind end with the file, what was found and what to do, and never with a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Bag, START, write_walk
from test_import import MAP, forget_definitions, write_map

from fusepy import find_fuse, import_recording
from fusepy.cli import main

KINDS = ["bag", "db3", "mcap"]


def container(source: Path, kind: str) -> Path:
    """The file that holds the messages."""
    return source if kind == "bag" else next(source.glob(f"*.{kind}"))


def write(folder: Path, kind: str) -> Path:
    return write_walk(folder / ("walk.bag" if kind == "bag" else "walk"), kind, 0.5)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-2000])


def beginning(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def text(file: Path) -> None:
    file.write_text("time,range\n1,2\n" * 100)


def gone(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("damage", [empty, cut, beginning, text, gone])
@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_container_is_named(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, damage: Callable[[Path], None]) -> None:
    source = write(tmp_path, kind)
    damage(container(source, kind))
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(write_map(tmp_path)), "--no-check"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {source}") and "expected" in error and error.count("\n") == 1, error
    assert not list(tmp_path.glob("out/mav0/*/data.csv"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_is_cut_short_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    path = tmp_path / ("walk.bag" if kind == "bag" else "walk")
    bag = Bag(path, kind)
    for k in range(50):
        bag.add("/gtec", "gtec_msgs/msg/Ranging", START + k * 10**8, anchorId=9, tagId=1, range=2000 + k, seq=k)
    bag.writer.write(bag.connections["/gtec"], START + 50 * 10**8, b"\x00\x01\x00\x00\x09")
    bag.close()
    chosen = write_map(tmp_path, "uwb0: {topic: /gtec}\n")
    if kind == "db3":
        definitions = tmp_path / "gtec_msgs" / "msg"
        definitions.mkdir(parents=True)
        (definitions / "Ranging.msg").write_text("int32 anchorId\nint32 tagId\nint32 range\nint32 seq\n")
    more = ["--definitions", str(tmp_path)] if kind == "db3" else []
    assert main([str(path), "-o", str(tmp_path / "out"), "--map", str(chosen), "--no-check", *more]) == 2
    error = capsys.readouterr().err
    assert "topic /gtec" in error and "expected a whole message" in error, error


@pytest.mark.parametrize(("text", "says"), [
    ("uwb0: {topic: /gtec, range: distanc, peer: anchorId}\n", "topic /gtec (gtec_msgs/msg/Ranging) has no field distanc, "
     "expected one of anchorId, tagId, range, seq"),
    ("uwb0: {topic: /linktrack, range: 'nodes[7].dis', peer_id: x}\n", "has no field nodes[7].dis"),
    ("uwb0: {topic: /gtec, range: range, range_unit: mm, peer: anchorId}\nimu0: {topic: /gtec}\n",
     "topic /gtec has type gtec_msgs/msg/Ranging, expected sensor_msgs/Imu"),
    ("uwb0: {topic: /gtec}\nodometry0: {topic: /imu}\n", "has type sensor_msgs/msg/Imu, expected poses"),
    ("uwb0: {topic: /gtec}\ncam0: {topic: /imu}\n", "has type sensor_msgs/msg/Imu, expected sensor_msgs/Image"),
    ("imu0: [1\n", "map.yaml:2: no YAML"),
    ("uwb0:\n  topic: /gtec\n  antennas: [1, 2]\n", "map.yaml:3: antennas: [1, 2], expected"),
    ("uwb0:\n  topic: /gtec\n  invalid: none\n", "map.yaml:3: invalid: none, expected a list of readings"),
    ("uwb0: {topic: /gtec}\npeers: [1]\n", "map.yaml:2: peers: [1], expected"),
    ("uwb0: {topic: /gtec}\nimu0:\n  topic: /imu\n  gravity_magnitude: big\n", "map.yaml:4: gravity_magnitude: big, expected a number"),
    ("", "map.yaml:1: no keys"),
])
def test_a_map_that_does_not_fit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str) -> None:
    source = write(tmp_path, "bag")
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(write_map(tmp_path, text)), "--no-check"]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1, error


@pytest.mark.parametrize(("content", "says"), [
    ("what is this?\n", "there is no definition of gtec_msgs/msg/what, expected --definitions"),
    ("int32\n", "Ranging.msg: "),
])
def test_definitions_that_are_none_are_named(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, says: str) -> None:
    source = write(tmp_path, "db3")
    forget_definitions(source)
    definitions = tmp_path / "d" / "gtec_msgs" / "msg"
    definitions.mkdir(parents=True)
    (definitions / "Ranging.msg").write_text(content)
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(write_map(tmp_path)), "--no-check",
                 "--definitions", str(tmp_path / "d")]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.skipif(find_fuse() is None, reason="the command is not built")
@pytest.mark.parametrize(("old", "new", "code"), [
    ("/imu}", "/imu, accelerometer_unit: g}", "accelerometer"),
    ("/imu}", "/imu, accelerometer_sign: apple}", "odometryConvention"),
    ("odometry0: {topic: /tag/pose}", "odometry0: {topic: /tag/pose, world_up: y}", "odometryConvention"),
    ("  - topic: /gtec", "  - {topic: /gtec, range: range, peer: anchorId}", "rangeUnit"),
])
def test_wrong_units_and_frames_are_found(tmp_path: Path, old: str, new: str, code: str) -> None:
    assert old in MAP
    source = write_walk(tmp_path / "walk.bag", "bag", 14)
    report = import_recording(source, tmp_path / "out", write_map(tmp_path, MAP.replace(old, new)))
    assert any(f["code"].startswith(code) and f["weight"] == "fault" for f in report.findings), report.findings


@pytest.mark.skipif(find_fuse() is None, reason="the command is not built")
def test_a_gyroscope_in_another_frame_is_found(tmp_path: Path) -> None:
    """A tag that turns about all axes; the inertial unit's are called otherwise."""
    import math

    for wrong in (False, True):
        bag = Bag(tmp_path / f"{wrong}.bag", "bag")
        vector, quaternion, zero = "geometry_msgs/msg/Vector3", "geometry_msgs/msg/Quaternion", np.zeros(9)
        for k in range(1400):
            t, time = k / 100, START + k * 10_000_000
            # A turn about z, then about x: R = Rz(a) Rx(b), whose rate in the body is (b', a' sin b, a' cos b).
            a, b = 1.1 * math.sin(0.8 * t), 0.6 * math.sin(1.7 * t)
            da, db = 0.88 * math.cos(0.8 * t), 1.02 * math.cos(1.7 * t)
            w = (db, da * math.sin(b), da * math.cos(b))
            x, y, z = (w[1], w[2], w[0]) if wrong else w
            bag.add("/imu", "sensor_msgs/msg/Imu", time, header=bag.header(time),
                    orientation=bag.make(quaternion, x=0.0, y=0.0, z=0.0, w=1.0), orientation_covariance=zero,
                    angular_velocity=bag.make(vector, x=x, y=y, z=z), angular_velocity_covariance=zero,
                    linear_acceleration=bag.make(vector, x=0.0, y=9.81 * math.sin(b), z=9.81 * math.cos(b)),
                    linear_acceleration_covariance=zero)
            if k % 2 == 0:
                c, s, d, e = math.cos(a / 2), math.sin(a / 2), math.cos(b / 2), math.sin(b / 2)
                pose = bag.make("geometry_msgs/msg/Pose", position=bag.make("geometry_msgs/msg/Point", x=0.0, y=0.0, z=1.0),
                                orientation=bag.make(quaternion, w=c * d, x=c * e, y=s * e, z=s * d))
                bag.add("/tag/pose", "geometry_msgs/msg/PoseStamped", time, header=bag.header(time), pose=pose)
        bag.close()
        chosen = write_map(tmp_path, "imu0: {topic: /imu}\nodometry0: {topic: /tag/pose}\n")
        report = import_recording(tmp_path / f"{wrong}.bag", tmp_path / f"out-{wrong}", chosen)
        assert report.has_fault == wrong, report.findings
        if wrong:
            assert any(f["code"] in ("imuAxes", "odometryConvention") for f in report.findings)


def _files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_import_leaves_the_older_folder_and_nothing_else(tmp_path: Path, kind: str) -> None:
    first = tmp_path / "first"
    first.mkdir()
    chosen = write_map(tmp_path, "uwb0: {topic: /gtec}\n")
    definitions = tmp_path / "gtec_msgs" / "msg"
    definitions.mkdir(parents=True)
    (definitions / "Ranging.msg").write_text("int32 anchorId\nint32 tagId\nint32 range\nint32 seq\n")
    more = ["--definitions", str(tmp_path)] if kind == "db3" else []
    for name, is_whole in (("good", True), ("bad", False)):
        bag = Bag(tmp_path / (f"{name}.bag" if kind == "bag" else name), kind)
        for k in range(3000):
            bag.add("/gtec", "gtec_msgs/msg/Ranging", START + k * 10**7, anchorId=9, tagId=1, range=2000 + k % 9, seq=k)
        if not is_whole:
            bag.writer.write(bag.connections["/gtec"], START + 10**11, b"\x00\x01\x00\x00\x09")
        bag.close()
    source = lambda name: str(tmp_path / (f"{name}.bag" if kind == "bag" else name))  # noqa: E731
    out = tmp_path / "out"
    assert main([source("bad"), "-o", str(out), "--map", str(chosen), "--no-check", *more]) == 2
    assert not out.exists() and not list(tmp_path.glob(".*"))
    assert main([source("good"), "-o", str(out), "--map", str(chosen), "--no-check", *more]) == 0
    (out / "notes.txt").write_text("mine")
    before = _files(out)
    assert main([source("bad"), "-o", str(out), "--map", str(chosen), "--no-check", *more]) == 2
    assert _files(out) == before and not list(tmp_path.glob(".*"))
    assert main([source("good"), "-o", str(out), "--map", str(chosen), "--no-check", *more]) == 0
    assert _files(out) == before


def test_a_folder_that_must_not_be_replaced_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write(tmp_path, "bag")
    out = tmp_path / "out"
    assert main([str(source), "-o", str(out), "--map", str(write_map(tmp_path)), "--no-check"]) == 0
    (out / "dataset.yaml").chmod(0o444)
    assert main([str(source), "-o", str(out), "--map", str(write_map(tmp_path)), "--no-check"]) == 2
    assert "may only be read" in capsys.readouterr().err
    (tmp_path / "file").write_text("keep")
    assert main([str(source), "-o", str(tmp_path / "file"), "--map", str(write_map(tmp_path)), "--no-check"]) == 2
    assert (tmp_path / "file").read_text() == "keep"
