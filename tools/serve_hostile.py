"""What no client should send, each answer checked; beside it a session streams, and its bytes are compared at the end."""
import gzip
import http.client
import json
import os
import resource
import socket
import threading
import time

from serving import Server, batches, check, run, stream

DEEP, READERS, SLOW = 100_000, 9500, 200
IMU = b'{"imu":[[3000000000,0,0,0,0,0,9.8]]}'

# A batch, the status and a word of the answer. Bad structure is refused, a bad value is counted.
BATCHES = [
    ("no JSON", b"\x00\xff\x01", 400, "expected an object"), ("an open brace", b"{", 400, "a key"),
    ("nested lists", b"[" * DEEP, 400, "expected an object"), ("nested objects", b'{"a":' * DEEP, 400, "levels of brackets"),
    ("NaN", b'{"imu":[[1,NaN,0,0,0,0,0]]}', 400, "a number"), ("a text for a number", b'{"imu":[[1,"0",0,0,0,0,0]]}', 400, "a number"),
    ("too few numbers", b'{"imu":[[1,0,0]]}', 400, "7 numbers"), ("an unknown key", b'{"foo":1}', 400, "without an event"),
    ("a header", None, 400, "found a header"), ("a stamp of 23 digits", b'{"imu":[[99999999999999999999999,0,0,0,0,0,0]]}', 400, "whole nanoseconds"),
    ("a stamp with a fraction", b'{"imu":[[1.5,0,0,0,0,0,0]]}', 400, "whole nanoseconds"),
    ("a number of 100 kB", b'{"imu":[[1,' + b"9" * 100_000 + b',0,0,0,0,0]]}', 200, "next"),
    ("huge values", b'{"imu":[[1000000000,1e308,1e308,1e308,1e308,1e308,1e999]]}', 200, "next"),
    ("no peer", b'{"range":{"t":5,"range":1}}', 400, "range.peer"), ("odd pixels", b'{"frame":{"t":5,"camera":0,"ids":[1,2],"uv":[1,2,3]}}', 400, "u and v"),
    ("camera 9", b'{"frame":{"t":5,"camera":9,"ids":[],"uv":[]}}', 400, "0 or 1"), ("a byte-order mark", b"\xef\xbb\xbf" + IMU, 400, "expected an object"),
    ("a key twice", b'{"imu":[],"imu":[]}', 400, "one event a line"), ("text behind the event", IMU + b" x", 400, "end of the line"),
    ("half a surrogate", b'{"range":{"t":5,"peer":"\\ud800","range":1}}', 400, "pair"),
    ("a name of 257 bytes", b'{"range":{"t":5,"peer":"' + b"p" * 257 + b'","range":1}}', 400, "at most 256"),
    ("a name of 100 kB", b'{"range":{"t":5,"peer":"' + b"p" * 100_000 + b'","range":1}}', 400, "at most 256"),
    ("a line of 2 MB", b'{"imu":[' + b" " * (2 << 20) + b"]}", 400, "bytes"),
    ("an empty name", b'{"range":{"t":5100000000,"peer":"","range":1}}', 200, "next"),
    ("a name with a zero", b'{"range":{"t":5000000000,"peer":"a\\u0000b","range":1}}', 200, "next"),
    ("a name that is a path", b'{"range":{"t":5000000000,"peer":"../../../../tmp/hostile","range":1}}', 200, "next"),
    ("a name that is markup", b'{"range":{"t":5100000000,"peer":"<script>alert(1)</script>","range":1}}', 200, "next"),
    ("the last stamp of all", b'{"imu":[[9223372036854775807,0,0,0,0,0,9.8]]}', 200, "next"),
    ("a stamp 285 years on", b'{"imu":[[4600000000000000000,0,0,0,0,0,9.8]]}', 200, "next"), ("and back", b'{"imu":[[6000000000,0,0,0,0,0,9.8]]}', 200, "next"),
    ("pixels far away", b'{"frame":{"t":6000000000,"camera":0,"ids":[1,2],"uv":[1e300,2,3,-1e300]}}', 200, "next"),
    ("blank lines", b"\n\r\n \n", 200, "next"),
]
PATHS = ["/../etc/passwd", "/v1/sessions/../../etc/passwd", "/v1/sessions/%2e%2e%2f/updates", "/page.js/../../x", "/%00", "/v1/sessions/" + "a" * 5000,
         "//evil", "/s/a/b/../../../etc/passwd", "/v1/sessions/..%2f..%2f..%2fetc%2fpasswd/recording"]


class Hostile:
    def __init__(self, server, header):
        self.server, self.header = server, header
        self.session = server.client().create(header)
        self.events = f"{self.session.path}/events?seq="

    def call(self, method, path, body=None, headers=(), token=None):
        """Status and text of one request on a connection of its own; the name of the error where there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        headers = dict(headers)
        if token:
            headers["Authorization"] = "Bearer " + token
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace"), answer.headers
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__, "", {}
        finally:
            connection.close()

    def expect(self, name, status, *request, word="", **options):
        got, text, headers = self.call(*request, **options)
        wanted = status if isinstance(status, tuple) else (status,)
        check(got in wanted and word in text, f"{name}: {got}" + (f" {text[:120]!r}" if got not in wanted or word not in text else ""))
        return text, headers

    def raw(self, *parts, pause=0.0, closes=False, until=None):
        """What comes back for bytes as they are; up to some bytes, where they are given."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            try:
                for part in parts:
                    connection.sendall(part)
                    time.sleep(pause)
                if closes:
                    connection.shutdown(socket.SHUT_WR)
                got = connection.recv(300)
                while until and until not in got and (more := connection.recv(4096)):
                    got += more
                return got
            except OSError as error:
                return type(error).__name__.encode()

    def batches(self):
        session = self.session
        for name, body, status, word in BATCHES:
            path = self.events + str(session.next)
            self.expect(name, status, "POST", path, body if body is not None else self.header, token=session.ingest, word=word)
            if status == 200:
                session.next += 1
        for number in ("-1", "abc", "1e3", "99999999999999999999", ""):
            self.expect(f"seq={number}", 400, "POST", self.events + number, b"", token=session.ingest, word="seq")
        self.expect("seq far ahead", 409, "POST", self.events + "900", b"", token=session.ingest)
        bad = [b"", b"[]", b"{}", b'{"version":2}', b'{"version":1,"trajectory":"x","rig":{}}', b'{"version":1,"trajectory":"visualInertial","rig":{}}',
               b'{"version":1,"config":{"nonsense":1},' + self.header.lstrip()[1:], b"{" * DEEP]
        for body in bad:
            self.expect(f"a session of {body[:40]!r}", 400, "POST", "/v1/sessions", body)
        self.expect("a header of 1 MB", 413, "POST", "/v1/sessions", b" " * (1 << 20))

    def skipped(self):
        """What is dropped is said: in the acknowledgement, in the status, to readers. The same number with other content is an error."""
        session = self.session = self.server.client().create(self.header)
        self.events = f"{session.path}/events?seq="
        imu = lambda t: b'{"imu":[[%d,0,0,0,0,0,9.8]]}\n' % t
        told = []
        reader = threading.Thread(target=lambda: told.append(self.raw(
            f"GET {session.path}/updates?token={session.read} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), until=b"event: warning")), daemon=True)
        reader.start()
        first = b"".join(imu(k * 5_000_000) for k in range(100))
        for number, (name, body, skipped) in enumerate([
            ("nothing", first, None),
            ("a stamp 60 s ahead", imu(60_000_000_000) + b"".join(imu(k * 5_000_000) for k in range(100, 200)), {"futureStamp": 1}),
            ("three stamps ahead, each another", imu(70_000_000_000) + imu(10 ** 15) + imu(5_000_000_000) + imu(1_000_000_000), {"futureStamp": 3}),
            ("bad values", b'{"imu":[[1001000000,1e9,0,0,0,0,0]]}\n{"range":{"t":1002000000,"peer":"a","range":-1}}', {"outOfRange": 1, "negativeRange": 1}),
            ("a stamp that goes back, one twice", imu(900_000_000) + imu(1_000_000_000), {"timeGoingBack": 1, "duplicate": 1}),
            ("a gap of an hour", b"".join(imu(3600_000_000_000 + k * 5_000_000) for k in range(10)), None),
        ]):
            status, text, _ = self.call("POST", self.events + str(number), body, token=session.ingest)
            check(status == 200 and json.loads(text).get("skipped") == skipped, f"skipped by {name}: {text.strip()}")
            session.next = number + 1
        self.expect("the same batch again", 200, "POST", self.events + "0", first, token=session.ingest, word='"next":6')
        text, _ = self.expect("its number with other content", 409, "POST", self.events + "0", first + imu(10 ** 10), token=session.ingest, word="other content")
        check("next" not in json.loads(text), "without a next: nothing is to be sent again")
        warnings = json.loads(session.get())["warnings"]
        check(any("imu: 7 of " in one and "futureStamp 4" in one and "clock" in one for one in warnings), f"the status says it: {warnings[:1]}")
        reader.join(30)
        check(bool(told) and b"event: warning" in told[0], "readers are told")

    def bodies(self):
        session, path = self.session, self.events + str(self.session.next)
        packed = {"Content-Encoding": "gzip"}
        self.expect("1 GiB of zeros in a gzip body of 1 MB", 413, "POST", path, gzip.compress(bytes(1 << 30), 9), packed, session.ingest, word="unpacks")
        self.expect("gzip in gzip", 400, "POST", path, gzip.compress(gzip.compress(IMU)), packed, session.ingest)
        self.expect("damaged gzip", 400, "POST", path, b"xxxx", packed, session.ingest, word="gzip")
        self.expect("half a gzip body", 400, "POST", path, gzip.compress(IMU * 100)[:-9], packed, session.ingest, word="gzip")
        self.expect("brotli", 415, "POST", path, b"x", {"Content-Encoding": "br"}, session.ingest)
        # The server answers before it has read them: the sender may see its connection closed instead.
        self.expect("100 MB with its length", (413, "ConnectionResetError", "BrokenPipeError"), "POST", path, b"[" * (100 << 20), token=session.ingest)
        self.expect("100 MB in chunks", (413, "ConnectionResetError", "BrokenPipeError"), "POST", path, (b"x" * (1 << 19) for _ in range(200)), token=session.ingest)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {session.ingest}\r\n".encode()
        got = self.raw(head + b"Content-Length: 1000\r\n\r\n{\"imu\"", closes=True)
        check(got == b"" or b" 400 " in got, f"a body that ends early: {got[:20]!r}")
        got = self.raw(head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}")
        check(b" 400 " in got, f"a chunk header that is none: {got[:20]!r}")
        got = self.raw(head + b"Content-Length: -5\r\n\r\n")
        check(got == b"" or b" 400 " in got, f"a negative length: {got[:20]!r}")
        got = self.raw(head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        check(got == b"" or b" 400 " in got, f"two lengths: {got[:20]!r}")
        check('"level":"error"' not in self.server.log(), "no error in the log for what a sender did")
        check(json.loads(session.get())["next"] == session.next, "nothing of these was taken")

    def names(self):
        session = self.session
        status = session.path
        self.expect("no token", 401, "GET", status)
        self.expect("another token", 404, "GET", status, token="x" * 100)
        self.expect("a token of 10 kB", 404, "GET", status, token="x" * 10_000)
        self.expect("the read token to send", 404, "POST", self.events + "0", b"", token=session.read)
        self.expect("the read token to delete", 404, "DELETE", status, token=session.read)
        self.expect("the ingest token in the query", 401, "DELETE", f"{status}?token={session.ingest}")
        self.expect("another session's token", 404, "GET", status, token=self.server.client().create(self.header).read)
        for path in PATHS:
            text, _ = self.expect(f"GET {path[:40]}", (400, 404), "GET", path, token=session.read)
            check("root:" not in text, "no file of the machine in it")
        text, _ = self.expect("a page of a name that is a path", 404, "GET", "/s/..%2f..%2fetc%2fpasswd")
        check("root:" not in text, "no file of the machine in it")
        check(not os.path.exists("/tmp/hostile"), "no name of a request is a name of a file")
        self.expect("a foreign Host", 421, "GET", "/", headers={"Host": "evil.example"})
        self.expect("a foreign Origin", 403, "GET", "/", headers={"Origin": "http://evil.example"})
        self.expect("Origin null", 403, "POST", "/v1/sessions", self.header, headers={"Origin": "null"})
        for method, path, allow in [("PUT", "/v1/sessions", "GET, HEAD, POST"), ("TRACE", "/", "GET, HEAD"), ("PATCH", status, "GET, HEAD, DELETE"), ("GET", f"{status}/events", "POST"),
                                    ("DELETE", f"{status}/updates", "GET, HEAD")]:
            _, headers = self.expect(f"{method} of a call that is there", 405, method, path, token=session.ingest)
            check(headers.get("Allow") == allow, f"Allow: {headers.get('Allow')}")
        text, headers = self.expect("HEAD of the page", 200, "HEAD", "/")
        check(text == "" and "default-src 'none'" in headers.get("Content-Security-Policy", ""), "with its headers, without its body")
        self.expect("Last-Event-ID -5", 400, "GET", f"{status}/updates", headers={"Last-Event-ID": "-5"}, token=session.read)
        self.expect("a rate that is none", 400, "GET", f"{status}/updates?rate=abc", token=session.read)
        check(b" 400 " in self.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n"), "a header field of 100 kB: 400")
        check(b" 400 " in self.raw(b"\x16\x03\x01garbage\r\n\r\n"), "TLS where there is none: 400")
        log = self.server.log()
        check(session.id not in log and session.ingest not in log and session.read not in log, "no id and no token in the log")
        line = open(f"/proc/{self.server.process.pid}/cmdline").read()
        check(session.ingest not in line, "no token in the process list")
        mode = [oct(path.stat().st_mode & 0o077) for path in (self.server.folder / "data").rglob("*")]
        check(set(mode) == {"0o0"}, f"the data folder is its owner's ({len(mode)} files)")

    def crowd(self):
        """Heads that never end, bodies that trickle, and readers that wait."""
        session = self.session
        slow = []
        for k in range(SLOW):
            connection = socket.create_connection(("127.0.0.1", self.server.port))
            connection.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            slow.append(connection)
        began = time.monotonic()
        trickle = socket.create_connection(("127.0.0.1", self.server.port))
        head = f"POST {self.events}0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {session.ingest}\r\nContent-Length: 1000\r\n\r\n"
        trickle.sendall(head.encode())
        before = self.server.memory()[0]
        readers = []
        for _ in range(READERS):
            reader = socket.create_connection(("127.0.0.1", self.server.port))
            reader.sendall(f"GET {session.path}/updates?token={session.read} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            readers.append(reader)
        check(readers[-1].recv(20).startswith(b"HTTP/1.1 200"), f"{READERS} readers that wait, after {time.monotonic() - began:.1f} s")
        now = self.server.memory()[0]
        check(now - before < 400, f"memory {before:.0f} MB before, {now:.0f} MB with them")
        began_call = time.monotonic()
        self.expect("/healthz among them", 200, "GET", "/healthz")
        check(time.monotonic() - began_call < 1, f"within {time.monotonic() - began_call:.3f} s")
        for reader in readers:
            reader.close()
        while time.monotonic() - began < 75:
            time.sleep(5)
            for connection in slow[:20] + [trickle]:  # a byte now and then is no sign of life
                try:
                    connection.sendall(b"a")
                except OSError:
                    pass
        closed = 0
        for connection in slow:
            connection.settimeout(0.1)
            try:
                connection.recv(100)
                closed += 1
            except TimeoutError:
                pass
            except OSError:
                closed += 1
        check(closed == SLOW, f"{closed} of {SLOW} heads that never end are closed after 75 s")
        trickle.settimeout(1)
        try:
            got = trickle.recv(100)
        except OSError as error:
            got = type(error).__name__.encode()
        check(b" 408 " in got, f"a body that trickles: {got[:30]!r}")


def hostile(folder, scratch):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, 20_000) if limit != resource.RLIM_INFINITY else 20_000, limit))
    expected = run(folder, scratch / "run")
    header, lines = stream(folder)
    server = Server(scratch)
    neighbour = server.client().create(header)
    over = threading.Event()

    def stream_beside():
        parts = batches(lines, 20)
        for index, batch in enumerate(parts):
            neighbour.send(batch)
            if index < len(parts) - 20:
                over.wait(0.3)  # slowly, while the rest goes on; then to its end
        neighbour.finish()

    beside = threading.Thread(target=stream_beside)
    beside.start()
    began = Hostile(server, header)
    for part in (began.batches, began.skipped, began.bodies, began.names, began.crowd):
        part()
    over.set()
    beside.join(300)
    check(neighbour.get("updates.jsonl") == expected[0] and neighbour.get("trajectory.tum") == expected[1], "the session beside it has the bytes of 'fuse run'", "same", "different")
    now, most = server.memory()
    check(most < 600, f"memory {now:.0f} MB at the end, {most:.0f} MB at most")
    check(server.process.poll() is None and server.stop() == 0, "the service lives, and ends by SIGTERM")
