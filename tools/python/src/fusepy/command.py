"""Running the `fuse` command."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from pathlib import Path

from .results import SetUpWarning, load_verdict


class FuseError(RuntimeError):
    """The command failed; `status` is its exit code: 2 for the data or the run, 64 for wrong usage."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def find_fuse() -> str | None:
    """The command: $FUSE, or that of this wheel, or `fuse` on the path, or this checkout's build."""
    named = os.environ.get("FUSE")
    if named:
        return named
    own = Path(__file__).resolve().parent / "bin" / "fuse"
    if own.is_file():
        return str(own)
    found = shutil.which("fuse")
    if found:
        return found
    for above in Path(__file__).resolve().parents:
        built = above / ".build" / "release" / "fuse"
        if built.is_file():
            return str(built)
    return None


def call(arguments: list[str], allowed: tuple[int, ...] = (0,)) -> str:
    """Runs `fuse` with these arguments and returns its stdout.

    Raises FuseError where the command is missing or ends with a code that is not allowed.
    """
    binary = find_fuse()
    if binary is None:
        raise FuseError(64, "no command fuse, expected it on the path, in $FUSE, or built: swift build -c release")
    try:
        done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise FuseError(64, f"{binary}: {error.strerror}, expected the command fuse, built: swift build -c release") from error
    if done.returncode not in allowed:
        raise FuseError(done.returncode, done.stderr.strip() or f"fuse ended with {done.returncode}")
    return done.stdout


def run(folder: str | Path, output: str | Path, *options: str) -> Path:
    """`fuse run folder -o output`; options as on the command line. Returns the output folder.

    Warns (`SetUpWarning`) where the run's verdict is not healthy.
    """
    call(["run", str(folder), "-o", str(output), "--quiet", *options])
    verdict = load_verdict(output)
    if verdict.state != "healthy":
        warnings.warn(f"{folder}: {verdict}", SetUpWarning, stacklevel=2)
    return Path(output)
