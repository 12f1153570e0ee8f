"""Sessions at real time, with a start in motion every two seconds among them: how long acknowledgements and updates take."""
import http.client
import json
import threading
import time

from serving import Server, check, stream

BATCH = 0.05  # seconds of a recording in a batch
START = 2.0  # seconds between starts in motion


def timed_batches(lines):
    """(seconds since the first line, bytes) for each batch."""
    found, begin, part, due = [], None, [], 0.0
    for line in lines:
        content = json.loads(line)
        kind, value = next(iter(content.items()))
        time_of_line = value[-1][0] if kind == "imu" and value else value.get("t") if kind != "imu" else None
        if time_of_line is not None:
            begin = time_of_line if begin is None else begin
            now = (time_of_line - begin) * 1e-9
            if part and now >= due:
                found.append((due, b"".join(part)))
                part, due = [], max(due + BATCH, now)
        part.append(line)
    return found + [(due, b"".join(part))]


def in_motion(lines):
    """The second half of a recording: its sensors are in motion from the first line on."""
    return lines[len(lines) // 2:]


def percentiles(values):
    values = sorted(values)
    at = lambda share: 1e3 * values[min(int(share * len(values)), len(values) - 1)]
    return f"p50 {at(0.5):.1f} ms, p99 {at(0.99):.1f} ms, longest {at(1):.0f} ms ({len(values)})", at(0.99) / 1e3


class Device:
    """A session that is sent at real time and read at once."""

    def __init__(self, server, header, parts):
        self.server, self.parts = server, parts
        self.session = server.client().create(header)
        self.acknowledged, self.published, self.received = [], [], []

    def send(self, seconds):
        began = time.monotonic()
        for due, batch in self.parts:
            if due > seconds:
                break
            time.sleep(max(began + due - time.monotonic(), 0))
            sent = time.monotonic()
            self.session.send(batch)
            self.acknowledged.append(time.monotonic() - sent)

    def read(self):
        connection = self.server.client().connection(timeout=60)
        try:
            connection.request("GET", self.session.path + "/updates?details=latency", headers={"Authorization": "Bearer " + self.session.read})
            answer = connection.getresponse()
            name = b""
            while line := answer.readline():
                if line.startswith(b"event: "):
                    name = line[7:].strip()
                elif line.startswith(b"data: ") and name == b"latency":
                    now, data = time.time_ns(), json.loads(line[6:])
                    if data["arrival"] and data["published"]:
                        self.published.append((data["published"] - data["arrival"]) * 1e-9)
                        self.received.append((now - data["arrival"]) * 1e-9)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()


def latency(folder, scratch, count, tls, seconds=30, ramp=4.0):
    """Sessions of one recording begin one after the other over `ramp` seconds: twenty people do not raise their devices in one instant."""
    header, lines = stream(folder)
    server = Server(scratch, tls=tls)
    parts, moving = timed_batches(lines), timed_batches(in_motion(lines))
    devices = [Device(server, header, parts) for _ in range(count)]
    starts, over = [], threading.Event()

    def start_in_motion():
        device = Device(server, header, moving)
        starts.append(device)
        device.send(1.5)
        device.session.delete()

    def start_often():
        began = []
        while not over.wait(START):
            began.append(threading.Thread(target=start_in_motion))
            began[-1].start()
        for thread in began:
            thread.join()

    threads = [threading.Thread(target=device.read, daemon=True) for device in devices]
    senders = [threading.Thread(target=device.send, args=(seconds,)) for device in devices]
    before, began = server.cpu(), time.monotonic()
    starter = threading.Thread(target=start_often)
    for thread in [*threads, starter]:
        thread.start()
    for thread in senders:
        thread.start()
        time.sleep(ramp / count)
    for thread in senders:
        thread.join()
    spent = (server.cpu() - before) / (time.monotonic() - began)
    over.set()
    starter.join()
    for device in devices:
        device.session.finish()
    print(f"{count} sessions at real time{' over TLS' if tls else ''}, {len(starts)} starts in motion, {spent:.2f} processors for the server, {server.memory()[0] / count:.1f} MB a session")
    for name, values, most in [("acknowledgements", [v for d in devices for v in d.acknowledged], 0.1), ("acknowledgements of starts in motion", [v for d in starts for v in d.acknowledged], 0.1),
                               ("arrival of a batch to its updates' publication", [v for d in devices for v in d.published], 0.02), ("and to the reader", [v for d in devices for v in d.received], 0.02)]:
        text, p99 = percentiles(values)
        check(p99 <= most, f"{name}: {text}, p99 at most {1e3 * most:.0f} ms")
    server.stop()
