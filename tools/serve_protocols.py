"""What the service speaks: TLS and its certificates, HTTP/2, Host, tokens and their sessions, one stream for all, metrics."""
import hashlib
import http.client
import importlib.util
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

from serving import SERVE, Server, batches, check, stream

OPERATOR, PHONES, LAB = "operator-secret-0001", "phones-secret-0001", "lab-secret-00000001"


def certificate(folder, name):
    pair = folder / f"{name}.pem", folder / f"{name}-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", pair[1], "-out", pair[0],
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    return pair


def call(server, method, path, body=None, token=None, headers=()):
    connection = server.client().connection(timeout=30)
    try:
        connection.request(method, path, body, {**dict(headers), **({"Authorization": "Bearer " + token} if token else {})})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        connection.close()


def raw(server, text):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(text)
        return connection.recv(400)


def hosts(scratch):
    server = Server(scratch)
    rest = b" HTTP/1.1\r\n%s\r\n"
    for name, target, fields, status in [
        ("one Host", b"/healthz", b"Host: localhost\r\n", b" 200 "), ("two Hosts", b"/healthz", b"Host: localhost\r\nHost: localhost\r\n", b" 400 "),
        ("two Hosts, the second foreign", b"/healthz", b"Host: localhost\r\nHost: evil.example\r\n", b" 400 "), ("no Host", b"/healthz", b"", b" 400 "),
        ("a list of Hosts", b"/healthz", b"Host: localhost, evil.example\r\n", b" 400 "), ("an empty Host", b"/healthz", b"Host: \r\n", b" 400 "),
        ("its own address as the target", b"http://localhost/healthz", b"Host: localhost\r\n", b" 200 "),
        ("another host in the target", b"http://evil.example/healthz", b"Host: localhost\r\n", b" 400 "),
        ("a user in the target", b"http://localhost@evil.example/healthz", b"Host: localhost\r\n", b" 400 "),
        ("another scheme", b"ftp://localhost/healthz", b"Host: localhost\r\n", b" 400 "), ("a foreign Host", b"/healthz", b"Host: evil.example\r\n", b" 421 "),
    ]:
        got = raw(server, b"GET " + target + rest % fields)
        check(status in got[:20], f"{name}: {got[:20]!r}")
    status, _, _ = call(server, "GET", "/v1/sessions")
    check(status == 403, f"without a token no list of sessions: {status}")
    check(call(server, "GET", "/metrics")[0] == 200, "and open metrics")
    check(server.stop() == 0, "ends by SIGTERM")
    for address in ("0.0.0.0", "::"):
        done = subprocess.run([SERVE, "serve", "--host", address, "--data", scratch / "refused", "--port", "0"], capture_output=True, text=True, timeout=20)
        check(done.returncode == 2 and "--auth-token" in done.stderr and not (scratch / "refused").exists(), f"--host {address} without a token: {done.stderr.strip()[:120]}")


def served(server):
    """The name in the certificate that a new connection gets."""
    text = ssl.get_server_certificate(("127.0.0.1", server.port))
    done = subprocess.run(["openssl", "x509", "-noout", "-subject"], input=text, capture_output=True, text=True)
    return done.stdout.strip().rsplit("=", 1)[1].strip()


def hang_up(server):
    server.process.send_signal(signal.SIGHUP)
    time.sleep(0.7)


def tls(folder, scratch):
    first, second = certificate(scratch, "first"), certificate(scratch, "second")
    now = scratch / "certificate.pem", scratch / "key.pem"
    for source, target in zip(first, now):
        shutil.copy(source, target)
    header, lines = stream(folder)
    server = Server(scratch, "--tls-certificate", now[0], "--tls-key", now[1])
    server.ca, server.address = str(now[0]), server.address.replace("http:", "https:")
    for version, good in [(ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
        try:
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection, context.wrap_socket(connection) as wrapped:
                got = wrapped.version()
        except (ssl.SSLError, OSError) as error:
            got = None
        check(bool(got) == good, f"{version.name}: {'taken' if got else 'refused'}")
    for flag, version in [("--http2", "2"), ("--http1.1", "1.1")]:
        done = subprocess.run(["curl", "-s", flag, "--cacert", now[0], "-o", "/dev/null", "-w", "%{http_version} %{http_code}", f"https://localhost:{server.port}/healthz"], capture_output=True, text=True)
        check(done.stdout == f"{version} 200", f"HTTP/{version}: {done.stdout}")
    session = server.client().create(header)
    for batch in batches(lines, 300)[:4]:
        session.send(batch)
    kept = server.client().connection(timeout=30)
    kept.request("GET", "/healthz")
    kept.getresponse().read()
    check(served(server) == "first", "the certificate is the first")
    for source, target in zip(second, now):
        shutil.copy(source, target)
    hang_up(server)
    check(served(server) == "second", "after SIGHUP new connections have the second")
    kept.request("GET", "/healthz")
    check(kept.getresponse().read() == b"ok\n", "the one from before goes on")
    kept.close()
    now[0].write_text("no certificate")
    hang_up(server)
    check(served(server) == "second" and "those of before stay" in server.log(), "what is no certificate is said, and the second stays")
    shutil.copy(first[0], now[0])  # with the key of the second
    hang_up(server)
    check(served(server) == "second", "a key of another certificate is not taken")
    shutil.copy(second[0], now[0])
    pages(server, session)
    session.finish()
    expected = session.get("updates.jsonl")
    got = subprocess.run(["curl", "-sN", "--http2", "--cacert", now[0], "-H", "Authorization: Bearer " + session.read, f"https://localhost:{server.port}{session.path}/updates"],
                         capture_output=True, timeout=60).stdout
    read = b"".join(line[6:] + b"\n" for line in got.split(b"\n") if line.startswith(b"data: {\"timestamp\""))
    check(read == expected and len(read) > 1000, f"updates over HTTP/2 are those of the file: {len(read)} bytes")
    check(server.stop() == 0, "ends by SIGTERM")


def pages(server, session, count=10):
    """More pages than a browser opens connections of HTTP/1.1, all live."""
    if not importlib.util.find_spec("playwright") or not any(map(shutil.which, ("chromium", "chromium-browser"))):
        return print(f"skipped: {count} pages need Chromium and playwright")
    from playwright.sync_api import sync_playwright
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=["--no-sandbox"])
        context = browser.new_context(ignore_https_errors=True)
        live, began = 0, time.monotonic()
        opened = [context.new_page() for _ in range(count)]
        for page in opened:
            with page.expect_response(lambda response: "/updates" in response.url, timeout=15000) as answer:
                page.goto(f"https://localhost:{server.port}/s/{session.id}#{session.read}", timeout=15000)
            live += answer.value.status == 200
        check(live == count, f"{live} of {count} pages of one browser have their stream, after {time.monotonic() - began:.1f} s")
        browser.close()


def tokens(folder, scratch):
    file = scratch / "tokens.json"
    entries = [{"name": "chief", "sha256": hashlib.sha256(OPERATOR.encode()).hexdigest(), "operator": True},
               {"name": "phones", "token": PHONES, "sessions": 2, "eventsPerSecond": 1000}]
    file.write_text(json.dumps({"tokens": entries}))
    header, lines = stream(folder)
    server = Server(scratch, "--tokens", file, "--idle", "60")
    check(call(server, "POST", "/v1/sessions", header)[0] == 401, "no token, no session")

    def client(token):
        made = server.client()
        made.token = token
        return made

    own = [client(PHONES).create(header) for _ in range(2)]
    status, text, headers = call(server, "POST", "/v1/sessions", header, PHONES)
    check(status == 429 and headers.get("Fuse-Refused") == "quota", f"a third session of a token for two: {status} {text.decode()[:80]}")
    other = client(OPERATOR).create(header)
    refused = 0
    for k, batch in enumerate(batches(lines, 400)):
        status, _, headers = own[0].caller.once("POST", f"{own[0].path}/events?seq={own[0].next}", batch)
        if status != 200:
            refused = status
            break
        own[0].next += 1
    check(refused == 429, f"measurements a second of a token: {refused}")
    ids = lambda token: sorted(one["id"] for one in json.loads(call(server, "GET", "/v1/sessions", token=token)[1])["sessions"])
    check(ids(PHONES) == sorted(session.id for session in own), "a token lists its sessions")
    check(ids(OPERATOR) == sorted([other.id] + [session.id for session in own]), "an operator's lists all")
    part = json.loads(call(server, "GET", "/v1/sessions?limit=2", token=OPERATOR)[1])
    rest = json.loads(call(server, "GET", f"/v1/sessions?limit=2&after={part['next']}", token=OPERATOR)[1])
    check(len(part["sessions"]) == 2 and len(rest["sessions"]) == 1 and rest["next"] is None, "in parts")
    check(call(server, "GET", own[0].path, token=OPERATOR)[0] == 200 and call(server, "GET", other.path, token=PHONES)[0] == 404, "and reads them; another's stay closed")
    for token, status in [(None, 401), ("x", 401), (PHONES, 403), (OPERATOR, 200)]:
        got = call(server, "GET", "/metrics", token=token)[0]
        check(got == status, f"/metrics with {'no' if token is None else 'a'} token: {got}")
    entries.append({"name": "lab", "token": LAB})
    file.write_text(json.dumps({"tokens": entries}))
    hang_up(server)
    check(call(server, "POST", "/v1/sessions", header, LAB)[0] == 201, "a token that was added, after SIGHUP")
    file.write_text("{")
    hang_up(server)
    check(call(server, "GET", "/v1/sessions", token=LAB)[0] == 200, "a file with a fault changes nothing")
    file.write_text(json.dumps({"tokens": entries}))
    together(server, client, header, lines)
    metrics(call(server, "GET", "/metrics", token=OPERATOR)[1].decode())
    owned = server.client().resume(own[1].saved)
    server.kill()
    server.start()
    listed = {one["id"]: one["owner"] for one in json.loads(call(server, "GET", "/v1/sessions", token=OPERATOR)[1])["sessions"]}
    check(listed.get(owned.id) == "phones" and listed.get(other.id) == "chief", "owners are known after kill -9")
    check(call(server, "DELETE", owned.path, token=PHONES)[0] == 204, "an owner's token ends its session")
    log = server.log()
    check(not any(secret in log for secret in (OPERATOR, PHONES, LAB)), "no token in the log")
    check(server.stop() == 0, "ends by SIGTERM")


def metrics(text):
    names = set(re.findall(r"^(\w+?)(?:_bucket|_sum|_count)?(?:\{| )", text, re.M)) - {""}
    described = set(re.findall(r"^# HELP (\w+) \S", text, re.M)) & set(re.findall(r"^# TYPE (\w+) ", text, re.M))
    wanted = {"fuse_update_seconds", "fuse_acknowledgement_seconds", "fuse_refusals_total", "process_open_fds", "process_resident_memory_bytes", "process_threads"}
    check(wanted <= described and all(name in described or name.rsplit("_", 1)[0] in described for name in names), f"{len(described)} families with HELP and TYPE")
    check(not re.search(r"[0-9a-f]{32}", text), "no id in them")
    if not importlib.util.find_spec("prometheus_client"):
        return print("left out   the parser of Prometheus: pip install prometheus-client")
    from prometheus_client.parser import text_string_to_metric_families
    families = {family.name: family for family in text_string_to_metric_families(text)}
    samples = families["fuse_update_seconds"].samples
    buckets = [sample.value for sample in samples if sample.name.endswith("_bucket")]
    count = next(sample.value for sample in samples if sample.name.endswith("_count"))
    check(buckets == sorted(buckets) and buckets[-1] == count > 0, f"Prometheus' parser reads {len(families)} families; {count:.0f} updates in the histogram")
    reasons = {sample.labels["reason"]: sample.value for sample in families["fuse_refusals"].samples}
    check(reasons.get("quota") == 1 and reasons.get("token", 0) >= 3 and reasons.get("rate", 0) >= 1, f"refusals by reason: {reasons}")


class Feed:
    """A reader of /v1/updates; what it got, by session, in order."""

    def __init__(self, server, token, last=None):
        self.lines, self.last, self.missed = {}, last, []
        self.connection = server.client().connection(timeout=30)
        headers = {"Authorization": "Bearer " + token, **({"Last-Event-ID": last} if last else {})}
        self.connection.request("GET", "/v1/updates", headers=headers)
        self.answer = self.connection.getresponse()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        event = b""
        try:
            while line := self.answer.readline():
                if line.startswith(b"id: "):
                    name = line[4:].decode().strip()
                elif line.startswith(b"event: "):
                    event = line[7:].strip()
                elif line.startswith(b"data: ") and event == b"update":
                    session, index = name.split(":")
                    content = line[6:].strip()
                    assert content.startswith(b'{"session":"' + session.encode() + b'","update":')
                    self.lines.setdefault(session, []).append((int(index), content[len(session) + 23:-1]))
                    self.last = name
                elif line.startswith(b"data: ") and event == b"missed":
                    self.missed.append(line[6:].strip())
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass

    def close(self):
        try:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self.thread.join(10)


def together(server, client, header, lines):
    """One stream for the sessions of a token, broken off in its midst and resumed."""
    feed, parts = Feed(server, LAB), batches(lines, 60)
    sessions = [client(LAB).create(header) for _ in range(3)]
    half = len(parts) // 2
    for part in parts[:half]:
        for session in sessions:
            session.send(part)
    time.sleep(1)
    feed.close()
    for part in parts[half:]:
        for session in sessions:
            session.send(part)
    for session in sessions:
        session.finish()
    again = Feed(server, LAB, feed.last)
    time.sleep(2)
    again.close()
    good = True
    for session in sessions:
        got = feed.lines.get(session.id, []) + again.lines.get(session.id, [])
        expected = session.get("updates.jsonl").splitlines()
        good = good and [index for index, _ in got] == list(range(len(expected))) and [line for _, line in got] == expected
    check(good and len(feed.lines) == 3 and not again.missed, f"one stream of three sessions, resumed: all {sum(map(len, feed.lines.values()))} and {sum(map(len, again.lines.values()))} updates, each once, in order")
    others = set(feed.lines) | set(again.lines)
    check(others == {session.id for session in sessions}, "none of another token's")


def protocols(folder, scratch):
    for name, part in [("hosts", lambda own: hosts(own)), ("tls", lambda own: tls(folder, own)), ("tokens", lambda own: tokens(folder, own))]:
        own = scratch / name
        own.mkdir()
        part(own)
