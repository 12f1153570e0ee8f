#!/usr/bin/env python3
"""A client of `fuse serve` in one file, standard library only: batches, retry, resume, updates.

    fuse stream datasets/demo --pace real | Examples/client/fuse_client.py http://127.0.0.1:8040

sends event lines from standard input as they come and prints the updates. As a module:

    client = Client("http://127.0.0.1:8040")
    session = client.create(header)               # the first line, a dict or its text
    session.send(lines)                           # bytes of whole lines; returns once they are on disk
    for update in session.updates(): ...          # dicts, in order, across reconnections
    session.finish()
"""
import argparse
import gzip
import http.client
import json
import os
import select
import ssl
import sys
import threading
import time
import urllib.parse


class ServiceError(Exception):
    """A request that the service refused: its status and its words."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


class Client:
    """The service at an address. `ca`: a certificate file to trust; `patience`: seconds to retry before giving up."""

    def __init__(self, address, token=None, ca=None, patience=60):
        self.url = urllib.parse.urlsplit(address)
        self.token, self.patience = token, patience
        self.context = ssl.create_default_context(cafile=ca) if self.url.scheme == "https" else None

    def connection(self, timeout=30):
        if self.url.scheme == "https":
            return http.client.HTTPSConnection(self.url.hostname, self.url.port or 443, timeout=timeout, context=self.context)
        return http.client.HTTPConnection(self.url.hostname, self.url.port or 80, timeout=timeout)

    def create(self, header):
        body = header if isinstance(header, (bytes, str)) else json.dumps(header)
        with Caller(self, self.token) as caller:
            # Not repeated by itself: a lost answer would leave a session behind.
            status, text, _ = caller.once("POST", "/v1/sessions", body if isinstance(body, bytes) else body.encode())
        if status != 201:
            raise ServiceError(status, text.decode(errors="replace"))
        return Session(self, json.loads(text))

    def resume(self, saved):
        """A session by what `Session.saved` gave, perhaps in another process."""
        return Session(self, saved)


class Caller:
    """A connection that is kept, and made anew when it breaks."""

    def __init__(self, client, token):
        self.client, self.token, self.open = client, token, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.open:
            self.open.close()
            self.open = None

    def once(self, method, path, body=None, headers=()):
        headers = dict(headers)
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        if self.open is None:
            self.open = self.client.connection()
        try:
            self.open.request(method, path, body, headers)
            answer = self.open.getresponse()
            return answer.status, answer.read(), answer.headers
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def retried(self, method, path, body=None, headers=()):
        """The same, repeated while the connection fails or the service asks for patience."""
        deadline, pause = time.monotonic() + self.client.patience, 0.1
        while True:
            try:
                status, text, answer = self.once(method, path, body, headers)
                if status not in (408, 429, 502, 503, 504, 507):
                    return status, text
                wait = float(answer.get("Retry-After", pause))
            except (OSError, http.client.HTTPException) as error:
                status, text, wait = 0, str(error).encode(), pause
            if time.monotonic() + wait > deadline:
                raise ServiceError(status, text.decode(errors="replace"))
            time.sleep(wait)
            pause = min(2 * pause, 1)


class Session:
    def __init__(self, client, created):
        self.client, self.id = client, created["id"]
        self.ingest, self.read = created["ingestToken"], created["readToken"]
        self.next = created.get("next", 0)
        self.path = "/v1/sessions/" + self.id
        self.caller = Caller(client, self.ingest)

    @property
    def saved(self):
        return {"id": self.id, "ingestToken": self.ingest, "readToken": self.read, "next": self.next}

    def send(self, lines, pack=False):
        """Sends whole lines as one batch; returns once they are on disk, with what of them the service will not use: counts by reason.
        A repeated batch changes nothing; one with other content than was taken is an error (409)."""
        headers = {"Content-Type": "application/x-ndjson"}
        body = lines if isinstance(lines, bytes) else lines.encode()
        if pack:
            body, headers["Content-Encoding"] = gzip.compress(body, 1), "gzip"
        status, text = self.caller.retried("POST", f"{self.path}/events?seq={self.next}", body, headers)
        if status != 200:
            raise ServiceError(status, text.decode(errors="replace"))
        self.next += 1
        return json.loads(text).get("skipped", {})

    def finish(self):
        status, text = self.caller.retried("POST", self.path + "/finish")
        if status != 200:
            raise ServiceError(status, text.decode(errors="replace"))

    def delete(self):
        status, text = self.caller.retried("DELETE", self.path)
        if status not in (204, 404):
            raise ServiceError(status, text.decode(errors="replace"))

    def get(self, what=""):
        """The bytes of `result.json`, `trajectory.tum`, `updates.jsonl`, `recording`, or the state."""
        status, text = self.caller.retried("GET", self.path + ("/" + what if what else ""))
        if status != 200:
            raise ServiceError(status, text.decode(errors="replace"))
        return text

    def update_lines(self, last=None, rate=None):
        """The lines of the updates as bytes, with their indices, until the session is finished, failed or deleted."""
        query, failed = f"?rate={rate}" if rate else "", None
        while True:
            headers = {"Authorization": "Bearer " + self.read, "Accept": "text/event-stream"}
            if last is not None:
                headers["Last-Event-ID"] = str(last)
            connection = self.client.connection(timeout=60)
            try:
                connection.request("GET", f"{self.path}/updates{query}", headers=headers)
                answer = connection.getresponse()
                if answer.status in (429, 502, 503, 504):
                    raise OSError(f"{answer.status}")
                if answer.status != 200:
                    raise ServiceError(answer.status, answer.read().decode(errors="replace"))
                name, data, index = b"", b"", None
                while line := answer.readline():
                    failed = None
                    line = line.rstrip(b"\r\n")
                    if line.startswith(b"id: "):
                        index = int(line[4:])
                    elif line.startswith(b"event: "):
                        name = line[7:]
                    elif line.startswith(b"data: "):
                        data = line[6:]
                    elif not line and name:
                        if name == b"update":
                            last = index
                            yield index, data
                        elif name == b"state" and json.loads(data)["state"] in ("finished", "failed", "deleted"):
                            return
                        name = b""
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            failed = failed or time.monotonic()
            if time.monotonic() - failed > self.client.patience:
                raise ServiceError(0, "the service does not answer")
            time.sleep(0.2)

    def updates(self, last=None, rate=None):
        for _, line in self.update_lines(last, rate):
            yield json.loads(line)


def lines_as_they_come(source, interval=0.05, most=1 << 20):
    """Whole lines from a descriptor, those of one interval together."""
    rest = b""
    while True:
        due = time.monotonic() + interval
        while len(rest) < most:
            left = due - time.monotonic()
            if b"\n" in rest and left <= 0:
                break
            if not select.select([source], [], [], max(left, 0) if b"\n" in rest else None)[0]:
                break
            part = os.read(source, 1 << 16)
            if not part:
                if rest:
                    yield rest if rest.endswith(b"\n") else rest + b"\n"
                return
            rest += part
        end = rest.rfind(b"\n") + 1
        yield rest[:end]
        rest = rest[end:]


def main():
    parser = argparse.ArgumentParser(description="Streams event lines from standard input, prints the updates.")
    parser.add_argument("address", help="such as http://127.0.0.1:8040")
    parser.add_argument("--token-file", help="the token that may create sessions")
    parser.add_argument("--ca", help="a certificate to trust")
    parser.add_argument("--pack", action="store_true", help="send gzip")
    parser.add_argument("--quiet", action="store_true", help="print no updates, only the session's page")
    options = parser.parse_args()
    token = open(options.token_file).read().strip() if options.token_file else os.environ.get("FUSE_AUTH_TOKEN")
    client = Client(options.address, token, options.ca)
    batches = lines_as_they_come(sys.stdin.fileno())
    first = next(batches)
    header, _, rest = first.partition(b"\n")
    session = client.create(header)
    print(f"{options.address.rstrip('/')}/s/{session.id}#{session.read}", file=sys.stderr)

    def show():
        for _, line in session.update_lines():
            if not options.quiet:
                sys.stdout.buffer.write(line + b"\n")
                sys.stdout.buffer.flush()

    def send(lines):
        for reason, count in session.send(lines, options.pack).items():
            if reason not in skipped:
                print(f"not used: {reason}", file=sys.stderr)
            skipped[reason] = skipped.get(reason, 0) + count

    skipped = {}
    reader = threading.Thread(target=show, daemon=True)
    reader.start()
    if rest.strip():
        send(rest)
    for batch in batches:
        send(batch)
    session.finish()
    if skipped:
        print("not used: " + ", ".join(f"{reason} {count}" for reason, count in sorted(skipped.items())), file=sys.stderr)
    reader.join(30)


if __name__ == "__main__":
    try:
        main()
    except (ServiceError, OSError) as error:
        sys.exit(f"error: {error}")
