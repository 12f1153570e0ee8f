"""Trouble that is nobody's fault: a disk that is full, a clock that jumps, clients that go away. Nothing acknowledged is lost, no bytes change."""
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import threading
import time

from serve_latency import Device, percentiles, timed_batches
from serving import SERVE, Server, batches, check, run, stream

SMALL, LARGE = "4m", "300m"
FAST = ("--max-events-per-second", "1000000")  # faster than any device
CLOCK = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
JUMPS = ["+3600s", "-7200s", "+0s", "+30d", "-1d", "+0.5s", "-0.5s"]


def good_bytes(session, expected):
    return session.get("updates.jsonl") == expected[0] and session.get("trajectory.tum") == expected[1]


def full_disk(folder, scratch, tls):
    """A session on a file system of 4 MB, until it is full; a kill; then there is room."""
    data = scratch / "data"
    data.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=700", "tmpfs", data], capture_output=True).returncode:
        return print("skipped: a file system of 4 MB needs root and mount")
    try:
        expected, (header, lines) = run(folder, scratch / "run"), stream(folder)
        server = Server(scratch, "--max-events-per-second", "1000000", tls=tls)
        session, parts = server.client().create(header), batches(lines)
        for batch in parts[:len(parts) // 3]:
            session.send(batch)
        status = 200
        while status == 200:
            other = server.client().create(header)
            for k, batch in enumerate(parts):
                status, text, _ = other.caller.once("POST", f"{other.path}/events?seq={k}", batch)
                if status != 200:
                    break
        check(status == 507, f"a full disk is said: {status} {text.decode(errors='replace')[:80]}")
        status, text, _ = session.caller.once("POST", f"{session.path}/events?seq={session.next}", parts[session.next])
        check(status in (200, 507), f"another session is answered, too: {status}")
        session.next += status == 200
        status, _, _ = session.caller.once("GET", session.path)
        check(status == 200, f"and can be read: {status}")
        server.kill()
        # Whether the log has room for its next file is chance: it serves, or it says what is missing.
        again = subprocess.Popen([SERVE, "serve", "--data", data, "--port", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            said = again.communicate(timeout=3)[1].strip()
            check("no space left" in said, f"after kill -9 it does not start, and says why: {said[-80:]}")
        except subprocess.TimeoutExpired:
            again.kill()
            again.communicate()
        subprocess.run(["mount", "-o", f"remount,size={LARGE}", data], check=True, capture_output=True)
        server.start()
        # Only a part of an append may have been written: what was acknowledged is there, what was not is not.
        session.caller.close()
        text = session.get()
        check(json.loads(text)["next"] == session.next, f"with room the session is there with all that was acknowledged: {session.next} batches")
        for batch in parts[session.next:]:
            session.send(batch)
        session.finish()
        check(good_bytes(session, expected), "and goes on: same bytes as 'fuse run'")
        server.stop()
    finally:
        subprocess.run(["umount", "-l", data], capture_output=True)


def clock(folder, scratch, tls):
    """A wall clock that jumps by seconds, hours and days while a session streams, over a kill."""
    if not pathlib.Path(CLOCK).exists():
        return print("skipped: no libfaketime (apt-get install faketime)")
    now = scratch / "now"
    now.write_text("+0s")
    expected, (header, lines) = run(folder, scratch / "run"), stream(folder)
    environment = {"LD_PRELOAD": CLOCK, "FAKETIME_TIMESTAMP_FILE": str(now), "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}
    server = Server(scratch, "--max-events-per-second", "1000000", tls=tls, environment=environment)
    session, parts = server.client().create(header), batches(lines, max(len(lines) // 60, 1))
    for k, batch in enumerate(parts):
        if k % 5 == 2:
            now.write_text(JUMPS[k // 5 % len(JUMPS)])
        if k == 20:  # 30 days ahead
            server.kill()
            server.start()
        session.send(batch)
    session.finish()
    times = [json.loads(line)["time"] * 1e-9 for line in server.log().splitlines() if line.startswith("{")]
    days = (max(times) - min(times)) / 86400
    check(days > 20, f"the server saw the jumps: its log spans {days:.0f} days")
    check(good_bytes(session, expected), f"{folder.name}: same bytes over {len(parts) // 5} jumps and a kill")
    server.stop()


def flips(folder, scratch, count, tls):
    """A server killed under load, a byte of its log flipped at `count` places, each in a fresh copy: what is lost is one batch, and it is named."""
    expected, (header, lines) = run(folder, scratch / "run"), stream(folder)
    parts = batches(lines, max(len(lines) // 80, 1))
    server = Server(scratch, *FAST, tls=tls)
    sessions = [server.client().create(header) for _ in range(4)]
    for k in range(40):
        for session in sessions:
            session.send(parts[k])
        if k % 10 == 9:  # another segment with every start
            server.kill()
            server.start()
    for part in parts[40:]:
        sessions[3].send(part)
    sessions[3].finish()
    server.kill()
    master = scratch / "master"
    shutil.move(server.folder / "data", master)
    logs = [path for path in sorted((master / "log").glob("*.log"))]
    places = [(path.name, byte) for path in logs for byte in range(path.stat().st_size)]
    mended = lost = tails = refused = 0
    began = time.monotonic()
    for k in range(count):
        name, byte = places[k * len(places) // count]
        data = server.folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(master, data)
        with open(data / "log" / name, "r+b") as file:
            file.seek(byte)
            old = file.read(1)[0]
            file.seek(byte)
            file.write(bytes([old ^ 1 << k % 8]))
        original = (data / "log" / name).read_bytes()
        told = subprocess.run([SERVE, "serve", "--check-log", data], capture_output=True, text=True)
        place = f"{name} at byte {byte}"
        if told.returncode != 1 or name not in told.stdout:
            check(False, f"{place}: --check-log says {told.returncode}: {told.stdout[-300:]}{told.stderr[-300:]}")
        server.start()
        failed = []
        for session in sessions:
            session.caller.close()
            while (state := json.loads(session.get()))["state"] == "recovering":
                time.sleep(0.01)
            if state["state"] == "failed":
                failed.append(session)
                if name not in state["failure"] or " missing " not in state["failure"]:
                    check(False, f"{place}: the reason is {state['failure']}")
                if not expected[0].startswith(session.get("updates.jsonl")) or len(session.get("recording")) < 1000:
                    check(False, f"{place}: what is whole cannot be read")
                status, text, _ = session.caller.once("POST", f"{session.path}/events?seq={session.next}", parts[session.next])
                refused += status == 500 and name in text.decode()
            elif session is sessions[3]:
                if not good_bytes(session, expected):
                    check(False, f"{place}: the finished session's bytes")
            elif state["next"] != session.next:
                # The log's last batch: perhaps not acknowledged, so it is waited for.
                tails += 1
                if state["next"] != session.next - 1 or not any("tail" in one for one in state["warnings"]):
                    check(False, f"{place}: a session goes on at {state['next']}, acknowledged were {session.next}: {state['warnings']}")
        lost += len(failed)
        mended += not failed
        if len(failed) > 1 or any(f"of session {session.id}" not in told.stdout for session in failed):
            check(False, f"{place}: {len(failed)} sessions failed: {told.stdout[-600:]}")
        if not any(path.read_bytes() in (original, original[len((data / 'log' / name).read_bytes()):]) for path in (data / "log/damaged").iterdir()):
            check(False, f"{place}: the original is not kept")
        if k % 20 == 7:  # the others go on to the end
            for session in sessions[:3]:
                if session not in failed:
                    acknowledged, session.next = session.next, json.loads(session.get())["next"]
                    while session.next < len(parts):
                        session.send(parts[session.next])
                    session.finish()
                    if not good_bytes(session, expected):
                        check(False, f"{place}: bytes of a session beside it")
                    session.next = acknowledged
        server.kill()
    check(refused == lost, f"{refused} of {lost} sessions with a hole answer a batch with 500 and the place")
    check(lost > count // 4 and mended > 0, f"{count} flipped bytes in {len(logs)} segments of {len(places)} bytes, in {time.monotonic() - began:.0f} s: {lost} cost one batch "
          f"of one session each, {tails} hit the log's last one, {mended - tails} cost nothing; every other session lives with all that was acknowledged")
    exported = subprocess.run([SERVE, "serve", "--export", master, "-o", scratch / "exported"], capture_output=True, text=True)
    again = run(scratch / "exported" / sessions[3].id, scratch / "again")
    check(exported.returncode == 0 and again is not None and again[:2] == expected[:2], f"--export of the log: {exported.stdout.splitlines()[-1]}; 'fuse run' gives the session's bytes")


def disconnects(server, session, over):
    """Twenty times a second a body that breaks off, a head that breaks off, a reader that never reads."""
    dice, slow = random.Random(1), []
    while not over.wait(0.05):
        try:
            one = socket.create_connection(("127.0.0.1", server.port), timeout=5)
            turn = dice.random()
            if turn < 0.2 and len(slow) < 50:
                one.sendall(f"GET {session.path}/updates HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {session.read}\r\n\r\n".encode())
                slow.append(one)
                continue
            one.sendall(f"POST {session.path}/events?seq=999999 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {session.ingest}\r\n"[:int(500 * dice.random())].encode())
            if turn > 0.6:
                one.sendall(b"Content-Length: 5000\r\n\r\n{\"imu\":[[1,")
            one.close()
        except OSError:
            pass
    for one in slow:
        one.close()


def neighbours(folder, scratch, count=4, seconds=12, rounds=6):
    """Sessions at real time, in turn alone and beside clients that go away and readers that do not read: the ratio of their p99."""
    header, lines = stream(folder)
    server = Server(scratch)
    parts = timed_batches(lines)
    found = {False: ([], []), True: ([], [])}
    for turn in range(rounds):
        troubled = turn % 2 == 1
        devices = [Device(server, header, parts) for _ in range(count)]
        over = threading.Event()
        readers = [threading.Thread(target=device.read, daemon=True) for device in devices]
        senders = [threading.Thread(target=device.send, args=(seconds,)) for device in devices]
        for thread in readers + senders:
            thread.start()
            time.sleep(0.03)
        beside = threading.Thread(target=disconnects, args=(server, devices[0].session, over))
        if troubled:
            beside.start()
        for thread in senders:
            thread.join()
        over.set()
        if troubled:
            beside.join()
        for device in devices:
            device.session.finish()
            # The first one's readers are the slow ones: its own are not judged.
            found[troubled][0].extend(v for v in device.acknowledged)
            found[troubled][1].extend(v for v in device.published)
            device.session.delete()
    for name, index in [("acknowledgements", 0), ("publication", 1)]:
        (alone, quiet), (beside, loud) = percentiles(found[False][index]), percentiles(found[True][index])
        check(loud <= 1.1 * quiet, f"{name}: alone {alone}; beside trouble {beside}: p99 ratio {loud / quiet:.2f}")
    server.stop()
