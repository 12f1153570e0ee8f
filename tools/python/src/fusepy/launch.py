"""The commands of the wheel `fuse-finder`."""

from __future__ import annotations

import os
import sys

from .command import find_fuse

ADVICE = "pip install 'fuse-finder[{extra}]' brings it"


def fuse() -> int:
    """Becomes `fuse`; returns only by an error."""
    binary = find_fuse()
    if binary is None:
        print("error: no executable fuse in this package, expected a wheel of tools/package --wheel", file=sys.stderr)
        return 2
    try:
        os.execv(binary, [binary, *sys.argv[1:]])
    except OSError as error:
        print(f"error: {binary}: {error.strerror}, expected an executable for this machine", file=sys.stderr)
        return 2


def _missing(error: ModuleNotFoundError, extra: str) -> int:
    print(f"error: no Python module {error.name}: {ADVICE.format(extra=extra)}", file=sys.stderr)
    return 2


def fuse_import() -> int:
    """`fuse-import`, or what it lacks."""
    try:
        from .cli import main
    except ModuleNotFoundError as error:
        return _missing(error, "bags")
    return main()


def fuse_import_video() -> int:
    """`fuse-import-video`, or what it lacks."""
    try:
        from .video import main
    except ModuleNotFoundError as error:
        return _missing(error, "bags,video")
    return main()


def fuse_ros_bridge() -> int:
    """`fuse-ros-bridge`, or what it lacks."""
    try:
        from .ros_bridge import main
    except ModuleNotFoundError as error:
        return _missing(error, "bags")
    return main()
