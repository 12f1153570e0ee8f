#!/usr/bin/env python3
"""Recordings with one wrong thing about their set-up, and the page that says what a run makes of them.

    tools/faults.py list                            the faults: name, family, what is wrong
    tools/faults.py make <recording> <out> [name ...]   copies with one fault each, under <out>/<name>
    tools/faults.py run <fuse> <recording> <out> [name ...] [--shared <setup-faults>]
                                                    makes, runs and judges each; a JSON line a fault, to the standard output
    tools/faults.py conclusion <lines>  two sentences about them, to the standard output
    tools/faults.py page <lines>                    the page, to the standard output
    tools/faults.py details <lines>                 the table of all runs, to the standard output

A fault keeps what is true (ground truth, the device's axes) and changes what the recording says. `tools/update-faults` calls these.
"""
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

IMU, CAM, UWB, TRUTH = "mav0/imu0/data.csv", "mav0/cam0", "mav0/uwb0/data.csv", "mav0/state_groundtruth_estimate0/data.csv"
FAULTS = {}


def fault(name, family, text, *arguments):
    """Registers a function of a folder and of `arguments` as a fault."""
    def keep(function):
        FAULTS[name] = (family, text, lambda folder: function(folder, *arguments))
        return function
    return keep


# Tables.

def read(path):
    rows = open(path).read().splitlines()
    return rows[0], [row.split(",") for row in rows[1:] if row.strip()]


def write(path, header, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join([header] + [",".join(row) for row in rows]) + "\n")


def change(path, row, unitless=False):
    header, rows = read(path)
    changed = [row(index, cells) for index, cells in enumerate(rows)]
    write(path, re.sub(r" ?\[[^]]*\]", "", header) if unitless else header, [cells for cells in changed if cells])


def column(path, name):
    return [cell.split("[")[0].strip(" #") for cell in read(path)[0].split(",")].index(name)


def number(value):
    return f"{value:.9g}"


def inertial(folder, gyroscope=lambda w: w, accelerometer=lambda a: a, unitless=False):
    def row(_, cells):
        w, a = ([float(cell) for cell in cells[k:k + 3]] for k in (1, 4))
        return [cells[0]] + [number(x) for x in (*gyroscope(w), *accelerometer(a))]
    change(f"{folder}/{IMU}", row, unitless)


def features(folder, pixel):
    path = f"{folder}/{CAM}/features.csv"

    def row(_, cells):
        u, v = pixel(float(cells[2]), float(cells[3]))
        return cells[:2] + [f"{u:.4f}", f"{v:.4f}"] + cells[4:]
    change(path, row)


def ranges(folder, value, unitless=False):
    path = f"{folder}/{UWB}"
    k = column(path, "range")
    change(path, lambda i, cells: cells[:k] + [f"{value(float(cells[k]), i):.6f}"] + cells[k + 1:], unitless)


def shift(folder, sensor, seconds):
    nanoseconds = round(seconds * 1e9)
    for name in os.listdir(f"{folder}/mav0/{sensor}"):
        if name.endswith(".csv"):
            change(f"{folder}/mav0/{sensor}/{name}", lambda _, cells: [str(int(cells[0]) + nanoseconds)] + cells[1:])


# Calibration.

def text(path):
    return open(path).read()


def put(path, content):
    open(path, "w").write(content)


def values(path, key):
    return [float(x) for x in re.search(key + r": \[([^\]]*)\]", text(path)).group(1).split(",")]


def put_values(path, key, new):
    put(path, re.sub(key + r": \[[^\]]*\]", f"{key}: [" + ", ".join(number(x) for x in new) + "]", text(path), count=1))


def matrix(path):
    flat = values(path, "data")
    return [flat[4 * i:4 * i + 4] for i in range(4)]


def put_matrix(path, m):
    put_values(path, "data", [x for row in m for x in row])


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def transposed(m):
    return [list(row) for row in zip(*m)]


def about(axis, degrees):
    """A rotation, 4 x 4."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    m = [[float(r == k) for k in range(4)] for r in range(4)]
    m[i][i], m[i][j], m[j][i], m[j][j] = c, -s, s, c
    return m


def hold_device(folder):
    """Writes down the device's true axes, before the camera's are falsified."""
    path = f"{folder}/dataset.yaml"
    content = text(path) if os.path.exists(path) else ""
    if "device_T_BS" in content:
        return
    flip = [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]
    m = product(matrix(f"{folder}/{CAM}/sensor.yaml"), flip)
    for row in m[:3]:
        row[3] = 0.0
    put(path, content + "\ndevice_T_BS: [" + ", ".join(number(x) for row in m for x in row) + "]\n")


# Quaternions, Hamilton, w first.

def times(a, b):
    (w, x, y, z), (s, t, u, v) = a, b
    return [w * s - x * t - y * u - z * v, w * t + x * s + y * v - z * u, w * u - x * v + y * s + z * t, w * v + x * u - y * t + z * s]


def conjugate(q):
    return [q[0], -q[1], -q[2], -q[3]]


def turned(q, p):
    return times(times(q, [0, *p]), conjugate(q))[1:]


def odometry(folder, pose, inertial_unit=False, delay=0.0):
    """The truth as another tracker's poses, 50 a second, each through `pose(p, q)`; without IMU and camera unless kept."""
    rows, next_time = [], 0
    for cells in read(f"{folder}/{TRUTH}")[1]:
        if int(cells[0]) < next_time:
            continue
        next_time = int(cells[0]) + 19_000_000
        p, q = ([float(x) for x in cells[i:j]] for i, j in ((1, 4), (4, 8)))
        rows.append([str(int(cells[0]) + round(delay * 1e9))] + [f"{x:.9f}" for x in pose(p, q)])
    for sensor in ("cam0", "cam1") if inertial_unit else ("imu0", "cam0", "cam1"):
        if sensor == "cam0" and os.path.isdir(f"{folder}/{CAM}"):
            hold_device(folder)
        shutil.rmtree(f"{folder}/mav0/{sensor}", ignore_errors=True)
    header = "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []"
    write(f"{folder}/mav0/odometry0/data.csv", header, rows)
    put(f"{folder}/mav0/odometry0/sensor.yaml", "sensor_type: odometry\nrate_hz: 50\nposition_random_walk: 0.01\nyaw_random_walk: 0.003\n")


# Inertial unit.

def swapped(v):
    return [v[1], v[0], v[2]]


def clipped(limit):
    return lambda v: [min(max(x, -limit), limit) for x in v]


def scaled(factor):
    return lambda v: [factor * x for x in v]


for name, what, factor in (("1.1-times", "a tenth too large", 1.1), ("0.85-times", "15 % too small", 0.85), ("2-times", "twice too large", 2.0)):
    fault(f"gyroscope-{name}", "imu", f"gyroscope {what}", scaled(factor))(lambda f, g: inertial(f, gyroscope=g))
    fault(f"accelerometer-{name}", "imu", f"accelerometer {what}", scaled(factor))(lambda f, g: inertial(f, accelerometer=g))
fault("gyroscope-degrees", "imu", "gyroscope in degrees per second, no unit", scaled(180 / math.pi))(
    lambda f, g: inertial(f, gyroscope=g, unitless=True))
fault("accelerometer-cm", "imu", "accelerometer in cm/s^2, no unit", scaled(100.0))(
    lambda f, g: inertial(f, accelerometer=g, unitless=True))
fault("accelerometer-saturated", "imu", "accelerometer saturated at +-10 m/s^2", clipped(10.0))(
    lambda f, g: inertial(f, accelerometer=g))
fault("gyroscope-saturated", "imu", "gyroscope saturated at +-0.5 rad/s", clipped(0.5))(lambda f, g: inertial(f, gyroscope=g))
fault("gyroscope-negated", "imu", "gyroscope with the opposite sign", scaled(-1))(lambda f, g: inertial(f, gyroscope=g))
fault("gyroscope-z-negated", "imu", "one axis of the gyroscope with the opposite sign", lambda v: [v[0], v[1], -v[2]])(
    lambda f, g: inertial(f, gyroscope=g))
fault("accelerometer-axes", "imu", "x and y of the accelerometer swapped", swapped)(lambda f, g: inertial(f, accelerometer=g))
fault("imu-left-handed", "imu", "x and y of the whole inertial unit swapped", swapped)(
    lambda f, g: inertial(f, gyroscope=g, accelerometer=g))
fault("gyroscope-offset", "imu", "gyroscope with an offset of 0.3 rad/s on one axis", lambda v: [v[0] + 0.3, v[1], v[2]])(
    lambda f, g: inertial(f, gyroscope=g))
fault("accelerometer-offset", "imu", "accelerometer with an offset of 3 m/s^2 on one axis", lambda v: [v[0] + 3, v[1], v[2]])(
    lambda f, g: inertial(f, accelerometer=g))
for name, seconds in (("late-50ms", 0.05), ("early-30ms", -0.03), ("late-300ms", 0.3)):
    fault(f"imu-{name}", "imu", f"inertial unit stamped {name.replace('-', ' ')}", seconds)(lambda f, s: shift(f, "imu0", s))


@fault("gravity-removed", "imu", "user acceleration: gravity taken off")
def gravity_removed(folder):
    truth = [(int(c[0]), [float(x) for x in c[4:8]]) for c in read(f"{folder}/{TRUTH}")[1]]
    state = {"k": 0}

    def row(_, cells):
        while state["k"] + 1 < len(truth) and truth[state["k"] + 1][0] <= int(cells[0]):
            state["k"] += 1
        up = turned(conjugate(truth[state["k"]][1]), [0, 0, 9.81])
        return cells[:4] + [number(float(x) - g) for x, g in zip(cells[4:7], up)]
    change(f"{folder}/{IMU}", row)


# Camera.

def mount(folder, axis, degrees):
    hold_device(folder)
    path = f"{folder}/{CAM}/sensor.yaml"
    put_matrix(path, product(matrix(path), about(axis, degrees)))


for name, axis, degrees in (("10-pitch", 0, 10), ("10-yaw", 1, -10), ("90-roll", 2, 90), ("180-roll", 2, 180), ("5-roll", 2, 5)):
    fault(f"camera-mount-{name}", "camera", f"T_BS of the camera {name.replace('-', ' degrees of ')} off", axis, degrees)(mount)
for name, seconds in (("early-40ms", -0.04), ("late-60ms", 0.06), ("late-200ms", 0.2), ("late-1s", 1.0)):
    fault(f"camera-{name}", "camera", f"camera stamped {name.replace('-', ' ')}", seconds)(lambda f, s: shift(f, "cam0", s))


@fault("camera-mount-inverse", "camera", "T_BS of the camera is its inverse")
def mount_inverse(folder):
    hold_device(folder)
    path = f"{folder}/{CAM}/sensor.yaml"
    m = matrix(path)
    r = transposed([row[:3] for row in m[:3]])
    # A camera that is mounted along the body's axes is its own inverse: then the lesser confusion, of the optical axes.
    same = max(abs(r[i][j] - m[i][j]) for i in range(3) for j in range(3)) < 0.1
    put_matrix(path, about(0, -90) if same else [r[i] + [0.0] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]])


def intrinsics(folder, update):
    path = f"{folder}/{CAM}/sensor.yaml"
    put_values(path, "intrinsics", update(values(path, "intrinsics")))


fault("focal-length-1.3", "camera", "focal length 30 % too long", lambda v: [1.3 * v[0], 1.3 * v[1], v[2], v[3]])(intrinsics)
fault("focal-length-0.8", "camera", "focal length 20 % too short", lambda v: [0.8 * v[0], 0.8 * v[1], v[2], v[3]])(intrinsics)
fault("intrinsics-half", "camera", "intrinsics of half the resolution", lambda v: [0.5 * x for x in v])(intrinsics)
fault("principal-point", "camera", "principal point 120 pixels off", lambda v: [v[0], v[1], v[2] + 120, v[3]])(intrinsics)


@fault("lens-ignored", "camera", "features of a lens of 0.3 radial distortion, stated as none")
def lens_ignored(folder):
    path = f"{folder}/{CAM}/sensor.yaml"
    fx, fy, cx, cy = values(path, "intrinsics")

    def bent(u, v):
        x, y = (u - cx) / fx, (v - cy) / fy
        r = 1 - 0.3 * (x * x + y * y) + 0.1 * (x * x + y * y) ** 2
        return fx * x * r + cx, fy * y * r + cy
    features(folder, bent)


def resolution(folder):
    return values(f"{folder}/{CAM}/sensor.yaml", "resolution")


@fault("features-u-mirrored", "camera", "the image mirrored left to right, as of a front camera")
def mirrored(folder):
    width = resolution(folder)[0]
    features(folder, lambda u, v: (width - 1 - u, v))


@fault("features-swapped", "camera", "columns u and v exchanged")
def exchanged(folder):
    features(folder, lambda u, v: (v, u))


@fault("features-normalised", "camera", "features in normalised coordinates")
def normalised(folder):
    fx, fy, cx, cy = values(f"{folder}/{CAM}/sensor.yaml", "intrinsics")
    features(folder, lambda u, v: ((u - cx) / fx, (v - cy) / fy))


@fault("features-half", "camera", "features of an image of half the size")
def halved(folder):
    features(folder, lambda u, v: (u / 2, v / 2))


@fault("features-noisy", "camera", "features that err by 5 pixels, stated as before")
def noisy(folder):
    draw = random.Random(9)
    features(folder, lambda u, v: (u + draw.gauss(0, 5), v + draw.gauss(0, 5)))


# Radio.

fault("range-centimetres", "radio", "ranges in centimetres, no unit", 100.0)(lambda f, s: ranges(f, lambda r, i: s * r, True))
fault("range-feet", "radio", "ranges in feet, no unit", 3.28084)(lambda f, s: ranges(f, lambda r, i: s * r, True))
fault("range-round-trip", "radio", "ranges of the round trip: twice too long", 2.0)(lambda f, s: ranges(f, lambda r, i: s * r))
for name, bias in (("0.6-short", -0.6), ("1.5-long", 1.5), ("3-long", 3.0)):
    fault(f"range-{name}", "radio", f"every range {name.replace('-', ' m too ')}", bias)(
        lambda f, b: ranges(f, lambda r, i: max(r + b, 0)))
for name, seconds in (("late-0.5s", 0.5), ("early-0.7s", -0.7), ("late-2s", 2.0)):
    fault(f"radio-{name}", "radio", f"ranges stamped {name.replace('-', ' ')}", seconds)(lambda f, s: shift(f, "uwb0", s))


@fault("range-frozen", "radio", "the radio repeats its reading of the tenth second for ever")
def frozen(folder):
    header, rows = read(f"{folder}/{UWB}")
    k, peer = column(f"{folder}/{UWB}", "range"), column(f"{folder}/{UWB}", "peer_id")
    start, kept = int(rows[0][0]), {}
    for cells in rows:
        if int(cells[0]) - start > 10_000_000_000 and cells[peer] in kept:
            cells[k] = kept[cells[peer]]
        kept[cells[peer]] = cells[k]
    write(f"{folder}/{UWB}", header, rows)


@fault("range-inverted", "radio", "ranges that shorten where they should grow")
def inverted(folder):
    path = f"{folder}/{UWB}"
    k = column(path, "range")
    middle = sorted(float(cells[k]) for cells in read(path)[1])[len(read(path)[1]) // 2]
    ranges(folder, lambda r, i: max(2 * middle - r, 0.05))


# Odometry.

X_UP = [math.sqrt(0.5), math.sqrt(0.5), 0, 0]


@fault("odometry-y-down", "odometry", "poses in a world with y down, as of a camera's first frame, no inertial unit")
def y_down(folder):
    odometry(folder, lambda p, q: [*turned(X_UP, p), *times(X_UP, q)])


@fault("odometry-y-down-imu", "odometry", "poses in a world with y down, inertial unit beside them")
def y_down_imu(folder):
    odometry(folder, lambda p, q: [*turned(X_UP, p), *times(X_UP, q)], inertial_unit=True)


@fault("odometry-inverse", "odometry", "poses of the world in the body instead of the body in the world")
def inverse(folder):
    odometry(folder, lambda p, q: [*(-x for x in turned(conjugate(q), p)), *conjugate(q)])


@fault("odometry-conjugate-imu", "odometry", "quaternions conjugated, inertial unit beside them")
def conjugated(folder):
    odometry(folder, lambda p, q: [*p, *conjugate(q)], inertial_unit=True)


@fault("odometry-camera-axes-imu", "odometry", "attitudes of the camera, stated as the body's, inertial unit beside them")
def camera_axes(folder):
    turn = times([math.sqrt(0.5), -math.sqrt(0.5), 0, 0], [math.sqrt(0.5), 0, math.sqrt(0.5), 0])
    odometry(folder, lambda p, q: [*p, *times(q, turn)], inertial_unit=True)


fault("odometry-scale-1.5", "odometry", "positions 1.5 times too large, as of a camera alone", 1.5)(
    lambda f, s: odometry(f, lambda p, q: [*(s * x for x in p), *q]))
fault("odometry-scale-0.5", "odometry", "positions half as large", 0.5)(
    lambda f, s: odometry(f, lambda p, q: [*(s * x for x in p), *q]))
fault("odometry-centimetres", "odometry", "positions in centimetres", 100.0)(
    lambda f, s: odometry(f, lambda p, q: [*(s * x for x in p), *q]))
fault("odometry-mirrored", "odometry", "a left-handed world: y mirrored, positions only", 1)(
    lambda f, s: odometry(f, lambda p, q: [p[0], -p[1], p[2], *q]))
fault("odometry-mirrored-imu", "odometry", "y of the positions negated, inertial unit beside them", 1)(
    lambda f, s: odometry(f, lambda p, q: [p[0], -p[1], p[2], *q], inertial_unit=True))
fault("odometry-swapped-imu", "odometry", "x and y of the positions swapped, inertial unit beside them", 1)(
    lambda f, s: odometry(f, lambda p, q: [p[1], p[0], p[2], *q], inertial_unit=True))
fault("odometry-inverse-positions-imu", "odometry", "positions of the world in the body, attitudes of the body in the world, inertial unit beside them", 1)(
    lambda f, s: odometry(f, lambda p, q: [*(-x for x in turned(conjugate(q), p)), *q], inertial_unit=True))
fault("odometry-late-0.4s-imu", "odometry", "poses stamped 0.4 s late, inertial unit beside them", 0.4)(
    lambda f, s: odometry(f, lambda p, q: [*p, *q], inertial_unit=True, delay=s))


# Time.

def every_stamp(folder, stamp):
    for sensor in os.listdir(f"{folder}/mav0"):
        for name in os.listdir(f"{folder}/mav0/{sensor}"):
            if name.endswith(".csv"):
                change(f"{folder}/mav0/{sensor}/{name}", lambda _, cells: [str(stamp(int(cells[0])))] + cells[1:])


fault("time-milliseconds", "time", "all stamps in milliseconds", 1_000_000)(lambda f, s: every_stamp(f, lambda t: t // s))


@fault("time-imu-microseconds", "time", "stamps of the inertial unit in microseconds, the others in nanoseconds")
def imu_microseconds(folder):
    change(f"{folder}/{IMU}", lambda _, cells: [str(int(cells[0]) // 1000)] + cells[1:])


# Runs.

NEEDS = {"imu": IMU, "camera": f"{CAM}/features.csv"}


def makes(recording, name):
    family = FAULTS[name][0]
    needed = [NEEDS[family]] if family in NEEDS else []
    if name.endswith("-imu") or name.startswith("time-imu"):
        needed.append(IMU)
    return all(os.path.exists(f"{recording}/{path}") for path in needed)


def make(recording, out, name):
    folder = f"{out}/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(recording, folder)
    FAULTS[name][2](folder)
    return folder


SHARED_FAMILIES = ("imu", "camera", "radio", "odometry", "time")


def shared(tool):
    """The faults of another tool: name to family and text."""
    lines = subprocess.run([tool, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {cells[0]: (cells[1], " ".join(cells[2:])) for cells in (line.split() for line in lines) if len(cells) > 2}


def judge(fuse, recording, folder, source, name, family, what, own_truth):
    out = folder + "-run"
    shutil.rmtree(out, ignore_errors=True)
    run = subprocess.run([fuse, "run", folder, "-o", out, "--quiet"], capture_output=True, text=True, timeout=600)
    row = {"recording": source, "fault": name, "family": family, "text": what, "exit": run.returncode, "named": []}
    if run.returncode != 0:
        row["message"] = (run.stderr.strip().splitlines() or [""])[-1].replace(folder + "/", "")
    else:
        diagnoses = json.load(open(f"{out}/result.json"))["diagnoses"]
        row["named"] = [[d["code"], d["family"]] for d in diagnoses]
        angles = beyond = gap = 0
        for line in open(f"{out}/updates.jsonl"):
            update = json.loads(line)
            angles += update["peer"] is not None and update["horizontalAngle"] is not None
        verdict = subprocess.run(
            [fuse, "eval", out, "--truth", folder if own_truth else recording, "--no-ideal", "--format", "jsonl", "--quiet"],
            capture_output=True, text=True)
        figures = json.loads(verdict.stdout) if verdict.returncode == 0 and verdict.stdout.strip() else {}
        row |= {
            "angles": angles, "error": figures.get("angleErrorDegrees"), "wrong": figures.get("wrongAngles"),
            "falseConverged": figures.get("falseConverged"), "coverage": figures.get("coverage90"),
            "distanceError": figures.get("distanceError")}
    if family in ("radio", "odometry") and row["exit"] == 0 and (is_confidently_wrong(row) or not is_named(row)):
        import faults_oracle  # needs numpy, which nothing else here does
        row["oracle"] = faults_oracle.ratio(recording, folder, family)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    return row


TELLING = 3.0  # log likelihood ratio of the oracle below which no observer can tell a fault: odds of twenty


def is_confidently_wrong(row):
    return (row.get("falseConverged") or 0) > 0 or (row.get("wrong") or 0) > 0.01


def cannot_be_told(row):
    return row.get("oracle") is not None and row["oracle"] < TELLING


def is_named(row):
    """Camera and inertial unit count as one where only their relation is wrong; a refusal names the file."""
    families = {family for _, family in row["named"]}
    relation = {"imu", "camera"}
    return row["exit"] == 2 or row["family"] in families or (row["family"] in relation and bool(families & relation))


def run(fuse, recording, out, names, tool):
    source = os.path.basename(os.path.normpath(recording))
    tasks = [] if names else [("none", "healthy", "the recording without a fault", None)]
    for name in names or FAULTS:
        if name in FAULTS and makes(recording, name):
            tasks.append((name, FAULTS[name][0], FAULTS[name][1], None))
    if tool:
        for name, (family, what) in shared(tool).items():
            if (not names or name in names) and name not in FAULTS:
                tasks.append((name, family, what, tool))

    def work(task):
        name, family, what, tool = task
        if tool:
            made = subprocess.run([tool, recording, out, name], capture_output=True, text=True)
            if made.returncode != 0 or not os.path.isdir(f"{out}/{name}"):
                return None
            folder = f"{out}/{name}"
        elif name == "none":
            folder = f"{out}/{name}"
            shutil.copytree(recording, folder)
        else:
            folder = make(recording, out, name)
        own_truth = family == "time" and name != "time-imu-microseconds"
        return judge(fuse, recording, folder, source, name, family, what, own_truth)
    with ThreadPoolExecutor(2) as pool:
        for row in pool.map(work, tasks):
            if row:
                print(json.dumps(row), flush=True)


# Pages.

def rows_of(path):
    return [json.loads(line) for line in open(path)]


def wilson(k, n):
    if n == 0:
        return "-"
    z, p = 1.96, k / n
    centre, half = (p + z * z / 2 / n) / (1 + z * z / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n) / (1 + z * z / n)
    return f"{k} of {n} ({100 * p:.0f} % [{100 * max(centre - half, 0):.0f}, {100 * (centre + half):.0f}])"


def page(rows):
    healthy, rows = [row for row in rows if row["family"] == "healthy"], without_healthy(rows)
    lines = ["| family | runs | confidently wrong | named with the right family |", "|---|---|---|---|"]
    for family in (*SHARED_FAMILIES, None):
        some = [row for row in rows if family in (None, row["family"])]
        lines.append(
            f"| {family or 'all'} | {len(some)} | {wilson(sum(map(is_confidently_wrong, some)), len(some))} | "
            f"{wilson(sum(map(is_named, some)), len(some))} |")
    told = [row for row in rows if not cannot_be_told(row)]
    lines.append(f"| all that can be told | {len(told)} | {wilson(sum(map(is_confidently_wrong, told)), len(told))} | {wilson(sum(map(is_named, told)), len(told))} |")
    lines += ["", "Confidently wrong: a false convergence, or more than 1 % of the published angles over 20 degrees off. Oracle: the log likelihood ratio of",
              "an observer that knows the path and the fault, on whether the ranges have it (`tools/faults_oracle.py`), where a fault of radio or",
              f"odometry is wrong or not named. Below {TELLING:.0f} no observer can tell.", ""]
    if healthy:
        lines += ["Without a fault, angles over 20 degrees off: " + ", ".join(f"{row['recording']} {100 * (row.get('wrong') or 0):.1f} %" for row in healthy) + ".", ""]
    wrong = [row for row in rows if is_confidently_wrong(row)]
    if wrong:
        lines += ["| recording | fault | diagnoses | angles | median error, degrees | over 20 degrees | false converged | oracle |", "|---|---|---|---|---|---|---|---|"]
        lines += [cells(row, short=True) for row in wrong]
    return "\n".join(lines)


def without_healthy(rows):
    return [row for row in rows if row["family"] != "healthy"]


def conclusion(rows):
    rows = without_healthy(rows)
    wrong = [row for row in rows if is_confidently_wrong(row)]
    families = sorted({row["family"] for row in wrong}, key=lambda f: -sum(row["family"] == f for row in wrong))
    silent = sum(map(cannot_be_told, wrong))
    first = (f"Of {len(rows)} runs {len(wrong)} are confidently wrong, {silent} of these from ranges that cannot tell the fault, and "
             f"{sum(map(is_named, rows))} are named with the right family.")
    if not wrong:
        return first
    counts = ", ".join(f"{sum(row['family'] == f for row in wrong)} of {f}" for f in families)
    return f"{first} The wrong ones: {counts}."


def cells(row, short=False):
    def figure(key, factor=1.0, digits=1):
        return "-" if row.get(key) is None else f"{factor * row[key]:.{digits}f}"
    named = ", ".join(code for code, _ in row["named"]) or (row.get("message", "") if row["exit"] else "-")
    share = "-" if row.get("wrong") is None else f"{100 * row['wrong']:.1f} %"
    converged = "-" if row.get("falseConverged") is None else f"{100 * row['falseConverged']:.1f} %"
    start = f"| {row['recording']} | {row['fault']} |" if short else f"| {row['recording']} | {row['fault']}: {row['text']} | {row['family']} |"
    return f"{start} {named} | {row.get('angles', '-')} | {figure('error')} | {share} | {converged} | {figure('oracle')} |"


def details(rows):
    head = "| recording | fault | family | diagnoses, or refusal | angles | median error, degrees | over 20 degrees | false converged | oracle |"
    return "\n".join([head, "|---|---|---|---|---|---|---|---|---|"] + [cells(row) for row in rows])


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    command, rest = arguments[0], arguments[1:]
    if command == "list":
        for name, (family, what, _) in FAULTS.items():
            print(f"{name:28} {family:10} {what}")
    elif command == "make":
        for name in rest[2:] or FAULTS:
            if makes(rest[0], name):
                print(make(rest[0], rest[1], name))
    elif command == "run":
        tool = None
        if "--shared" in rest:
            at = rest.index("--shared")
            tool = rest[at + 1]
            del rest[at:at + 2]
        run(rest[0], rest[1], rest[2], rest[3:], tool)
    elif command == "conclusion":
        print(conclusion(rows_of(rest[0])))
    elif command == "page":
        print(page(rows_of(rest[0])))
    elif command == "details":
        print(details(rows_of(rest[0])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
