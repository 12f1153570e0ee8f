from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace as Message

import numpy as np
import pytest
from conftest import Bag, START, distance, shared
from test_import import rows, write_map

from fusepy import MapError, import_recording
from fusepy.cli import main
from fusepy.map import ImportMap, preset_map, preset_names
from fusepy.presets import PRESETS, Range, is_failure

NODE = {"role": 1, "id": 3, "dis": 5.5, "fp_rssi": -84.0, "rx_rssi": 0.0}


@pytest.mark.parametrize(("kind", "message", "expected"), [
    ("sensor_msgs/msg/Range", Message(range=5.5), Range(None, 5.5)),
    ("uwb_driver/msg/UwbRange", Message(requester_id=200, responder_id=100, antenna=1, distance=5.5), Range("100", 5.5, "1")),
    ("uwb_driver/msg/UwbEcho", Message(responder_id=100, distance=5.5), Range("100", 5.5)),
    ("nlink_parser/msg/LinktrackNodeframe2", Message(nodes=[Message(**NODE)]), Range("3", 5.5, first_path_power=-84.0)),
    ("nlink_parser/msg/LinktrackNodeframe3", Message(nodes=[Message(**NODE)]), Range("3", 5.5, first_path_power=-84.0)),
    ("nlink_parser/msg/LinktrackNodeframe5", Message(nodes=[Message(**NODE)]), Range("3", 5.5, first_path_power=-84.0)),
    ("nlink_parser/msg/LinktrackAoaNodeframe0", Message(nodes=[Message(**NODE, angle=30.0)]),
     Range("3", 5.5, azimuth=-math.pi / 6, first_path_power=-84.0)),
    ("nlink_parser/msg/LinktrackTagframe0", Message(dis_arr=[5.5]), Range("0", 5.5)),
    ("uwb_ros/msg/RangeStamped", Message(from_id=1, to_id=7, range=5.5), Range("7", 5.5, "1")),
    ("gtec_msgs/msg/Ranging", Message(anchorId=9, tagId=1, range=5500), Range("9", 5.5)),
    ("uwb_msgs/msg/TwoWayRangeStamped", Message(responder_id=4, distance=5.5), Range("4", 5.5)),
    ("px4_msgs/msg/SensorUwb", Message(mac_dest=12, distance=5.5, aoa_azimuth_dev=30.0), Range("12", 5.5, azimuth=math.pi / 6)),
])
def test_every_message_of_ranges_is_read(kind: str, message: Message, expected: Range) -> None:
    found, = PRESETS[kind](message)
    assert found.azimuth == pytest.approx(expected.azimuth)
    found.azimuth = expected.azimuth
    assert found == expected


def test_every_preset_is_tried() -> None:
    marks = test_every_message_of_ranges_is_read.pytestmark  # type: ignore[attr-defined]
    assert {case[0] for case in marks[0].args[1]} == set(PRESETS)


def test_readings_that_are_none() -> None:
    assert all(is_failure(v, [8.0]) for v in (0.0, -1.0, math.inf, math.nan, 99999.0, 8.0))
    assert not is_failure(5.5, [8.0])


UWB_RANGE = """std_msgs/Header header
uint8 requester_id
uint8 responder_id
uint8 antenna
float32 distance
geometry_msgs/Point responder_location
geometry_msgs/Point rqst_antenna_offset
"""
LEVERS = {("200", 1): (0.05, 0.4, -0.1), ("200", 2): (0.05, -0.4, -0.1), ("201", 1): (-0.05, 0.4, 0.0), ("201", 2): (-0.05, -0.4, 0.0)}


def write_viral(path: Path, known: bool = True) -> Path:
    """As NTU VIRAL's bags are: a range of each antenna in turn, the antenna's place in every message."""
    from rosbags.typesys import get_types_from_msg

    bag = Bag(path, "bag")
    bag.store.register(get_types_from_msg(UWB_RANGE, "uwb_driver/msg/UwbRange"))
    vector, quaternion, zero = "geometry_msgs/msg/Vector3", "geometry_msgs/msg/Quaternion", np.zeros(9)
    for k in range(600):
        time = START + k * 10_000_000
        bag.add("/imu/imu", "sensor_msgs/msg/Imu", time, header=bag.header(time),
                orientation=bag.make(quaternion, x=0.0, y=0.0, z=0.0, w=1.0), orientation_covariance=zero,
                angular_velocity=bag.make(vector, x=0.0, y=0.0, z=0.0), angular_velocity_covariance=zero,
                linear_acceleration=bag.make(vector, x=0.0, y=0.0, z=9.81), linear_acceleration_covariance=zero)
        if k % 5 == 0:
            (requester, antenna), lever = list(LEVERS.items())[k // 5 % 4]
            places = lever if known else (99999.0, 99999.0, 99999.0)
            point = "geometry_msgs/msg/Point"
            bag.add("/uwb_endorange_info", "uwb_driver/msg/UwbRange", time, header=bag.header(time),
                    requester_id=int(requester), responder_id=100, antenna=antenna,
                    distance=99999.0 if k == 50 else distance(k / 100),
                    responder_location=bag.make(point, x=99999.0, y=99999.0, z=99999.0),
                    rqst_antenna_offset=bag.make(point, x=places[0], y=places[1], z=places[2]))
        for topic in ("/left/image_raw", "/right/image_raw"):
            if k % 10 == 0:
                bag.add(topic, "sensor_msgs/msg/Image", time, header=bag.header(time), height=3, width=4, encoding="mono8",
                        is_bigendian=0, step=4, data=np.arange(12, dtype=np.uint8))
    bag.close()
    return path


def test_ntu_viral_is_a_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_viral(tmp_path / "eee_01.bag")
    assert main([str(source), "-o", str(tmp_path / "walk"), "--preset", "ntu-viral", "--no-check"]) == 0
    out = tmp_path / "walk"
    assert {row[6] for row in rows(out, "uwb0")} == {"200.1", "200.2", "201.1", "201.2"}
    assert len(rows(out, "uwb0")) == 119 and len(rows(out, "imu0")) == 600 and len(rows(out, "cam1")) == 60
    assert '"201.2": [-0.05, -0.4, 0.0]' in (out / "mav0/uwb0/sensor.yaml").read_text()
    assert "antenna 200.1 is at 0.050, 0.400, -0.100 m" in capsys.readouterr().out


def test_places_that_are_not_known_are_left_out(tmp_path: Path) -> None:
    report = import_recording(write_viral(tmp_path / "x.bag", known=False), tmp_path / "walk", preset_map("ntu-viral"), check=False)
    assert {row[6] for row in rows(tmp_path / "walk", "uwb0")} == {""}
    assert not any("antenna" in d for d in report.decisions)


def test_an_unknown_preset_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_viral(tmp_path / "x.bag")
    assert main([str(source), "-o", str(tmp_path / "walk"), "--preset", "ntu"]) == 2
    assert "no preset ntu, expected one of ntu-viral, tiers" in capsys.readouterr().err
    with pytest.raises(MapError, match="expected a bag of TIERS"):
        preset_map("tiers", ["/imu/imu"])
    with pytest.raises(MapError, match="--own goes with --preset tiers"):
        preset_map("ntu-viral", own="5")
    for name in sorted(set(preset_names()) - {"tiers"}):
        assert isinstance(preset_map(name), ImportMap)


#: Topics of three cases of the data set, as its readers name them.
TIERS = {
    "platforms": [*(f"/platform_0{k}" for k in range(1, 5)), *(f"/uwb/tof/n_{a}/n_{b}/distance" for a in (5, 6) for b in range(1, 5)),
                  *(f"/uwb/tof/n_{b}/n_{a}/distance" for a in (5, 6) for b in range(1, 5)), "/vrpn_client_node/uwb_01/pose",
                  "/vrpn_client_node/uwb_02/pose"],
    "turtles": [*(f"/uwb/tof/n_{a}/n_{b}/distance" for a, b in ((4, 1), (4, 2), (4, 3), (1, 2), (1, 3), (2, 3), (2, 5), (3, 5))),
                *(f"/vrpn_client_node/tb0{k}/pose" for k in (1, 2, 3, 5)), *(f"/turtle0{k}/odom" for k in (1, 2, 3, 5))],
    "caps": [*(f"/uwb/tof/n_{a}/n_{b}/distance" for a, b in ((3, 4), (3, 7), (7, 5))), "/vrpn_client_node/turtlebot3_cap/pose",
             "/vrpn_client_node/turtlebot4_cap/pose"],
}


@pytest.mark.parametrize(("case", "own", "odometry", "ranges", "peers"), [
    ("platforms", None, "/vrpn_client_node/uwb_01/pose", {str(k): f"/uwb/tof/n_5/n_{k}/distance" for k in range(1, 5)}, {"1", "2", "3", "4"}),
    ("platforms", "6", "/vrpn_client_node/uwb_02/pose", {str(k): f"/uwb/tof/n_6/n_{k}/distance" for k in range(1, 5)}, {"1", "2", "3", "4"}),
    ("turtles", None, "/turtle01/odom", {"2": "/uwb/tof/n_1/n_2/distance", "3": "/uwb/tof/n_1/n_3/distance", "4": "/uwb/tof/n_4/n_1/distance"},
     {"2", "3"}),
    ("turtles", "5", "/turtle05/odom", {"2": "/uwb/tof/n_2/n_5/distance", "3": "/uwb/tof/n_3/n_5/distance"}, {"2", "3"}),
    ("caps", "4", "/vrpn_client_node/turtlebot4_cap/pose", {"3": "/uwb/tof/n_3/n_4/distance"}, {"3"}),
])
def test_every_case_of_tiers_has_a_map(case: str, own: str | None, odometry: str, ranges: dict[str, str], peers: set[str]) -> None:
    found = preset_map("tiers", TIERS[case], own)
    assert found.odometry0 is not None and found.odometry0.topic.pattern == odometry
    assert {s.options["peer_id"]: s.topic.pattern for s in found.uwb0} == ranges
    assert set(found.peers) == peers
    with pytest.raises(MapError, match="expected a node with poses and ranges"):
        preset_map("tiers", TIERS[case], "9")


def test_the_shared_bag_of_tiers_imports(tmp_path: Path) -> None:
    tiers = shared() / "foreign" / "tiers" / "over_parallel.bag"
    assert main([str(tiers), "-o", str(tmp_path / "walk"), "--preset", "tiers", "--no-check"]) == 0
    assert {row[1] for row in rows(tmp_path / "walk", "uwb0")} == {"1", "2", "3", "4"}
