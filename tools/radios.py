#!/usr/bin/env python3
"""Random radios: the scenarios of `fuse simulate` with another radio, and the page with their figures.

    tools/radios.py scenario <scenario file> <number>   the scenario with the radio of that number, to the standard output
    tools/radios.py page <folder>                       the page about the folder's *.yaml and *.jsonl, to the standard output
    tools/radios.py motions <figures> <title>           a section about figures of several motions with one radio, to the standard output

`tools/update-radios` calls both.
"""
import glob
import json
import math
import random
import re
import statistics
import sys


def log_uniform(draw, low, high):
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def radio(number):
    draw = random.Random(number)
    return {
        "rate_hz": round(log_uniform(draw, 5, 50), 2),
        "range_noise_std_m": round(log_uniform(draw, 0.02, 0.2), 3),
        "drift_std_m": round(log_uniform(draw, 0.02, 0.2), 3),
        "drift_time_s": round(log_uniform(draw, 0.5, 15), 2),
        "nlos_share": draw.choice([0, 0, 0.05, 0.1, 0.3]),
        "nlos_dwell_s": round(log_uniform(draw, 0.2, 4), 2),
        "nlos_excess_m": round(log_uniform(draw, 0.2, 2), 2),
        "dropout_share": draw.choice([0, 0.02, 0.3]),
        "outlier_share": draw.choice([0, 0.005, 0.03]),
    }


def scenario(file, number):
    """The scenario with its section `uwb` replaced."""
    text = re.sub(r"(?m)^uwb:\n(?:[ \t].*\n)*", "", open(file).read())
    return text + "uwb:\n" + "".join(f"  {key}: {value}\n" for key, value in radio(number).items())


def row(name, trials):
    def over(key, of):
        values = [trial[key] for trial in trials if trial.get(key) is not None]
        return f"{of(values):.2f}" if values else "-"

    mean, median = statistics.mean, statistics.median
    return " | ".join([
        f"| {name}", str(len(trials)), over("angleAvailability", mean), over("angleErrorRatio", median), over("halfWidthRatio", median),
        over("coverage90", mean), over("idealCoverage90", mean),
        str(round(sum((t.get("falselyConvergedTrials") or 0) * t["trials"] for t in trials)))]) + " |"


def page(folder):
    for motion in sorted({re.sub(r"-\d+\.yaml$", "", file.split("/")[-1]) for file in glob.glob(f"{folder}/*.yaml")}):
        trials = []
        for file in sorted(glob.glob(f"{folder}/{motion}-*.jsonl")):
            number = int(re.search(r"-(\d+)\.jsonl$", file)[1])
            lines = open(file).read().splitlines()
            if lines:
                trials.append({**json.loads(lines[0]), "radio": radio(number)})
        if not trials:
            continue
        print(f"\n## {motion}\n")
        print("| radios | number | published | error ratio | half-width ratio | coverage | ideal's coverage | falsely converged trials |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        print(row("all", trials))
        for key, name in [("drift_time_s", "correlation time, s"), ("drift_std_m", "coloured, m"), ("range_noise_std_m", "white, m")]:
            ordered = sorted(trials, key=lambda trial: trial["radio"][key])
            third = -(-len(ordered) // 3)
            for k in range(0, len(ordered), third):
                part = ordered[k:k + third]
                print(row(f"{name} {part[0]['radio'][key]:g} to {part[-1]['radio'][key]:g}", part))
        for fraction in sorted({trial["radio"]["nlos_share"] for trial in trials}):
            print(row(f"NLOS fraction {fraction:g}", [trial for trial in trials if trial["radio"]["nlos_share"] == fraction]))


def motions(file, title):
    """A row per motion from the output of `fuse eval --pool --format jsonl`."""
    columns = [
        ("published", "angleAvailabilityPublishable"), ("error ratio", "angleErrorRatio"), ("90 % error ratio", "angleErrorRatio90"),
        ("half-width ratio", "halfWidthRatio"), ("10° interval time ratio", "timeTo10DegreesRatio"), ("first angle ratio", "firstAngleRatio"),
        ("coverage", "coverage90"), ("ideal's coverage", "idealCoverage90"), ("over 20° off", "wrongAngles"),
        ("level decided, ratio", "verticalDecidedRatio"), ("level wrong", "verticalWrong"), ("falsely converged trials", "falselyConvergedTrials")]
    print(f"\n### {title}\n\n| motion | trials | " + " | ".join(name for name, _ in columns) + " |")
    print("|---|" + "---:|" * (len(columns) + 1))
    for line in open(file):
        trial = json.loads(line)
        values = [f"{trial[key]:.2f}" if trial.get(key) is not None else "-" for _, key in columns]
        print(f"| {trial['name'].removesuffix('.yaml')} | {trial['trials']} | " + " | ".join(values) + " |")


if __name__ == "__main__":
    if sys.argv[1] == "scenario":
        print(scenario(sys.argv[2], int(sys.argv[3])), end="")
    elif sys.argv[1] == "motions":
        motions(sys.argv[2], sys.argv[3])
    else:
        page(sys.argv[2])
