"""The declarative map: which topic is which sensor. The keys are those of `fuse import csv`, with `topic` for `file`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from .axes import EXPECTED, device_matrix

Matrix = list[float]


class MapError(ValueError):
    """A map that says what cannot be: file, line, what was found, what was expected."""


class _Lines(yaml.SafeLoader):  # type: ignore[misc]
    """Keeps the line of every mapping key, for messages."""


def _mapping(loader: _Lines, node: yaml.MappingNode) -> dict[str, Any]:
    found: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        name = str(loader.construct_object(key, deep=True))
        found[name] = loader.construct_object(value, deep=True)
        lines[name] = key.start_mark.line + 1
    found["__lines__"] = lines
    return found


_Lines.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


class Topic:
    """A pattern of topic names; `{peer}` and `{antenna}` stand for an id: `/uwb/tof/n_5/n_{peer}/distance`."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        parts = re.split(r"(\{peer\}|\{antenna\}|\*)", pattern)
        names = {"{peer}": "(?P<peer>[^/]+?)", "{antenna}": "(?P<antenna>[^/]+?)", "*": "[^/]*"}
        self._regex = re.compile("".join(names.get(part, re.escape(part)) for part in parts) + r"\Z")

    def match(self, topic: str) -> dict[str, str] | None:
        found = self._regex.match(topic)
        return found.groupdict() if found else None


@dataclass
class Sensor:
    """A sensor whose topic has a message type that is known, or a preset's."""

    topic: Topic
    T_BS: Matrix | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class ImportMap:
    """A whole map."""

    path: str
    imu0: Sensor | None = None
    odometry0: Sensor | None = None
    truth: Sensor | None = None
    uwb0: list[Sensor] = field(default_factory=list)
    cameras: dict[str, Sensor] = field(default_factory=dict)
    peers: dict[str, Sensor | list[float]] = field(default_factory=dict)
    device_T_BS: Matrix | None = None
    #: The statement that `device_T_BS` comes from: a name, or forward and up; None where the matrix was given, or nothing.
    device: Any = None
    #: What a preset decided by the bag's topics.
    notes: list[str] = field(default_factory=list)

    KNOWN = {
        "imu0": ["topic", "T_BS", "accelerometer_unit", "gyroscope_unit", "accelerometer_sign",
                 "gyroscope_noise_density", "gyroscope_random_walk", "accelerometer_noise_density",
                 "accelerometer_random_walk", "gravity_magnitude", "rate_hz"],
        "odometry0": ["topic", "T_BS", "world_up", "rotation", "position_random_walk", "yaw_random_walk"],
        "truth": ["topic", "T_BS", "world_up", "rotation"],
        "uwb0": ["topic", "T_BS", "preset", "range", "range_unit", "peer", "peer_id", "antenna", "antennas", "own_id",
                 "invalid", "range_std", "azimuth", "elevation", "angle_unit", "rssi", "first_path_power",
                 "range_noise_std"],
        "cam0": ["topic", "T_BS", "camera_info", "time_offset_cam_to_imu_s"],
        "cam1": ["topic", "T_BS", "camera_info", "time_offset_cam_to_imu_s"],
    }

    @staticmethod
    def load(path: str | Path) -> ImportMap:
        """Reads a map.

        Raises MapError, with file and line, for unknown keys and for values that cannot be.
        """
        path = str(path)
        try:
            with open(path, encoding="utf-8") as file:
                document = yaml.load(file, Loader=_Lines)
        except OSError as error:
            raise MapError(f"{path}: {error.strerror}, expected a map") from error
        except yaml.YAMLError as error:
            line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
            raise MapError(f"{path}:{line}: no YAML, expected sections such as 'imu0:'") from error
        if not isinstance(document, dict):
            raise MapError(f"{path}:1: no keys, expected sections such as 'imu0:'")
        return _build(path, document)


PRESET_MAPS = Path(__file__).parent / "maps"


def preset_names() -> list[str]:
    """Data sets whose map is part of the package."""
    return sorted([*(path.stem for path in PRESET_MAPS.glob("*.yaml")), "tiers"])


def preset_map(name: str, topics: Iterable[str] = (), own: str | None = None) -> ImportMap:
    """The map of a data set; of TIERS made of the bag's topics, for the node `own`.

    Raises MapError for a name that is none of `preset_names()`, and for a bag that is not of the data set.
    """
    from .tiers import tiers_map

    if name not in preset_names():
        raise MapError(f"no preset {name}, expected one of {', '.join(preset_names())}")
    if name == "tiers":
        return tiers_map(topics, own)
    if own is not None:
        raise MapError(f"--own goes with --preset tiers, not with {name}")
    return ImportMap.load(PRESET_MAPS / f"{name}.yaml")


def _fault(path: str, section: dict[str, Any], key: str, found: str, expected: str) -> MapError:
    line = section.get("__lines__", {}).get(key, 1)
    return MapError(f"{path}:{line}: {found}, expected {expected}")


def _sensor(path: str, name: str, section: Any, parent: dict[str, Any]) -> Sensor:
    if not isinstance(section, dict):
        raise _fault(path, parent, name, f"no keys below {name}", "topic: /name")
    known = ImportMap.KNOWN[name]
    for key in section:
        if key != "__lines__" and key not in known:
            close = get_close_matches(key, known, 1)
            meant = f"'{close[0]}' (misspelt?)" if close else ", ".join(known)
            raise _fault(path, section, key, f"key '{key}' below {name}", meant)
    if not isinstance(section.get("topic"), str):
        raise _fault(path, parent, name, f"no topic below {name}", "topic: /name, {peer} for an id in it")
    options = {k: v for k, v in section.items() if k not in ("topic", "T_BS", "__lines__")}
    for key, words in {"range_unit": ["m", "cm", "mm"], "angle_unit": ["rad", "deg"], "world_up": ["z", "y"],
                       "rotation": ["world_from_body", "body_from_world"],
                       "accelerometer_unit": ["m/s^2", "g"], "gyroscope_unit": ["rad/s", "deg/s"],
                       "accelerometer_sign": ["up", "apple"]}.items():
        if key in options and options[key] not in words:
            raise _fault(path, section, key, f"{key}: {options[key]}", ", ".join(words))
    for key, value in options.items():
        expected = _unfit(key, value)
        if expected:
            shown = {k: v for k, v in value.items() if k != "__lines__"} if isinstance(value, dict) else value
            raise _fault(path, section, key, f"{key}: {shown}", expected)
    return Sensor(Topic(section["topic"]), _matrix(path, section, "T_BS"), options)


NUMBERS = {"gyroscope_noise_density", "gyroscope_random_walk", "accelerometer_noise_density", "accelerometer_random_walk",
           "gravity_magnitude", "rate_hz", "position_random_walk", "yaw_random_walk", "range_noise_std",
           "time_offset_cam_to_imu_s"}
FIELDS = {"range", "peer", "antenna", "range_std", "azimuth", "elevation", "rssi", "first_path_power", "preset", "camera_info"}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _unfit(key: str, value: Any) -> str | None:
    """What a key's value should be; None where it is that."""
    if key in NUMBERS and not _is_number(value):
        return "a number"
    if key in FIELDS and not isinstance(value, str):
        return "a name"
    if key == "invalid" and not (isinstance(value, list) and all(map(_is_number, value))):
        return "a list of readings that mean none: [0, 99999]"
    if key == "antennas":
        places = [v for k, v in value.items() if k != "__lines__"] if isinstance(value, dict) else [None]
        if not all(isinstance(p, list) and len(p) == 3 and all(map(_is_number, p)) for p in places):
            return "lines such as '\"0\": [x, y, z]' below it, metres"
    return None


def _matrix(path: str, section: dict[str, Any], key: str) -> Matrix | None:
    value = section.get(key)
    if value is None:
        return None
    flat = [x for row in value for x in (row if isinstance(row, list) else [row])] if isinstance(value, list) else []
    if len(flat) != 16 or not all(isinstance(x, (int, float)) for x in flat):
        raise _fault(path, section, key, f"{key} of {len(flat)} numbers", "16 numbers, row by row")
    return [float(x) for x in flat]


def _build(path: str, document: dict[str, Any]) -> ImportMap:
    result = ImportMap(path)
    known = [*ImportMap.KNOWN, "peers", "device_T_BS", "device"]
    for key, value in document.items():
        if key == "__lines__":
            continue
        if key in ("imu0", "odometry0", "truth"):
            setattr(result, key, _sensor(path, key, value, document))
        elif key == "uwb0":
            sections = value if isinstance(value, list) else [value]
            result.uwb0 = [_sensor(path, key, section, document) for section in sections]
        elif key in ("cam0", "cam1"):
            result.cameras[key] = _sensor(path, key, value, document)
        elif key == "device_T_BS":
            if "device" in document:
                raise _fault(path, document, "device", "device beside device_T_BS", "one of them")
            result.device_T_BS = _matrix(path, document, key)
        elif key == "device":
            result.device_T_BS = device_matrix(value)
            if result.device_T_BS is None:
                shown = {k: v for k, v in value.items() if k != "__lines__"} if isinstance(value, dict) else value
                raise _fault(path, document, key, f"device: {shown}", EXPECTED)
            result.device = value
        elif key == "peers":
            if not isinstance(value, dict):
                raise _fault(path, document, key, f"peers: {value}", "lines such as '\"1\": [x, y, z]' below it")
            for peer, place in value.items():
                if peer == "__lines__":
                    continue
                if isinstance(place, list) and len(place) == 3:
                    result.peers[str(peer)] = [float(x) for x in place]
                elif isinstance(place, dict) and isinstance(place.get("topic"), str):
                    result.peers[str(peer)] = Sensor(Topic(place["topic"]))
                else:
                    raise _fault(path, value, peer, f"peer {peer}: {place}", "[x, y, z] or topic: /name of its poses")
        else:
            close = get_close_matches(key, known, 1)
            raise _fault(path, document, key, f"key '{key}'", f"'{close[0]}'" if close else ", ".join(known))
    if not (result.imu0 or result.odometry0 or result.truth or result.uwb0):
        raise MapError(f"{path}:1: no sensor, expected imu0, odometry0, truth or uwb0")
    return result
