"""ROS bags and MCAP into `fuse`, what `fuse` found into pandas and rerun, and a client of its live service.

Names are imported when they are used: results are read, and the command is run, without what reads bags.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client import AsyncClient, AsyncSession, Client, ServiceError, Session
    from .command import FuseError, find_fuse, run
    from .importing import ImportReport, import_recording
    from .map import ImportMap, MapError
    from .results import SetUpWarning, Verdict, load_result, load_trajectory, load_updates, load_verdict

__all__ = [
    "AsyncClient", "AsyncSession", "Client", "FuseError", "ImportMap", "ImportReport", "MapError", "ServiceError", "Session", "SetUpWarning", "Verdict",
    "find_fuse", "import_recording", "load_result", "load_trajectory", "load_updates", "load_verdict", "run",
]

_HOMES = {
    "client": ["AsyncClient", "AsyncSession", "Client", "ServiceError", "Session"],
    "command": ["FuseError", "find_fuse", "run"], "importing": ["ImportReport", "import_recording"], "map": ["ImportMap", "MapError"],
    "results": ["SetUpWarning", "Verdict", "load_result", "load_trajectory", "load_updates", "load_verdict"],
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
