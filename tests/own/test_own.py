#!/usr/bin/env python3
"""An application of a user's own is run, predicted from and validated.

    test_own.py ASSAY ON_CALL.so BAD.so

Speaks TAP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay, own, bad = (os.path.abspath(word) for word in sys.argv[1:4])


def run(*words):
    return subprocess.run([assay, *words], text=True, capture_output=True,
                          timeout=120, check=False)


with tempfile.TemporaryDirectory() as scratch:
    shape = ["-w", own, "--sessions", "3", "--seed", "2"]
    done = run("test", "store:ser", *shape, "--txns", "90", "--predict", "si",
               "--validate")
    check(done.returncode == 1, "a test runs it and predicts", done.stderr)
    check("on_call, " in done.stdout and " on keys doctor:" in done.stdout,
          "it is about doctors who leave",
          done.stdout)
    check("Validated: run again with these reads" in done.stdout,
          "the application confirms it", done.stdout)

    path = os.path.join(scratch, "run.jsonl")
    done = run("collect", "store:ser", *shape, "--txns", "90", "-q", "-o", path)
    check(done.returncode == 0, "a run is recorded", done.stderr)
    done = run("predict", "-l", "rc", "--validate", *shape, path)
    check(done.returncode == 1 and "Validated:" in done.stdout,
          "and validated later", done.stdout + done.stderr)
    done = run("predict", "-l", "rc", "--validate", *shape[:-1], "3", path)
    check("Not validated: the application is not the one that was observed"
          in done.stdout, "another seed is noticed", done.stdout)

    done = run("test", "sqlite:", "-w", own, "--txns", "60", "-q")
    if "built without" in done.stderr:
        skip("it runs on SQL as well", "this build has no SQLite")
    else:
        check(done.returncode == 0, "it runs on SQL as well", done.stderr)

    done = run("test", "store:ser", "-w", bad)
    check(done.returncode == 2 and "found a table 'x; drop table y'"
          in done.stderr, "names are checked", done.stderr)
    done = run("test", "store:ser", "-w", os.path.join(scratch, "none.so"))
    check(done.returncode == 2 and "cannot load a library" in done.stderr,
          "a library that is not there is an error", done.stderr)
sys.exit(end())
