#!/usr/bin/env python3
"""Random worlds: scenarios with drawn parameters, and the page with their figures.

    tools/worlds.py kinds                                            the kinds, one a line
    tools/worlds.py scenario <seed> <metres to each wall> [<kind>]   a scenario file, to the standard output
    tools/worlds.py record <fuse> <kind> <seed> <folder>             simulates it into <folder>, which is replaced; exit code 3 where no room is large enough
    tools/worlds.py run <fuse> <kind> <seed> <folder> [--config <settings>] [--ideal]
                                                                     simulates and runs it in <folder>, in the smallest room without motion through a
                                                                     wall, of sizes that differ from world to world; its figures, a JSON line; with
                                                                     --ideal the ideal observer's beside, which knows the law (not of peers that move)
    tools/worlds.py page <lines of 'run'>                            the page, to the standard output
    tools/worlds.py compare <lines of 'run'> <other lines>           the worlds of both, paired by seed: differences with 95 % intervals

Drawn are: rates and noises of every sensor within the range of products, wrong stated range noise, NLOS, outliers, intervals without
ranges, darkness, up to 5 % outlier tracks, one to three peers, and a sequence of gestures and walks, started stationary or moving. The same seed
is the same world in every kind but for what the kind adds. `tools/update-worlds` calls all. Kinds:

"""
import argparse
import bisect
import json
import math
import os
import random
import subprocess
import sys


KINDS = {
    "plain": "stationary peers, errors that drift in time",
    "antennas": "the device has two or three antennas, 3 to 30 cm off its centre, with errors of their own",
    "strolls": "the world lasts longer, and its first peer moves from some time on",
    "phones": "a modern phone's inertial unit, honestly stated: 0.002 to 0.005 m/s^2/sqrt(Hz), a bias of up to 0.8 m/s^2",
    "rests": "the device rests for 2 to 20 s, then moves, beside quiet radios whose error of 0.1 to 0.3 m changes with the place",
    "poses": "range errors of real size that are bound to the pose: white 3 to 7 cm, a field of 4 to 10 cm over 0.2 to 0.6 m and 20 to 45 degrees, an "
    "antenna pattern of 1 to 9 cm, NLOS for 0.1 to 0.7 s",
    "fields": "poses without the pattern",
    "patterns": "poses without the field",
    "whites": "poses without both",
    "times": "poses, the same in size, drifting in time",
    "searches": "poses, for 36 s",
    "bodies": "plain, and ranges are 0.2 to 0.8 m too long from 90 to 110 degrees off ahead on: the person behind the device",
    "walkers": "half a minute, every peer walks at 0.1 to 1 m/s from the first range on",
    "walls": "plain, and a wall before the first peer, where the straight line crosses it, lengthens ranges by 0.2 to 1 m; worlds whose path "
    "crosses the wall are left out",
    "smoothed": "plain, and the radio smooths its ranges, unstated: a mean of 3 to 20, an exponential mean, or a lag of up to half a second",
    "filters": "the same, stated",
    "biases": "plain, and ranges are too long by 0.5 to 150 m, as with an antenna delay at its default",
    "twins": "plain, and another tag ranges under the first peer's id",
    "odometries": "plain along external odometry, whose stated noise is 0.25 to 4 times the true one",
    "mirrored": "odometries, and one axis of the tracker's positions is negated; an inertial unit beside it",
    "storeys": "plain, peers 1.5 to 17 m off: six in ten between floor and ceiling, the others one or two storeys of 2.6 to 4 m off or anywhere on the sphere",
    "persons": "walkers, and every peer is stated a person",
    "stops": "half a minute, every peer stops and goes with rests of 2 to 10 s; in half of the worlds the device is a robot with odometry that does, too",
}
__doc__ += "".join(f"    {name:10}{words}\n" for name, words in KINDS.items())


def log_uniform(draw, low, high):
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def swing(draw, name, unit, low, high, digits=0):
    period = draw.uniform(1.5, 5)
    return f"{name}_{unit}: {draw.uniform(low, high):.{digits}f}, {name}_period_s: {period:.2f}"


def gestures(draw, duration):
    """Pieces of motion of `duration` seconds and a little more."""
    pieces, seconds = [], 0.0
    if draw.random() < 0.7:
        pieces.append(f"hold: {{duration_s: {draw.uniform(0.6, 2.5):.2f}}}")
    while seconds < duration:
        kind = draw.choice(["arc", "arc", "sweep", "pan", "sway", "walk", "walk", "turn", "hold"])
        length = draw.uniform(2, 7)
        begin = f"{{duration_s: {length:.2f}"
        if kind == "arc":
            pieces.append(f"arc: {begin}, arm_m: {draw.uniform(0.3, 0.7):.2f}, {swing(draw, 'horizontal', 'deg', 15, 60)}}}")
        elif kind == "sweep":
            pieces.append(
                f"arc: {begin}, arm_m: {draw.uniform(0.3, 0.7):.2f}, {swing(draw, 'horizontal', 'deg', 15, 60)}, "
                f"{swing(draw, 'vertical', 'deg', 10, 40)}}}")
        elif kind == "pan":
            pieces.append(f"pan: {begin}, wrist_m: 0.1, {swing(draw, 'horizontal', 'deg', 15, 60)}}}")
        elif kind == "sway":
            pieces.append(f"sway: {begin}, {swing(draw, 'lateral', 'm', 0.05, 0.4, 2)}, ahead_m: {draw.uniform(0, 0.3):.2f}}}")
        elif kind == "walk":
            speed, right = draw.uniform(0.4, 1.4), draw.choice([0, 0, 0, draw.uniform(-90, 90)])
            pieces.append(
                f"walk: {{distance_m: {speed * length:.2f}, speed_m_s: {speed:.2f}, bob_m: {draw.uniform(0.005, 0.035):.3f}, "
                f"right_deg: {right:.0f}}}")
        elif kind == "turn":
            length = draw.uniform(1, 3)
            pieces.append(f"turn: {{duration_s: {length:.2f}, right_deg: {draw.uniform(-160, 160):.0f}}}")
        else:
            length = draw.uniform(0.3, 3)
            pieces.append(f"hold: {{duration_s: {length:.2f}}}")
        seconds += length
    return pieces


def antennas(draw):
    reach = log_uniform(draw, 0.03, 0.3)
    positions = [[round(draw.uniform(-reach, reach), 3) for _ in range(3)] for _ in range(draw.choice([2, 3]))]
    return {
        "antennas_m": "{" + ", ".join(f"{name}: {position}" for name, position in zip("abc", positions)) + "}",
        "drift_common_share": f"{draw.uniform(0.1, 0.9):.2f}",
        "antenna_bias_std_m": f"{log_uniform(draw, 0.01, 0.1):.3f}",
    }


def stroll(draw, kind, number):
    if kind == "strolls" and number == 0:
        return f", stroll: {{begin_s: [8, 20], duration_s: [2, 8], speed_m_s: [0.3, 1.6], ways: {draw.choice([1, 2, 3])}}}"
    if kind in ("walkers", "persons"):
        speed = log_uniform(draw, 0.1, 1)
        return f", stroll: {{begin_s: [0, 0], duration_s: [60, 60], speed_m_s: [{speed:.2f}, {speed:.2f}], ways: {draw.choice([2, 4, 8, 16])}}}"
    if kind == "stops":
        begin, ways = draw.choice([0, draw.uniform(1, 12)]), draw.choice([4, 6, 8])
        lasts = ways * draw.uniform(2, 6)
        return (
            f", stroll: {{begin_s: [{begin:.1f}, {begin:.1f}], duration_s: [{lasts:.1f}, {lasts:.1f}], speed_m_s: [0.2, 1.2], "
            f"ways: {ways}, rest_s: [2, 10]}}")
    return ""


def pose_errors(draw, kind):
    """Errors of the size of real radios (three public sets), bound to the pose, or of the same size in time.

    Two ranges correlate by 1/e over 0.2 to 0.6 m and 20 to 45 degrees; the scenario's keys are the distances of e^(-1/2).
    """
    uwb = {"range_noise_std_m": f"{draw.uniform(0.03, 0.07):.3f}"}
    field, pattern = draw.uniform(0.04, 0.1), log_uniform(draw, 0.01, 0.09)
    length, angle = (log_uniform(draw, *ends) / math.sqrt(2) for ends in [(0.2, 0.6), (20, 45)])
    uwb["nlos_dwell_s"] = f"{draw.uniform(0.1, 0.7):.2f}"
    if kind == "times":
        return {**uwb, "drift_std_m": f"{math.hypot(field, pattern):.3f}"}
    if kind in ("patterns", "whites"):
        field = 0
    if kind in ("fields", "whites"):
        pattern = 0
    return {
        **uwb, "drift_std_m": "0", "multipath_std_m": f"{field:.3f}", "multipath_length_m": f"{length:.3f}",
        "multipath_angle_deg": f"{angle:.1f}", "antenna_pattern_std_m": f"{pattern:.3f}",
    }


def robot(draw, duration):
    """Pieces of motion of a robot that stops and goes."""
    pieces, seconds = [], 0.0
    while seconds < duration:
        if draw.random() < 0.5:
            length = draw.uniform(1, 3)
            pieces.append(f"turn: {{duration_s: {length:.2f}, right_deg: {draw.uniform(-120, 120):.0f}, arm_m: {draw.uniform(0, 0.3):.2f}}}")
            seconds += length
        speed, length, rest = draw.uniform(0.2, 1), draw.uniform(2, 6), draw.uniform(2, 10)
        pieces.append(f"walk: {{distance_m: {speed * length:.2f}, speed_m_s: {speed:.2f}, bob_m: 0}}")
        pieces.append(f"hold: {{duration_s: {rest:.2f}}}")
        seconds += length + rest
    return pieces


def wall_before(draw, ahead, right):
    """A wall 0.4 to 1.5 m before a peer at this place, across the line from the start or oblique to it, open beyond its ends."""
    distance, across = math.hypot(ahead, right), math.atan2(right, ahead) + math.pi / 2 + draw.uniform(-0.5, 0.5)
    share = 1 - min(draw.uniform(0.4, 1.5), 0.6 * distance) / distance
    ends = [[share * ahead + side * math.cos(across), share * right + side * math.sin(across)] for side in (-log_uniform(draw, 0.2, 3), log_uniform(draw, 0.2, 3))]
    return f"walls: [{{from_m: {[round(x, 2) for x in ends[0]]}, to_m: {[round(x, 2) for x in ends[1]]}, excess_m: {draw.uniform(0.2, 1):.2f}, opaque: false, landmarks: 0}}]"


def on_a_storey(draw):
    """A place with a height above the device, held 1.4 m above its floor; drawn otherwise than the finder's prior."""
    distance, azimuth, where = log_uniform(draw, 1.5, 17), draw.uniform(-math.pi, math.pi), draw.random()
    storey = draw.uniform(2.6, 4)
    up = draw.uniform(-1.4, 1.3) + storey * (0 if where < 0.6 else draw.choice([-2, -1, -1, 1, 1, 2]))
    if where > 0.9:
        up = draw.uniform(-distance, distance)
    up = max(min(up, 0.95 * distance), -0.95 * distance)
    level = math.sqrt(distance * distance - up * up)
    return f"ahead_m: {level * math.cos(azimuth):.2f}, right_m: {level * math.sin(azimuth):.2f}, up_m: {up:.2f}"


def range_filter(draw):
    return draw.choice([
        f"{{mean_of: {draw.randint(3, 20)}}}", f"{{exponential: {log_uniform(draw, 0.1, 0.5):.3f}}}", f"{{lag: {draw.uniform(0.1, 0.5):.2f}}}"])


# Kinds that are compared share the draws of their additions.
PARTNERS = {kind: "poses" for kind in ("fields", "patterns", "whites", "times", "searches")} | {"filters": "smoothed", "persons": "walkers", "mirrored": "odometries"}


def scenario(seed, wall, kind):
    # Additions of a kind have their own draws, so that the rest of the world is the same.
    draw, added = random.Random(seed), random.Random(f"{seed} {PARTNERS.get(kind, kind)}")
    is_robot = kind == "stops" and added.random() < 0.5
    lines = [f"name: world-{seed}", "description: everything drawn", "imu:"]
    noise = log_uniform(draw, 0.3, 3)
    lines += [
        f"  rate_hz: {draw.choice([100, 200, 200, 400])}",
        f"  gyroscope_noise_density: {2e-4 * noise:.3g}",
        f"  gyroscope_random_walk: {2e-5 * noise:.3g}",
        f"  gyroscope_bias_rad_s: {log_uniform(draw, 0.001, 0.02):.3g}",
        f"  accelerometer_noise_density: {2e-3 * noise:.3g}",
        f"  accelerometer_random_walk: {5e-4 * log_uniform(draw, 0.1, 1):.3g}",
        f"  accelerometer_bias_m_s2: {log_uniform(draw, 0.02, 0.2):.3g}",
    ]
    if kind == "phones":
        lines[-3:] = [
            f"  accelerometer_noise_density: {added.uniform(0.002, 0.005):.3g}",
            lines[-2],
            f"  accelerometer_bias_m_s2: {added.uniform(0.6, 0.8):.3g}",
        ]
    lines += [
        "camera:",
        f"  rate_hz: {draw.choice([10, 15, 20, 30, 30, 60])}",
        f"  tracks: {draw.choice([25, 40, 80, 120])}",
        f"  pixel_noise_std_px: {draw.uniform(0.5, 1.5):.2f}",
        f"  track_life_s: {log_uniform(draw, 1, 10):.2f}",
        f"  outlier_share: {draw.choice([0, 0.01, 0.05])}",
    ]
    if kind in ("odometries", "mirrored") or is_robot:
        claimed = log_uniform(added, 0.25, 4) if kind in ("odometries", "mirrored") else 1
        lines[lines.index("camera:"):] = [
            "camera: none", "odometry:", f"  rate_hz: {added.choice([10, 30, 60, 100])}",
            f"  position_random_walk_m_sqrt_m: {log_uniform(added, 0.005, 0.06):.4f}", f"  yaw_random_walk_rad_sqrt_s: {log_uniform(added, 0.0005, 0.01):.5f}",
        ] + ([f"  claimed_noise_factor: {claimed:.3f}"] if kind in ("odometries", "mirrored") else [])
    if draw.random() < 0.2:
        begin = draw.uniform(3, 12)
        dark = f"  dark: [{{from_s: {begin:.1f}, to_s: {begin + log_uniform(draw, 0.5, 8):.1f}}}]"
        if "camera:" in lines:
            lines.append(dark)
    uwb = {
        "rate_hz": f"{log_uniform(draw, 3, 50):.2f}",
        "range_noise_std_m": f"{log_uniform(draw, 0.02, 0.2):.3f}",
        "drift_std_m": f"{log_uniform(draw, 0.02, 0.2):.3f}",
        "drift_time_s": f"{log_uniform(draw, 0.5, 15):.2f}",
        "nlos_share": draw.choice([0, 0, 0.05, 0.1, 0.3]),
        "nlos_dwell_s": f"{log_uniform(draw, 0.2, 4):.2f}",
        "nlos_excess_m": f"{log_uniform(draw, 0.2, 2):.2f}",
        "dropout_share": draw.choice([0, 0.02, 0.3]),
        "outlier_share": draw.choice([0, 0.005, 0.03]),
        "silent_share": draw.choice([0, 0, 0, 0, 0.2]),
    }
    if kind == "antennas":
        uwb.update(antennas(added))
    if kind == "rests":
        uwb = {
            "rate_hz": uwb["rate_hz"],
            "range_noise_std_m": f"{log_uniform(added, 0.005, 0.03):.4f}",
            "drift_std_m": 0,
            "multipath_std_m": f"{added.uniform(0.1, 0.3):.3f}",
            "multipath_length_m": f"{log_uniform(added, 0.1, 1):.3f}",
            "nlos_share": 0,
        }
    if PARTNERS.get(kind, kind) == "poses":
        uwb.update(pose_errors(added, kind))
    if kind == "bodies":
        uwb.update({
            "body_shadow_m": f"{added.uniform(0.2, 0.8):.2f}", "body_shadow_from_deg": f"{added.uniform(90, 110):.0f}",
            "body_shadow_edge_deg": f"{added.uniform(10, 20):.0f}",
        })
    if kind in ("smoothed", "filters"):
        uwb.update({"range_filter": range_filter(added), "range_filter_stated": "true" if kind == "filters" else "false"})
    if draw.random() < 0.5:
        uwb["claimed_range_std_m"] = f"{log_uniform(draw, 0.02, 0.3):.3f}"
    lines += ["uwb:"] + [f"  {key}: {value}" for key, value in uwb.items()]
    hand = [
        f"  pitch_deg: {draw.uniform(-60, 20):.0f}",
        f"  sway_std_m: {log_uniform(draw, 0.001, 0.01):.4f}",
        f"  sway_std_deg: {log_uniform(draw, 0.2, 3):.2f}",
        f"  holding: {draw.choice(['portrait', 'landscape'])}",
    ]
    if is_robot:
        hand = ["  pitch_deg: 0", "  sway_std_m: 0.0005", "  sway_std_deg: 0.1", "  holding: landscape"]
    lines += [
        "hand:", *hand,
        f"room: {{ahead_m: {wall}, left_m: {wall}, right_m: {wall}, behind_m: {wall}, ceiling_m: 2.7, floor_m: 1.4}}",
        "peers:",
    ]
    bias = log_uniform(added, 0.5, 150) if kind == "biases" else 0
    for number in range(draw.choice([1, 1, 1, 2, 3])):
        near = log_uniform(draw, 1.2, 12)
        place = f"distance_m: [{near:.2f}, {1.2 * near:.2f}], elevation_std_deg: {draw.choice([5, 15, 25])}"
        if kind == "storeys":
            place = on_a_storey(added)
        if kind == "walls" and number == 0:
            azimuth = added.uniform(-math.pi, math.pi)
            ahead, right = 1.1 * near * math.cos(azimuth), 1.1 * near * math.sin(azimuth)
            place = f"ahead_m: {ahead:.2f}, right_m: {right:.2f}, up_m: {added.uniform(-0.5, 0.5):.2f}"
            lines.insert(lines.index("peers:"), wall_before(added, ahead, right))
        lines.append(
            f"  - {{id: tag{number}, {place}, "
            f"range_bias_m: {f'{bias:.2f}' if bias else 0}, range_bias_std_m: 0.12, range_scale_percent: {draw.gauss(0, 0.4):.2f}"
            f"{stroll(added, kind, number)}{', mobility: person' if kind == 'persons' else ''}}}")
    if kind == "twins":
        near = log_uniform(added, 1.2, 12)
        lines.append(f"  - {{id: twin, distance_m: [{near:.2f}, {1.2 * near:.2f}], elevation_std_deg: 15, range_bias_std_m: 0.12, reports_as: tag0}}")
    motion = gestures(draw, {"searches": 36, "strolls": 30, "walkers": 30, "persons": 30, "stops": 30}.get(kind, 18))
    if is_robot:
        motion = robot(added, 30)
    if kind == "rests":
        motion.insert(0, f"hold: {{duration_s: {added.uniform(2, 20):.2f}}}")
    return "\n".join(lines + ["motion:"] + [f"  - {piece}" for piece in motion]) + "\n"


def table(path):
    """Rows of a file of a recording, keys without their units."""
    with open(path) as file:
        head = [name.strip().lstrip("#").split(" [")[0] for name in next(file).split(",")]
        return [dict(zip(head, line.strip().split(","))) for line in file]


class Places:
    """Truth over time: interpolated between two rows, the last one held."""

    def __init__(self, rows):
        self.times = [int(row["timestamp"]) for row in rows]
        self.points = [[float(row[f"p_RS_R_{axis}"]) for axis in "xyz"] for row in rows]

    def at(self, time):
        after = bisect.bisect_right(self.times, time)
        if after in (0, len(self.times)):
            return self.points[max(after - 1, 0)]
        share = (time - self.times[after - 1]) / (self.times[after] - self.times[after - 1])
        return [a + share * (b - a) for a, b in zip(self.points[after - 1], self.points[after])]

    def speed(self, time):
        return math.dist(self.at(time - 10**8), self.at(time + 10**8)) / 0.2


def ahead(row):
    """Azimuth of ahead in the world: docs/formats.md; the simulated body's axes are the device's."""
    w, x, y, z = (float(row[f"q_RS_{axis}"]) for axis in "wxyz")
    axes = [[2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]]
    (top, back) = (axes[0], [-value for value in axes[1]])
    if abs(back[2]) > math.cos(math.radians(20)):
        back = top if back[2] < 0 else [-value for value in top]
    return math.atan2(back[1], back[0])


def wrapped(angle):
    return math.remainder(angle, 2 * math.pi)


def tallies(recording, result):
    """What 'fuse eval' does not tell, for each peer: updates; arrows over 20 degrees off; coverage of distances; the same while it moves and while
    it rests, and the updates that call it moving."""
    states, path = table(f"{recording}/mav0/state_groundtruth_estimate0/data.csv"), f"{recording}/mav0/peers_groundtruth0/data.csv"
    rows = table(path) if os.path.exists(path) else []
    device, peers = Places(states), {peer: Places([row for row in rows if row["peer_id"] == peer]) for peer in {row["peer_id"] for row in rows}}
    sums = {}
    with open(f"{result}/updates.jsonl") as lines:
        for update in map(json.loads, lines):
            peer, time = update["peer"], update["timestamp"]
            if peer is None or not device.times[0] <= time <= device.times[-1]:
                continue
            here, there = device.at(time), peers[peer].at(time) if peer in peers else None
            state = "moving" if there and peers[peer].speed(time) > 0.05 else "resting"
            tally = sums.setdefault(peer, {name: dict.fromkeys(
                ["updates", "angles", "covered", "wrong", "distances", "distancesCovered", "calledMoving"], 0) for name in ("moving", "resting")})[state]
            tally["updates"] += 1
            tally["calledMoving"] += ((update.get("details") or {}).get("walking") or 0) > 0.5
            if there is None:  # Two tags under one id: no angle is right.
                has_angle = update["horizontalAngle"] is not None
                tally["angles"] += has_angle
                tally["wrong"] += has_angle
                continue
            distance = math.dist(here, there)
            if update["distance"] is not None and update["distanceStd"] is not None:
                tally["distances"] += 1
                tally["distancesCovered"] += abs(update["distance"] - distance) <= 1.645 * update["distanceStd"]
            interval = update["horizontalAngleInterval"]
            if interval is None:
                continue
            state = states[min(bisect.bisect_left(device.times, time), len(states) - 1)]
            truth = wrapped(ahead(state) - math.atan2(there[1] - here[1], there[0] - here[0]))
            middle = (interval[0] + interval[1]) / 2
            tally["angles"] += 1
            tally["covered"] += abs(wrapped(truth - middle)) <= (interval[1] - interval[0]) / 2
            tally["wrong"] += (
                abs(wrapped(update["horizontalAngle"] - truth)) > math.radians(20) and math.dist(here[:2], there[:2]) >= 1)
    return sums


IDEAL = ["idealCoverage90", "idealAngleAvailability", "angleAvailability", "idealWrongAngles", "halfWidthRatio", "angleErrorRatio"]


ROOMS = [8, 11, 15, 22, 40]


def in_a_room(kind, seed, path, attempt):
    """The first result of `attempt()` on the world in `path`, in the smallest room without motion through a wall, of sizes that differ from world to
    world; None without a room."""
    for wall in [3 + int(seed) % 4, *ROOMS]:
        with open(path, "w") as out:
            out.write(scenario(int(seed), wall, kind))
        tried = attempt()
        if tried.returncode == 0:
            return tried
        if "through a wall" not in tried.stderr:
            raise SystemExit(tried.stderr)
    return None


def record(fuse, kind, seed, folder):
    """Simulates a world into a recording; False without a room."""
    path = f"{folder}.yaml"
    words = [fuse, "simulate", path, "-o", folder, "--seed", str(seed)]
    made = in_a_room(kind, seed, path, lambda: subprocess.run(words, capture_output=True, text=True))
    os.remove(path)
    return made is not None


def mirror(path, column):
    """Negates a column of a tracker's positions."""
    lines = open(path).read().splitlines()
    cells = [line.split(",") for line in lines[1:]]
    for row in cells:
        row[column] = f"{-float(row[column]):.9f}"
    with open(path, "w") as out:
        out.write("\n".join(lines[:1] + [",".join(row) for row in cells]) + "\n")


def run(fuse, kind, seed, folder, config=None, has_ideal=False):
    """Figures of 'fuse eval', the codes of the diagnoses, and the updates without an angle for an open premise; None without a room."""
    path, recording, result = (f"{folder}/{kind}-{seed}{end}" for end in (".yaml", "-recording", ""))
    call = lambda *words: subprocess.run([fuse, *words], check=True, capture_output=True, text=True).stdout
    if in_a_room(kind, seed, path, lambda: subprocess.run(
            [fuse, "simulate", path, "-o", recording, "--seed", seed], capture_output=True, text=True)) is None:
        return None
    if kind == "mirrored":
        mirror(f"{recording}/mav0/odometry0/data.csv", 1 + int(seed) % 3)
    call("run", recording, "-o", result, "--quiet", *(["--config", config] if config else []))
    row = json.loads(call("eval", result, "--truth", recording, "--no-ideal", "--format", "jsonl", "--quiet"))
    row["diagnoses"] = sorted({d["code"] for d in json.load(open(f"{result}/result.json"))["diagnoses"]})
    first = last = None
    row["updates"] = row["held"] = 0
    for line in open(f"{result}/updates.jsonl"):
        update = json.loads(line)
        first, last = first or update["timestamp"], update["timestamp"]
        row["updates"] += 1
        row["held"] += "premise" in (update.get("details") or {})
    row["seconds"] = (last - first) * 1e-9 if first else 0
    row["name"] = seed
    row["links"] = tallies(recording, result)
    if has_ideal:
        beside = json.loads(call(
            "eval", "--scenario", path, "--seeds", "1", "--first-seed", seed, "--format", "jsonl", "--quiet", *(["--config", config] if config else [])))
        row["ideal"] = {key: beside.get(key) for key in IDEAL}
    subprocess.run(["rm", "-rf", path, recording, result], check=True)
    return row


def quantiles(values, digits):
    values = sorted(values)
    at = [values[min(int(p * len(values)), len(values) - 1)] for p in (0.5, 0.9, 1)]
    return " | ".join(f"{value:.{digits}f}" for value in at)


def arrows_often_wrong(link):
    """Whether over 1 % of a peer's angles are over 20 degrees off."""
    return sum(t["wrong"] for t in link.values()) > 0.01 * sum(t["angles"] for t in link.values())


def summed(world):
    """What 'compare' compares: parts and wholes of a world."""
    links = list(world["errors"]["peers"].values())
    published = [figures for figures in links if figures["intervals"]]
    sums = lambda name, *states: sum(link[state][name] for link in world["links"].values() for state in states)
    judged = sum(f["judged"] for f in links)
    decided = (world["verticalDecided"] or 0) * judged
    return {
        "updates with an angle %": (sum(f["intervals"] for f in links), judged),
        "coverage of angles %": (sum(f["intervals"] * f["coverage90"] for f in published), sum(f["intervals"] for f in published)),
        "links whose coverage is under 70 %, %": (sum(f["coverage90"] < 0.7 for f in published), len(published)),
        "angles over 20 degrees off %": (sums("wrong", "moving", "resting"), sums("angles", "moving", "resting")),
        "links with over 1 % of these, %": (sum(map(arrows_often_wrong, world["links"].values())), len(world["links"])),
        "coverage of distances %": (sums("distancesCovered", "moving", "resting"), sums("distances", "moving", "resting")),
        "levels decided, updates %": (decided, judged),
        "of these wrong %": ((world["verticalWrong"] or 0) * decided, decided),
        "converged updates %": (sum(f["converged"] for f in links), judged),
        "worlds that ever converge %": (any(f["converged"] for f in links), 1),
        "links ever falsely converged %": (sum(f["converged"] * (f["falseConverged"] or 0) > 0 for f in links), len(links)),
        "called moving at rest %": (sums("calledMoving", "resting"), sums("updates", "resting")),
        "worlds with a diagnosis %": (bool(world["diagnoses"]), 1),
        "coverage while it moves %": (sums("covered", "moving"), sums("angles", "moving")),
    }


def paired(lines, others):
    """Number of the worlds that both sides have; by figure the pairs of both sides, over these worlds, then over 1000 draws of them (the bootstrap)."""
    sides = [{world["name"]: summed(world) for world in map(json.loads, side) if world["trials"]} for side in (lines, others)]
    names = sorted(set(sides[0]) & set(sides[1]))
    draw = random.Random(1)
    draws = [[draw.choice(names) for _ in names] for _ in range(1000)] if names else []

    def share(side, figure, worlds):
        part, whole = (sum(side[name][figure][k] for name in worlds) for k in (0, 1))
        return 100 * part / whole if whole else None

    figures = sides[0][names[0]] if names else []
    return len(names), {figure: [[share(side, figure, worlds) for side in sides] for worlds in [names, *draws]] for figure in figures}


def interval(values):
    """The ends that hold 95 % of the values; None where there are none."""
    values = sorted(value for value in values if value is not None)
    return (values[int(0.025 * len(values))], values[int(0.975 * len(values))]) if values else None


def compare(lines, others):
    """Both sides of the worlds that both have; 95 % intervals of differences and ratios."""
    count, figures = paired(lines, others)
    print(f"{count} worlds\n\n| | first | second | difference | 95 % | ratio | 95 % |\n|---|---:|---:|---:|---:|---:|---:|")
    ends = lambda values: "-" if (found := interval(values)) is None else f"[{found[0]:.2f}, {found[1]:.2f}]"
    word = lambda value: "-" if value is None else f"{value:.2f}"
    for figure, pairs in figures.items():
        known = lambda of: [of(a, b) if a is not None and b is not None else None for a, b in pairs]
        differences, ratios = known(lambda a, b: b - a), known(lambda a, b: b / a if a else None)
        print(
            f"| {figure} | {word(pairs[0][0])} | {word(pairs[0][1])} | {word(differences[0])} | {ends(differences[1:])} |"
            f" {word(ratios[0])} | {ends(ratios[1:])} |")


def ideal(worlds):
    """What the ideal observer has, over the worlds."""
    def typical(key, percent):
        values = sorted(w["ideal"][key] for w in worlds if w.get("ideal") and w["ideal"].get(key) is not None)
        if not values:
            return "-"
        mean = sum(values) / len(values)
        return f"{100 * mean:.1f}" if percent else f"{values[len(values) // 2]:.2f}"

    print(f"""
| ideal observer, told the law: worlds | coverage %, mean | angles over 20 degrees off %, mean | angle 2 to 12 s after the motion began %, mean: ideal | finder |\
 finder's half-width over its, median | error over its, median |
|---:|---:|---:|---:|---:|---:|---:|
| {sum(bool(w.get("ideal")) for w in worlds)} | {typical("idealCoverage90", True)} | {typical("idealWrongAngles", True)} | {typical("idealAngleAvailability", True)} |\
 {typical("angleAvailability", True)} | {typical("halfWidthRatio", False)} | {typical("angleErrorRatio", False)} |""")


def page(lines):
    worlds = [world for world in map(json.loads, lines) if world["trials"]]
    links = [(world, peer, figures) for world in worlds for peer, figures in world["errors"]["peers"].items()]
    published = [link for link in links if link[2]["intervals"]]
    intervals = sum(figures["intervals"] for _, _, figures in published)
    covered = sum(figures["intervals"] * figures["coverage90"] for _, _, figures in published)
    converged = sum(figures["converged"] for _, _, figures in links)
    false = [(link, link[2]["converged"] * (link[2]["falseConverged"] or 0)) for link in links]
    wrong = [link for link in published if link[2]["angleErrorDegrees"]["median"] > 20]
    updates = sum(figures["judged"] for _, _, figures in links)
    name = lambda world: world["name"].split("/")[-1].split(".")[0]
    paths = [(world, world["errors"]["trajectory"]) for world in worlds if world["errors"].get("trajectory")]
    # An angle that is wrong for two seconds in all is at least as often wrong as one that is so at a stretch.
    misled = [
        (world, (world["wrongAngles"] or 0) * sum(f["intervals"] for f in peers) / max(sum(f["judged"] for f in peers), 1) * world["seconds"])
        for world in worlds for peers in [world["errors"]["peers"].values()]]
    named = [world for world in worlds if world["diagnoses"]]
    held = 100 * sum(world["held"] for world in worlds) / max(sum(world["updates"] for world in worlds), 1)
    far = [world for world, path in paths if path["ateYawAligned"] > 0.3]
    worst = sorted(paths, key=lambda path: -max(path[1]["neesPosition"], path[1]["neesAttitude"]))[:8]
    states = [tally for world in worlds for link in world["links"].values() for tally in link.values()]
    total = lambda name, tallies: sum(tally[name] for tally in tallies)
    percent = lambda part, whole: f"{100 * part / whole:.1f}" if whole else "-"
    moving = [link["moving"] for world in worlds for link in world["links"].values()]
    resting = [link["resting"] for world in worlds for link in world["links"].values()]
    narrow = [link for link in published if link[2]["coverage90"] < 0.7]
    often = [(w, p) for w in worlds for p, link in w["links"].items() if arrows_often_wrong(link)]
    print(f"""| worlds | links | updates with an angle % | coverage of these % | links whose median angle is over 20 degrees off |\
 converged updates % | of these false % | links ever falsely converged |
|---:|---:|---:|---:|---:|---:|---:|---:|
| {len(worlds)} | {len(links)} | {percent(intervals, updates)} | {percent(covered, intervals)} | {len(wrong)} of {len(published)} |\
 {percent(converged, updates)} | {100 * sum(count for _, count in false) / max(converged, 1):.1f} | {sum(count > 0 for _, count in false)} |

| links whose coverage is under 70 % | links with over 1 % of angles over 20 degrees off | angles over 20 degrees off % | coverage of distances % |\
 while it moves: updates with an angle % | coverage of these % | over 20 degrees off % | at rest: called moving % |
|---:|---:|---:|---:|---:|---:|---:|---:|
| {len(narrow)} of {len(published)} | {len(often)} of {sum(len(w["links"]) for w in worlds)} | {percent(total("wrong", states), total("angles", states))} |\
 {percent(total("distancesCovered", states), total("distances", states))} | {percent(total("angles", moving), total("updates", moving))} |\
 {percent(total("covered", moving), total("angles", moving))} | {percent(total("wrong", moving), total("angles", moving))} |\
 {percent(total("calledMoving", resting), total("updates", resting))} |

| trajectory | median | 90 % | largest |
|---|---:|---:|---:|
| ATE yaw m | {quantiles([path['ateYawAligned'] for _, path in paths], 3)} |
| NEES position | {quantiles([path['neesPosition'] for _, path in paths], 1)} |
| NEES attitude | {quantiles([path['neesAttitude'] for _, path in paths], 1)} |

Worlds with a diagnosis: {len(named)} of {len(worlds)}: {', '.join(f'{name(w)} ({" ".join(w["diagnoses"])})' for w in named) or 'none'}; updates that an open premise holds: {held:.2f} %.
Worlds with angles over 20 degrees off for two seconds or more in all: {', '.join(f'{name(w)} ({s:.0f} s)' for w, s in misled if s >= 2) or 'none'}.
Trajectories over 0.3 m off: {', '.join(name(w) for w in far) or 'none'}.
Links with wrong angles: {', '.join(f'{name(w)} {p} ({f["angleErrorDegrees"]["median"]:.0f} degrees)' for w, p, f in wrong) or 'none'}.
Links whose coverage is under 70 %: {', '.join(f'{name(w)} {p} ({100 * f["coverage90"]:.0f})' for w, p, f in narrow) or 'none'}.
Links with over 1 % of angles over 20 degrees off: {', '.join(f'{name(w)} {p}' for w, p in often) or 'none'}.
Falsely converged: {', '.join(f'{name(w)} {p}' for (w, p, _), count in false if count > 0) or 'none'}.
Most over-confident trajectories (NEES of position and attitude):\
 {', '.join(f'{name(w)} ({t["neesPosition"]:.0f}, {t["neesAttitude"]:.0f})' for w, t in worst)}.""")
    if any(world.get("ideal") for world in worlds):
        ideal(worlds)


if __name__ == "__main__":
    words = sys.argv[1:]
    kind = {"scenario": words[3:4], "run": words[2:3], "record": words[2:3]}.get(words[0] if words else "", [])
    if kind and kind[0] not in KINDS:
        sys.exit(f"error: no kind '{kind[0]}', expected one of {' '.join(KINDS)}")
    if words == ["kinds"]:
        print("\n".join(KINDS))
    elif words[:1] == ["scenario"] and len(words) in (3, 4):
        print(scenario(int(words[1]), words[2], *(words[3:] or ["plain"])), end="")
    elif words[:1] == ["record"] and len(words) == 5:
        if not record(*words[1:]):
            sys.exit(3)
    elif words[:1] == ["run"] and len(words) >= 5:
        options = argparse.ArgumentParser(prog="worlds.py run")
        options.add_argument("--config")
        options.add_argument("--ideal", action="store_true")
        found = options.parse_args(words[5:])
        row = run(*words[1:5], config=found.config, has_ideal=found.ideal)
        print(json.dumps(row) if row else "", end="\n" if row else "")
    elif words[:1] == ["page"] and len(words) == 2:
        with open(words[1]) as lines:
            page(lines)
    elif words[:1] == ["compare"] and len(words) == 3:
        with open(words[1]) as lines, open(words[2]) as others:
            compare(lines, others)
    else:
        sys.exit(__doc__)
