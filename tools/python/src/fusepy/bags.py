"""Messages of ROS 1 bags, ROS 2 bags (db3, MCAP) and MCAP files with JSON, one at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore


class BagError(ValueError):
    """A container that cannot be read."""


@dataclass
class Message:
    """One message; `time` is the container's, nanoseconds."""

    topic: str
    type: str
    time: int
    content: Any


@dataclass
class Bag:
    """The topics of a container, with their types, and a way to read some of them."""

    topics: dict[str, str]
    read: Callable[[set[str]], Iterator[Message]]


def open_bag(path: Path, definitions: Path | None = None) -> Bag:
    """Opens a container.

    definitions: a folder of `<package>/msg/<Type>.msg` files, for ROS 2 db3 bags, which do not hold their types.
    """
    if not path.exists():
        raise BagError(f"{path}: no such file or folder, expected a bag")
    if path.is_dir() and not (path / "metadata.yaml").exists():
        files = sorted([*path.glob("*.bag"), *path.glob("*.mcap"), *path.glob("*.db3")])
        if len(files) != 1:
            raise BagError(f"{path}: {len(files)} containers and no metadata.yaml, expected a ROS 2 bag or one file")
        path = files[0]
    if path.is_dir() or path.suffix == ".bag":
        return _ros_bag(path, definitions)
    if path.suffix == ".db3":
        if not (path.parent / "metadata.yaml").exists():
            raise BagError(f"{path}: no metadata.yaml beside it, expected the whole folder of the ROS 2 bag")
        return _ros_bag(path.parent, definitions)
    if path.suffix == ".mcap":
        return _mcap(path, definitions)
    raise BagError(f"{path}: no container, expected .bag, .db3, .mcap or the folder of a ROS 2 bag")


def _typestore(definitions: Path | None) -> Any:
    store = get_typestore(Stores.ROS2_HUMBLE)
    for file in sorted(definitions.rglob("*.msg")) if definitions else []:
        package = file.parent.parent.name if file.parent.name == "msg" else file.parent.name
        try:
            store.register(get_types_from_msg(file.read_text(encoding="utf-8"), f"{package}/msg/{file.stem}"))
        except Exception as error:  # the library has many kinds
            raise BagError(f"{file}: {error}, expected a ROS message definition") from error
    return store


def _cut(path: Path, topic: str, time: int, error: Exception) -> BagError:
    return BagError(f"{path}: topic {topic}, message of {time} ns: {error}, expected a whole message of that type")


def _whole(path: Path, messages: Iterable[Any]) -> Iterator[Any]:
    """The messages; a container that breaks off among them is an error that names it."""
    messages = iter(messages)
    while True:
        try:
            message = next(messages)
        except StopIteration:
            return
        except Exception as error:  # the libraries have many kinds
            raise BagError(f"{path}: {error}, expected a whole bag") from error
        yield message


def _ros_bag(path: Path, definitions: Path | None) -> Bag:
    try:
        with AnyReader([path], default_typestore=_typestore(definitions)) as reader:
            topics = {c.topic: c.msgtype for c in reader.connections}
    except Exception as error:  # the library has many kinds
        raise BagError(f"{path}: {error}, expected a whole bag") from error

    def read(wanted: set[str]) -> Iterator[Message]:
        with AnyReader([path], default_typestore=_typestore(definitions)) as reader:
            connections = [c for c in reader.connections if c.topic in wanted]
            for connection, time, raw in _whole(path, reader.messages(connections=connections)):
                try:
                    content = reader.deserialize(raw, connection.msgtype)
                except KeyError as error:
                    raise BagError(
                        f"{path}: topic {connection.topic} has type {connection.msgtype}, and there is no definition of "
                        f"{error.args[0]}, expected --definitions <folder with its .msg files>") from error
                except Exception as error:
                    raise _cut(path, connection.topic, time, error) from error
                yield Message(connection.topic, connection.msgtype, int(time), content)

    return Bag(topics, read)


def _mcap(path: Path, definitions: Path | None) -> Bag:
    try:
        with open(path, "rb") as file:
            summary = make_reader(file).get_summary()
    except Exception as error:
        raise BagError(f"{path}: {error}, expected a whole MCAP file") from error
    if summary is None:
        raise BagError(f"{path}: no summary, expected a whole MCAP file: 'mcap recover' repairs one that was cut off")
    topics, are_json = {}, False
    for channel in summary.channels.values():
        schema = summary.schemas.get(channel.schema_id)
        topics[channel.topic] = schema.name if schema else ""
        are_json = are_json or channel.message_encoding == "json"
    if not are_json:
        return _ros2_mcap(path, topics, definitions)

    def read(wanted: set[str]) -> Iterator[Message]:
        with open(path, "rb") as file:
            for schema, channel, message in _whole(path, make_reader(file).iter_messages(topics=sorted(wanted))):
                if channel.message_encoding != "json":
                    continue
                try:
                    content = json.loads(message.data, object_hook=lambda d: SimpleNamespace(**d))
                except ValueError as error:
                    raise _cut(path, channel.topic, message.log_time, error) from error
                yield Message(channel.topic, schema.name if schema else "", message.log_time, content)

    return Bag(topics, read)


def _ros2_mcap(path: Path, topics: dict[str, str], definitions: Path | None) -> Bag:
    """A ROS 2 MCAP file without its folder: the definitions are in its schemas."""
    store = _typestore(definitions)

    def read(wanted: set[str]) -> Iterator[Message]:
        registered: set[str] = set()
        with open(path, "rb") as file:
            for schema, channel, message in _whole(path, make_reader(file).iter_messages(topics=sorted(wanted))):
                if schema is None or channel.message_encoding != "cdr":
                    continue
                if schema.name not in registered:
                    registered.add(schema.name)
                    types = get_types_from_msg(schema.data.decode(), schema.name)
                    store.register({k: v for k, v in types.items() if k not in store.fielddefs})
                try:
                    content = store.deserialize_cdr(message.data, schema.name)
                except Exception as error:
                    raise _cut(path, channel.topic, message.log_time, error) from error
                yield Message(channel.topic, schema.name, message.log_time, content)

    return Bag(topics, read)
