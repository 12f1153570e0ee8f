"""A folder that changes all at once, as `fuse` writes folders (Sources/Datasets/Files/StagedFolder.swift)."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

MARK = ".unfinished"


class FolderError(ValueError):
    """A folder that cannot be written."""


def end_on_signals() -> None:
    """SIGHUP and SIGTERM end the process as an exception does, so that nothing is left; ignored ones stay ignored."""
    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, end)


class StagedFolder:
    """New files are written into `staging`, beside the folder; `commit` gives the older folder's other files second names
    there and exchanges the two names in one step (`renameat2`). Where names cannot be exchanged, files are moved one by
    one under a mark, with which `fuse` reads the folder as nothing. Without `commit` nothing is left.

        with StagedFolder(output) as staged:
            (staged.staging / "file").write_text("...")
            staged.commit(lambda name: name == "stale")
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        real = Path(os.path.realpath(path))
        if path.is_symlink() and not real.exists():
            raise FolderError(f"{path}: a link that leads nowhere, expected a folder")
        if real.exists() and not real.is_dir():
            raise FolderError(f"{path}: a file of that name exists, expected a folder")
        if real.is_dir() and not real.stat().st_mode & 0o222:
            raise FolderError(f"{path}: a folder that may only be read, expected one that may be written")
        self.older = real if real.is_dir() else None
        self.target = real
        here = Path.cwd()
        self.is_exchanged = self.older is None or not (here == real or real in here.parents)
        self.staging = real.with_name(f".{real.name}.partial") if self.is_exchanged else real / ".fuse.partial"
        self.lock = -1
        self.created: list[Path] = []

    def __enter__(self) -> StagedFolder:
        # Folders above that were not there go again where nothing is committed.
        self.created = [above for above in self.target.parents if not above.exists()]
        self.target.parent.mkdir(parents=True, exist_ok=True)
        if self.staging.is_symlink() or self.staging.is_file():
            self.staging.unlink()
        try:
            self.staging.mkdir(exist_ok=True)
            self.lock = os.open(self.staging, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderError(f"{self.path}: another process is writing there, expected one at a time") from error
        except OSError as error:
            raise FolderError(f"{self.path}: cannot be written: {error.strerror}") from error
        for name in os.listdir(self.staging):
            _remove(self.staging / name)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _remove(self.staging)
        os.close(self.lock)
        for above in self.created:
            with contextlib.suppress(OSError):  # succeeds for empty folders only
                above.rmdir()
        if isinstance(error, OSError):
            raise FolderError(f"{self.path}: cannot be written: {error.strerror or error}") from error

    def commit(self, is_dropped: Callable[[str], bool]) -> None:
        """The staged folder becomes the folder. Files of the older one that nothing replaces stay, but for those whose
        names, relative to the folder, `is_dropped`. All is on disk when it returns."""
        if self.older:
            self._carry_over(self.older, is_dropped)
            shutil.copystat(self.older, self.staging)
        _sync(self.staging)
        if self.older is None:
            os.rename(self.staging, self.target)
        elif not (self.is_exchanged and _exchange(self.staging, self.target)):
            self._move()
        _sync_folder(self.target.parent)

    def _carry_over(self, older: Path, is_dropped: Callable[[str], bool]) -> None:
        for folder, folders, names in os.walk(older):
            within = Path(folder).relative_to(older)
            folders[:] = [n for n in folders if older / within / n != self.staging]
            links = [n for n in folders if (older / within / n).is_symlink()]
            for name in [*names, *links]:
                relative = within / name
                source, target = older / relative, self.staging / relative
                if target.exists() or is_dropped(relative.as_posix()):
                    status = source.lstat()
                    if not stat.S_ISREG(status.st_mode) or not status.st_mode & 0o222:
                        raise FolderError(f"{self.path / relative}: found what may only be read, or is no regular file, "
                                          "expected a file that may be replaced; it is left as it is")
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                os.link(source, target, follow_symlinks=False)

    def _move(self) -> None:
        mark = self.target / MARK
        mark.touch()
        _sync_folder(self.target)
        kept = set()
        for folder, _, names in os.walk(self.staging):
            for name in names:
                relative = (Path(folder) / name).relative_to(self.staging)
                kept.add(relative)
                (self.target / relative).parent.mkdir(parents=True, exist_ok=True)
                os.replace(Path(folder) / name, self.target / relative)
        for folder, folders, names in os.walk(self.target):
            folders[:] = [n for n in folders if Path(folder) / n != self.staging]
            for name in names:
                path = Path(folder) / name
                if path.relative_to(self.target) not in kept and path != mark:
                    path.unlink()
        _sync(self.target)
        mark.unlink()
        _sync_folder(self.target)


def _exchange(a: Path, b: Path) -> bool:
    """Two names change places in one step; False where the file system cannot."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    here, exchange = -100, 2
    if call(here, os.fsencode(a), here, os.fsencode(b), exchange) == 0:
        return True
    if ctypes.get_errno() in (errno.EINVAL, errno.ENOSYS, errno.EBUSY, errno.EXDEV):
        return False
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(b))


def _sync(folder: Path) -> None:
    """Files that have no second name elsewhere, and folders."""
    for inner, _, names in os.walk(folder):
        for name in names:
            path = Path(inner) / name
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    os.fdatasync(descriptor)
                finally:
                    os.close(descriptor)
        _sync_folder(Path(inner))


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
