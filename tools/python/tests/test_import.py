from __future__ import annotations

import filecmp
import json
import sqlite3
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from conftest import Bag, PEER, START, distance, shared, write_walk

from fusepy import MapError, find_fuse, import_recording
from fusepy.bags import BagError, open_bag
from fusepy.cli import main

MAP = """
imu0: {topic: /imu}
odometry0: {topic: /tag/pose}
truth: {topic: /tag/pose}
cam0: {topic: /image}
uwb0:
  - topic: "/uwb/n_5/n_{peer}/distance"
  - topic: /linktrack
  - topic: /gtec
peers:
  "1": [4.0, 1.0, 0.5]
  "3": [4.0, 1.0, 0.5]
  "9": [4.0, 1.0, 0.5]
"""


def write_map(folder: Path, text: str = MAP) -> Path:
    path = folder / "map.yaml"
    path.write_text(text)
    return path


def forget_definitions(folder: Path) -> None:
    """As bags of older recorders are: a db3 without the definitions of its types."""
    connection = sqlite3.connect(next(folder.glob("*.db3")))
    connection.execute("DELETE FROM message_definitions")
    connection.commit()
    connection.close()


def rows(folder: Path, name: str) -> list[list[str]]:
    return [line.split(",") for line in (folder / "mav0" / name / "data.csv").read_text().splitlines()[1:]]


@pytest.mark.parametrize("kind", ["bag", "db3", "mcap"])
def test_a_bag_of_each_kind_imports_to_the_same_folder(tmp_path: Path, kind: str) -> None:
    source = write_walk(tmp_path / ("walk.bag" if kind == "bag" else "walk"), kind)
    definitions = tmp_path / "definitions"
    if kind == "db3":
        forget_definitions(source)
        from conftest import GTEC, LINKTRACK, LINKTRACK_NODE
        for package, name, text in (("nlink_parser", "LinktrackNode2", LINKTRACK_NODE),
                                    ("nlink_parser", "LinktrackNodeframe2", LINKTRACK), ("gtec_msgs", "Ranging", GTEC)):
            (definitions / package / "msg").mkdir(parents=True, exist_ok=True)
            (definitions / package / "msg" / f"{name}.msg").write_text(text)
    out = tmp_path / "out"
    report = import_recording(source, out, write_map(tmp_path), definitions if kind == "db3" else None, check=False)
    assert report.counts["imu0 rows"] == 600 and report.counts["odometry0 rows"] == 300
    # An infinite range, and a node without one in each of 60 frames.
    assert report.counts["uwb0 failed ranges"] == 61
    ranges = rows(out, "uwb0")
    assert len(ranges) == 60 * 3 - 1
    for stamp, peer, value, *_ in ranges:
        assert peer in ("1", "3", "9")
        assert abs(float(value) - distance((int(stamp) - START) / 1e9)) < 6e-4
    assert {r[8] for r in ranges if r[1] == "3"} == {"-84.0000"}
    assert rows(out, "odometry0")[0][4:] == ["1.000000000", "0.000000000", "0.000000000", "0.000000000"]
    assert any("/gtec has no stamp" in d for d in report.decisions)
    assert len(rows(out, "cam0")) == 12 and (out / "mav0/cam0/data" / rows(out, "cam0")[0][1]).exists()
    assert rows(out, "peers_groundtruth0")[0][2:] == [f"{v:.6f}" for v in PEER]


def test_mcap_needs_no_folder(tmp_path: Path) -> None:
    folder = write_walk(tmp_path / "walk", "mcap")
    file = next(folder.glob("*.mcap"))
    alone = tmp_path / "alone.mcap"
    file.rename(alone)
    report = import_recording(alone, tmp_path / "out", write_map(tmp_path), check=False)
    assert report.counts["uwb0 rows"] == 179


def test_the_tiers_bags_import_to_the_same_folder(tmp_path: Path) -> None:
    tiers = shared() / "foreign" / "tiers"
    path = write_map(tmp_path, """
odometry0: {topic: /vrpn_client_node/uwb_01/pose}
truth: {topic: /vrpn_client_node/uwb_01/pose}
uwb0: {topic: "/uwb/tof/n_5/n_{peer}/distance"}
peers:
  "1": {topic: /platform_01}
  "2": {topic: /platform_02}
  "3": {topic: /platform_03}
  "4": {topic: /platform_04}
""")
    one = import_recording(tiers / "over_parallel.bag", tmp_path / "one", path, check=find_fuse() is not None)
    two = import_recording(tiers / "over_parallel_ros2", tmp_path / "two", path, check=find_fuse() is not None)
    assert one.counts == two.counts and one.counts["uwb0 rows"] == 2534
    for file in sorted((tmp_path / "one/mav0").rglob("*.*")):
        assert filecmp.cmp(file, tmp_path / "two/mav0" / file.relative_to(tmp_path / "one/mav0"), shallow=False)
    if find_fuse() is not None:
        assert not one.has_fault, one.findings
        # 0.3 to 0.5 m too long, and said so.
        assert all(0.2 < one.figures[f"range bias {peer} [m]"] < 0.6 for peer in "1234")


@pytest.mark.parametrize(("old", "new", "says"), [
    ("/imu}", "/inu}", "the bag has no imu0 /inu, expected topics of: /gtec (gtec_msgs/msg/Ranging)"),
    ("imu0: {topic: /imu}", "imu0: {topic: /imu, gyro_unit: deg/s}", "map.yaml:2: key 'gyro_unit' below imu0"),
    ("/imu}", "/imu, accelerometer_unit: mg}", "map.yaml:2: accelerometer_unit: mg, expected m/s^2, g"),
    ("odometry0:", "odometri0:", "map.yaml:3: key 'odometri0', expected 'odometry0'"),
    ("  - topic: /gtec", "  - topic: /tag/pose", "has type geometry_msgs/msg/PoseStamped, which no preset reads"),
    ("/uwb/n_5/n_{peer}/distance", "/uwb/n_5/n_1/distance", "names no peer, expected {peer} in the topic or peer_id"),
])
def test_a_wrong_map_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    source = write_walk(tmp_path / "walk.bag", "bag", 0.5)
    assert old in MAP
    with pytest.raises(MapError) as error:
        import_recording(source, tmp_path / "out", write_map(tmp_path, MAP.replace(old, new)), check=False)
    assert says in str(error.value)


def test_broken_containers_are_refused(tmp_path: Path) -> None:
    source = write_walk(tmp_path / "walk.bag", "bag", 0.5)
    cut = tmp_path / "cut.bag"
    cut.write_bytes(source.read_bytes()[:2000])
    with pytest.raises(BagError, match="expected a whole bag"):
        open_bag(cut)
    with pytest.raises(BagError, match="no such file"):
        open_bag(tmp_path / "gone.bag")
    (tmp_path / "x.txt").write_text("no bag")
    with pytest.raises(BagError, match="no container"):
        open_bag(tmp_path / "x.txt")
    folder = write_walk(tmp_path / "db3", "db3", 0.5)
    forget_definitions(folder)
    with pytest.raises(BagError, match="--definitions"):
        import_recording(folder, tmp_path / "out", write_map(tmp_path), check=False)


def test_the_command_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_walk(tmp_path / "walk.bag", "bag", 1)
    assert main([str(source), "--topics"]) == 0
    assert "/imu  sensor_msgs/msg/Imu" in capsys.readouterr().out
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(write_map(tmp_path)), "--no-check"]) == 0
    assert f"next: fuse import --check {tmp_path}/out" in capsys.readouterr().out
    assert json.loads((tmp_path / "out/import.json").read_text())["kind"] == "ros"
    assert main([str(tmp_path / "gone.bag"), "-o", "x", "--map", str(write_map(tmp_path))]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_memory_does_not_grow_with_the_bag(tmp_path: Path) -> None:
    """120 MB of images through 16 MB: the library holds an index of the messages, never their contents."""
    bag = Bag(tmp_path / "images.bag", "bag")
    pixels = np.zeros(1_000_000, dtype=np.uint8)
    for k in range(120):
        bag.add("/image", "sensor_msgs/msg/Image", START + k * 10**8, header=bag.header(START + k * 10**8), height=1000,
                width=1000, encoding="mono8", is_bigendian=0, step=1000, data=pixels)
        bag.add("/gtec", "gtec_msgs/msg/Ranging", START + k * 10**8, anchorId=9, tagId=1, range=2000 + k, seq=k)
    bag.close()
    chosen = write_map(tmp_path, "cam0: {topic: /image}\nuwb0: {topic: /gtec}\n")
    tracemalloc.start()
    report = import_recording(tmp_path / "images.bag", tmp_path / "out", chosen, check=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.counts["cam0 rows"] == 120 and peak < 16_000_000


# -- what a run needs, and where sensors are


def camera_bag(path: Path, frame: str = "camera_optical", body: str = "base_link", static: bool = True) -> Path:
    """An odometry of a body, an image with its lens, and what tf_static says of the camera."""
    bag = Bag(path, "bag")
    point, turn, vector = "geometry_msgs/msg/Point", "geometry_msgs/msg/Quaternion", "geometry_msgs/msg/Vector3"
    half = 0.5
    if static:
        # base_link -> camera_link 0.2 m ahead, camera_link -> its optical frame: x right, y down, z forward.
        links = [(body, "camera_link", (0.2, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0)),
                 ("camera_link", "camera_optical", (0.0, 0.0, 0.0), (half, -half, half, -half))]
        transforms = [bag.make(
            "geometry_msgs/msg/TransformStamped", header=bag.header(START, parent), child_frame_id=child,
            transform=bag.make("geometry_msgs/msg/Transform", translation=bag.make(vector, x=p[0], y=p[1], z=p[2]),
                               rotation=bag.make(turn, w=q[0], x=q[1], y=q[2], z=q[3]))) for parent, child, p, q in links]
        bag.add("/tf_static", "tf2_msgs/msg/TFMessage", START, transforms=transforms)
    zero = np.zeros(36)
    for k in range(100):
        time = START + k * 50_000_000
        x, y = 0.05 * k, 0.0
        pose = bag.make("geometry_msgs/msg/Pose", position=bag.make(point, x=x, y=y, z=0.0),
                        orientation=bag.make(turn, w=1.0, x=0.0, y=0.0, z=0.0))
        twist = bag.make("geometry_msgs/msg/Twist", linear=bag.make(vector, x=1.0, y=0.0, z=0.0),
                         angular=bag.make(vector, x=0.0, y=0.0, z=0.0))
        bag.add("/odom", "nav_msgs/msg/Odometry", time, header=bag.header(time, "odom"), child_frame_id=body,
                pose=bag.make("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=zero),
                twist=bag.make("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=zero))
        bag.add("/uwb/a/range", "sensor_msgs/msg/Range", time, header=bag.header(time, "uwb"), radiation_type=0,
                field_of_view=0.0, min_range=0.0, max_range=0.0, range=float(np.hypot(x - 3, 2)))
        if k % 10 == 0:
            bag.add("/camera/image_raw", "sensor_msgs/msg/Image", time, header=bag.header(time, frame), height=3, width=4,
                    encoding="mono8", is_bigendian=0, step=4, data=np.arange(12, dtype=np.uint8))
            roi = bag.make("sensor_msgs/msg/RegionOfInterest", x_offset=0, y_offset=0, height=0, width=0, do_rectify=False)
            bag.add("/camera/camera_info", "sensor_msgs/msg/CameraInfo", time, header=bag.header(time, frame), height=3,
                    width=4, distortion_model="plumb_bob", D=np.zeros(5), K=np.array([4.0, 0, 2, 0, 4, 1.5, 0, 0, 1]),
                    R=np.eye(3).reshape(-1), P=np.zeros(12), binning_x=0, binning_y=0, roi=roi)
    bag.close()
    return path


CAMERA_MAP = "odometry0: {topic: /odom}\ncam0: {topic: /camera/image_raw}\nuwb0: {topic: \"/uwb/{peer}/range\"}\n"


def matrix(folder: Path, name: str) -> np.ndarray | None:
    import yaml

    given = yaml.safe_load((folder / "mav0" / name / "sensor.yaml").read_text()).get("T_BS")
    return None if given is None else np.array(given).reshape(4, 4)


def test_the_bags_frames_place_the_camera(tmp_path: Path) -> None:
    source = camera_bag(tmp_path / "walk.bag")
    report = import_recording(source, tmp_path / "out", write_map(tmp_path, CAMERA_MAP), check=False)
    T = matrix(tmp_path / "out", "cam0")
    assert T is not None and np.allclose(T[:3, 3], [0.2, 0, 0.1])
    # The optical axis looks ahead, the image's right is the body's right (-y).
    assert np.allclose(T[:3, 2], [1, 0, 0]) and np.allclose(T[:3, 0], [0, -1, 0])
    assert any("camera_optical in base_link" in d for d in report.decisions)
    assert report.topics == {"cam0": "/camera/image_raw"}


@pytest.mark.parametrize(("frame", "static"), [("camera_optical", False), ("camera_link", True), ("", True)])
def test_a_camera_without_a_place_is_not_assumed(tmp_path: Path, frame: str, static: bool) -> None:
    """Nor one whose frame is no optical one: its axes are not those of an image."""
    source = camera_bag(tmp_path / "walk.bag", frame, static=static)
    report = import_recording(source, tmp_path / "out", write_map(tmp_path, CAMERA_MAP), check=find_fuse() is not None)
    assert matrix(tmp_path / "out", "cam0") is None
    assert any("cam0's T_BS is not known" in d for d in report.decisions)
    if find_fuse() is not None:
        assert [f["code"] for f in report.findings if f["code"] == "noCameraPlace"] and "fuse import kalibr" in report.next


@pytest.mark.skipif(find_fuse() is None, reason="no command fuse")
@pytest.mark.parametrize("statement", ["rep103", "forward=x,up=z"])
def test_a_robots_axes(tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str) -> None:
    source = camera_bag(tmp_path / "walk.bag", static=False)
    chosen = write_map(tmp_path, "odometry0: {topic: /odom}\nuwb0: {topic: \"/uwb/{peer}/range\"}\n")
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(chosen)]) == 0
    said = capsys.readouterr().out
    assert "the device's axes are not stated" in said and "deviceAxes" in said and "which is rep103" in said
    assert f"next: fuse run {tmp_path}/out" in said
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(chosen), "--device", statement]) == 0
    said = capsys.readouterr().out
    assert "deviceAxes" not in said and "the device travels ahead" in said
    in_map = write_map(tmp_path, "device: {forward: x, up: z}\n" + chosen.read_text())
    one = (tmp_path / "out/dataset.yaml").read_text()
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(in_map)]) == 0
    assert (tmp_path / "out/dataset.yaml").read_text() == one
    with pytest.raises(MapError, match="map.yaml:1: device: sideways, expected forward and up"):
        import_recording(source, tmp_path / "x", write_map(tmp_path, "device: sideways\nuwb0: {topic: /a}\n"))


@pytest.mark.skipif(find_fuse() is None, reason="no command fuse")
def test_a_bag_without_a_trajectory_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = camera_bag(tmp_path / "walk.bag")
    chosen = write_map(tmp_path, "uwb0: {topic: \"/uwb/{peer}/range\"}\n")
    assert main([str(source), "-o", str(tmp_path / "out"), "--map", str(chosen)]) == 1
    said = capsys.readouterr().out
    assert "fault: noTrajectory" in said and "next: fuse run" not in said


@pytest.mark.parametrize("output", ["out", "deep/er/out"])
def test_a_failed_import_leaves_no_folder(tmp_path: Path, output: str) -> None:
    source = camera_bag(tmp_path / "walk.bag")
    for text in ("imu0: {topic: /gone}\n", "uwb0: {topic: /odom}\n", "imu0: {topic: /odom}\n"):
        assert main([str(source), "-o", str(tmp_path / output), "--map", str(write_map(tmp_path, text))]) == 2
    (tmp_path / "cut.bag").write_bytes(source.read_bytes()[:3000])
    assert main([str(tmp_path / "cut.bag"), "-o", str(tmp_path / output), "--map", str(write_map(tmp_path))]) == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cut.bag", "map.yaml", "walk.bag"]


def test_a_long_list_of_topics_is_cut(tmp_path: Path) -> None:
    bag = Bag(tmp_path / "many.bag", "bag")
    for k in range(63):
        bag.add(f"/a{k:02d}", "std_msgs/msg/String", START, data="x")
    bag.add("/z/imu", "sensor_msgs/msg/Imu", START, header=bag.header(START),
            orientation=bag.make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0), orientation_covariance=np.zeros(9),
            angular_velocity=bag.make("geometry_msgs/msg/Vector3", x=0.0, y=0.0, z=0.0), angular_velocity_covariance=np.zeros(9),
            linear_acceleration=bag.make("geometry_msgs/msg/Vector3", x=0.0, y=0.0, z=0.0), linear_acceleration_covariance=np.zeros(9))
    bag.close()
    with pytest.raises(MapError) as error:
        import_recording(tmp_path / "many.bag", tmp_path / "out", write_map(tmp_path, "imu0: {topic: /imu}\n"), check=False)
    text = str(error.value)
    assert "expected topics of: /z/imu (sensor_msgs/msg/Imu), /a00" in text and "and 56 more, which --topics lists" in text
