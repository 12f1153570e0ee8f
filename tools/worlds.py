#!/usr/bin/env python3
"""Random worlds: scenarios with drawn parameters, and the page with their figures.

    tools/worlds.py scenario <seed> <metres to each wall> [antennas | strolls | phones | rests]   a scenario file, to the standard output
    tools/worlds.py run <fuse> <kind> <seed> <folder> [<config>]     simulates and runs it in <folder>, in the smallest room without motion through a
                                                                     wall, of sizes that differ from world to world; its figures, a JSON line
    tools/worlds.py page <lines of 'run'>                            the page, to the standard output

With `phones` the inertial unit is a modern phone's, honestly stated: 0.002 to 0.005 m/s^2/sqrt(Hz), a bias of up to 0.8 m/s^2. With
`rests` the device rests for 2 to 20 s, then moves, beside quiet radios whose error of 0.1 to 0.3 m changes with the place. With `antennas` the device of the same world has two or three, 3 to 30 cm off its centre, with errors of their own; with `strolls` the
world lasts longer, and its first peer moves from some time on. `tools/update-worlds` calls all.

Drawn are: rates and noises of every sensor within the range of products, wrong stated range noise, NLOS, outliers, intervals without
ranges, darkness, up to 5 % outlier tracks, one to three peers, and a sequence of gestures and walks, started stationary or moving.
"""
import json
import math
import os
import random
import subprocess
import sys


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
    return [
        "  antennas_m: {" + ", ".join(f"{name}: {position}" for name, position in zip("abc", positions)) + "}",
        f"  drift_common_share: {draw.uniform(0.1, 0.9):.2f}",
        f"  antenna_bias_std_m: {log_uniform(draw, 0.01, 0.1):.3f}",
    ]


def stroll(draw):
    return f", stroll: {{begin_s: [8, 20], duration_s: [2, 8], speed_m_s: [0.3, 1.6], ways: {draw.choice([1, 2, 3])}}}"


def scenario(seed, wall, kind):
    # Additions of a kind have their own draws, so that the rest of the world is the same.
    draw, added = random.Random(seed), random.Random(f"{seed} {kind}")
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
    if draw.random() < 0.2:
        begin = draw.uniform(3, 12)
        lines.append(f"  dark: [{{from_s: {begin:.1f}, to_s: {begin + log_uniform(draw, 0.5, 8):.1f}}}]")
    lines += [
        "uwb:",
        f"  rate_hz: {log_uniform(draw, 3, 50):.2f}",
        f"  range_noise_std_m: {log_uniform(draw, 0.02, 0.2):.3f}",
        f"  drift_std_m: {log_uniform(draw, 0.02, 0.2):.3f}",
        f"  drift_time_s: {log_uniform(draw, 0.5, 15):.2f}",
        f"  nlos_share: {draw.choice([0, 0, 0.05, 0.1, 0.3])}",
        f"  nlos_dwell_s: {log_uniform(draw, 0.2, 4):.2f}",
        f"  nlos_excess_m: {log_uniform(draw, 0.2, 2):.2f}",
        f"  dropout_share: {draw.choice([0, 0.02, 0.3])}",
        f"  outlier_share: {draw.choice([0, 0.005, 0.03])}",
        f"  silent_share: {draw.choice([0, 0, 0, 0, 0.2])}",
    ]
    if kind == "antennas":
        lines += antennas(added)
    if kind == "rests":
        radio = lines.index("uwb:")
        lines[radio + 2:] = [
            f"  range_noise_std_m: {log_uniform(added, 0.005, 0.03):.4f}",
            "  drift_std_m: 0",
            f"  multipath_std_m: {added.uniform(0.1, 0.3):.3f}",
            f"  multipath_length_m: {log_uniform(added, 0.1, 1):.3f}",
            "  nlos_share: 0",
        ]
    if draw.random() < 0.5:
        lines.append(f"  claimed_range_std_m: {log_uniform(draw, 0.02, 0.3):.3f}")
    lines += [
        "hand:",
        f"  pitch_deg: {draw.uniform(-60, 20):.0f}",
        f"  sway_std_m: {log_uniform(draw, 0.001, 0.01):.4f}",
        f"  sway_std_deg: {log_uniform(draw, 0.2, 3):.2f}",
        f"  holding: {draw.choice(['portrait', 'landscape'])}",
        f"room: {{ahead_m: {wall}, left_m: {wall}, right_m: {wall}, behind_m: {wall}, ceiling_m: 2.7, floor_m: 1.4}}",
        "peers:",
    ]
    for number in range(draw.choice([1, 1, 1, 2, 3])):
        near = log_uniform(draw, 1.2, 12)
        lines.append(
            f"  - {{id: tag{number}, distance_m: [{near:.2f}, {1.2 * near:.2f}], elevation_std_deg: {draw.choice([5, 15, 25])}, "
            f"range_bias_m: 0, range_bias_std_m: 0.12, range_scale_percent: {draw.gauss(0, 0.4):.2f}"
            f"{stroll(added) if kind == 'strolls' and number == 0 else ''}}}")
    motion = gestures(draw, 30 if kind == "strolls" else 18)
    if kind == "rests":
        motion.insert(0, f"hold: {{duration_s: {added.uniform(2, 20):.2f}}}")
    return "\n".join(lines + ["motion:"] + [f"  - {piece}" for piece in motion]) + "\n"


def run(fuse, kind, seed, folder, config=None):
    """Figures of 'fuse eval', the codes of the diagnoses, and the updates without an angle for an open premise; None without a room."""
    path, recording, result = (f"{folder}/{kind}-{seed}{end}" for end in (".yaml", "-recording", ""))
    call = lambda *words: subprocess.run([fuse, *words], check=True, capture_output=True, text=True).stdout
    for wall in [3 + int(seed) % 4, 8, 11, 15, 22, 40]:
        with open(path, "w") as out:
            out.write(scenario(int(seed), wall, kind))
        if subprocess.run([fuse, "simulate", path, "-o", recording, "--seed", seed], capture_output=True).returncode == 0:
            break
    else:
        return None
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
    subprocess.run(["rm", "-rf", path, recording, result], check=True)
    return row


def quantiles(values, digits):
    values = sorted(values)
    at = [values[min(int(p * len(values)), len(values) - 1)] for p in (0.5, 0.9, 1)]
    return " | ".join(f"{value:.{digits}f}" for value in at)


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
    print(f"""| worlds | links | updates with an angle % | coverage of these % | links whose median angle is over 20 degrees off |\
 converged updates % | of these false % | links ever falsely converged |
|---:|---:|---:|---:|---:|---:|---:|---:|
| {len(worlds)} | {len(links)} | {100 * intervals / updates:.1f} | {100 * covered / intervals:.1f} | {len(wrong)} of {len(published)} |\
 {100 * converged / updates:.1f} | {100 * sum(count for _, count in false) / max(converged, 1):.1f} | {sum(count > 0 for _, count in false)} |

| trajectory | median | 90 % | largest |
|---|---:|---:|---:|
| ATE yaw m | {quantiles([path['ateYawAligned'] for _, path in paths], 3)} |
| NEES position | {quantiles([path['neesPosition'] for _, path in paths], 1)} |
| NEES attitude | {quantiles([path['neesAttitude'] for _, path in paths], 1)} |

Worlds with a diagnosis: {', '.join(f'{name(w)} ({" ".join(w["diagnoses"])})' for w in named) or 'none'}; updates that an open premise holds: {held:.2f} %.
Worlds with angles over 20 degrees off for two seconds or more in all: {', '.join(f'{name(w)} ({s:.0f} s)' for w, s in misled if s >= 2) or 'none'}.
Trajectories over 0.3 m off: {', '.join(name(w) for w in far) or 'none'}.
Links with wrong angles: {', '.join(f'{name(w)} {p} ({f["angleErrorDegrees"]["median"]:.0f} degrees)' for w, p, f in wrong) or 'none'}.
Falsely converged: {', '.join(f'{name(w)} {p}' for (w, p, _), count in false if count > 0) or 'none'}.
Most over-confident trajectories (NEES of position and attitude):\
 {', '.join(f'{name(w)} ({t["neesPosition"]:.0f}, {t["neesAttitude"]:.0f})' for w, t in worst)}.""")


if __name__ == "__main__":
    if sys.argv[1:2] == ["scenario"] and len(sys.argv) in (4, 5):
        print(scenario(int(sys.argv[2]), sys.argv[3], *(sys.argv[4:] or ["plain"])), end="")
    elif sys.argv[1:2] == ["run"] and len(sys.argv) in (6, 7):
        row = run(*sys.argv[2:])
        print(json.dumps(row) if row else "", end="\n" if row else "")
    elif sys.argv[1:2] == ["page"] and len(sys.argv) == 3:
        with open(sys.argv[2]) as lines:
            page(lines)
    else:
        sys.exit(__doc__)
