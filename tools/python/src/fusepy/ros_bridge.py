"""A robot's topics to a live session, and its updates back as topics: `fuse-ros-bridge`.

    fuse-ros-bridge http://127.0.0.1:8040 --map map.yaml --rig walk                  in ROS 2 (rclpy)
    fuse-ros-bridge http://127.0.0.1:8040 --map map.yaml --rig walk --bag walk_bag -o found_bag      a bag instead, as fast as it goes

`--rig` is a recording of the same robot, imported once with the same map (`fuse-import`): its calibration is the session's. Poses come from odometry;
topics have no camera's tracks. Published for each peer: `/fuse/<peer>/pose` (geometry_msgs/PoseWithCovarianceStamped, in the odometry's world; where the
peer looks is not known) and `/fuse/markers` (visualization_msgs/MarkerArray: the 90 % box of its place, its distance in words).
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import command
from .bags import BagError, Message, open_bag
from .client import Client, ServiceError, Session, Update
from .dataset import Table
from .importing import ImportReport, _Import
from .map import ImportMap, MapError, Sensor

#: 90 % of a normal distribution are within so many sigmas.
NINETY = 1.6448536269514722
#: Variance of an angle of which nothing is known, rad^2.
UNKNOWN_ANGLE = math.pi**2 / 3


class _Sink(Table):
    """A table whose rows become event lines."""

    def __init__(self, line: Callable[[int, list[str]], dict[str, Any]], lines: list[dict[str, Any]]) -> None:
        super().__init__(Path("live"), "")
        self._line, self._lines = line, lines

    def add(self, time: int, cells: str) -> None:
        self._lines.append(self._line(time, cells.split(",")))


def _inertial(time: int, cells: list[str]) -> dict[str, Any]:
    return {"imu": [[time, *map(float, cells)]]}


def _pose(time: int, cells: list[str]) -> dict[str, Any]:
    values = [float(cell) for cell in cells]
    return {"pose": {"t": time, "p": values[:3], "q": values[3:]}}


def _range(time: int, cells: list[str]) -> dict[str, Any]:
    names = ["range", "std", "azimuth", "elevation", "antenna", "rssi", "firstPathPower"]
    found: dict[str, Any] = {"t": time, "peer": cells[0]}
    for name, cell in zip(names, cells[1:]):
        if cell:
            found[name] = cell if name == "antenna" else float(cell)
    return {"range": found}


class EventLines(_Import):
    """Messages as event lines, read as `fuse-import` reads them: by the same map, with the same units and presets."""

    def __init__(self, chosen: ImportMap) -> None:
        self.map = chosen
        self.report = ImportReport("ros", "live")
        self.frame_ids: dict[str, str] = {}
        self.levers: dict[str, tuple[float, float, float]] = {}
        self._lines: list[dict[str, Any]] = []
        self.tables = {name: _Sink(line, self._lines) for name, line in (("imu0", _inertial), ("odometry0", _pose), ("uwb0", _range))}
        if chosen.odometry0 is None or not chosen.uwb0:
            raise MapError(f"{chosen.path}: no {'uwb0' if chosen.odometry0 else 'odometry0'}, expected topics of poses and of ranges: a bridge has no camera's tracks")
        self._roles: list[tuple[str, Sensor]] = [("odometry0", chosen.odometry0), *(("uwb0", sensor) for sensor in chosen.uwb0)]

    @property
    def counts(self) -> Counter[str]:
        """What was left out, by reason."""
        return self.report.counts

    def is_wanted(self, topic: str) -> bool:
        """Whether the map names a topic."""
        return any(sensor.topic.match(topic) is not None for _, sensor in self._roles)

    def take(self, message: Message) -> list[dict[str, Any]]:
        """The lines of a message; none where it has no measurement. Raises MapError."""
        for role, sensor in self._roles:
            ids = sensor.topic.match(message.topic)
            if ids is None:
                continue
            try:
                self._take(message, role, sensor, ids)
            except (AttributeError, IndexError, KeyError, OverflowError, TypeError) as error:
                raise MapError(f"{self.map.path}: topic {message.topic} ({message.type}): {error}, expected a message that can be {role}") from error
        lines, self._lines[:] = list(self._lines), []
        return lines


def rig_of(folder: Path) -> dict[str, Any]:
    """The first event line of a recording: its calibration. Raises FuseError and MapError."""
    fuse = command.find_fuse()
    if fuse is None:
        raise command.FuseError(64, "no command fuse was found, expected it on the path or in $FUSE: it reads the rig")
    with subprocess.Popen([fuse, "stream", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        error = process.stderr.read().strip() if not first else ""
    if not first:
        raise command.FuseError(process.returncode or 2, error or f"{folder}: no event line")
    header: dict[str, Any] = json.loads(first)
    if header.get("trajectory") != "odometry":
        raise MapError(f"{folder}: its path comes from a camera, expected a recording with odometry0 and no camera: a bridge has no camera's tracks")
    return header


#: Makes a message of a type from its fields.
Maker = Callable[..., Any]


def messages(update: Update, make: Maker, frame: str = "odom") -> Iterator[tuple[str, str, Any]]:
    """The messages that an update is, with topic and type. frame: of the odometry's world."""
    peer, place, covariance = update.get("peer"), update.get("worldTransform"), update.get("positionCovariance")
    if peer is None:
        return
    stamp = make("builtin_interfaces/msg/Time", sec=update["timestamp"] // 10**9, nanosec=update["timestamp"] % 10**9)
    header = make("std_msgs/msg/Header", stamp=stamp, frame_id=frame)
    name = "".join(c if c.isascii() and c.isalnum() else "_" for c in peer)
    name = name if name[:1].isalpha() else "peer_" + name
    upright = make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
    point = make("geometry_msgs/msg/Point", **dict(zip("xyz", place[3:12:4] if place else (0.0, 0.0, 0.0))))
    pose = make("geometry_msgs/msg/Pose", position=point, orientation=upright)
    if place and covariance:
        whole = [0.0] * 36
        for row in range(3):
            whole[6 * row:6 * row + 3] = covariance[3 * row:3 * row + 3]
            whole[7 * (row + 3)] = UNKNOWN_ANGLE
        with_covariance = make("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=_numbers(whole))
        yield (f"/fuse/{name}/pose", "geometry_msgs/msg/PoseWithCovarianceStamped",
               make("geometry_msgs/msg/PoseWithCovarianceStamped", header=header, pose=with_covariance))
    # 0: add, 2: delete. A place that is no longer published disappears.
    size = [2 * NINETY * math.sqrt(max(covariance[4 * k], 1e-6)) for k in range(3)] if place and covariance else [0.1] * 3
    words = f"{peer} {update['distance']:.1f} m" if update.get("distance") is not None else peer
    is_found = (update.get("convergence") or {}).get("status") == "converged"
    markers = [
        _marker(make, header, name, number, kind, 0 if place else 2, pose, scale, is_found, text)
        for number, kind, scale, text in ((0, 2, size, ""), (1, 9, [0.0, 0.0, 0.2], words))]
    yield "/fuse/markers", "visualization_msgs/msg/MarkerArray", make("visualization_msgs/msg/MarkerArray", markers=markers)


def _marker(
    make: Maker, header: Any, name: str, number: int, kind: int, action: int, pose: Any, scale: list[float], is_found: bool, text: str
) -> Any:
    zero = make("builtin_interfaces/msg/Duration", sec=0, nanosec=0)
    color = make("std_msgs/msg/ColorRGBA", r=0.04 if is_found else 0.6, g=0.42 if is_found else 0.6, b=0.29 if is_found else 0.6, a=0.4 if kind == 2 else 1.0)
    return make(
        "visualization_msgs/msg/Marker", header=header, ns=f"fuse/{name}", id=number, type=kind, action=action, pose=pose,
        scale=make("geometry_msgs/msg/Vector3", **dict(zip("xyz", scale))), color=color, lifetime=zero, frame_locked=False, points=[], colors=[],
        texture_resource="", texture=make("sensor_msgs/msg/CompressedImage", header=header, format="", data=_numbers([], "uint8")), uv_coordinates=[],
        text=text, mesh_resource="", mesh_file=make("visualization_msgs/msg/MeshFile", filename="", data=_numbers([], "uint8")), mesh_use_embedded_materials=False)


def _numbers(values: list[float], kind: str = "float64") -> Any:
    import numpy

    return numpy.array(values, dtype=kind)


def play(bag: Path, session: Session, lines: EventLines, definitions: Path | None = None) -> None:
    """Sends a bag's messages, a batch a tenth of a second of the bag, and finishes the session."""
    source = open_bag(bag, definitions)
    wanted = {topic for topic in source.topics if lines.is_wanted(topic)}
    if not wanted:
        raise MapError(f"{bag}: no topic of {lines.map.path}, expected some of: {', '.join(sorted(source.topics))}")
    batch: list[dict[str, Any]] = []
    due = 0
    for message in source.read(wanted):
        if batch and message.time >= due:
            session.send(batch)
            batch = []
        if not batch:
            due = message.time + 100_000_000
        batch += lines.take(message)
    if batch:
        session.send(batch)
    session.finish()


def write_bag(path: Path, updates: Iterator[Update], frame: str = "odom") -> int:
    """Writes the messages of updates into a ROS 2 bag; how many updates these were."""
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    connections: dict[str, Any] = {}
    count = 0
    with Writer(path, version=9) as writer:
        for update in updates:
            count += 1
            for topic, kind, message in messages(update, lambda name, **fields: store.types[name](**fields), frame):
                if topic not in connections:
                    connections[topic] = writer.add_connection(topic, kind, typestore=store)
                writer.write(connections[topic], update["timestamp"], store.serialize_cdr(message, kind))
    return count


class _Node:
    """The bridge in ROS 2: topics that appear are subscribed to, messages leave twenty times a second."""

    def __init__(self, session: Session, lines: EventLines, frame: str) -> None:
        import rclpy
        from rclpy.qos import qos_profile_sensor_data
        from rosidl_runtime_py.utilities import get_message

        self.session, self.lines, self.frame = session, lines, frame
        self.get_message, self.quality = get_message, qos_profile_sensor_data
        self.rclpy = rclpy
        rclpy.init()
        self.node = rclpy.create_node("fuse_bridge")
        self.publishers: dict[str, Any] = {}
        self.subscribed: set[str] = set()
        self.batch: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    def _look(self) -> None:
        for topic, kinds in self.node.get_topic_names_and_types():
            if topic in self.subscribed or not self.lines.is_wanted(topic):
                continue
            self.subscribed.add(topic)

            def heard(content: Any, topic: str = topic, kind: str = kinds[0]) -> None:
                taken = self.lines.take(Message(topic, kind, time.time_ns(), content))
                with self.lock:
                    self.batch += taken

            self.node.create_subscription(self.get_message(kinds[0]), topic, heard, self.quality)

    def _send(self) -> None:
        while self.rclpy.ok():
            with self.lock:
                batch, self.batch = self.batch, []
            if batch:
                for reason, count in self.session.send(batch).items():
                    self.node.get_logger().warning(f"not used: {reason}, {count}")
            time.sleep(0.05)

    def _publish(self) -> None:
        for update in self.session.updates():
            for topic, kind, message in messages(update, lambda name, **fields: self.get_message(name)(**fields), self.frame):
                if topic not in self.publishers:
                    self.publishers[topic] = self.node.create_publisher(self.get_message(kind), topic, 10)
                self.publishers[topic].publish(message)

    def run(self) -> None:
        for work in (self._send, self._publish):
            threading.Thread(target=work, daemon=True).start()
        self.node.create_timer(1.0, self._look)
        try:
            self.rclpy.spin(self.node)
        except KeyboardInterrupt:
            pass
        with self.lock:
            batch = self.batch
        if batch:
            self.session.send(batch)
        self.session.finish()


def main(arguments: list[str] | None = None) -> int:
    """The command: 0, or 2 with what was found and what was expected."""
    parser = argparse.ArgumentParser(
        prog="fuse-ros-bridge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", help="of fuse serve, such as http://127.0.0.1:8040")
    parser.add_argument("--map", type=Path, required=True, help="which topic is which sensor, as for fuse-import")
    parser.add_argument("--rig", type=Path, required=True, help="a recording of this robot, imported with the map")
    parser.add_argument("--frame", default="odom", help="frame of the odometry's world (odom)")
    parser.add_argument("--token-file", type=Path, help="the token that may create sessions")
    parser.add_argument("--bag", type=Path, help="a bag instead of live topics")
    parser.add_argument("-o", "--output", type=Path, help="with --bag: the ROS 2 bag that is written")
    parser.add_argument("--definitions", type=Path, help="folder of <package>/msg/<Type>.msg, for db3 bags")
    options = parser.parse_args(arguments)
    if (options.bag is None) != (options.output is None):
        parser.error("--bag and -o go together")
    if options.output and options.output.exists():
        parser.error(f"{options.output}: is there, expected a new name")
    try:
        lines = EventLines(ImportMap.load(options.map))
        token = options.token_file.read_text().strip() if options.token_file else None
        session = Client(options.address, token).create(rig_of(options.rig))
        print(session.page, file=sys.stderr)
        if options.bag is None:
            _Node(session, lines, options.frame).run()
        else:
            play(options.bag, session, lines, options.definitions)
            print(f"{options.output}: {write_bag(options.output, session.updates(), options.frame)} updates", file=sys.stderr)
        for reason, count in sorted(lines.counts.items()):
            print(f"left out: {reason}: {count}", file=sys.stderr)
        return 0
    except ModuleNotFoundError as error:
        print(f"error: {error}, expected ROS 2 (source its setup.bash), or --bag", file=sys.stderr)
    except (BagError, MapError, ServiceError, command.FuseError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
