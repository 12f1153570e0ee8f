"""The live service at an MQTT broker, Debian's mosquitto: the bytes of 'fuse run' over kills of the broker, events as an input, TLS and accounts, the will."""
import json
import shutil
import socket
import subprocess
import threading
import time

from serving import Server, batches, check, recordings, run, stream

FAST = ("--max-events-per-second", "1000000")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Broker:
    def __init__(self, folder, tls=None):
        self.folder, self.port = folder, free_port()
        text = f"listener {self.port} 127.0.0.1\npersistence false\nmax_queued_messages 100000\n"
        if tls:
            subprocess.run(["mosquitto_passwd", "-c", "-b", folder / "accounts", "fuse", "p@ss/word"], check=True)
            text += f"allow_anonymous false\npassword_file {folder / 'accounts'}\ncertfile {tls[0]}\nkeyfile {tls[1]}\nuser root\n"
        else:
            text += "allow_anonymous true\n"
        (folder / "mosquitto.conf").write_text(text)
        self.start()

    def start(self):
        self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", self.folder / "mosquitto.conf"], stdout=open(self.folder / "mosquitto.log", "ab"), stderr=subprocess.STDOUT)
        for _ in range(100):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
        raise SystemExit("mosquitto does not start: " + (self.folder / "mosquitto.log").read_text()[-500:])

    def kill(self):
        self.process.kill()
        self.process.wait()


class Subscriber:
    """All updates under a prefix, each once by its index; asks for what it lacks after it was away."""

    def __init__(self, port, tls=None, resumes=True):
        import paho.mqtt.client as mqtt
        self.lines, self.state, self.nodes, self.replies, self.condition = {}, {}, {}, [], threading.Condition()
        self.retained, self.twice, self.resumes = 0, 0, resumes
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect, self.client.on_message = self.connected, self.arrived
        if tls:
            self.client.tls_set(str(tls))
            self.client.username_pw_set("fuse", "p@ss/word")
        self.client.connect("localhost" if tls else "127.0.0.1", port, 5)
        self.client.loop_start()

    def connected(self, client, *_):
        client.subscribe("fuse/#", qos=1)
        with self.condition:
            for session in {*self.lines, *self.state}:
                self.ask(session)

    def ask(self, session):
        """For what is missing: after an own outage, and when a node or a session is there again."""
        self.client.publish(f"fuse/{session}/resume", json.dumps({"from": self.whole(self.lines.get(session, {}))}), qos=1)

    @staticmethod
    def whole(lines):
        count = 0
        while count in lines:
            count += 1
        return count

    def arrived(self, _, __, message):
        parts = message.topic.split("/")
        with self.condition:
            self.retained += message.retain
            if parts[1] == "nodes":
                self.nodes[parts[2]] = message.payload.decode()
                if message.payload == b"online":
                    for session in {*self.lines, *self.state}:
                        self.ask(session)
            elif parts[2] == "updates" and message.payload:
                index = int(dict(message.properties.UserProperty)["index"])
                lines = self.lines.setdefault(parts[1], {})
                if index in lines:
                    self.twice += 1
                    if lines[index] != message.payload:
                        check(False, f"update {index} with other content")
                lines[index] = message.payload
            elif parts[2] == "state" and message.payload:
                if parts[1] not in self.state and self.resumes:
                    self.ask(parts[1])
                self.state[parts[1]] = json.loads(message.payload)
            elif parts[2] == "replies":
                self.replies.append(json.loads(message.payload))
            self.condition.notify_all()

    def wait(self, good, seconds=30):
        with self.condition:
            return self.condition.wait_for(good, seconds)

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()


def bytes_of(lines):
    return b"".join(lines[index] + b"\n" for index in range(len(lines)) if index in lines)


def same_bytes(folders, scratch, kills):
    broker = Broker(scratch)
    server = Server(scratch, *FAST, "--mqtt", f"mqtt://127.0.0.1:{broker.port}/fuse", "--node", "one")
    subscriber = Subscriber(broker.port)
    check(subscriber.wait(lambda: subscriber.nodes.get("one") == "online"), "the node is online")
    for folder in folders:
        expected = run(folder, scratch / "run")
        name = f"{folder.parent.name}/{folder.name}"
        if expected is None:
            print(f"left out   {name}: 'fuse run' refuses it")
            continue
        header, lines = stream(folder)
        session = server.client().create(header)
        all_batches = batches(lines, 60)
        for index, batch in enumerate(all_batches):
            session.send(batch)
            if kills and index in {len(all_batches) * k // 6 for k in range(1, 6)}:
                broker.kill()
                time.sleep(0.3)
                broker.start()
        session.finish()
        count = expected[0].count(b"\n")
        subscriber.wait(lambda: len(subscriber.lines.get(session.id, {})) == count, 60)
        got = subscriber.lines.get(session.id, {})
        check(bytes_of(got) == expected[0], f"{name}: updates at the broker, killed {5 if kills else 0} times ({len(got)} of {count}, {subscriber.twice} twice)")
        check(subscriber.wait(lambda: subscriber.state.get(session.id, {}).get("state") == "finished", 20), f"{name}: its state is finished")
        session.delete()
    time.sleep(2)
    late = Subscriber(broker.port)
    check(late.wait(lambda: late.nodes.get("one") == "online") and not late.wait(lambda: late.lines or late.state, 3), "a deleted session leaves nothing with the broker")
    late.stop()
    server.kill()
    check(subscriber.wait(lambda: subscriber.nodes.get("one") == "offline", 30), "after kill -9 the broker says that the node is offline")
    server.start()
    check(subscriber.wait(lambda: subscriber.nodes.get("one") == "online", 30), "and online when it is back")
    server.stop()
    check(subscriber.wait(lambda: subscriber.nodes.get("one") == "offline", 10), "SIGTERM says so at once")
    subscriber.stop()
    broker.kill()


def through_broker(folder, scratch):
    """Batches by the broker, their answers, and who may not."""
    broker = Broker(scratch)
    server = Server(scratch, *FAST, "--mqtt", f"mqtt://127.0.0.1:{broker.port}/fuse", "--max-batch-bytes", "200000", "--mqtt-backlog", "100")
    subscriber = Subscriber(broker.port, resumes=False)
    expected = run(folder, scratch / "run")
    header, lines = stream(folder)
    session = server.client().create(header)
    topic = f"fuse/{session.id}/events"

    def send(payload):
        before = len(subscriber.replies)
        subscriber.client.publish(topic, payload, qos=1)
        return subscriber.replies[-1] if subscriber.wait(lambda: len(subscriber.replies) > before, 20) else {}

    def first(**members):
        return json.dumps({**members, "token": session.ingest}).encode() + b"\n"

    time.sleep(0.5)
    for name, payload, status in [
        ("no JSON", b"hello", 400), ("no token", b'{"seq":0}\n' + lines[0], 404), ("the reader's token", json.dumps({"seq": 0, "token": session.read}).encode() + b"\n" + lines[0], 404),
        ("a batch too early", first(seq=5) + lines[0], 409), ("bad structure", first(seq=0) + b"{]\n", 400), ("too large", first(seq=0) + b" " * 250000, 413),
    ]:
        answer = send(payload)
        check(answer.get("status") == status, f"{name}: {answer}")
    all_batches = batches(lines, 60)
    for index, batch in enumerate(all_batches):
        before = len(subscriber.replies)
        subscriber.client.publish(topic, first(seq=index) + batch, qos=1)
        subscriber.wait(lambda: len(subscriber.replies) > before, 20)
        if subscriber.replies[-1].get("status") != 200:
            check(False, f"batch {index}: {subscriber.replies[-1]}")
            break
    answer = send(first(finish={}))
    check(answer.get("status") == 200 and "finish" in answer, f"the end: {answer}")
    check(session.get("updates.jsonl") == expected[0], f"the bytes of 'fuse run' by the broker ({folder.name})")
    # The broker is away for long: more waits than is sent later, and it says so.
    broker.kill()
    session = server.client().create(header)
    for batch in all_batches:
        session.send(batch)
    session.finish()
    broker.start()
    count = expected[0].count(b"\n")
    subscriber.wait(lambda: session.id in subscriber.state and subscriber.state[session.id]["missed"] > 0, 30)
    got = subscriber.state.get(session.id, {})
    check(got.get("missed") == count - 100, f"beyond the backlog {got.get('missed')} of {count} are left out, and the state says so")
    check("left out" in server.log() and "the broker is away" in server.log(), "and the log")
    # The bridge may have been back before the subscriber was.
    subscriber.client.publish(f"fuse/{session.id}/resume", json.dumps({"from": count - 100}), qos=1)
    newest = range(count - 100, count)
    check(subscriber.wait(lambda: set(newest) <= set(subscriber.lines.get(session.id, {}))), "the newest 100 are sent")
    subscriber.client.publish(f"fuse/{session.id}/resume", json.dumps({"from": 0}), qos=1)
    check(subscriber.wait(lambda: len(subscriber.lines[session.id]) == count) and bytes_of(subscriber.lines[session.id]) == expected[0], "and all of them to who asks")
    server.stop()
    subscriber.stop()
    broker.kill()


def encrypted(folder, scratch):
    certificate, key = scratch / "broker.pem", scratch / "broker-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", key, "-out", certificate, "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    broker = Broker(scratch, (certificate, key))
    address = f"mqtts://fuse:p%40ss%2Fword@localhost:{broker.port}/fuse"
    server = Server(scratch, *FAST, "--mqtt-ca", str(certificate), environment={"FUSE_MQTT": address})
    subscriber = Subscriber(broker.port, certificate)
    expected = run(folder, scratch / "run")
    header, lines = stream(folder)
    session = server.client().create(header)
    for batch in batches(lines):
        session.send(batch)
    session.finish()
    count = expected[0].count(b"\n")
    subscriber.wait(lambda: len(subscriber.lines.get(session.id, {})) == count, 60)
    check(bytes_of(subscriber.lines.get(session.id, {})) == expected[0], f"over TLS with an account ({count})")
    server.stop()
    check("p@ss" not in server.log() and "p%40ss" not in server.log(), "no password in the log")
    subscriber.stop()
    for name, text, options in [("another password", address.replace("p%40ss", "wrong"), ("--mqtt-ca", str(certificate))), ("a certificate that nobody trusts", address, ())]:
        shutil.rmtree(scratch / "data")
        (scratch / "server.log").unlink()
        server = Server(scratch, *FAST, *options, environment={"FUSE_MQTT": text})
        deadline = time.monotonic() + 10
        while "the broker is away" not in server.log() and time.monotonic() < deadline:
            time.sleep(0.1)
        check("the broker is away" in server.log(), f"{name}: " + next((line for line in server.log().splitlines() if "away" in line), "")[-220:])
        check(server.client().connection() is not None and server.stop() == 0, f"{name}: the service serves, and ends")
    broker.kill()


def mqtt(chosen, scratch):
    folder = (chosen or recordings())[0]
    for act in (lambda: same_bytes(chosen or recordings(), scratch, True), lambda: through_broker(folder, scratch), lambda: encrypted(folder, scratch)):
        act()
        shutil.rmtree(scratch)
        scratch.mkdir()
