#!/usr/bin/env python3
"""The log likelihood ratio of an observer that knows the path and the fault: can ranges tell that fault at all?

    tools/faults_oracle.py <recording> <fault> ...     a line a fault of tools/faults.py: the log likelihood ratio

The ratio compares the ranges and the path as they were with those that the faulty recording states, at the likeliest place of the peer each,
under the noise of docs/diagnoses.md: white and lasting errors, a bias of 0.15 m (1-sigma), outliers. A fault that it cannot tell, nothing can
that sees less. Needs numpy.
"""
import csv
import math
import pathlib
import re
import sys
import tempfile

import numpy

import faults

WHITES, LASTINGS, TIMES = (0.02, 0.06, 0.15, 0.4), (0.005, 0.05, 0.12, 0.3), (0.3, 2.0)
LONG, SHORT, SIZE, LEAST = 0.05, 0.005, 1.5, 1e-12  # outliers: shares, mean, metres; least density
BIAS = 0.15  # 1-sigma, metres
BIN = 0.24  # ranges are averaged over so many seconds


def table(path):
    rows = list(csv.reader(open(path)))
    names = [re.sub(r" ?\[.*", "", cell).strip("# ") for cell in rows[0]]
    return names, rows[1:]


def path_of(folder, odometry):
    """Stamps and places, from the ground truth or from the poses of a tracker."""
    _, rows = table(folder / "mav0" / ("odometry0" if odometry else "state_groundtruth_estimate0") / "data.csv")
    numbers = numpy.array([[float(cell) for cell in row[1:8]] for row in rows])
    return numpy.array([int(row[0]) for row in rows]), numbers


def turned(q, v):
    """R(q) v for quaternions w, x, y, z in rows."""
    w, u = q[:, :1], q[:, 1:]
    t = 2 * numpy.cross(u, v)
    return v + w * t + numpy.cross(u, t)


def samples(folder, odometry, peer):
    """Seconds, ranges and antenna places of the means over a quarter of a second that the path covers."""
    stamps, poses = path_of(folder, odometry)
    names, rows = table(folder / faults.UWB)
    at, of = names.index("range"), names.index("peer_id")
    rows = sorted((int(row[0]), float(row[at])) for row in rows if row[of] == peer)
    sensor = (folder / "mav0/uwb0/sensor.yaml").read_text()
    lever = re.search(r"data: \[([^]]*)\]", sensor)
    lever = [float(x) for x in lever.group(1).split(",")][3:12:4] if lever else [0, 0, 0]
    bins = []
    for stamp, value in rows:
        if not stamps[0] <= stamp <= stamps[-1]:
            continue
        if not bins or (stamp - bins[-1][0][0]) * 1e-9 >= BIN - 1e-6:
            bins.append([])
        bins[-1].append((stamp, value))
    t = numpy.array([numpy.mean([s - rows[0][0] for s, _ in part]) for part in bins])
    z = numpy.array([numpy.mean([v for _, v in part]) for part in bins])
    base = (stamps - rows[0][0]).astype(float)
    place = numpy.stack([numpy.interp(t, base, poses[:, k]) for k in range(3)], 1)
    nearest = numpy.clip(numpy.searchsorted(base, t), 0, len(base) - 1)
    return t * 1e-9, z, place + turned(poses[nearest, 3:7], numpy.tile(lever, (len(t), 1)))


def log_likelihood(residuals, seconds):
    """The best of all noises, and the regular residuals' weights and standard deviation there."""
    white, lasting, time = (x.ravel() for x in numpy.meshgrid(WHITES, LASTINGS, TIMES, indexing="ij"))
    w, s = white ** 2, lasting ** 2
    mean, variance, total, regular = numpy.zeros(len(w)), s.copy(), numpy.zeros(len(w)), []
    for k, e in enumerate(residuals):
        decay = numpy.exp((seconds[max(k - 1, 0)] - seconds[k]) / time)
        mean, variance = decay * mean, decay ** 2 * variance + s * (1 - decay ** 2)
        i, v = e - mean, variance + w
        good = (1 - LONG - SHORT) * numpy.exp(-0.5 * i * i / v) / numpy.sqrt(2 * math.pi * v)
        bad = numpy.maximum(numpy.where(i > 0, LONG, SHORT) * numpy.exp(-abs(i) / SIZE) / SIZE, LEAST)
        total += numpy.log(good + bad)
        regular.append(good / (good + bad))
        gain = variance / v * regular[-1]
        mean, variance = mean + gain * i, variance - gain * variance
    best = int(numpy.argmax(total))
    return total[best], numpy.array(regular)[:, best], max(math.sqrt(w[best] + s[best]), 0.03)


def descend(x, z, place, weights, sigma, rounds):
    """Levenberg-Marquardt on position and bias, Huber's weights."""
    prior = numpy.array([0, 0, 0, BIAS ** -2])

    def residual(x):
        away = x[:3] - place
        distance = numpy.maximum(numpy.linalg.norm(away, axis=1), 1e-6)
        return z - distance - x[3], numpy.column_stack([away / distance[:, None], numpy.ones(len(z))])

    def cost(x):
        r = abs(residual(x)[0]) / sigma
        return prior @ (x * x) + weights @ numpy.where(r < 3, r * r, 6 * r - 9)

    damping, value = 1e-2, cost(x)
    for _ in range(rounds):
        r, J = residual(x)
        weight = weights / (sigma ** 2 * numpy.maximum(1, abs(r) / (3 * sigma)))
        A = J.T @ (weight[:, None] * J) + numpy.diag(prior)
        step = numpy.linalg.solve(A + damping * numpy.diag(numpy.diag(A) + 1e-3), J.T @ (weight * r) - prior * x)
        after = cost(x + step)
        if after < value:
            x, value, damping = x + step, after, 0.3 * damping
        else:
            damping *= 8
    return value, x


def best_likelihood(seconds, z, place):
    """The log likelihood at the best place of a stationary peer, the bias's prior paid."""
    golden = (1 + math.sqrt(5)) / 2
    directions = [numpy.roll([0, a, b * golden], k) / math.hypot(1, golden) for a in (-1, 1) for b in (-1, 1) for k in range(3)]
    middle, radius, even = place.mean(0), numpy.median(z), numpy.ones(len(z))
    ends = sorted((descend(numpy.append(middle + radius * d, 0), z, place, even, 0.15, 30) for d in directions), key=lambda end: end[0])
    best, seen = -math.inf, []
    for _, x in ends:
        if any(numpy.linalg.norm(x[:3] - y[:3]) < 0.3 for y in seen) or len(seen) == 4:
            continue
        seen.append(x)
        for _ in range(3):
            value, regular, sigma = log_likelihood(z - numpy.linalg.norm(x[:3] - place, axis=1) - x[3], seconds)
            best = max(best, value - 0.5 * (x[3] / BIAS) ** 2)
            x = descend(x, z, place, regular, sigma, 10)[1]
    return best


def ratio(recording, faulty, family):
    """Log likelihood ratio of a recording as it was to the same with a fault, of that family."""
    recording, faulty = pathlib.Path(recording), pathlib.Path(faulty)
    peer = table(recording / faults.UWB)[1][0][1]
    return best_likelihood(*samples(recording, False, peer)) - best_likelihood(*samples(faulty, family == "odometry", peer))


def main(recording, names):
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            print(f"{name:28} {ratio(recording, faults.make(recording, scratch, name), faults.FAULTS[name][0]):8.1f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
