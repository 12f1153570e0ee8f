"""Recordings in which one sensor has one fault, for tools/update-fault-matrix. Standard library only; same input, same bytes.

SENSORS are the rows, FAULTS the columns of the matrix. `make(source, target, sensor, fault)` writes a copy; False where the
fault has no meaning for the sensor.
"""
import math
import random
import re
import shutil
from pathlib import Path

SENSORS = ["gyroscope", "accelerometer", "features", "ranges", "odometry"]
FAULTS = [
    "gap 0.5 s", "gap 5 s", "frozen", "saturated", "x 1.1", "x 2", "axes swapped", "negated", "mount off 10 deg",
    "mount off 90 deg", "late 50 ms", "late 0.5 s", "duplicated", "out of order", "noise x 10", "spikes", "offset",
]
# The sensor's file and the first column of its vector, behind the stamp.
FILES = {
    "gyroscope": ("mav0/imu0/data.csv", 1, 3), "accelerometer": ("mav0/imu0/data.csv", 4, 3),
    "features": ("mav0/cam0/features.csv", 2, 2), "ranges": ("mav0/uwb0/data.csv", 2, 1),
    "odometry": ("mav0/odometry0/data.csv", 1, 3),
}
# A reading that is at its limit, ten times the usual noise, a spike, an offset: in the sensor's unit.
LIMIT = {"gyroscope": 0.5, "accelerometer": 10, "features": 0.25, "ranges": None, "odometry": 0.3}
NOISE = {"gyroscope": 0.03, "accelerometer": 0.3, "features": 5, "ranges": 1, "odometry": 0.1}
SPIKE = {"gyroscope": 50, "accelerometer": 500, "features": 150, "ranges": 15, "odometry": 4}
OFFSET = {"gyroscope": 0.2, "accelerometer": 1.5, "features": 30, "ranges": 1, "odometry": None}
FAMILIES = {
    "gyroscope": {"imu", "camera"}, "accelerometer": {"imu", "camera"}, "features": {"camera", "imu"}, "ranges": {"radio"},
    "odometry": {"odometry"},
}
WIDTH, HEIGHT = 640, 480


def read(path):
    lines = Path(path).read_text().splitlines()
    return lines[0], [line.split(",") for line in lines[1:] if line]


def write(path, header, rows):
    Path(path).write_text(header + "\n" + "".join(",".join(row) + "\n" for row in rows))


def odometry_from_truth(folder):
    """Every second true pose as another tracker's; IMU and cameras go."""
    header, rows = read(folder / "mav0/state_groundtruth_estimate0/data.csv")
    header = ",".join(header.split(",")[:8])
    for name in ("imu0", "cam0", "cam1", "odometry0"):
        shutil.rmtree(folder / "mav0" / name, ignore_errors=True)
    (folder / "mav0/odometry0").mkdir()
    write(folder / "mav0/odometry0/data.csv", header, [row[:8] for row in rows[::2]])
    (folder / "mav0/odometry0/sensor.yaml").write_text(
        "T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\nposition_random_walk: 0.01\nyaw_random_walk: 0.003\n")


def keep_device_axes(folder):
    """The device's axes come from cam0 where dataset.yaml says nothing; without a camera they have to be said."""
    path = folder / "dataset.yaml"
    text = path.read_text() if path.exists() else ""
    camera = folder / "mav0/cam0/sensor.yaml"
    if "device_T_BS" in text or not camera.exists():
        return
    m = [float(x) for x in re.search(r"data: \[([^\]]*)\]", camera.read_text()).group(1).split(",")]
    rows = [[m[0], -m[1], -m[2], 0], [m[4], -m[5], -m[6], 0], [m[8], -m[9], -m[10], 0], [0, 0, 0, 1]]
    path.write_text(text + "device_T_BS: [" + ", ".join(f"{x:.12g}" for row in rows for x in row) + "]\n")


def rotated(v, degrees):
    """A vector turned about (1, 1, 0); in the image plane about its middle."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    if len(v) == 2:
        x, y = v[0] - WIDTH / 2, v[1] - HEIGHT / 2
        return [WIDTH / 2 + c * x - s * y, HEIGHT / 2 + s * x + c * y]
    k = [math.sqrt(0.5), math.sqrt(0.5), 0]
    cross = [k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0]]
    dot = sum(a * b for a, b in zip(k, v))
    return [v[i] * c + cross[i] * s + k[i] * dot * (1 - c) for i in range(3)]


def turned(q, degrees):
    """A quaternion w, x, y, z times a rotation about (1, 1, 0)."""
    h = math.radians(degrees) / 2
    a = math.sqrt(0.5) * math.sin(h)
    w, x, y, z = q
    W, X, Y, Z = math.cos(h), a, a, 0
    return [w * W - x * X - y * Y - z * Z, w * X + x * W + y * Z - z * Y, w * Y - x * Z + y * W + z * X,
            w * Z + x * Y - y * X + z * W]


def value_fault(sensor, fault, draw, values):
    """The function of one reading (row number, seconds, vector) that the fault is; None for faults of rows."""
    middle = [WIDTH / 2, HEIGHT / 2] if sensor == "features" else [0] * FILES[sensor][2]
    if sensor == "odometry":
        middle = values[0]
    if fault.startswith("x "):
        factor = float(fault[2:])
        return lambda i, t, v: [m + factor * (x - m) for m, x in zip(middle, v)]
    if fault == "saturated":
        if sensor == "ranges":
            limit = sorted(v[0] for v in values)[len(values) // 2]
            return lambda i, t, v: [min(v[0], limit)]
        limits = [LIMIT[sensor] * (x if sensor == "features" else 1) for x in (WIDTH, HEIGHT, 1)]
        return lambda i, t, v: [min(max(x, m - l), m + l) for x, m, l in zip(v, middle, limits)]
    if fault == "axes swapped":
        return None if sensor == "ranges" else lambda i, t, v: [v[1], v[0]] + v[2:]
    if fault == "negated":
        if sensor == "ranges":  # near is far, and far is near
            ends = min(v[0] for v in values) + max(v[0] for v in values)
            return lambda i, t, v: [ends - v[0]]
        if sensor in ("features", "odometry"):  # mirrored
            return lambda i, t, v: [2 * middle[0] - v[0]] + v[1:]
        return lambda i, t, v: [-x for x in v]
    if fault.startswith("mount off") and sensor in ("gyroscope", "accelerometer", "features"):
        degrees = float(fault.split()[2])
        return lambda i, t, v: rotated(v, degrees)
    if fault == "noise x 10":
        return lambda i, t, v: [x + draw.gauss(0, NOISE[sensor]) for x in v]
    if fault == "spikes":
        spiked = set()

        def spike(i, t, v):
            # All features of one frame, one reading of another sensor, every two seconds.
            if t < 2 or (int(t / 2) in spiked and sensor != "features"):
                return v
            if sensor == "features" and t % 2 > 0.03:
                return v
            spiked.add(int(t / 2))
            return [x + SPIKE[sensor] for x in v]
        return spike
    if fault == "offset" and OFFSET[sensor] is not None:
        return lambda i, t, v: [x + OFFSET[sensor] for x in v]
    return None


def make(source, target, sensor, fault):
    """Writes the copy, without a fault where that is None; False where it has no meaning for the sensor, or the recording lacks it."""
    source, target = Path(source), Path(target)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    if sensor == "odometry":
        keep_device_axes(target)
        odometry_from_truth(target)
    name, first, count = FILES[sensor]
    path = target / name
    if not path.exists() or fault is None:
        return path.exists()
    header, rows = read(path)
    if sensor == "ranges":
        first = [c.split("[")[0].strip(" #") for c in header.split(",")].index("range")
    draw = random.Random(f"{sensor} {fault}")
    stamps = [int(row[0]) for row in rows]
    start, end = stamps[0], stamps[-1]
    columns = slice(first, first + count)
    values = [[float(x) for x in row[columns]] for row in rows]

    def put(row, v):
        row[columns] = [f"{x:.7f}" for x in v]

    change = value_fault(sensor, fault, draw, values)
    if change:
        for i, row in enumerate(rows):
            put(row, change(i, (stamps[i] - start) / 1e9, values[i]))
            if sensor == "ranges" and float(row[first]) < 0:
                row[first] = "0"
    elif fault.startswith("gap"):
        # In the middle, where the device moves.
        begin = start + (end - start) * 2 // 5
        stop = begin + int(float(fault.split()[1]) * 1e9)
        rows = [row for row, t in zip(rows, stamps) if not begin <= t < stop]
    elif fault == "frozen":
        begin = start + (end - start) * 2 // 5
        last = {}
        for i, row in enumerate(rows):
            # Of a feature, or a peer, its own.
            key = row[1] if sensor in ("features", "ranges") else ""
            if stamps[i] < begin or key not in last:
                last[key] = values[i]
            elif stamps[i] < begin + 5_000_000_000:
                put(row, last[key])
    elif fault.startswith("mount off") and sensor == "odometry":
        for row in rows:
            row[4:8] = [f"{x:.9f}" for x in turned([float(x) for x in row[4:8]], float(fault.split()[2]))]
    elif fault.startswith("late"):
        amount, unit = fault.split()[1:]
        late = int(float(amount) * (1e6 if unit == "ms" else 1e9))
        if sensor in ("gyroscope", "accelerometer"):
            # The other half of the unit stays: values move, stamps do not.
            step = max(1, round(late / ((end - start) / (len(rows) - 1))))
            for i, row in enumerate(rows):
                put(row, values[max(0, i - step)])
        else:
            files = [path] + ([path.parent / "frames.csv"] if sensor == "features" else [])
            for other in files:
                if other == path:
                    for row in rows:
                        row[0] = str(int(row[0]) + late)
                elif other.exists():
                    head, own = read(other)
                    write(other, head, [[str(int(row[0]) + late)] + row[1:] for row in own])
    elif fault == "duplicated":
        rows = [row for row in rows for _ in (0, 1)]
    elif fault == "out of order":
        for i in range(0, len(rows) - 1, 10):
            rows[i], rows[i + 1] = rows[i + 1], rows[i]
    else:
        return False
    write(path, header, rows)
    return True
