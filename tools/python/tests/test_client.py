"""The client against a real service, and against one that fails in every way."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import fusepy
from fusepy import AsyncClient, Client, ServiceError
from fusepy.client import main as client_main

ROOT = Path(__file__).resolve().parents[3]
RECORDING = ROOT / "datasets/arc"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    fuse = fusepy.find_fuse()
    if fuse is None or not Path(fuse).with_name("fuse-serve").exists():
        pytest.skip("no fuse-serve beside fuse: swift build -c release --product fuse-serve")
    folder = tmp_path_factory.mktemp("serve")
    process = subprocess.Popen([fuse, "serve", "--data", folder / "data", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
    assert found
    yield f"http://127.0.0.1:{found[1]}"
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    fuse = fusepy.find_fuse()
    if fuse is None:
        pytest.skip("no command fuse")
    return subprocess.run([fuse, "stream", RECORDING], capture_output=True, check=True).stdout.splitlines(keepends=True)


@pytest.fixture(scope="module")
def updates(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> list[bytes]:
    folder = tmp_path_factory.mktemp("run") / "out"
    fusepy.run(RECORDING, folder)
    return (folder / "updates.jsonl").read_bytes().splitlines()


def batches(lines: list[bytes], size: int = 700) -> list[bytes]:
    return [b"".join(lines[k:k + size]) for k in range(1, len(lines), size)]


def test_a_session_has_the_bytes_of_a_run(service: str, lines: list[bytes], updates: list[bytes]) -> None:
    with Client(service).create(lines[0]) as session:
        for number, batch in enumerate(batches(lines)):
            assert session.send(batch, pack=number % 2 == 0) == {}
        # The same batch again, by another process that saved before: nothing counted twice.
        again = Client(service).resume({**session.saved, "next": session.next - 1})
        again.send(batches(lines)[-1], pack=(len(batches(lines)) - 1) % 2 == 0)
        session.finish()
        assert [line for _, line in session.update_lines()] == updates
        assert [line for _, line in session.update_lines(last=9)] == updates[10:]
        assert session.state()["state"] == "finished" and session.get("updates.jsonl").splitlines() == updates
        session.delete()
        session.delete()


def test_objects_are_lines_too(service: str, lines: list[bytes], updates: list[bytes]) -> None:
    session = Client(service).create(json.loads(lines[0]))
    for k in range(1, len(lines), 900):
        session.send([json.loads(line) for line in lines[k:k + 900]])
    session.finish()
    assert [json.dumps(update) for update in session.updates()] == [json.dumps(json.loads(line)) for line in updates]


def test_asyncio(service: str, lines: list[bytes], updates: list[bytes]) -> None:
    async def work() -> tuple[list[Any], int]:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0.005)

        heart = asyncio.create_task(beat())
        async with await AsyncClient(service).create(lines[0]) as session:
            found: list[Any] = []

            async def listen() -> None:
                async for update in session.updates():
                    found.append(update)

            listener = asyncio.create_task(listen())
            for batch in batches(lines):
                await session.send(batch)
            # One that stops listening ends its connection, and nothing hangs.
            async for _ in session.updates(last=5):
                break
            await session.finish()
            await listener
        heart.cancel()
        return found, beats

    found, beats = asyncio.run(asyncio.wait_for(work(), 120))
    assert found == [json.loads(line) for line in updates]
    assert beats > 10


def test_refusals_say_why(service: str, lines: list[bytes]) -> None:
    with pytest.raises(ServiceError, match="400"):
        Client(service).create(b"{}\n")
    session = Client(service).create(lines[0])
    with pytest.raises(ServiceError) as error:
        session.send(b"no json\n")
    assert error.value.status == 400 and session.next == 0
    session.send(batches(lines)[0])
    with pytest.raises(ServiceError) as error:
        Client(service).resume({**session.saved, "next": 0}).send(batches(lines)[1])
    assert error.value.status == 409
    with pytest.raises(ValueError, match="expected one such as"):
        Client("ftp://somewhere")
    with pytest.raises(ServiceError, match="expected a service"):
        Client("http://127.0.0.1:9").create(lines[0])
    with pytest.raises(ValueError):
        session.send([{"range": {"t": 1, "peer": "a", "range": float("nan")}}])


class Trouble(BaseHTTPRequestHandler):
    """A service that asks for patience, breaks off, and goes on."""

    posts: list[tuple[str, bytes]] = []
    readers: list[str | None] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/v1/sessions":
            return self.answer(201, {"id": "x", "ingestToken": "i", "readToken": "r", "next": 0})
        self.posts.append((self.path, body))
        if len(self.posts) == 1:
            return self.answer(429, {}, {"Retry-After": "0.05"})
        if len(self.posts) == 2:
            return self.answer(503, {}, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"})
        if len(self.posts) == 3:
            self.connection.close()
            return None
        return self.answer(200, {"next": 1, "skipped": {"negativeRange": 2}})

    def do_GET(self) -> None:
        last = self.headers.get("Last-Event-ID")
        self.readers.append(last)
        if len(self.readers) == 2:
            return self.answer(503, {})
        begin = 0 if last is None else int(last) + 1
        self.send_response(200)
        self.end_headers()
        for index in range(begin, min(begin + 3, 7)):
            self.wfile.write(f'id: {index}\nevent: update\ndata: {{"timestamp":{index}}}\n\n: keep\n\n'.encode())
        if begin + 3 >= 7:
            self.wfile.write(b'event: state\ndata: {"state":"finished"}\n\n')
        else:
            # Torn within an event: it is not one yet.
            self.wfile.write(b"id: 99\nevent: update\ndata: {}\n")
        self.close_connection = True
        return None

    def answer(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


def test_trouble_is_waited_out() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Trouble)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        session = Client(f"http://127.0.0.1:{server.server_address[1]}", patience=20).create({"version": 1})
        assert session.send(b"{}\n", pack=True) == {"negativeRange": 2}
        # Byte for byte the same, so that the service knows it again.
        assert len({post for post in Trouble.posts}) == 1 and len(Trouble.posts) == 4
        assert [update["timestamp"] for update in session.updates()] == list(range(7))
        assert Trouble.readers == [None, "2", "2", "5"]
    finally:
        server.shutdown()
    impatient = Client(f"http://127.0.0.1:{server.server_address[1]}", patience=0.3).resume(session.saved)
    server.server_close()
    with pytest.raises(ServiceError):
        impatient.send(b"{}\n")
    with pytest.raises(ServiceError):
        list(impatient.updates())


def test_the_command(service: str, lines: list[bytes], updates: list[bytes]) -> None:
    done = subprocess.run(
        ["python3", "-m", "fusepy.client", service], input=b"".join(lines), capture_output=True, cwd=Path(fusepy.__file__).parents[1], timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == updates and b"/s/" in done.stderr
    empty = subprocess.run(["python3", "-m", "fusepy.client", service], input=b"", capture_output=True, cwd=Path(fusepy.__file__).parents[1], timeout=60)
    assert empty.returncode == 1 and b"expected event lines" in empty.stderr
    with pytest.raises(SystemExit):
        client_main([])


@pytest.mark.parametrize("page", ["docs/service.md", "tools/python/README.md"])
def test_the_pages_examples(page: str, service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = [block for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S) if "Client(" in block]
    assert blocks, page
    monkeypatch.chdir(ROOT)
    fuse = fusepy.find_fuse()
    assert fuse
    monkeypatch.setenv("PATH", f"{Path(fuse).parent}:/usr/bin:/bin")
    for block in blocks:
        exec(compile(block.replace("http://127.0.0.1:8040", service), page, "exec"), {"__name__": "__main__"})
    assert "converged" in capsys.readouterr().out
