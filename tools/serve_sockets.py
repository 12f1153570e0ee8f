"""The live service over WebSocket: the bytes of 'fuse run' with broken connections, and what no client should send."""
import base64
import json
import os
import random
import shutil
import socket
import struct
import threading
import time

from serving import Server, batches, check, recordings, run, stream

FAST = ("--max-events-per-second", "1000000")


def connect(server, path, token, **options):
    from websockets.sync.client import connect as open_socket
    return open_socket(f"ws://127.0.0.1:{server.port}{path}", additional_headers={"Authorization": "Bearer " + token} if token else {}, max_size=None, **options)


def update(text):
    """Index and line of an update's message, the line byte for byte; None for another message."""
    if not text.startswith('{"id":'):
        return None
    head, line = text.split(',"update":', 1)
    return int(head[6:]), line[:-1]


def through(server, session, lines, dice, breaks, window=8):
    """Sends all batches and reads all updates over one connection, which is cut `breaks` times; what was not answered is sent again."""
    got, next_batch, finished, cuts = [], 0, False, 0
    all_batches = batches(lines, 60)
    where = sorted(dice.sample(range(1, len(all_batches)), min(breaks, len(all_batches) - 1)))
    while not finished:
        with connect(server, f"{session.path}/socket" + (f"?lastEventId={len(got) - 1}" if got else ""), session.saved["ingestToken"]) as link:
            sent = next_batch
            while True:
                while sent < min(next_batch + window, len(all_batches)):
                    link.send(b'{"seq":%d}\n' % sent + all_batches[sent])
                    sent += 1
                if sent == len(all_batches) == next_batch:
                    link.send('{"finish":{}}')
                    sent += 1
                text = link.recv(timeout=60)
                found = update(text)
                if found:
                    if found[0] != len(got):
                        check(False, f"update {found[0]} where {len(got)} is next")
                    got.append(found[1])
                    continue
                message = json.loads(text)
                if "seq" in message:
                    if message["status"] != 200:
                        raise SystemExit(f"batch {message['seq']}: {message}")
                    next_batch = message["next"]
                    if cuts < len(where) and next_batch >= where[cuts]:
                        cuts += 1
                        link.socket.shutdown(socket.SHUT_RDWR)  # without a word
                        break
                elif message.get("event") == "state" and message["data"]["state"] == "finished":
                    finished = True
                    break
    return b"".join(line.encode() + b"\n" for line in got), cuts


def same_bytes(folders, scratch, dice):
    server = Server(scratch, *FAST)
    for folder in folders:
        expected = run(folder, scratch / "run")
        name = f"{folder.parent.name}/{folder.name}"
        if expected is None:
            print(f"left out   {name}: 'fuse run' refuses it")
            continue
        header, lines = stream(folder)
        session = server.client().create(header)
        got, cuts = through(server, session, lines, dice, 3)
        check(got == expected[0], f"{name}: updates over a WebSocket cut {cuts} times ({got.count(10)})")
        check(session.get("trajectory.tum") == expected[1], f"{name}: trajectory.tum")
        session.delete()
    check(server.stop() == 0, "the server ends by SIGTERM")


class Raw:
    """A WebSocket by hand, to send what a library does not."""

    def __init__(self, server, session, token, fields=b""):
        self.link = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        key = base64.b64encode(os.urandom(16))
        self.link.sendall(b"GET %s/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n"
                          b"Authorization: Bearer %s\r\n%s\r\n" % (session.path.encode(), key, token.encode(), fields))
        self.rest = b""
        self.head = self.until(b"\r\n\r\n")

    def until(self, mark):
        while mark not in self.rest:
            part = self.link.recv(65536)
            if not part:
                break
            self.rest += part
        found, _, self.rest = self.rest.partition(mark)
        return found

    def take(self, count):
        while len(self.rest) < count:
            part = self.link.recv(65536)
            if not part:
                raise ConnectionError("closed")
            self.rest += part
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def frame(self):
        first, second = self.take(2)
        length = second & 127
        if length == 126:
            length = struct.unpack(">H", self.take(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.take(8))[0]
        return first, self.take(length)

    def send(self, first, data, mask=b"\x01\x02\x03\x04", length=None):
        length = len(data) if length is None else length
        bit = 128 if mask else 0
        head = bytes([first, bit | length]) if length < 126 else bytes([first, bit | 126]) + struct.pack(">H", length) if length < 65536 else bytes([first, bit | 127]) + struct.pack(">Q", length)
        self.link.sendall(head + (mask or b"") + (bytes(byte ^ mask[k % 4] for k, byte in enumerate(data)) if mask else data))

    def answer(self):
        """The first message that is no event and no update, or the code and reason of the end."""
        try:
            while True:
                first, data = self.frame()
                if first == 0x88:
                    return struct.unpack(">H", data[:2])[0], data[2:].decode()
                if first == 0x8A:
                    return "pong", data.decode()
                if first == 0x81 and not data.startswith((b'{"event"', b'{"id"')):
                    return json.loads(data)
        except (ConnectionError, TimeoutError) as error:
            return "nothing", str(error)


def hostile(folder, scratch):
    server = Server(scratch, *FAST, "--max-batch-bytes", "65536")
    header, lines = stream(folder)
    session = server.client().create(header)
    ingest, read = session.saved["ingestToken"], session.saved["readToken"]
    batch = b'{"seq":0}\n' + lines[0]

    def one(name, act, expected, token=ingest):
        raw = Raw(server, session, token)
        act(raw)
        got = raw.answer()
        found = got[0] if isinstance(got, tuple) else got.get("status")
        check(found == expected, f"{name}: {got}")
        if isinstance(found, int) and found >= 1000:
            raw.link.settimeout(8)
            try:
                raw.send(0x88, struct.pack(">H", found))
                closed = raw.link.recv(100) == b""
            except OSError:
                closed = True
            check(closed, f"{name}: and the connection is closed")

    one("a frame without a mask", lambda raw: raw.send(0x81, batch, mask=None), 1002)
    one("a reserved bit", lambda raw: raw.send(0xC1, batch), 1002)
    one("an opcode that there is none", lambda raw: raw.send(0x83, batch), 1002)
    one("the rest of no message", lambda raw: raw.send(0x80, batch), 1002)
    one("a message within a message", lambda raw: (raw.send(0x01, batch), raw.send(0x81, batch)), 1002)
    one("a ping in parts", lambda raw: raw.send(0x09, b"x"), 1002)
    one("a ping of 200 bytes", lambda raw: raw.send(0x89, b"x" * 200), 1002)
    one("a ping", lambda raw: raw.send(0x89, b"hello"), "pong")
    one("a frame that says it has 2^62 bytes", lambda raw: raw.send(0x82, b"x" * 100, length=1 << 62), 1009)
    one("a frame beyond the batch's limit", lambda raw: raw.send(0x82, b"x" * 70000), 1009)
    one("fragments beyond it", lambda raw: [raw.send(0x02 if k == 0 else 0x00, b"x" * 30000) for k in range(3)], 1009)
    one("text that is no UTF-8", lambda raw: raw.send(0x81, b'{"seq":0}\n\xff\xfe'), 1007)
    one("half a code of the end", lambda raw: raw.send(0x88, b"\x03"), 1002)
    one("a code that nobody may send", lambda raw: raw.send(0x88, struct.pack(">H", 1005)), 1002)
    one("the end", lambda raw: raw.send(0x88, struct.pack(">H", 1001) + b"bye"), 1001)
    one("no first line", lambda raw: raw.send(0x81, b"hello"), 400)
    one("an empty message, then one without a number", lambda raw: (raw.send(0x81, b""), raw.send(0x81, b'{"seq":"x"}\n')), 400)
    one("a number below 0", lambda raw: raw.send(0x81, b'{"seq":-1}\n'), 400)
    one("a batch too early", lambda raw: raw.send(0x81, b'{"seq":7}\n' + lines[0]), 409)
    one("a batch that is no JSON", lambda raw: raw.send(0x81, b'{"seq":0}\n{"imu":[[}\n'), 400)
    one("the reader's token sends", lambda raw: raw.send(0x81, batch), 1008, token=read)
    one("a batch in fragments of a byte, a ping between", lambda raw: [raw.send(0x01, batch[:1]), raw.send(0x89, b"")] + [
        raw.send(0x80 if k == len(batch) - 1 else 0x00, batch[k:k + 1]) for k in range(1, len(batch))] + [raw.answer()], 200)
    one("the same again", lambda raw: raw.send(0x82, batch), 200)
    one("another in its place", lambda raw: raw.send(0x82, b'{"seq":0}\n' + lines[1]), 409)

    for name, fields, token, status in [
        ("no such token", b"", "0" * 48, b" 404 "), ("a foreign origin", b"Origin: https://evil.example\r\n", ingest, b" 403 "),
        ("another subprotocol", b"Sec-WebSocket-Protocol: chat\r\n", ingest, b" 400 "), ("its subprotocol", b"Sec-WebSocket-Protocol: chat, fuse.v1\r\n", ingest, b" 101 "),
        ("a browser's token", b"Sec-WebSocket-Protocol: fuse.v1, fuse.token." + ingest.encode() + b"\r\n", "x", b" 101 "),
    ]:
        raw = Raw(server, session, token, fields)
        check(status in raw.head[:20], f"{name}: {raw.head[:20]!r}")
        if status not in (b" 101 ",):
            raw.link.settimeout(8)
            while raw.link.recv(4096):
                pass
        raw.link.close()
    for name, fields, status in [
        ("no upgrade", b"", b" 426 "), ("another version", b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", b" 426 "),
        ("no key", b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", b" 400 "),
        ("a key of ten bytes", b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAA==\r\n", b" 400 "),
    ]:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as link:
            link.sendall(b"GET %s/socket?token=%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n" % (session.path.encode(), read.encode(), fields))
            got = link.recv(20)
        check(status in got, f"{name}: {got!r}")

    # The token of the query is for reading, whatever token it is.
    raw = Raw(server, session, "x")
    check(b" 404 " in raw.head[:20], "a wrong token beside none")
    many = [Raw(server, session, read) for _ in range(200)]
    check(all(b" 101 " in one.head[:20] for one in many), "200 readers")
    for one_of in many:
        one_of.link.close()
    time.sleep(1)
    check(json.loads(session.get())["readers"] == 0, "readers that are gone are counted out")
    reader = Raw(server, session, read)
    threading.Timer(0.5, server.process.terminate).start()
    code = reader.answer()
    check(code[0] == 1001, f"SIGTERM ends a reader by a word: {code}")
    reader.link.close()
    check(server.process.wait(60) == 0, "and the server")
    check('"level":"error"' not in server.log(), "no error in the log")


def sockets(chosen, scratch, seed):
    dice = random.Random(seed)
    hostile(chosen[0] if chosen else recordings()[0], scratch)
    shutil.rmtree(scratch / "data")
    same_bytes(chosen or recordings(), scratch, dice)
