"""One client cannot starve another: what stands still, is abandoned or over is bounded, limits are said, and a session beside it is acknowledged as alone.

Every part has a bound on its count and on its time, and prints the server's memory, threads and descriptors."""
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from serving import SERVE, Server, batches, check, stream
from serve_latency import percentiles

FAST = ("--max-events-per-second", "1000000", "--max-updates-per-second", "1000000")
PATIENCE = 30  # seconds that a reader may take nothing
# An acknowledgement waits for the disk, which takes 4 to 20 ms by itself: below this nobody was held up.
LEAST = 0.05


def tasks(server):
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def kernel():
    """What the system's sockets hold, MB: of all processes, both ends."""
    pages = int(re.search(r"TCP:.* mem (\d+)", open("/proc/net/sockstat").read())[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def figures(server):
    return f"{server.memory()[0]:.0f} MB, {tasks(server)} threads, {descriptors(server)} descriptors"


class Healthy:
    """A session that sends a small batch twenty times a second, and how long each acknowledgement takes."""

    def __init__(self, server, header, parts):
        self.session, self.parts, self.at = server.client().create(header), parts, 0
        self.times, self.over, self.failure = [], threading.Event(), None
        self.thread = None

    def _run(self):
        try:
            while not self.over.wait(0.05) and self.at < len(self.parts):
                began = time.monotonic()
                self.session.send(self.parts[self.at])
                self.times.append(time.monotonic() - began)
                self.at += 1
        except Exception as error:  # told with the figures
            self.failure = error

    def begin(self):
        self.times, self.over = [], threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def end(self):
        self.over.set()
        self.thread.join()
        return self.times

    def alone(self, seconds):
        self.begin()
        time.sleep(seconds)
        return self.end()


def beside(name, quiet, loud, healthy):
    """The acknowledgements of the session beside something: within twice its time alone, before and after."""
    quiet = quiet + healthy.alone(4)
    if not loud or not quiet or healthy.failure:
        return check(False, f"{name}: the session beside it stands still: {healthy.failure}")
    (alone, p99), (text, other) = percentiles(quiet), percentiles(loud)
    check(other <= max(2 * p99, LEAST), f"{name}: a session beside it is acknowledged in {text}; alone in {alone}")


def small(lines, count):
    """Batches of a few lines of a recording."""
    return [b"".join(lines[k:k + 5]) for k in range(0, min(5 * count, len(lines)), 5)]


def long_session(server, header, lines, megabytes):
    """Sessions whose updates are as large as asked for, together."""
    made, size = [], 0
    while size < megabytes * 2**20:
        session = server.client().create(header)
        for batch in batches(lines, 400):
            session.send(batch)
        session.finish()
        size += len(session.get("updates.jsonl"))
        made.append(session)
    return made


def stalled_readers(folder, scratch, count):
    header, lines = stream(folder)
    server = Server(scratch / "readers", *FAST)
    sessions = long_session(server, header, lines, 4)
    healthy = Healthy(server, header, small(lines, 4000))
    quiet = healthy.alone(6)
    before, held = server.memory()[0], kernel()
    healthy.begin()
    readers, began = [], time.monotonic()
    for k in range(count):
        session = sessions[k % len(sessions)]
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", server.port))
        reader.sendall(f"GET {session.path}/updates HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {session.read}\r\n\r\n".encode())
        readers.append(reader)
    time.sleep(5)
    most, most_held = server.memory()[0], kernel()
    check((most - before) / count <= 0.25 and (most_held - held) / count <= 0.25,
          f"{count} readers that do not read: {figures(server)}; {1000 * (most - before) / count:.0f} kB each, and {1000 * (most_held - held) / count:.0f} kB of the system's")
    while descriptors(server) > 100 and time.monotonic() - began < PATIENCE + 30:
        time.sleep(1)
    check(descriptors(server) < 100, f"they are ended after {time.monotonic() - began:.0f} s: {figures(server)}")
    for reader in readers:
        reader.close()
    loud = healthy.end()
    time.sleep(6)
    after = server.memory()[0]
    check(after - before <= 40 + 0.25 * (most - before), f"what they cost is given back: {before:.0f} MB before, {most:.0f} with them, {after:.0f} after; {kernel():.0f} MB of the system's")
    beside(f"{count} stalled readers", quiet, loud, healthy)
    check(server.stop() == 0, "the service ends by SIGTERM")


def abandoned(folder, scratch, count):
    """Half of them without data, half with a batch; a hundred may be open."""
    header, lines = stream(folder)
    server = Server(scratch / "abandoned", *FAST, "--max-sessions", "100", "--idle", "0.2", "--park", "1", "--empty", "20")
    parts = small(lines, 4000)
    healthy = Healthy(server, header, parts)
    quiet = healthy.alone(6)
    before = server.memory()[0]
    healthy.begin()
    made, waited, most_threads = 0, 0, 0
    began = time.monotonic()
    client = server.client()
    while made < count and time.monotonic() - began < 240:
        try:
            session = client.create(header)
        except Exception as error:  # a hundred are younger than --idle
            if getattr(error, "status", 0) != 429:
                raise
            waited += 1
            time.sleep(0.05)
            continue
        made += 1
        if made % 2:
            session.send(parts[0])
        session.caller.close()
        if made % 200 == 0:
            most_threads = max(most_threads, tasks(server))
    took = time.monotonic() - began
    check(made == count, f"{made} sessions are created and abandoned within {took:.0f} s, {waited} times after a wait: {figures(server)}, {most_threads} threads at most")
    later = healthy.end()
    most = server.memory()[0]
    check((most - before) * 1000 / count <= 60, f"{1000 * (most - before) / count:.0f} kB each")
    check(most_threads <= 140, "threads are of those at work only")
    beside(f"{count} abandoned sessions", quiet, later, healthy)
    status = json.loads(client_get(server, "/readyz")[1])
    time.sleep(30)
    left = json.loads(client_get(server, "/readyz")[1])
    check(left["sessions"] <= 2 and left["kept"] <= count // 2 + 3, f"those without data end: {status} then {left}; {figures(server)}")
    check(tasks(server) < 40 and descriptors(server) < 60, "what rests holds no thread and no descriptor")
    began = time.monotonic()
    server.kill()
    server.start()
    up = time.monotonic() - began
    while json.loads(client_get(server, "/readyz")[1])["recovering"] and time.monotonic() - began < 120:
        time.sleep(0.5)
    time.sleep(1)
    check(tasks(server) < 40, f"after kill -9 it serves within {up:.1f} s, and all are there after {time.monotonic() - began:.0f} s: {figures(server)}")
    server.stop()


def client_get(server, path, token=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", path, headers={"Authorization": "Bearer " + token} if token else {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def finished(folder, scratch, count):
    header, lines = stream(folder)
    server = Server(scratch / "finished", *FAST)
    healthy = Healthy(server, header, small(lines, 4000))
    quiet = healthy.alone(6)
    part = b"".join(lines[:len(lines) // 4])

    def come_and_finish():
        session = server.client().create(header)
        session.send(part)
        session.finish()
        session.caller.close()
        return session

    # The first ones make what all share: what each further one costs is measured.
    for _ in range(10):
        come_and_finish()
    time.sleep(12)
    before = server.memory()[0]
    healthy.begin()
    made = [come_and_finish() for _ in range(count)]
    loud = healthy.end()
    time.sleep(12)
    now = server.memory()[0]
    check(tasks(server) < 40 and descriptors(server) < 60 and (now - before) * 1000 / count < 200, f"{count} finished sessions: {figures(server)}; {1000 * (now - before) / count:.0f} kB each")
    beside(f"{count} sessions that come and finish", quiet, loud, healthy)
    text = made[count // 2].get("updates.jsonl")
    read = b"".join(line + b"\n" for _, line in made[count // 2].update_lines())
    check(text == read and len(text) > 1000, f"one of them is read again: {len(text)} bytes, {figures(server)}")
    server.stop()


def refused(server, status, word, text, headers):
    check(status in (503, 507) and headers.get("Fuse-Refused") == word and headers.get("Retry-After"), f"{word}: {status}, {text.decode(errors='replace').strip()[:110]}")
    ready, cause = client_get(server, "/readyz")
    check(ready == 503 and word in json.loads(cause)["causes"][0] + " ".join(json.loads(cause)["causes"]), f"/readyz: {ready} {cause.decode().strip()[:140]}")
    check(client_get(server, "/healthz")[0] == 200, "/healthz answers")


def said(server, word):
    """The log names what is missing, at a refusal or when housekeeping looks."""
    for _ in range(12):
        if any("not ready" in line and word in line for line in server.log().splitlines()):
            return check(True, f"the log names {word}")
        time.sleep(1)
    check(False, f"the log names {word}")


def descriptor_limit(folder, scratch):
    header, lines = stream(folder)
    own = scratch / "descriptors"
    own.mkdir()
    server = Server(own, "--max-sessions", "10", limits={resource.RLIMIT_NOFILE: 300})
    healthy = Healthy(server, header, small(lines, 4000))
    quiet = healthy.alone(4)
    healthy.begin()
    crowd = []
    for _ in range(400):
        try:
            crowd.append(socket.create_connection(("127.0.0.1", server.port), timeout=2))
        except OSError:
            break
        if len(crowd) >= 190:
            break
    one = crowd[-1]
    one.settimeout(10)
    one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head = one.recv(2000)
    check(b" 503 " in head and b"Fuse-Refused: connections" in head, f"connections beyond those served are told: {head[:40]!r}")
    one.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(0.5)
    head = one.recv(4000)
    check(b" 503 " in head and b"connections: more than" in head, "/readyz says so, on one of them")
    said(server, "connections")
    # The session beside them needs a while to be measured.
    time.sleep(4)
    check(descriptors(server) <= 300, f"{len(crowd)} connections: {figures(server)}")
    beside("connections at their limit", quiet, healthy.end(), healthy)
    for connection in crowd:
        connection.close()
    time.sleep(1)
    check(client_get(server, "/readyz")[0] == 200, "ready again without them")
    server.stop()
    few = subprocess.run(["prlimit", "--nofile=100", str(SERVE), "serve", "--data", own / "few", "--port", "0"], capture_output=True, text=True, timeout=20)
    check(few.returncode == 2 and "descriptors, expected at least" in few.stderr, f"too few to start with: {few.stderr.strip()[:120]}")


def thread_limit(folder, scratch):
    if os.geteuid():
        return print("skipped: a limit of threads needs root, to be another user")
    header, lines = stream(folder)
    own = pathlib.Path(tempfile.mkdtemp(prefix="fuse-threads-"))
    shutil.chown(own, 65533, 65533)
    os.chmod(own, 0o700)
    # The executables may be where another user cannot read.
    program = own / "fuse-serve"
    shutil.copy(SERVE, program)
    os.chmod(program, 0o755)
    os.chmod(own, 0o755)
    try:
        server = Server(own, "--idle", "1", limits={}, user=65533, program=program)
        healthy = Healthy(server, header, small(lines, 4000))
        quiet = healthy.alone(4)
        healthy.begin()
        # The soft limit, which the same user may raise again.
        limit_tasks = lambda count: subprocess.run(["prlimit", f"--pid={server.process.pid}", f"--nproc={count}:"], check=True, user=65533)
        limit_tasks(tasks(server) + 6)
        status, made = 201, []
        while status == 201 and len(made) < 60:
            caller = server.client()
            connection = caller.connection()
            connection.request("POST", "/v1/sessions", header)
            answer = connection.getresponse()
            status, text, headers = answer.status, answer.read(), answer.headers
            connection.close()
            if status == 201:
                made.append(caller.resume(json.loads(text)))
                status, text, headers = made[-1].caller.once("POST", f"{made[-1].path}/events?seq=0", b"".join(lines[:5]))
                status = 201 if status == 200 else status
        refused(server, status, "threads", text, headers)
        said(server, "threads")
        time.sleep(4)  # the same here
        beside("threads at their limit", quiet, healthy.end(), healthy)
        limit_tasks(4000)
        check(client_get(server, "/readyz")[0] == 200, "ready again with more")
        server.stop()
    finally:
        shutil.rmtree(own, ignore_errors=True)


def disk_limit(folder, scratch):
    data = scratch / "disk" / "data"
    data.mkdir(parents=True)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", data], capture_output=True).returncode:
        return print("skipped: a file system of its own needs root and mount")
    try:
        header, lines = stream(folder)
        server = Server(scratch / "disk", *FAST)
        session = server.client().create(header)
        (data / "filler").write_bytes(bytes(61 << 20))
        status, text, headers = session.caller.once("POST", f"{session.path}/events?seq=0", b"".join(lines[:50]))
        refused(server, status, "disk", text, headers)
        caller = server.client().connection()
        caller.request("POST", "/v1/sessions", header)
        answer = caller.getresponse()
        check(answer.status == 507, f"a creation: {answer.status}")
        answer.read()
        caller.close()
        said(server, "disk")
        (data / "filler").unlink()
        status, text, _ = session.caller.once("POST", f"{session.path}/events?seq=0", b"".join(lines[:50]))
        check(status == 200 and client_get(server, "/readyz")[0] == 200, f"with room it goes on: {status}")
        server.stop()
    finally:
        subprocess.run(["umount", "-l", data], capture_output=True)


def starve(folder, scratch, share):
    """All parts; `share` of the full counts."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, 20_000) if limit != resource.RLIM_INFINITY else 20_000, limit))
    for name in ("readers", "abandoned", "finished"):
        (scratch / name).mkdir()
    stalled_readers(folder, scratch, max(int(1000 * share), 20))
    abandoned(folder, scratch, max(int(10_000 * share), 200))
    # The resident memory of the service at rest wanders by 4 MB: 20 sessions gave -121, 208 kB each, 80 see a fourth.
    finished(folder, scratch, max(int(500 * share), 80))
    descriptor_limit(folder, scratch)
    thread_limit(folder, scratch)
    disk_limit(folder, scratch)
