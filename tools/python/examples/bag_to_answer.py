"""From a bag to the last distance and angle of each peer: python bag_to_answer.py walk.bag map.yaml."""

import sys

import fusepy


def main() -> None:
    bag, chosen = sys.argv[1:3]
    report = fusepy.import_recording(bag, "walk", chosen)
    for finding in report.findings:
        print(f"{finding['weight']}: {finding['sentence']}; {finding['remedy']}")
    if report.has_fault:
        sys.exit(1)
    updates = fusepy.load_updates(fusepy.run("walk", "walk-fuse"))
    print(updates.dropna(subset=["peer"]).groupby("peer")[["distance", "horizontalAngle", "status"]].last())


if __name__ == "__main__":
    main()
