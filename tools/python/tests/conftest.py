"""A walk, written as bags."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from bag_writer import GTEC, LINKTRACK, LINKTRACK_NODE, Bag

__all__ = ["Bag", "GTEC", "LINKTRACK", "LINKTRACK_NODE", "PEER", "START", "distance", "place", "shared", "write_walk"]

START = 1_700_000_000_000_000_000
PEER = (4.0, 1.0, 0.5)


def shared() -> Path:
    """The recordings beside the repository; a test that needs them is skipped where they are not."""
    named = os.environ.get("FUSE_SHARED_DATA")
    path = Path(named) if named else Path(__file__).resolve().parents[4] / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"no recordings at {path}")
    return path


def place(t: float, lift: float = 0.2) -> tuple[float, float, float]:
    return 1.5 * math.sin(0.8 * t), 1.2 * math.sin(1.1 * t), 1.2 + lift * math.sin(0.5 * t)


def distance(t: float, lift: float = 0.2) -> float:
    return math.dist(place(t, lift), PEER)


def write_walk(path: Path, kind: str, seconds: float = 6.0, lift: float = 0.2) -> Path:
    """Poses at 50 Hz, an inertial unit at 100 Hz, ranges of three types, images at 2 Hz. It goes up and down by lift, metres."""
    bag = Bag(path, kind)
    vector, quaternion = "geometry_msgs/msg/Vector3", "geometry_msgs/msg/Quaternion"
    for k in range(int(seconds * 100)):
        t = k / 100
        time = START + k * 10_000_000
        late = time + 3_000_000
        zero = np.zeros(9)
        bag.add("/imu", "sensor_msgs/msg/Imu", late, header=bag.header(time),
                orientation=bag.make(quaternion, x=0.0, y=0.0, z=0.0, w=1.0), orientation_covariance=zero,
                angular_velocity=bag.make(vector, x=0.0, y=0.0, z=0.0), angular_velocity_covariance=zero,
                linear_acceleration=bag.make(vector, x=-0.96 * math.sin(0.8 * t), y=-1.452 * math.sin(1.1 * t),
                                             z=9.81 - 0.25 * lift * math.sin(0.5 * t)), linear_acceleration_covariance=zero)
        if k % 2 == 0:
            x, y, z = place(t, lift)
            pose = bag.make("geometry_msgs/msg/Pose", position=bag.make("geometry_msgs/msg/Point", x=x, y=y, z=z),
                            orientation=bag.make(quaternion, x=0.0, y=0.0, z=0.0, w=-1.0))
            bag.add("/tag/pose", "geometry_msgs/msg/PoseStamped", late, header=bag.header(time), pose=pose)
        if k % 10 == 0:
            d = distance(t, lift)
            bag.add("/uwb/n_5/n_1/distance", "sensor_msgs/msg/Range", late, header=bag.header(time), radiation_type=0,
                    field_of_view=0.0, min_range=0.0, max_range=0.0, range=float("inf") if k == 100 else d)
            node = "nlink_parser/msg/LinktrackNode2"
            bag.add("/linktrack", "nlink_parser/msg/LinktrackNodeframe2", late, header=bag.header(time), nodes=[
                bag.make(node, role=1, id=3, dis=d, fp_rssi=-84.0, rx_rssi=-80.0),
                bag.make(node, role=1, id=4, dis=0.0, fp_rssi=0.0, rx_rssi=0.0)])
            bag.add("/gtec", "gtec_msgs/msg/Ranging", time, anchorId=9, tagId=1, range=round(d * 1000), seq=k)
        if k % 50 == 0:
            pixels = np.arange(12, dtype=np.uint8) + k // 50
            bag.add("/image", "sensor_msgs/msg/Image", late, header=bag.header(time), height=3, width=4,
                    encoding="mono8", is_bigendian=0, step=4, data=pixels)
    bag.close()
    return path
