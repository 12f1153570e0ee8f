"""What each door costs: processor time of the server for the same sessions, read as server-sent events, over WebSocket (in and out), and at a broker."""
import shutil
import threading

import serve_mqtt
import serve_sockets
from serving import Server, batches, check, run, stream

FAST = ("--max-events-per-second", "1000000")


def by_events(server, session, lines):
    reader = threading.Thread(target=lambda: [None for _ in session.update_lines()])
    reader.start()
    for batch in batches(lines, 12):
        session.send(batch)
    session.finish()
    reader.join()


def by_socket(server, session, lines):
    all_batches = batches(lines, 12)
    with serve_sockets.connect(server, f"{session.path}/socket", session.saved["ingestToken"]) as link:
        sent = answered = 0
        while True:
            while sent < len(all_batches) and sent < answered + 8:
                link.send(b'{"seq":%d}\n' % sent + all_batches[sent])
                sent += 1
            text = link.recv(timeout=60)
            answered += text.startswith('{"seq":')
            if answered == len(all_batches) == sent:
                link.send('{"finish":{}}')
                sent += 1
            if text.startswith('{"event":"state"') and "finished" in text:
                return


def by_broker(server, session, lines):
    for batch in batches(lines, 12):
        session.send(batch)
    session.finish()


def doors(folder, scratch, rounds=5):
    expected = run(folder, scratch / "run")
    header, lines = stream(folder)
    count, used = expected[0].count(b"\n"), {}
    broker = serve_mqtt.Broker(scratch)
    for turn in range(rounds):
        for name, act in (("server-sent events", by_events), ("WebSocket", by_socket), ("broker", by_broker)):
            server = Server(scratch, *FAST, *(("--mqtt", f"mqtt://127.0.0.1:{broker.port}/fuse") if act is by_broker else ()))
            subscriber = serve_mqtt.Subscriber(broker.port) if act is by_broker else None
            before = server.cpu()
            for _ in range(4):
                session = server.client().create(header)
                act(server, session, lines)
                if subscriber:
                    subscriber.wait(lambda: len(subscriber.lines.get(session.id, {})) == count, 60)
            used.setdefault(name, []).append((server.cpu() - before) / 4)
            server.stop()
            if subscriber:
                subscriber.stop()
            shutil.rmtree(scratch / "data")
    broker.kill()
    # The least of each: what else the machine does only adds.
    least = {name: min(times) for name, times in used.items()}
    for name, time in least.items():
        check(None, f"{name}: {time * 1000:.0f} ms of the processor for a session of {folder.name}, {time / least['server-sent events']:.2f} times server-sent events")
    check(all(time <= 1.1 * least["server-sent events"] for time in least.values()) or None, "at most 1.1 times server-sent events", no="")
