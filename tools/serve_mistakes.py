"""The fifteen commonest mistakes of a set-up over HTTP: the service tells each as 'fuse run' does, to readers of the session and of all sessions."""
import json
import re
import subprocess
import threading

from serving import FUSE, HERE, Server, batches, check, stream

FAST = ("--max-events-per-second", "1000000")


def events(server, path, token, wanted, got, over):
    """Server-sent events until `over` says so."""
    connection = server.client().connection(timeout=120)
    connection.request("GET", path, headers={"Authorization": "Bearer " + token})
    answer, name = connection.getresponse(), b""
    got.append(("open", answer.status))
    while line := answer.readline():
        if line.startswith(b"event: "):
            name = line[7:].strip().decode()
        elif line.startswith(b"data: ") and name in wanted:
            got.append((name, json.loads(line[6:])))
            if over(got):
                break
    connection.close()


def mistakes(folder, scratch):
    # The names with their codes are the tests' of recordings: Tests/FuseCommandRecordings.
    text = (HERE / "Tests/FuseCommandRecordings/SetUpMistakeTests.swift").read_text()
    own = text[text.index("static let own"):text.index("static let foreign")]
    names = re.findall(r'Mistake\(name: "([^"]+)"', own)
    token = scratch / "token"
    token.write_text("operator-secret-0001")
    server = Server(scratch, *FAST, "--auth-token", token)
    for name in [None] + names:
        made = folder
        if name:
            subprocess.run([HERE / "tools/update-faults", "make", folder, scratch / "made", name], check=True, capture_output=True)
            made = scratch / "made" / name
        header, lines = stream(made)
        # The same events without their truth, which nobody streams.
        subprocess.run([FUSE, "run", "-", "-o", scratch / "run", "--quiet"], input=header + b"\n" + b"".join(lines), capture_output=True, check=True)
        expected = json.loads((scratch / "run/result.json").read_bytes())["verdict"]
        session = server.client(token="operator-secret-0001").create(header)
        own_events, all_events = [], []
        readers = [
            threading.Thread(target=events, args=(server, f"{session.path}/updates", session.read, {"verdict", "state"}, own_events, lambda got: got[-1][0] == "state")),
            threading.Thread(target=events, args=(server, "/v1/updates", "operator-secret-0001", {"verdict"}, all_events,
                                                  lambda got: got[-1][1].get("session") == session.id and got[-1][1]["verdict"] == expected))]
        for reader in readers:
            reader.start()
        while not (own_events and all_events):
            pass
        for batch in batches(lines):
            session.send(batch)
        session.finish()
        for reader in readers:
            reader.join(30)
        told = [data for kind, data in own_events if kind == "verdict"]
        status, result = json.loads(session.get())["verdict"], json.loads(session.get("result.json"))["verdict"]
        same = told and told[-1] == status == result == expected
        check(bool(same), f"{name or 'healthy'}: {expected['line'][:110]}")
        check(all(a != b for a, b in zip(told, told[1:])), f"{name or 'healthy'}: readers hear of {len(told)} verdicts, each another")
        check(not readers[1].is_alive(), f"{name or 'healthy'}: and readers of all sessions")
        check((expected["state"] == "healthy") == (name is None) or name in ("range-3-long",), f"{name or 'healthy'}: {expected['state']}")
        session.delete()
    check(server.stop() == 0, "the server ends")
