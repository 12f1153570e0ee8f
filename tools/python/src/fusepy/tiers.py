"""TIERS' UWB recordings: a topic a pair of nodes, poses of a motion capture, odometry of some robots.

Nodes and bodies have other names in each case of the data set: `uwb_01` with anchors on `/platform_0k`, `tb0k` or
`turtlebot<k>_cap` with `/turtle0k/odom`. The map is made of the topics that a bag has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .map import ImportMap, MapError, Sensor, Topic

DISTANCE = re.compile(r"/uwb/tof/n_(\d+)/n_(\d+)/distance\Z")


def tiers_map(topics: Iterable[str], own: str | None = None) -> ImportMap:
    """The map of a bag with these topics, for the node `own`; without it, for the lowest one that moves and ranges.

    Raises MapError where the topics are not of this data set, or `own` is no node that has poses and ranges.
    """
    names = sorted(topics)
    pairs = [(m.group(1), m.group(2), name) for name in names if (m := DISTANCE.match(name))]
    nodes = sorted({node for a, b, _ in pairs for node in (a, b)}, key=int)
    if not nodes:
        raise MapError("--preset tiers: the bag has no topics /uwb/tof/n_<a>/n_<b>/distance, expected a bag of TIERS")
    poses = {node: pose for node in nodes if (pose := _pose(node, names))}
    # Tags of a case with anchors on platforms go by their order: uwb_01 is the first node without a platform.
    tags = [name for name in names if re.match(r"/vrpn_client_node/uwb_\d+/pose\Z", name)]
    for node, pose in zip([node for node in nodes if node not in poses], tags):
        poses[node] = pose
    odometry = {node: name for node in nodes if (name := f"/turtle{int(node):02d}/odom") in names}
    moving = [node for node in nodes if node in odometry or poses.get(node, "").startswith("/vrpn_client_node/")]
    if own is not None and own not in moving:
        raise MapError(f"--own {own}: expected a node with poses and ranges: {', '.join(moving) or 'the bag has none'}")
    if not moving:
        raise MapError(f"--preset tiers: no poses of the nodes {', '.join(nodes)}, expected /vrpn_client_node/<robot>/pose or "
                       "/turtle0<k>/odom")
    chosen = own or moving[0]
    result = ImportMap(f"preset tiers, node {chosen}")
    result.odometry0 = Sensor(Topic(odometry.get(chosen) or poses[chosen]))
    if chosen in poses:
        result.truth = Sensor(Topic(poses[chosen]))
    # Where both directions of a pair are there, the own one.
    ranges = {a: name for a, b, name in pairs if b == chosen} | {b: name for a, b, name in pairs if a == chosen}
    result.uwb0 = [Sensor(Topic(name), options={"peer_id": peer}) for peer, name in sorted(ranges.items(), key=lambda r: int(r[0]))]
    result.peers = {peer: Sensor(Topic(poses[peer])) for peer in ranges if peer in poses}
    # Odometry of a robot is of a ROS body; a motion capture's body has axes of its own.
    result.device = "rep103" if chosen in odometry else None
    result.notes = [f"node {chosen} is the device ({', '.join(moving)} could be: --own), its trajectory is "
                    f"{result.odometry0.topic.pattern}"]
    return result


def _pose(node: str, names: list[str]) -> str | None:
    k = int(node)
    known = [f"/vrpn_client_node/tb{k:02d}/pose", f"/vrpn_client_node/tb{k}/pose", f"/vrpn_client_node/turtlebot{k}_cap/pose",
             f"/vrpn_client_node/turtlebot{k}/pose", f"/vrpn_client_node/n_{k}/pose", f"/platform_{k:02d}"]
    return next((name for name in known if name in names), None)
