"""ROS bags and MCAP into `fuse`, and what `fuse` found into pandas and rerun."""

from .command import FuseError, find_fuse, run
from .importing import ImportReport, import_recording
from .map import ImportMap, MapError
from .results import SetUpWarning, Verdict, load_result, load_trajectory, load_updates, load_verdict

__all__ = [
    "FuseError", "ImportMap", "ImportReport", "MapError", "SetUpWarning", "Verdict", "find_fuse", "import_recording", "load_result",
    "load_trajectory", "load_updates", "load_verdict", "run",
]
