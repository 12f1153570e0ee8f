"""A bag through the bridge gives what the imported bag gives, as topics."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import write_walk
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore
from test_client import service  # noqa: F401

import fusepy
from fusepy.map import ImportMap, MapError
from fusepy.ros_bridge import EventLines, main, messages, rig_of

MAP = "odometry0: {topic: /tag/pose}\nuwb0: {topic: '/uwb/n_5/n_{peer}/distance', range_noise_std: 0.05}\ndevice: rep103\n"


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    (tmp_path / "map.yaml").write_text(MAP)
    write_walk(tmp_path / "walk.mcap", "mcap", seconds=45, lift=0.8)
    fusepy.import_recording(tmp_path / "walk.mcap", tmp_path / "walk", tmp_path / "map.yaml")
    return tmp_path


@pytest.mark.parametrize("kind", ["mcap", "db3"])
def test_a_bag_through_the_bridge(walk: Path, service: str, kind: str, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    bag = walk / "walk.mcap" if kind == "mcap" else write_walk(walk / "walk_db3", "db3", seconds=45, lift=0.8)
    status = main([service, "--map", str(walk / "map.yaml"), "--rig", str(walk / "walk"), "--bag", str(bag), "-o", str(walk / "found")])
    assert status == 0, capsys.readouterr().err
    fusepy.run(walk / "walk", walk / "out")
    expected = [json.loads(line) for line in (walk / "out/updates.jsonl").read_text().splitlines()]
    store = get_typestore(Stores.ROS2_HUMBLE)
    poses, markers = [], []
    with Reader(walk / "found") as reader:
        for connection, time, raw in reader.messages():
            message = store.deserialize_cdr(raw, connection.msgtype)
            (poses if connection.topic.endswith("/pose") else markers).append((time, connection, message))
    assert len(markers) == sum(update["peer"] is not None for update in expected) > 100
    placed = [update for update in expected if update["worldTransform"]]
    assert placed and [time for time, *_ in poses] == [update["timestamp"] for update in placed]
    for (_, connection, message), update in zip(poses, placed):
        assert connection.topic == "/fuse/peer_1/pose" and connection.msgtype == "geometry_msgs/msg/PoseWithCovarianceStamped"
        point = message.pose.pose.position
        assert np.allclose([point.x, point.y, point.z], update["worldTransform"][3:12:4])
        block = np.array(message.pose.covariance).reshape(6, 6)
        assert np.allclose(block[:3, :3].ravel(), update["positionCovariance"]) and np.all(np.linalg.eigvalsh(block) > 0)
        assert message.header.frame_id == "odom"
    shown = [message.markers[0].action for _, _, message in markers]
    assert shown == [0 if update["worldTransform"] else 2 for update in expected if update["peer"] is not None]
    assert "1 " in markers[-1][2].markers[1].text and markers[-1][2].markers[1].text.endswith(" m")


def test_lines_are_those_of_the_import(walk: Path) -> None:
    lines = EventLines(ImportMap.load(walk / "map.yaml"))
    from fusepy.bags import open_bag

    bag = open_bag(walk / "walk.mcap")
    found = [line for message in bag.read({t for t in bag.topics if lines.is_wanted(t)}) for line in lines.take(message)]
    poses = [line["pose"] for line in found if "pose" in line]
    rows = (walk / "walk/mav0/odometry0/data.csv").read_text().splitlines()[1:]
    assert [[p["t"], *p["p"], *p["q"]] for p in poses] == [[int(c) if k == 0 else float(c) for k, c in enumerate(row.split(","))] for row in rows]
    assert lines.counts["uwb0 failed ranges"] == 1
    assert rig_of(walk / "walk")["trajectory"] == "odometry"


def test_what_is_missing_is_said(walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (walk / "no.yaml").write_text("uwb0: {topic: /x}\n")
    with pytest.raises(MapError, match="no odometry0"):
        EventLines(ImportMap.load(walk / "no.yaml"))
    assert main(["http://127.0.0.1:9", "--map", str(walk / "map.yaml"), "--rig", str(walk / "nothing"), "--bag", "x", "-o", str(walk / "y")]) == 2
    assert "nothing" in capsys.readouterr().err
    assert main(["http://127.0.0.1:9", "--map", str(walk / "map.yaml"), "--rig", str(walk / "walk"), "--bag", "x", "-o", str(walk / "y")]) == 2
    assert "expected a service" in capsys.readouterr().err
    assert list(messages({"peer": None, "timestamp": 1}, lambda name, **fields: fields)) == []
