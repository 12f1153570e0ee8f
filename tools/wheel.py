#!/usr/bin/env python3
"""The Python wheel `fuse-finder`: the package fusepy, the executables and what they need, the demo recording.

    tools/wheel.py <bundle> <version> <glibc> <folder>      what tools/bundle.py made and printed; prints the wheel's path

Metadata are those of tools/python/pyproject.toml; what reads bags is an extra, so that the command needs no other package. The same input gives the
same bytes. Python 3.11 or newer.
"""
import base64
import csv
import hashlib
import io
import os
import pathlib
import platform
import stat
import sys
import time
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "fuse_finder"
SCRIPTS = {"fuse": "fusepy.launch:fuse", "fuse-import": "fusepy.launch:fuse_import", "fuse-import-video": "fusepy.launch:fuse_import_video",
           "fuse-ros-bridge": "fusepy.launch:fuse_ros_bridge"}


def metadata(version):
    """Core metadata 2.1."""
    project = tomllib.loads((HERE / "python/pyproject.toml").read_text())["project"]
    extras = {"bags": project["dependencies"]} | {name: wanted for name, wanted in project["optional-dependencies"].items() if name != "test"}
    lines = ["Metadata-Version: 2.1", "Name: fuse-finder", f"Version: {version}",
             "Summary: UWB precision finding with camera and IMU, on recordings: the command fuse, and its results in Python",
             "License: Apache-2.0", f"Requires-Python: {project['requires-python']}", "Description-Content-Type: text/markdown"]
    for name, wanted in sorted(extras.items()):
        lines += [f"Provides-Extra: {name}"] + [f"Requires-Dist: {one} ; extra == '{name}'" for one in wanted]
    return "\n".join(lines) + "\n\n" + (HERE / "python/README.md").read_text()


def contents(bundle, version, tag):
    """Path within the wheel, bytes, whether it is executable; in a fixed order."""
    source = HERE / "python/src/fusepy"
    files = [(f"fusepy/{path.relative_to(source)}", path) for path in sorted(source.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    files += [(f"fusepy/bin/{path.relative_to(bundle)}", path) for path in sorted(bundle.rglob("*")) if path.is_file()]
    demo = HERE.parent / "datasets/demo"
    files += [(f"fusepy/bin/recordings/demo/{path.relative_to(demo)}", path) for path in sorted(demo.rglob("*")) if path.is_file()]
    for name, path in files:
        yield name, path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR)
    info = f"{NAME}-{version}.dist-info"
    yield f"{info}/METADATA", metadata(version).encode(), False
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tools/wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(), False
    yield f"{info}/entry_points.txt", ("[console_scripts]\n" + "".join(f"{name} = {place}\n" for name, place in SCRIPTS.items())).encode(), False
    yield f"{info}/LICENSE", (HERE.parent / "LICENSE").read_bytes(), False


def main():
    bundle, version, glibc, folder = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
    tag = f"manylinux_{glibc.replace('.', '_')}_{platform.machine()}"
    path = folder / f"{NAME}-{version}-py3-none-{tag}.whl"
    # A zip's stamps begin in 1980.
    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, data, isExecutable=False):
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100755 if isExecutable else 0o100644) << 16
            wheel.writestr(entry, data)

        for name, data, isExecutable in contents(bundle, version, tag):
            add(name, data, isExecutable)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.writerow([name, f"sha256={digest}", len(data)])
        rows.writerow([f"{NAME}-{version}.dist-info/RECORD", "", ""])
        add(f"{NAME}-{version}.dist-info/RECORD", record.getvalue().encode())
    print(path)


if __name__ == "__main__":
    main()
