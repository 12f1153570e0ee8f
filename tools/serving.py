"""What the checks of the live service share: a server of their own, 'fuse run' and 'fuse stream' as the measure, lines of result."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "tools/python/src"))
from fusepy.client import Client  # noqa: E402

BUILT = pathlib.Path(os.environ.get("FUSE_BUILT", HERE / ".build/release"))
FUSE, SERVE = BUILT / "fuse", BUILT / "fuse-serve"
failures = []


def check(good, text, yes="good", no="wrong"):
    """A line of result; `good` is None for what is only told."""
    print(f"{yes if good else '' if good is None else no:<10} {text}".rstrip(), flush=True)
    if good is False:
        failures.append(text)


class Server:
    """A server with a data folder of its own; it can be killed and started again at the same port."""

    def __init__(self, folder, *options, tls=False, environment=None, limits=None, user=None, program=SERVE):
        # Limits of the system, by resource, and another user, for the checks of limits.
        self.limits, self.user, self.program = limits or {}, user, program
        self.folder, self.options, self.port, self.ca = folder, options, 0, None
        self.environment = {**os.environ, **(environment or {})}
        if tls:
            self.ca = str(folder / "certificate.pem")
            key = folder / "key.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", key,
                 "-out", self.ca, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                check=True, capture_output=True)
            self.options += ("--tls-certificate", self.ca, "--tls-key", key)
        self.start()

    def start(self):
        log = open(self.folder / "server.log", "ab")
        for _ in range(100):
            self.process = subprocess.Popen(
                [self.program, "serve", "--data", self.folder / "data", "--port", str(self.port), *self.options], stdout=subprocess.PIPE, stderr=log, text=True, env=self.environment,
                user=self.user, preexec_fn=(lambda: [resource.setrlimit(key, (value, value)) for key, value in self.limits.items()]) if self.limits else None)
            found = re.search(r":(\d+)/", self.process.stdout.readline())
            if found:
                self.port = int(found[1])
                break
            self.process.wait()
            time.sleep(0.1)
        else:
            raise SystemExit("the server does not start: " + (self.folder / "server.log").read_text()[-500:])
        self.address = f"http{'s' if self.ca else ''}://127.0.0.1:{self.port}"

    def client(self, **options):
        return Client(self.address, ca=self.ca, **options)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)

    def cpu(self):
        """Processor time so far, seconds."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Resident memory, now and at most, MB."""
        text = open(f"/proc/{self.process.pid}/status").read()
        return [int(re.search(key + r":\s+(\d+)", text)[1]) / 1024 for key in ("VmRSS", "VmHWM")]

    def log(self):
        return (self.folder / "server.log").read_text(errors="replace")


def recordings():
    data = pathlib.Path(os.environ.get("FUSE_SHARED_DATA", HERE / "../shared/data"))
    found = []
    for root in (HERE / "datasets", data):
        found += [path.parent for path in sorted(root.glob("**/mav0")) if path.is_dir()]
    return found


def run(folder, output, *options):
    """'fuse run', its bytes and its processor time; None where it refuses."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([FUSE, "run", folder, "-o", output, "--quiet", *options], capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None
    return ((output / "updates.jsonl").read_bytes(), (output / "trajectory.tum").read_bytes(),
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def stream(folder):
    """The header and the lines of a recording."""
    lines = subprocess.run([FUSE, "stream", folder], capture_output=True, check=True).stdout
    header, _, rest = lines.partition(b"\n")
    return header, rest.splitlines(keepends=True)


def batches(lines, size=60):
    return [b"".join(lines[k:k + size]) for k in range(0, len(lines), size)]
