"""ROS bags and MCAP into `fuse`, and what `fuse` found into pandas and rerun."""

from .command import FuseError, find_fuse, run
from .importing import ImportReport, import_recording
from .map import ImportMap, MapError
from .results import load_result, load_trajectory, load_updates

__all__ = [
    "FuseError", "ImportMap", "ImportReport", "MapError", "find_fuse", "import_recording", "load_result",
    "load_trajectory", "load_updates", "run",
]
