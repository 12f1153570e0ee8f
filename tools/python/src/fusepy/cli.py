"""`fuse-import`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .axes import NAMES
from .bags import BagError, open_bag
from .command import FuseError
from .importing import import_recording
from .map import MapError, preset_map, preset_names
from .staged import FolderError, end_on_signals


def main(arguments: list[str] | None = None) -> int:
    """0 imported, 1 imported and the check found a fault, 2 nothing imported."""
    parser = argparse.ArgumentParser(
        prog="fuse-import", description="A ROS 1 bag, ROS 2 bag or MCAP file into a dataset folder of fuse.")
    parser.add_argument("source", type=Path, help="the bag: .bag, the folder of a ROS 2 bag, .mcap")
    parser.add_argument("-o", "--output", type=Path, help="the folder that is written")
    parser.add_argument("--map", type=Path, help="which topic is which sensor ('fuse template ros-map' prints one)")
    parser.add_argument("--preset", help=f"the map of a data set instead: {', '.join(preset_names())}")
    parser.add_argument("--own", metavar="NODE", help="with --preset tiers: the node that is the device")
    parser.add_argument("--device", metavar="AXES",
                        help=f"which of the body's axes looks ahead and which up: forward=x,up=z, or {', '.join(NAMES)}")
    parser.add_argument("--definitions", type=Path, help="folder of <package>/msg/<Type>.msg, for db3 bags")
    parser.add_argument("--topics", action="store_true", help="only list the bag's topics and their types")
    parser.add_argument("--no-check", action="store_true", help="do not run fuse's check on the folder")
    options = parser.parse_args(arguments)
    end_on_signals()
    try:
        if options.topics:
            for topic, kind in sorted(open_bag(options.source, options.definitions).topics.items()):
                print(f"{topic}  {kind}")
            return 0
        if options.output is None or (options.map is None) == (options.preset is None):
            parser.error("-o <folder> and one of --map <yaml> and --preset <name> are needed (or --topics)")
        chosen = options.map
        if options.preset:
            topics = open_bag(options.source, options.definitions).topics if options.preset == "tiers" else ()
            chosen = preset_map(options.preset, topics, options.own)
        elif options.own:
            parser.error("--own goes with --preset tiers")
        report = import_recording(options.source, options.output, chosen, options.definitions,
                                  check=not options.no_check, device=options.device)
    except (MapError, BagError, FuseError, FolderError) as error:
        text = " ".join(str(error).split())
        print(text if text.startswith("error: ") else f"error: {text}", file=sys.stderr)
        return 2
    except Exception as error:  # the libraries that read containers have many kinds: a person gets a line, not a traceback
        text = " ".join(str(error).split())
        print(f"error: {options.source}: {type(error).__name__}: {text}, expected a bag that can be read", file=sys.stderr)
        return 2
    for decision in report.decisions:
        print(f"  {decision}")
    for name, count in sorted(report.counts.items()):
        print(f"  {name}: {count}")
    for finding in report.findings:
        print(f"{finding['weight']}: {finding['code']}: {finding['sentence']} ({finding['evidence']})")
        print(f"  -> {finding['remedy']}")
    done = f"imported into {options.output}" + ("" if options.no_check else " and checked")
    step = report.next.replace("<folder>", str(options.output))
    print(f"{done}: a run would go wrong, see above" if report.has_fault else f"{done}; next: {step}")
    return 1 if report.has_fault else 0


if __name__ == "__main__":
    sys.exit(main())
