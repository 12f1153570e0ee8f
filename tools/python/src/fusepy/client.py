"""A client of `fuse serve`, standard library only: batches with retries, updates that resume; sync and asyncio.

    fuse stream datasets/demo --pace real | python3 -m fusepy.client http://127.0.0.1:8040

sends event lines from standard input as they come and prints the updates. In a program:

    with fusepy.Client("http://127.0.0.1:8040").create(header) as session:
        session.send(lines)                       # returns once they are on disk
        session.finish()
        for update in session.updates():          # dicts, in order, across reconnections
            print(update["peer"], update["distance"])
"""

from __future__ import annotations

import argparse
import asyncio
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
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, TypedDict, Union

#: A line of updates.jsonl: docs/formats.md says its members.
Update = dict[str, Any]
#: Whole event lines (docs/event-lines.md): bytes or text as they are, or an object a line.
Lines = Union[bytes, str, Iterable[Mapping[str, Any]]]


class Saved(TypedDict):
    """What another process needs to go on with a session."""

    id: str
    ingestToken: str
    readToken: str
    next: int


class ServiceError(Exception):
    """A request that the service refused, or did not answer (status 0): its status and its words."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}" if status else text)
        self.status = status


class Client:
    """The service at an address.

    token: may create sessions, where that is not open. ca: a certificate file to trust. patience: seconds of retries before giving up.
    """

    def __init__(self, address: str, token: str | None = None, ca: str | None = None, patience: float = 60) -> None:
        self.url = urllib.parse.urlsplit(address if "://" in address else "http://" + address)
        if self.url.scheme not in ("http", "https") or not self.url.hostname:
            raise ValueError(f"{address}: found no address of a service, expected one such as http://127.0.0.1:8040")
        self.token, self.patience = token, patience
        self._context = ssl.create_default_context(cafile=ca) if self.url.scheme == "https" else None

    def connection(self, timeout: float = 30) -> http.client.HTTPConnection:
        """A connection of its own."""
        host = self.url.hostname or ""
        if self._context:
            return http.client.HTTPSConnection(host, self.url.port or 443, timeout=timeout, context=self._context)
        return http.client.HTTPConnection(host, self.url.port or 80, timeout=timeout)

    def create(self, header: Mapping[str, Any] | bytes | str) -> Session:
        """A new session by the first event line. Not repeated by itself: a lost answer would leave a session behind."""
        body = json.dumps(header) if isinstance(header, Mapping) else header
        with _Caller(self, self.token) as caller:
            try:
                status, text, _ = caller.once("POST", "/v1/sessions", body if isinstance(body, bytes) else body.encode())
            except (OSError, http.client.HTTPException) as error:
                raise ServiceError(0, f"{self.url.geturl()}: {error}, expected a service: fuse serve") from error
        if status != 201:
            raise ServiceError(status, _words(text))
        return Session(self, json.loads(text))

    def resume(self, saved: Saved) -> Session:
        """A session by what `Session.saved` gave, perhaps in another process."""
        return Session(self, saved)


def _words(text: bytes) -> str:
    return text.decode(errors="replace")


class _Caller:
    """A connection that is kept, and made again when it breaks."""

    def __init__(self, client: Client, token: str | None) -> None:
        self.client, self.token = client, token
        self._open: http.client.HTTPConnection | None = None

    def __enter__(self) -> _Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._open:
            self._open.close()
            self._open = None

    def once(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        sent = dict(headers or {})
        if self.token:
            sent["Authorization"] = "Bearer " + self.token
        if self._open is None:
            self._open = self.client.connection()
        try:
            self._open.request(method, path, body, sent)
            answer = self._open.getresponse()
            return answer.status, answer.read(), answer.headers
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def retried(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """The same, repeated while the connection fails or the service asks for patience."""
        deadline, pause = time.monotonic() + self.client.patience, 0.1
        while True:
            try:
                status, text, answer = self.once(method, path, body, headers)
                if status not in (408, 429, 502, 503, 504, 507):
                    return status, text
                # Seconds; a date, as HTTP permits, is no number.
                asked = answer.get("Retry-After", "")
                wait = float(asked) if asked.replace(".", "", 1).isdigit() else pause
            except (OSError, http.client.HTTPException) as error:
                status, text, wait = 0, str(error).encode(), pause
            if time.monotonic() + wait > deadline:
                raise ServiceError(status, _words(text))
            time.sleep(wait)
            pause = min(2 * pause, 1)


class Session:
    """A session of the service; `ingest` and `read` are its tokens to send and to read. As a context manager it closes its connection; the session itself goes on."""

    def __init__(self, client: Client, created: Mapping[str, Any]) -> None:
        self.client, self.id = client, str(created["id"])
        self.ingest, self.read = str(created["ingestToken"]), str(created["readToken"])
        #: Number of the next batch.
        self.next = int(created.get("next", 0))
        self.path = "/v1/sessions/" + self.id
        self.caller = _Caller(client, self.ingest)
        self._readers: set[http.client.HTTPConnection] = set()
        self._is_closed = False

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def saved(self) -> Saved:
        """What `Client.resume` takes."""
        return {"id": self.id, "ingestToken": self.ingest, "readToken": self.read, "next": self.next}

    @property
    def page(self) -> str:
        """The address of the session's page."""
        return f"{self.client.url.geturl().rstrip('/')}/s/{self.id}#{self.read}"

    def send(self, lines: Lines, pack: bool = False) -> dict[str, int]:
        """Sends whole lines as one batch; returns once they are on disk, with what of them the service will not use: counts by reason.

        A batch that is repeated changes nothing; one with other content than was taken is an error (409). After a ServiceError the same batch may
        be sent again.
        """
        headers = {"Content-Type": "application/x-ndjson"}
        if isinstance(lines, (bytes, str)):
            body = lines if isinstance(lines, bytes) else lines.encode()
        else:
            body = b"".join(json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n" for line in lines)
        if pack:
            # Without a time: a repeated batch has the same bytes.
            body, headers["Content-Encoding"] = gzip.compress(body, 1, mtime=0), "gzip"
        status, text = self.caller.retried("POST", f"{self.path}/events?seq={self.next}", body, headers)
        if status != 200:
            raise ServiceError(status, _words(text))
        self.next += 1
        skipped: dict[str, int] = json.loads(text).get("skipped", {})
        return skipped

    def finish(self) -> None:
        """Ends the input: what is held back for late data comes, results are final."""
        self._done("POST", self.path + "/finish")

    def delete(self) -> None:
        """Ends the session and removes its data; one that is not there is deleted."""
        self._done("DELETE", self.path, good=(204, 404))

    def get(self, what: str = "") -> bytes:
        """The bytes of `result.json`, `trajectory.tum`, `updates.jsonl`, `recording`, or the state."""
        return self._done("GET", self.path + ("/" + what if what else ""))

    def state(self) -> dict[str, Any]:
        """State, next batch, counts, rates, lag, verdict."""
        found: dict[str, Any] = json.loads(self.get())
        return found

    def _done(self, method: str, path: str, good: tuple[int, ...] = (200,)) -> bytes:
        status, text = self.caller.retried(method, path)
        if status not in good:
            raise ServiceError(status, _words(text))
        return text

    def close(self) -> None:
        """Closes connections; iterators of updates end."""
        self._is_closed = True
        self.caller.close()
        for reader in list(self._readers):
            _cut(reader)

    def update_lines(self, last: int | None = None, rate: float | None = None) -> Iterator[tuple[int, bytes]]:
        """The lines of the updates as bytes, with their indices, after `last`, until the session is finished, failed or deleted.

        A connection that breaks is made again, and goes on behind the last line. rate: only the newest of each peer, so many times a second.
        """
        query, failed = f"?rate={rate:g}" if rate else "", None
        while not self._is_closed:
            headers = {"Authorization": "Bearer " + self.read, "Accept": "text/event-stream"}
            if last is not None:
                headers["Last-Event-ID"] = str(last)
            connection = self.client.connection(timeout=60)
            self._readers.add(connection)
            try:
                connection.request("GET", f"{self.path}/updates{query}", headers=headers)
                answer = connection.getresponse()
                if answer.status != 200 and answer.status not in (429, 502, 503, 504):
                    raise ServiceError(answer.status, _words(answer.read()))
                for name, index, data in _events(answer) if answer.status == 200 else ():
                    failed = None
                    if name == b"update":
                        last = index
                        yield index, data
                    elif name == b"state" and json.loads(data)["state"] in ("finished", "failed", "deleted"):
                        return
            except (OSError, http.client.HTTPException, ValueError, AttributeError):
                # The last two: a connection that `close` has cut meanwhile.
                if not self._is_closed and isinstance(sys.exc_info()[1], (ValueError, AttributeError)):
                    raise
            finally:
                self._readers.discard(connection)
                connection.close()
            failed = failed or time.monotonic()
            if time.monotonic() - failed > self.client.patience:
                raise ServiceError(0, "the service does not answer")
            if not self._is_closed:
                time.sleep(0.2)

    def updates(self, last: int | None = None, rate: float | None = None) -> Iterator[Update]:
        """The updates as dicts: see `update_lines`."""
        for _, line in self.update_lines(last, rate):
            yield json.loads(line)


def _events(answer: http.client.HTTPResponse) -> Iterator[tuple[bytes, int, bytes]]:
    """Server-sent events with a name: name, index (-1 without one), data."""
    name, data, index = b"", b"", -1
    while line := answer.readline():
        line = line.rstrip(b"\r\n")
        if line.startswith(b"id: "):
            index = int(line[4:])
        elif line.startswith(b"event: "):
            name = line[7:]
        elif line.startswith(b"data: "):
            data = line[6:]
        elif not line and name:
            yield name, index, data
            name = b""


def _cut(connection: http.client.HTTPConnection) -> None:
    """Ends a read that another thread is in."""
    try:
        if connection.sock:
            connection.sock.shutdown(2)
    except OSError:
        pass


class AsyncClient:
    """`Client` for asyncio: the same calls, awaited; each works in a thread, the loop goes on."""

    def __init__(self, address: str, token: str | None = None, ca: str | None = None, patience: float = 60) -> None:
        self.client = Client(address, token, ca, patience)

    async def create(self, header: Mapping[str, Any] | bytes | str) -> AsyncSession:
        """See `Client.create`."""
        return AsyncSession(await asyncio.to_thread(self.client.create, header))

    def resume(self, saved: Saved) -> AsyncSession:
        """See `Client.resume`."""
        return AsyncSession(self.client.resume(saved))


class AsyncSession:
    """`Session` for asyncio. Calls that send are made one after the other, in the order of their awaits."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._order = asyncio.Lock()

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.session.close()

    @property
    def saved(self) -> Saved:
        """See `Session.saved`."""
        return self.session.saved

    async def send(self, lines: Lines, pack: bool = False) -> dict[str, int]:
        """See `Session.send`."""
        async with self._order:
            return await asyncio.to_thread(self.session.send, lines, pack)

    async def finish(self) -> None:
        """See `Session.finish`."""
        async with self._order:
            await asyncio.to_thread(self.session.finish)

    async def delete(self) -> None:
        """See `Session.delete`."""
        async with self._order:
            await asyncio.to_thread(self.session.delete)

    async def get(self, what: str = "") -> bytes:
        """See `Session.get`."""
        async with self._order:
            return await asyncio.to_thread(self.session.get, what)

    async def updates(self, last: int | None = None, rate: float | None = None) -> AsyncIterator[Update]:
        """The updates as dicts, as they come; who takes none is waited for, no queue grows."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Update | BaseException | None] = asyncio.Queue(maxsize=100)
        # A reader of its own: it can be cut without the session's other calls.
        reader = self.session.client.resume(self.session.saved)

        def put(item: Update | BaseException | None) -> None:
            asyncio.run_coroutine_threadsafe(queue.put(item), loop).result()

        def pump() -> None:
            try:
                for update in reader.updates(last, rate):
                    put(update)
                put(None)
            except BaseException as error:
                # Where nobody listens any more, the loop is gone or the wait for it was cancelled.
                if not reader._is_closed:
                    put(error)

        thread = threading.Thread(target=pump, daemon=True)
        thread.start()
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            reader.close()
            # What waits to be put may go: nobody takes it.
            while thread.is_alive():
                while not queue.empty():
                    queue.get_nowait()
                await asyncio.sleep(0.01)


def lines_as_they_come(source: int, interval: float = 0.05, most: int = 1 << 20) -> Iterator[bytes]:
    """Whole lines from a descriptor, those of one interval together."""
    rest = b""
    while True:
        due = time.monotonic() + interval
        # A line that has no end yet goes on, however long.
        while len(rest) < most or b"\n" not in rest:
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


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python3 -m fusepy.client", description="Streams event lines from standard input, prints the updates.")
    parser.add_argument("address", help="such as http://127.0.0.1:8040")
    parser.add_argument("--token-file", help="the token that may create sessions")
    parser.add_argument("--ca", help="a certificate to trust")
    parser.add_argument("--pack", action="store_true", help="send gzip")
    parser.add_argument("--quiet", action="store_true", help="print no updates, only the session's page")
    options = parser.parse_args(arguments)
    token = open(options.token_file).read().strip() if options.token_file else os.environ.get("FUSE_AUTH_TOKEN")
    client = Client(options.address, token, options.ca)
    batches = lines_as_they_come(sys.stdin.fileno())
    first = next(batches, b"")
    if not first:
        raise ServiceError(0, "found nothing on standard input, expected event lines: fuse stream <folder>")
    header, _, rest = first.partition(b"\n")
    session = client.create(header)
    print(session.page, file=sys.stderr)

    def show() -> None:
        for _, line in session.update_lines():
            if not options.quiet:
                sys.stdout.buffer.write(line + b"\n")
                sys.stdout.buffer.flush()

    skipped: dict[str, int] = {}

    def send(lines: bytes) -> None:
        for reason, count in session.send(lines, options.pack).items():
            if reason not in skipped:
                print(f"not used: {reason}", file=sys.stderr)
            skipped[reason] = skipped.get(reason, 0) + count

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
    except (ServiceError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
