"""A bag into a dataset folder, by a map."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import command, presets
from .axes import EXPECTED, device_matrix
from .bags import Message, open_bag
from .dataset import (IDENTITY, IMAGE_HEADER, IMU_HEADER, PEER_HEADER, POSE_HEADER, RANGE_HEADER, Table, number, sensor_yaml)
from .frames import Frames
from .staged import MARK, StagedFolder
from .map import ImportMap, MapError, Sensor, Topic

GRAVITY = 9.80665


@dataclass
class ImportReport:
    """What an import decided, counted and found: `import.json`."""

    kind: str
    source: str
    decisions: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    figures: dict[str, float] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)
    #: Topics of the cameras: a calibration of several cameras is told apart by them.
    topics: dict[str, str] = field(default_factory=dict)
    #: What to do next, with `<folder>` for the folder's name.
    next: str = "fuse import --check <folder>"

    def decide(self, sentence: str) -> None:
        if sentence not in self.decisions:
            self.decisions.append(sentence)

    @property
    def has_fault(self) -> bool:
        return any(f.get("weight") == "fault" for f in self.findings)

    def write(self, folder: Path) -> None:
        document = {"kind": self.kind, "source": self.source, "decisions": self.decisions,
                    "counts": dict(sorted(self.counts.items())), "figures": dict(sorted(self.figures.items())),
                    "findings": self.findings, "topics": dict(sorted(self.topics.items())), "next": self.next}
        (folder / "import.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def import_recording(source: str | Path, output: str | Path, import_map: ImportMap | str | Path,
                     definitions: str | Path | None = None, check: bool = True,
                     device: str | None = None) -> ImportReport:
    """Imports a ROS 1 bag, a ROS 2 bag or an MCAP file into the dataset folder `output`.

    Reads message by message: memory does not grow with the bag. With `check`, `fuse import --check` tests the folder
    and its findings are in the report; where the folder cannot be read an older one stays. `device`: the device's axes,
    `rep103` or `forward=x,up=z`, before those of the map. Raises MapError, BagError and
    FolderError with what was found and what was expected.
    """
    chosen = import_map if isinstance(import_map, ImportMap) else ImportMap.load(import_map)
    if device is not None:
        if device_matrix(device) is None:
            raise MapError(f"device {device}: expected {EXPECTED}")
        chosen.device, chosen.device_T_BS = device, None
    with StagedFolder(Path(output)) as folder:
        importer = _Import(Path(source), folder.staging, chosen, Path(definitions) if definitions else None)
        report = importer.run()
        if check:
            _check(folder.staging, Path(output), report)
        folder.commit(importer.is_stale)
    return report


def _check(folder: Path, output: Path, report: ImportReport) -> None:
    if command.find_fuse() is None:
        report.decide("no command fuse was found: the folder is not checked ('fuse import --check' does it later)")
        report.write(folder)
        return
    try:
        command.call(["import", "--check", str(folder), "--quiet"], allowed=(0, 1))
    except command.FuseError as error:
        raise command.FuseError(error.status, str(error).replace(str(folder), str(output))) from error
    with open(folder / "import.json", encoding="utf-8") as file:
        document = json.load(file)
    report.decisions, report.figures, report.findings = document["decisions"], document["figures"], document["findings"]
    report.next = document["next"]


class _Import:
    def __init__(self, source: Path, output: Path, chosen: ImportMap, definitions: Path | None) -> None:
        self.map = chosen
        self.output = output
        self.bag = open_bag(source, definitions)
        self.report = ImportReport("ros", source.name)
        self.mav = output / "mav0"
        self.tables = {
            "imu0": Table(self.mav / "imu0/data.csv", IMU_HEADER),
            "odometry0": Table(self.mav / "odometry0/data.csv", POSE_HEADER),
            "truth": Table(self.mav / "state_groundtruth_estimate0/data.csv", POSE_HEADER),
            "uwb0": Table(self.mav / "uwb0/data.csv", RANGE_HEADER, unique=False),
            "peers": Table(self.mav / "peers_groundtruth0/data.csv", PEER_HEADER, unique=False),
        }
        self.images: dict[str, Table] = {}
        self.camera_info: dict[str, Any] = {}
        self.places: dict[str, tuple[float, float, float]] = {}
        self.levers: dict[str, tuple[float, float, float]] = {}
        self.frames = Frames()
        #: The frame that a sensor's messages name.
        self.frame_ids: dict[str, str] = {}
        for note in chosen.notes:
            self.report.decide(note)

    def run(self) -> ImportReport:
        uses = self._uses()
        for message in self.bag.read(set(uses)):
            for role, sensor, ids in uses[message.topic]:
                try:
                    self._take(message, role, sensor, ids)
                except (AttributeError, IndexError, KeyError, OverflowError, TypeError) as error:
                    raise MapError(f"{self.map.path}: topic {message.topic} ({message.type}), message of {message.time} ns: "
                                   f"{error}, expected a message that can be {role.split(':')[0]}") from error
        for peer, place in self.map.peers.items():
            if isinstance(place, list):
                self._peer(peer, self._first_stamp(), (place[0], place[1], place[2]))
        for table in [*self.tables.values(), *self.images.values()]:
            table.finish()
        self._calibrations()
        for name, table in [*self.tables.items(), *self.images.items()]:
            for what, count in table.counts.items():
                self.report.counts[f"{name} {what}"] += count
        if not any(t.counts["rows"] for t in self.tables.values()):
            raise MapError(f"{self.map.path}: no message of its topics, expected some of: {self._known()}")
        self.report.write(self.output)
        return self.report

    def _known(self, roles: list[str] | None = None) -> str:
        """Some of the bag's topics, those that could have the missing roles first."""
        kinds = {"imu0": ("Imu",), "odometry0": ("Odometry", "Pose", "Transform"), "truth": ("Odometry", "Pose", "Transform"),
                 "uwb0": ("Range", "Uwb", "uwb", "nlink", "gtec"), "cam0": ("Image",), "cam1": ("Image",), "info": ("CameraInfo",)}
        wanted = [kind for role in roles or [] for kind in kinds.get(role, ())]
        topics = sorted(self.bag.topics.items())
        if len(topics) > 8:
            topics.sort(key=lambda t: not any(kind in t[1] for kind in wanted))
        shown = ", ".join(f"{topic} ({kind})" for topic, kind in topics[:8])
        return shown + (f" and {len(topics) - 8} more, which --topics lists" if len(topics) > 8 else "")

    def _uses(self) -> dict[str, list[tuple[str, Sensor, dict[str, str]]]]:
        """What each topic is for. A topic of the map that the bag does not have is an error that names those it has."""
        roles: list[tuple[str, Sensor]] = []
        for name in ("imu0", "odometry0", "truth"):
            sensor = getattr(self.map, name)
            if sensor:
                roles.append((name, sensor))
        roles += [("uwb0", sensor) for sensor in self.map.uwb0]
        roles += [(name, sensor) for name, sensor in self.map.cameras.items()]
        roles += [(f"peer:{peer}", place) for peer, place in self.map.peers.items() if isinstance(place, Sensor)]
        for name, sensor in self.map.cameras.items():
            if "camera_info" in sensor.options:
                roles.append((f"info:{name}", Sensor(Topic(sensor.options["camera_info"]))))
        uses: dict[str, list[tuple[str, Sensor, dict[str, str]]]] = {}
        missing, lacking = [], []
        for name, sensor in self.map.cameras.items():
            if "camera_info" not in sensor.options:
                beside = sensor.topic.pattern.removesuffix("/compressed").rpartition("/")[0] + "/camera_info"
                if self.bag.topics.get(beside, "").endswith("CameraInfo"):
                    roles.append((f"info:{name}", Sensor(Topic(beside))))
                    self.report.decide(f"{name}'s lens is that of {beside}")
        for topic, kind in self.bag.topics.items():
            if kind.endswith("tf2_msgs/msg/TFMessage") and topic.endswith("tf_static"):
                roles.append(("frames", Sensor(Topic(topic))))
        for role, sensor in roles:
            found = False
            for topic in sorted(self.bag.topics):
                ids = sensor.topic.match(topic)
                if ids is not None:
                    uses.setdefault(topic, []).append((role, sensor, ids))
                    found = True
            if not found:
                lacking.append(role.split(":")[0])
                missing.append(f"{lacking[-1]} {sensor.topic.pattern}")
        if missing:
            raise MapError(
                f"{self.map.path}: the bag has no {', no '.join(missing)}, expected topics of: {self._known(lacking)}")
        return uses

    # -- messages

    def _stamp(self, message: Message) -> int:
        header = getattr(message.content, "header", None)
        stamp = getattr(header, "stamp", None)
        if stamp is not None:
            seconds = getattr(stamp, "sec", getattr(stamp, "secs", 0))
            time = int(seconds) * 1_000_000_000 + int(getattr(stamp, "nanosec", getattr(stamp, "nsecs", 0)))
            if time != 0:
                return time
        self.report.decide(f"{message.topic} has no stamp of its own: the time at which it was recorded is used")
        return message.time

    def _first_stamp(self) -> int:
        stamps = [t.first for t in self.tables.values() if t.first is not None]
        stamps += [t._heap[0][0] for t in self.tables.values() if t.first is None and t._heap]
        return min(stamps, default=0)

    def _take(self, message: Message, role: str, sensor: Sensor, ids: dict[str, str]) -> None:
        self._note_frame(message, role)
        if role == "frames":
            self.frames.add(message.content)
        elif role == "imu0":
            self._inertial(message, sensor)
        elif role in ("odometry0", "truth"):
            self._pose(message, role, sensor)
        elif role == "uwb0":
            self._ranges(message, sensor, ids)
        elif role.startswith("peer:"):
            place, _ = _pose_of(message)
            self._peer(role[5:], self._stamp(message), place)
        elif role.startswith("info:"):
            self.camera_info.setdefault(role[5:], message.content)
        else:
            self._image(message, role)

    def _note_frame(self, message: Message, role: str) -> None:
        if role in self.frame_ids:
            return
        content = message.content
        # Odometry is of its child frame; a pose's header names the world that it is in.
        if role in ("odometry0", "truth"):
            frame = getattr(content, "child_frame_id", "")
        else:
            frame = getattr(getattr(content, "header", None), "frame_id", "")
        if frame:
            self.frame_ids[role] = frame

    def _inertial(self, message: Message, sensor: Sensor) -> None:
        w = getattr(message.content, "angular_velocity", None)
        a = getattr(message.content, "linear_acceleration", None)
        if w is None or a is None:
            raise MapError(f"{self.map.path}: topic {message.topic} has type {message.type}, expected sensor_msgs/Imu")
        turn = math.pi / 180 if sensor.options.get("gyroscope_unit") == "deg/s" else 1
        force = GRAVITY if sensor.options.get("accelerometer_unit") == "g" else 1
        force = -force if sensor.options.get("accelerometer_sign") == "apple" else force
        values = [w.x * turn, w.y * turn, w.z * turn, a.x * force, a.y * force, a.z * force]
        if not all(math.isfinite(v) for v in values):
            self.report.counts["imu0 messages that are not finite"] += 1
            return
        cells = [number(v, 7) for v in values[:3]] + [number(v, 6) for v in values[3:]]
        self.tables["imu0"].add(self._stamp(message), ",".join(cells))

    def _pose(self, message: Message, role: str, sensor: Sensor) -> None:
        place, q = _pose_of(message)
        norm = math.sqrt(sum(v * v for v in q))
        if not all(math.isfinite(v) for v in place) or not 0.99 < norm < 1.01:
            self.report.counts[f"{role} messages without a pose"] += 1
            return
        if sensor.options.get("rotation") == "body_from_world":
            q = (q[0], -q[1], -q[2], -q[3])
        if sensor.options.get("world_up") == "y":
            place, q = _y_up_to_z_up(place, q)
        sign = -1 if q[0] < 0 else 1
        cells = [number(v, 6) for v in place] + [number(sign * v / norm, 9) for v in q]
        self.tables[role].add(self._stamp(message), ",".join(cells))

    def _ranges(self, message: Message, sensor: Sensor, ids: dict[str, str]) -> None:
        options = sensor.options
        kind = options.get("preset", message.type)
        reader = presets.from_fields(options) if "range" in options else presets.PRESETS.get(kind)
        if reader is None:
            raise MapError(
                f"{self.map.path}: {message.topic} has type {message.type}, which no preset reads, expected "
                f"'range: <field>' and 'peer: <field>', or one of {', '.join(sorted(presets.PRESETS))}")
        invalid = [float(v) for v in options.get("invalid", [])]
        for found in self._read(reader, message):
            peer = str(options.get("peer_id") or ids.get("peer") or found.peer or "")
            own = str(options["own_id"]) if "own_id" in options else None
            if not peer:
                raise MapError(f"{self.map.path}: {message.topic} names no peer, expected {{peer}} in the topic or peer_id")
            if own is not None and found.antenna is not None and found.antenna != own:
                self.report.counts["uwb0 ranges of other tags"] += 1
                continue
            if presets.is_failure(found.range, invalid):
                self.report.counts["uwb0 failed ranges"] += 1
                continue
            antenna = ids.get("antenna") or (found.antenna if "antennas" in options or found.lever else None)
            if antenna and found.lever and "antennas" not in options:
                self.levers.setdefault(antenna, found.lever)
            cells = [peer, number(found.range, 4), number(found.range_std, 4), number(found.azimuth, 4),
                     number(found.elevation, 4), antenna or "", number(found.rssi, 4), number(found.first_path_power, 4)]
            self.tables["uwb0"].add(self._stamp(message), ",".join(cells))

    def _read(self, reader: presets.Reader, message: Message) -> list[presets.Range]:
        try:
            return list(reader(message.content))
        except (presets.FieldError, AttributeError, TypeError, ValueError) as error:
            found = f"topic {message.topic} ({message.type}) {error}"
            if not isinstance(error, presets.FieldError):
                found += f", expected a preset that fits, or 'range: <field>' with one of {', '.join(presets.field_names(message.content))}"
            raise MapError(f"{self.map.path}: {found}") from error

    def _peer(self, peer: str, time: int, place: tuple[float, float, float]) -> None:
        if not all(math.isfinite(v) for v in place):
            return
        last = self.places.get(peer)
        # A peer that stands has one row.
        if last is not None and math.dist(last, place) < 0.01:
            return
        self.places[peer] = place
        self.tables["peers"].add(time, ",".join([peer, *(number(v, 6) for v in place)]))

    def _image(self, message: Message, camera: str) -> None:
        from PIL import Image

        content = message.content
        if not hasattr(content, "data") or not (hasattr(content, "format") or hasattr(content, "encoding")):
            raise MapError(f"{self.map.path}: topic {message.topic} has type {message.type}, expected sensor_msgs/Image or "
                           "sensor_msgs/CompressedImage")
        time = self._stamp(message)
        folder = self.mav / camera / "data"
        folder.mkdir(parents=True, exist_ok=True)
        if hasattr(content, "format"):
            ending = "jpg" if "jp" in content.format.lower() else "png"
            (folder / f"{time}.{ending}").write_bytes(bytes(content.data))
            name = f"{time}.{ending}"
        else:
            modes = {"mono8": ("L", "L", 1), "8UC1": ("L", "L", 1), "rgb8": ("RGB", "RGB", 3), "bgr8": ("RGB", "BGR", 3),
                     "mono16": ("I;16", "I;16B" if content.is_bigendian else "I;16", 2),
                     "rgba8": ("RGBA", "RGBA", 4), "bgra8": ("RGBA", "BGRA", 4)}
            if content.encoding not in modes:
                raise MapError(f"{self.map.path}: {message.topic} has encoding {content.encoding}, expected one of "
                               f"{', '.join(modes)}")
            mode, raw, size = modes[content.encoding]
            try:
                image = Image.frombytes(mode, (content.width, content.height), bytes(content.data), "raw", raw, content.step)
            except ValueError as error:
                raise MapError(f"{self.map.path}: {message.topic} has an image of {len(content.data)} bytes, expected "
                               f"{content.height} rows of {content.step}") from error
            name = f"{time}.png"
            (image if mode in ("L", "I;16") else image.convert("L")).save(folder / name)
        self.report.topics.setdefault(camera, message.topic)
        table = self.images.setdefault(camera, Table(self.mav / camera / "data.csv", IMAGE_HEADER))
        table.add(time, name)

    # -- calibrations

    def is_stale(self, name: str) -> bool:
        """Whether a file of an earlier import goes where this one does not write it."""
        parts = name.split("/")
        if parts[0] != "mav0" or len(parts) < 3:
            return name in ("dataset.yaml", "import.json", MARK)
        tables = {table.path.parent.name for table in self.tables.values()}
        is_table = parts[1] in tables and parts[2] in ("data.csv", "sensor.yaml")
        is_image = parts[1] in self.images and (parts[2] == "data" or parts[2:] == ["data.csv"])
        return is_table or is_image

    def _place(self, role: str, stated: list[float] | None) -> list[float] | None:
        """A sensor's `T_BS`: the map's, or what the bag's static transforms say of it; None where neither knows.

        The body is the odometry's child frame where there is odometry, else the inertial unit's.
        """
        if stated is not None:
            return stated
        body = next((self.frame_ids[name] for name in ("odometry0", "imu0") if name in self.frame_ids), None)
        frame = self.frame_ids.get(role)
        if body is None or frame is None:
            return None
        if frame == body:
            return IDENTITY
        if role.startswith("cam") and "optical" not in frame:
            return None
        place = self.frames.between(body, frame)
        if place is not None:
            self.report.decide(f"{role}'s T_BS: {frame} in {body}, as the bag's tf_static says")
        return place

    def _calibrations(self) -> None:
        noise = {"gyroscope_noise_density": 0.001, "gyroscope_random_walk": 5e-05, "accelerometer_noise_density": 0.01,
                 "accelerometer_random_walk": 0.0005}
        if self.map.imu0 and self.tables["imu0"].counts["rows"]:
            options = self.map.imu0.options
            if not any(key in options for key in noise):
                self.report.decide("the inertial unit's noise is not stated: that of a phone is assumed")
            keys = {key: options.get(key, value) for key, value in noise.items()}
            for key in ("gravity_magnitude", "rate_hz"):
                keys |= {key: options[key]} if key in options else {}
            place = self._place("imu0", self.map.imu0.T_BS)
            if place is None:
                self.report.decide("imu0's T_BS is not stated: it is taken for the body")
            sensor_yaml(self.mav / "imu0/sensor.yaml", "imu", place or IDENTITY, keys)
        if self.map.odometry0 and self.tables["odometry0"].counts["rows"]:
            walk = {key: self.map.odometry0.options.get(key) for key in ("position_random_walk", "yaw_random_walk")}
            if self.map.odometry0.T_BS is None:
                self.report.decide("odometry0's T_BS is not stated: its poses are taken for the body's")
            sensor_yaml(self.mav / "odometry0/sensor.yaml", "odometry", self.map.odometry0.T_BS or IDENTITY, walk)
        if self.map.uwb0 and self.tables["uwb0"].counts["rows"]:
            antennas: dict[str, list[float]] = {}
            for sensor in self.map.uwb0:
                antennas |= {str(k): v for k, v in sensor.options.get("antennas", {}).items() if k != "__lines__"}
            for antenna, lever in sorted(self.levers.items()):
                antennas[antenna] = list(lever)
                self.report.decide(f"antenna {antenna} is at {', '.join(f'{v:.3f}' for v in lever)} m, as its messages say")
            keys = {"range_noise_std": self.map.uwb0[0].options.get("range_noise_std"), "antennas": antennas or None}
            place = self._place("uwb0", self.map.uwb0[0].T_BS)
            if place is None and not antennas:
                self.report.decide("uwb0's T_BS is not stated: the radio is taken to be at the body's origin")
            sensor_yaml(self.mav / "uwb0/sensor.yaml", "uwb", place or IDENTITY, keys)
        for name, sensor in self.map.cameras.items():
            self._camera(name, sensor)
        lines = [f"title: {json.dumps(self.report.source + ', imported from ros')}",
                 f"source: {json.dumps(self.report.source)}", "licence: not stated"]
        if self.map.device is not None and self.map.device_T_BS is None:
            self.map.device_T_BS = device_matrix(self.map.device)
        if self.map.device is not None:
            shown = {k: v for k, v in self.map.device.items() if k != "__lines__"} if isinstance(self.map.device, dict) else self.map.device
            self.report.decide(f"the device, as stated: {shown}")
        if self.map.device_T_BS:
            lines.append(f"device_T_BS: [{', '.join(repr(v) for v in self.map.device_T_BS)}]")
        (self.output / "dataset.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _camera(self, name: str, sensor: Sensor) -> None:
        info = self.camera_info.get(name)
        if info is None:
            self.report.decide(f"{name} has images and no calibration: 'fuse import kalibr <camchain> -o <folder>' adds it")
            return
        k = [float(v) for v in (info.K if hasattr(info, "K") else info.k)]
        d = [float(v) for v in (info.D if hasattr(info, "D") else info.d)]
        place = self._place(name, sensor.T_BS)
        if place is None:
            self.report.decide(f"{name}'s T_BS is not known: the lens is written, and nothing is assumed")
        keys = {"resolution": [int(info.width), int(info.height)], "camera_model": "pinhole",
                "intrinsics": [k[0], k[4], k[2], k[5]],
                "distortion_model": (info.distortion_model or "plumb_bob") if any(d) else "none",
                "distortion_coefficients": d if any(d) else [],
                "time_offset_cam_to_imu_s": sensor.options.get("time_offset_cam_to_imu_s")}
        sensor_yaml(self.mav / name / "sensor.yaml", "camera", place, keys)


def _pose_of(message: Message) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
    """Place and quaternion w, x, y, z of the messages that carry poses."""
    content = message.content
    for name in ("pose", "pose"):  # Odometry and PoseWithCovarianceStamped have a pose in a pose
        content = getattr(content, name, content)
    if hasattr(content, "transform"):
        content = content.transform
    place = getattr(content, "position", None) or getattr(content, "translation", None) or getattr(content, "point", None)
    turn = getattr(content, "orientation", None) or getattr(content, "rotation", None)
    if place is None:
        raise MapError(f"{message.topic} has type {message.type}, expected poses: PoseStamped, Odometry, "
                       "PoseWithCovarianceStamped, TransformStamped or PointStamped")
    q = (float(turn.w), float(turn.x), float(turn.y), float(turn.z)) if turn is not None else (0.0, 0.0, 0.0, 0.0)
    return (float(place.x), float(place.y), float(place.z)), q


def _y_up_to_z_up(place: tuple[float, float, float], q: tuple[float, float, float, float]) -> tuple[
        tuple[float, float, float], tuple[float, float, float, float]]:
    """A quarter turn about x: y becomes z."""
    x, y, z = place
    h = math.sqrt(0.5)
    w, a, b, c = q
    return (x, -z, y), (h * (w - a), h * (a + w), h * (b - c), h * (c + b))
