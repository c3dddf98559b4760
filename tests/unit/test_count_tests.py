#!/usr/bin/env python3
"""What tools/count-tests makes of tests that pass only when they are run again.

    test_count_tests.py COUNT_TESTS

A program called 'meson' stands in for the second run.  Speaks TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

MESON = """#!/bin/sh
while [ "$1" != -C ]; do shift; done
build=$2
while [ "$1" != --logbase ]; do shift; done
echo '{"name":"assay:unit / racing","result":"'$SECOND'"}' >"$build/meson-logs/$2.json"
"""


def count(first, second, flaky):
    """The status and the output for one test with these two results."""
    with tempfile.TemporaryDirectory() as place:
        logs = pathlib.Path(place, "build/meson-logs")
        logs.mkdir(parents=True)
        log = logs / "quick.json"
        log.write_text(json.dumps({"name": "assay:unit / racing", "result": first}) + "\n")
        meson = pathlib.Path(place, "meson")
        meson.write_text(MESON)
        meson.chmod(0o755)
        names = pathlib.Path(place, "flaky")
        names.write_text(flaky)
        environment = dict(os.environ, PATH=f"{place}:{os.environ['PATH']}", SECOND=second, FLAKY=str(names))
        done = subprocess.run([sys.argv[1], log], text=True, capture_output=True, env=environment, timeout=60)
        return done.returncode, done.stdout + done.stderr


status, said = count("OK", "FAIL", "")
check(status == 0 and "1 passed, 0 failed" in said, "a test that passes is not run again", said)
status, said = count("FAIL", "FAIL", "")
check(status == 1 and "1 failed" in said, "a test that fails twice fails", said)
status, said = count("FAIL", "OK", "")
check(status == 1 and "passes only when it is run again" in said, "a test that needs a second run fails", said)
status, said = count("FAIL", "OK", "# why\nracing: the server needs its time\n")
check(status == 0 and "the server needs its time" in said, "one that the list names passes, with its reason", said)
status, said = count("FAIL", "FAIL", "racing: the server needs its time\n")
check(status == 1, "the list excuses no test that fails twice", said)
status, said = count("OK", "OK", "gone: it was slow\n")
check(status == 1 and "no test 'gone'" in said, "the list names tests that there are", said)
status, said = count("FAIL", "OK", "racing:\n")
check(status == 1 and "no reason" in said, "the list has reasons", said)
end()
