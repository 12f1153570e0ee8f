#!/usr/bin/env python3
"""Executables with the shared libraries that they need beside them, for machines without a toolchain.

    tools/bundle.py <folder> <executable>...

Copies the executables and every library of theirs but those of the base system, stripped, with a run path of their own folder; the licences of the
libraries go into <folder>/licenses. Prints the versions that are needed of the base system as JSON: {"glibc": "2.34", "glibcxx": "3.4.30"}.
Needs binutils, patchelf, dpkg.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What every Linux with glibc has (PEP 600's manylinux).
BASE = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1",
        "linux-vdso.so.1"}
SWIFT = """The Swift runtime, https://www.swift.org: Apache-2.0 with the Runtime Library Exception, https://swift.org/LICENSE.txt;
lib_FoundationICU.so: Unicode License v3, https://www.unicode.org/license.txt.
"""


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def libraries(executable):
    """Its libraries, and theirs: name and path."""
    found = {}
    for line in output("ldd", str(executable)).splitlines():
        match = re.match(r"\s*(\S+) => (.*?)(?: \(0x[0-9a-f]+\))?$", line)
        if not match:
            continue
        name, path = match.groups()
        if path == "not found":
            sys.exit(f"tools/bundle.py: {executable}: no library {name}")
        if name not in BASE:
            found[name] = pathlib.Path(os.path.realpath(path))
    return found


def opened(executable):
    """Libraries that an executable opens when it is asked for what they do, and theirs: as many as are installed here."""
    found = {}
    known = output("/sbin/ldconfig", "-p")
    for name in sorted(set(re.findall(rb"lib(?:hiredis|mosquitto)\.so\.[0-9.]+", executable.read_bytes()))):
        match = re.search(rf"\t{re.escape(name.decode())} .*=> (\S+)", known)
        if match:
            path = pathlib.Path(os.path.realpath(match[1]))
            found.update({name.decode(): path, **libraries(path)})
    return found


def needed(files, prefix):
    """The newest version of a library's symbols, such as GLIBC_2.36, that any file needs."""
    versions = {tuple(map(int, version.split("."))) for file in files for version in re.findall(rf"\b{prefix}_(\d+(?:\.\d+)+)", output("objdump", "-T", str(file)))}
    return ".".join(map(str, max(versions)))


def licences(paths, folder):
    """The copyright files of the packages that libraries come from."""
    folder.mkdir(exist_ok=True)
    (folder / "swift").write_text(SWIFT)
    for path in paths:
        if "/swift/" in str(path):
            continue
        # Debian's packages know their files by the path without the merged /usr, or with it.
        for name in (str(path), str(path).removeprefix("/usr")):
            asked = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
            if asked.returncode == 0:
                break
        else:
            sys.exit(f"tools/bundle.py: {path} is of no Debian package: its licence is not known")
        package = asked.stdout.split(":")[0]
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", folder / package)


def main():
    folder, executables = pathlib.Path(sys.argv[1]), [pathlib.Path(word) for word in sys.argv[2:]]
    if not executables:
        sys.exit(__doc__)
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for executable in executables:
        shutil.copy(executable, folder / executable.name)
        found.update(libraries(executable))
        found.update(opened(executable))
    for name, path in found.items():
        shutil.copyfile(path, folder / name)
        (folder / name).chmod(0o644)
    files = [folder / executable.name for executable in executables] + [folder / name for name in sorted(found)]
    for file in files:
        subprocess.run(["strip", "--strip-unneeded", file], check=True)
        # The old kind of run path holds for what libraries need, too.
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", file], check=True)
    licences(found.values(), folder / "licenses")
    print(json.dumps({"glibc": needed(files, "GLIBC"), "glibcxx": needed(files, "GLIBCXX")}))


if __name__ == "__main__":
    main()
