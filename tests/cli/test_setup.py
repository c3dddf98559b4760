#!/usr/bin/env python3
"""tools/setup asks before it calls sudo.

    test_setup.py SETUP

Runs it as a user who is not root, with programs of our own in front of those of
the system.  Speaks TAP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

setup = os.path.abspath(sys.argv[1])


def program(name, body):
    path = pathlib.Path("bin", name)
    path.write_text("#!/bin/sh\n" + body + "\n")
    path.chmod(0o755)


def run(**more):
    environment = {**os.environ, "PATH": os.path.abspath("bin") + ":" + os.environ["PATH"], **more}
    if "ASSAY_SETUP" not in more:
        environment.pop("ASSAY_SETUP", None)
    pathlib.Path("called").unlink(missing_ok=True)
    done = subprocess.run(["sh", setup], stdin=subprocess.DEVNULL, text=True, capture_output=True, env=environment)
    return done, pathlib.Path("called").exists()


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    os.mkdir("bin")
    program("id", "echo 1000")
    program("sudo", f"cat >/dev/null; echo \"$@\" >>{scratch}/called")
    program("apt-get", f"echo \"$@\" >>{scratch}/called")
    program("pkg-config", "exit 1")  # no library is there
    done, called = run()
    check(done.returncode == 0 and not called, "without a terminal it goes on without optional packages", done.stderr)
    check("setup: to install: sudo apt-get install zlib1g-dev" in done.stderr, "and says how to install them", done.stderr)
    done, called = run(ASSAY_SETUP="no")
    check(done.returncode == 0 and not called, "an answer of no", done.stderr)
    done, called = run(ASSAY_SETUP="yes")
    check(done.returncode == 0 and called and "setup: installing" in done.stdout, "an answer of yes", done.stdout + done.stderr)
    program("python3", "exit 0")
    done = subprocess.run(["sh", setup, "test"], stdin=subprocess.DEVNULL, text=True, capture_output=True,
                          env={**os.environ, "PATH": os.path.abspath("bin") + ":" + os.environ["PATH"], "ASSAY_SETUP": "no"})
    check(done.returncode == 1 and "setup: needed:" in done.stderr, "tests need what they need", done.stderr)
    os.chdir("/")
sys.exit(end())
