#!/usr/bin/env python3
"""What 'make install' and 'make dist' leave behind.

    test_release.py SOURCE BUILD

Installs into a scratch root and uses it, and makes the archive twice.  Speaks
TAP.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

source, build = (os.path.abspath(path) for path in sys.argv[1:3])
PROGRAM = """#include <assay/assay.h>
#include <stdio.h>
int main(void) { return printf("%d\\n", assay_version()) < 0; }
"""


def run(*words, **more):
    return subprocess.run(words, text=True, capture_output=True, **more)


def installed(scratch):
    root = os.path.join(scratch, "root")
    done = run(source + "/tools/install", build, env={**os.environ, "DESTDIR": root})
    check(done.returncode == 0, "it is installed in a scratch root", done.stdout + done.stderr)
    program = next(pathlib.Path(root).rglob("bin/assay"))
    prefix = program.parents[1]
    check(run(program, "--version").stdout.startswith("assay "), "the program runs")
    for name in ("share/man/man1/assay-check.1", "share/bash-completion/completions/assay.bash", "include/assay/assay.h"):
        check((prefix / name).exists(), name)
    pc = next(prefix.rglob("assay.pc"))
    pathlib.Path(scratch, "a.c").write_text(PROGRAM)
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc.parent), "PKG_CONFIG_SYSROOT_DIR": root}
    flags = run("pkg-config", "--cflags", "--libs", "assay", env=env).stdout.split()
    done = run("cc", scratch + "/a.c", "-o", scratch + "/a", *flags)
    check(done.returncode == 0, "a program is built with pkg-config", done.stderr)
    done = run(scratch + "/a", env={**os.environ, "LD_LIBRARY_PATH": str(pc.parents[1])})
    check(done.returncode == 0 and done.stdout.strip(), "and runs", done.stderr)


def archives(scratch):
    if run("git", "-C", source, "rev-parse", "HEAD").returncode != 0:
        print("# no git repository: no archive")
        return
    made = []
    for name in ("one", "two"):
        directory = pathlib.Path(scratch, name)
        done = run(source + "/tools/dist", "--source-only", str(directory))
        check(done.returncode == 0, "dist", done.stderr)
        made.append({path.name: path.read_bytes() for path in directory.iterdir()})
    check(made[0] == made[1], "the same commit gives the same bytes")
    check(run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=directory).returncode == 0, "SHA256SUMS")
    bill = json.loads(next(directory.glob("*.spdx.json")).read_text())
    names = {package["SPDXID"] for package in bill["packages"]}
    ends = {x for r in bill["relationships"] for x in (r["spdxElementId"], r["relatedSpdxElement"])}
    check(ends <= names | {"SPDXRef-DOCUMENT"} and "SPDXRef-assay" in names, "the bill of materials is complete", ends - names)
    with tarfile.open(next(directory.glob("*.tar.gz"))) as archive:
        top = {name.split("/")[0] for name in archive.getnames()}
        check(len(top) == 1 and f"{top.pop()}/meson.build" in archive.getnames(), "the archive has one directory")


with tempfile.TemporaryDirectory() as scratch:
    if shutil.which("meson") and shutil.which("pkg-config"):
        installed(scratch)
    archives(scratch)
sys.exit(end())
