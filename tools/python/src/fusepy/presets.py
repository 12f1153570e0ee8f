"""Messages that carry ranges: ROS has no standard for them, so every driver has its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Range:
    """One range, SI units; None is "not measured"."""

    peer: str | None
    range: float
    antenna: str | None = None
    range_std: float | None = None
    azimuth: float | None = None
    elevation: float | None = None
    rssi: float | None = None
    first_path_power: float | None = None
    #: The antenna's place in the body, metres, where the message has it.
    lever: tuple[float, float, float] | None = None


Reader = Callable[[Any], Iterator[Range]]


def _range(m: Any) -> Iterator[Range]:
    yield Range(None, float(m.range))


def _uwb_range(m: Any) -> Iterator[Range]:
    antenna = getattr(m, "antenna", None)
    name = None if antenna is None else str(antenna)
    lever = _place(getattr(m, "rqst_antenna_offset", None))
    if lever is not None and name is not None:  # a drone has several requesters, each with antennas of its own
        name = f"{m.requester_id}.{name}"
    yield Range(str(m.responder_id), float(m.distance), name, lever=lever)


def _place(point: Any) -> tuple[float, float, float] | None:
    """A place in a message; None where it is absent, or 99999, which means that it is not known."""
    if point is None:
        return None
    place = (float(point.x), float(point.y), float(point.z))
    return place if all(math.isfinite(v) and abs(v) < 99_999 for v in place) else None


def _linktrack(m: Any) -> Iterator[Range]:
    for node in m.nodes:
        yield Range(str(node.id), float(node.dis), rssi=_power(node, "rx_rssi"), first_path_power=_power(node, "fp_rssi"))


def _linktrack_angle(m: Any) -> Iterator[Range]:
    for node in m.nodes:
        # The module's angle is in degrees, positive to the left of its face; device angles are positive right.
        yield Range(str(node.id), float(node.dis), azimuth=-math.radians(float(node.angle)),
                    rssi=_power(node, "rx_rssi"), first_path_power=_power(node, "fp_rssi"))


def _linktrack_tag(m: Any) -> Iterator[Range]:
    for anchor, distance in enumerate(m.dis_arr):
        yield Range(str(anchor), float(distance))


def _range_stamped(m: Any) -> Iterator[Range]:
    yield Range(str(m.to_id), float(m.range), str(m.from_id))


def _gtec(m: Any) -> Iterator[Range]:
    yield Range(str(m.anchorId), float(m.range) / 1000)


def _two_way(m: Any) -> Iterator[Range]:
    yield Range(str(getattr(m, "to_id", None) or m.responder_id), float(getattr(m, "range", None) or m.distance))


def _px4(m: Any) -> Iterator[Range]:
    peer = getattr(m, "mac_dest", None)
    azimuth = getattr(m, "aoa_azimuth_dev", None)
    yield Range(None if peer is None else str(peer), float(m.distance),
                azimuth=None if azimuth is None else math.radians(float(azimuth)))


def _power(node: Any, name: str) -> float | None:
    value = getattr(node, name, None)
    # 0 means that the module has no figure.
    return None if value in (None, 0) else float(value)


#: By message type.
PRESETS: dict[str, Reader] = {
    "sensor_msgs/msg/Range": _range,
    "uwb_driver/msg/UwbRange": _uwb_range,
    "uwb_driver/msg/UwbEcho": _uwb_range,
    "nlink_parser/msg/LinktrackNodeframe2": _linktrack,
    "nlink_parser/msg/LinktrackNodeframe3": _linktrack,
    "nlink_parser/msg/LinktrackNodeframe5": _linktrack,
    "nlink_parser/msg/LinktrackAoaNodeframe0": _linktrack_angle,
    "nlink_parser/msg/LinktrackTagframe0": _linktrack_tag,
    "uwb_ros/msg/RangeStamped": _range_stamped,
    "gtec_msgs/msg/Ranging": _gtec,
    "uwb_msgs/msg/TwoWayRangeStamped": _two_way,
    "px4_msgs/msg/SensorUwb": _px4,
}

#: Readings that mean "no range" whatever the driver.
FAILURES = (0.0, 99999.0)


def is_failure(value: float, invalid: list[float]) -> bool:
    """Whether a reading is no range: zero, negative, infinite, 99999, or what the map says."""
    return not math.isfinite(value) or value <= 0 or value in FAILURES or value in invalid


def field(message: Any, path: str) -> Any:
    """The value of a field such as `pose.position.x` or `values[0]`.

    Raises FieldError where the message has no such field.
    """
    found = message
    for part in path.replace("[", ".[").split("."):
        try:
            found = found[int(part[1:-1])] if part.startswith("[") else getattr(found, part)
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise FieldError(f"has no field {path}, expected one of {', '.join(field_names(message))}") from error
    return found


class FieldError(ValueError):
    """A field that a message does not have."""


def field_names(message: Any) -> list[str]:
    """The names of a message's fields."""
    return [name for name in vars(message) if not name.startswith("_")]


def from_fields(options: dict[str, Any]) -> Reader:
    """A reader for a message type of one's own, from the field names in the map."""
    scale = {"m": 1.0, "cm": 0.01, "mm": 0.001}[options.get("range_unit", "m")]
    turn = math.pi / 180 if options.get("angle_unit", "rad") == "deg" else 1.0

    def read(m: Any) -> Iterator[Range]:
        def number(key: str, factor: float) -> float | None:
            if key not in options:
                return None
            value = float(field(m, options[key]))
            return value * factor if math.isfinite(value) else None

        peer = field(m, options["peer"]) if "peer" in options else None
        antenna = field(m, options["antenna"]) if "antenna" in options else None
        yield Range(
            None if peer is None else str(peer), float(field(m, options["range"])) * scale,
            None if antenna is None else str(antenna), number("range_std", scale), number("azimuth", turn),
            number("elevation", turn), number("rssi", 1), number("first_path_power", 1))

    return read
