"""Writes bags of any kind, for tests and `tools/sample-bag`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin, Writer as Writer2
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

LINKTRACK_NODE = "uint8 role\nuint8 id\nfloat32 dis\nfloat32 fp_rssi\nfloat32 rx_rssi\n"
LINKTRACK = "std_msgs/Header header\nnlink_parser/LinktrackNode2[] nodes\n"
TF = "geometry_msgs/TransformStamped[] transforms\n"
GTEC = "int32 anchorId\nint32 tagId\nint32 range\nint32 seq\n"


class Bag:
    """Writes one bag of any kind with the same messages."""

    def __init__(self, path: Path, kind: str) -> None:
        self.kind = kind
        self.store = get_typestore(Stores.ROS1_NOETIC if kind == "bag" else Stores.ROS2_HUMBLE)
        for text, name in ((LINKTRACK_NODE, "nlink_parser/msg/LinktrackNode2"),
                           (LINKTRACK, "nlink_parser/msg/LinktrackNodeframe2"), (GTEC, "gtec_msgs/msg/Ranging"),
                           (TF, "tf2_msgs/msg/TFMessage")):
            if name not in self.store.fielddefs:
                self.store.register(get_types_from_msg(text, name))
        if kind == "bag":
            self.writer: Any = Writer1(path)
        else:
            plugin = StoragePlugin.MCAP if kind == "mcap" else StoragePlugin.SQLITE3
            # Before version 9 a db3 does not hold the definitions of its types.
            self.writer = Writer2(path, version=9 if kind == "mcap" else 8, storage_plugin=plugin)
        self.writer.open()
        self.connections: dict[str, Any] = {}

    def header(self, time: int, frame: str = "") -> Any:
        Time = self.store.types["builtin_interfaces/msg/Time"]
        Header = self.store.types["std_msgs/msg/Header"]
        stamp = Time(sec=time // 10**9, nanosec=time % 10**9)
        return Header(seq=0, stamp=stamp, frame_id=frame) if self.kind == "bag" else Header(stamp=stamp, frame_id=frame)

    def add(self, topic: str, kind: str, time: int, **fields: Any) -> None:
        if topic not in self.connections:
            self.connections[topic] = self.writer.add_connection(topic, kind, typestore=self.store)
        message = self.store.types[kind](**fields)
        raw = (self.store.serialize_ros1 if self.kind == "bag" else self.store.serialize_cdr)(message, kind)
        self.writer.write(self.connections[topic], time, raw)

    def make(self, kind: str, **fields: Any) -> Any:
        return self.store.types[kind](**fields)

    def close(self) -> None:
        self.writer.close()
