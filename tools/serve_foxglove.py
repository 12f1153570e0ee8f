"""A live session for Foxglove: its WebSocket protocol by the types of its reference package, messages by the schemas that are advertised, and the same as in 'fuse export mcap'."""
import json
import shutil
import struct
import subprocess
import threading
import time

from serving import FUSE, Server, batches, check, recordings, run, stream

FAST = ("--max-events-per-second", "1000000")


class Viewer:
    """What Foxglove does: connects, hears what there is, subscribes, receives."""

    def __init__(self, server, session, topics=None):
        from websockets.sync.client import connect
        self.link = connect(f"ws://127.0.0.1:{server.port}{session.path}/foxglove?token={session.read}", subprotocols=["foxglove.websocket.v1"], max_size=None)
        self.info = json.loads(self.link.recv(timeout=10))
        self.channels = json.loads(self.link.recv(timeout=10))
        self.by_id = {channel["id"]: channel for channel in self.channels["channels"]}
        self.messages = {}
        for channel in self.by_id.values():  # one after the other, as some clients do
            if topics is None or channel["topic"] in topics:
                self.link.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 100 + channel["id"], "channelId": channel["id"]}]}))

    def receive(self, seconds):
        """Until nothing came for so long."""
        while True:
            try:
                data = self.link.recv(timeout=seconds)
            except (TimeoutError, Exception):
                return
            if isinstance(data, bytes):
                code, subscription, when = struct.unpack("<BIQ", data[:13])
                if code != 1:
                    check(False, f"opcode {code} where 1 is a message")
                self.messages.setdefault(self.by_id[subscription - 100]["topic"], []).append((when, data[13:]))


def exported(folder, scratch):
    from mcap.reader import make_reader
    run(folder, scratch / "run")
    subprocess.run([FUSE, "export", "mcap", scratch / "run", "-o", scratch / "x.mcap", "--recording", folder], check=True, capture_output=True)
    found = {}
    with open(scratch / "x.mcap", "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            found.setdefault(channel.topic, []).append((message.log_time, message.data))
    return found


def as_specified(message):
    """Whether a message of the server has the keys and kinds of the reference package; an optional key may be missing."""
    import typing
    import typeguard
    from foxglove_websocket import types
    form = {"serverInfo": types.ServerInfo, "advertise": types.Advertise, "status": types.StatusMessage}[message["op"]]
    hints = typing.get_type_hints(form)
    for key, kind in hints.items():
        if key in message:
            if kind is types.StatusLevel:
                types.StatusLevel(message[key])
            else:
                typeguard.check_type(message[key], kind)
        elif type(None) not in typing.get_args(kind):
            return False
    return not set(message) - set(hints)


def foxglove(chosen, scratch):
    import jsonschema
    for folder in chosen or recordings()[:3]:
        server = Server(scratch, *FAST)
        header, lines = stream(folder)
        session = server.client().create(header)
        live = Viewer(server, session)
        check(live.link.subprotocol == "foxglove.websocket.v1", f"{folder.name}: the subprotocol")
        check(as_specified(live.info) and as_specified(live.channels), f"{folder.name}: what it says of itself is as the reference package has it")
        check(live.info["op"] == "serverInfo" and live.channels["op"] == "advertise", f"{folder.name}: {', '.join(channel['topic'] for channel in live.by_id.values())}")
        receiving = threading.Thread(target=live.receive, args=(8,))
        receiving.start()
        for batch in batches(lines, 12):
            session.send(batch)
        session.finish()
        receiving.join(120)
        late = Viewer(server, session)
        late.receive(4)
        expected = exported(folder, scratch)
        for name, viewer in (("live", live), ("afterwards", late)):
            check([data for _, data in viewer.messages["/updates"]] == (scratch / "run/updates.jsonl").read_bytes().splitlines(), f"{folder.name}, {name}: /updates has the lines of 'fuse run'")
            for topic in ("/peers", "/log"):
                got = viewer.messages.get(topic, [])
                # Where the device is when an update comes depends on which poses are there: only the arrow begins there.
                same = got == expected[topic] if topic != "/peers" or name == "afterwards" else [when for when, _ in got] == [when for when, _ in expected[topic]]
                check(same, f"{folder.name}, {name}: {topic} as in the export ({len(got)} of {len(expected[topic])})")
            poses = [json.loads(data)["transforms"][0] for _, data in viewer.messages["/tf"]]
            moving = [pose for pose in poses if pose["child_frame_id"] == "body"]
            wanted = [json.loads(data)["transforms"][0] for _, data in expected["/tf"]]
            check(moving == [pose for pose in wanted if pose["child_frame_id"] == "body"], f"{folder.name}, {name}: poses as in the export ({len(moving)})")
            last = json.loads(viewer.messages["/path"][-1][1])["poses"]
            check(last == json.loads(expected["/path"][0][1])["poses"], f"{folder.name}, {name}: the path at the end as in the export ({len(last)} poses)")
            cameras = [topic for topic in expected if topic.endswith("/tracks")]
            for topic in cameras:
                check(viewer.messages.get(topic) == expected[topic], f"{folder.name}, {name}: {topic} as in the export ({len(viewer.messages.get(topic, []))})")
            for topic, messages in viewer.messages.items():
                schema = json.loads(next(channel["schema"] for channel in viewer.by_id.values() if channel["topic"] == topic))
                for _, data in messages[:50] + messages[-50:]:
                    jsonschema.validate(json.loads(data), schema)
            check(True, f"{folder.name}, {name}: messages of {len(viewer.messages)} topics by their schemas")
        # What a client must not send, and what it may.
        from websockets.sync.client import connect
        from websockets.exceptions import InvalidStatus
        late.link.send(b"\x01\x00")
        late.link.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99}]}))
        late.link.send(json.dumps({"op": "setParameters", "parameters": []}))
        got = [json.loads(late.link.recv(timeout=5)) for _ in range(3)]
        check(all(message["op"] == "status" and as_specified(message) and "expected" in message["message"] for message in got), f"{folder.name}: {[message['message'] for message in got]}")
        for name, protocols, token in (("no subprotocol", None, session.read), ("another subprotocol", ["fuse.v1"], session.read), ("no token", ["foxglove.websocket.v1"], "x")):
            try:
                connect(f"ws://127.0.0.1:{server.port}{session.path}/foxglove?token={token}", subprotocols=protocols).close()
                check(False, f"{folder.name}: {name} is let in")
            except InvalidStatus as error:
                check(error.response.status_code in (400, 404), f"{folder.name}: {name} is refused with {error.response.status_code}")
        time.sleep(0.5)
        live.link.close()
        late.link.close()
        check(server.stop() == 0 and '"level":"error"' not in server.log(), f"{folder.name}: the server ends, no error in its log")
        shutil.rmtree(scratch / "data")
