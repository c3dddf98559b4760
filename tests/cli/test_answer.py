#!/usr/bin/env python3
"""What 'assay test' says at its end, and what it leaves behind.

    test_answer.py ASSAY

Runs the built-in store, which shows anomalies on request.  Speaks TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay = os.path.abspath(sys.argv[1])
SKEW = ["store:si", "-w", "skew", "--keys", "4", "--txns", "400"]


def run(*words):
    return subprocess.run([assay, "test", *words], text=True, capture_output=True, timeout=120)


def the_answer():
    done = run(*SKEW)
    lines = done.stdout.splitlines()
    check(done.returncode == 1 and "store:si: snapshot isolation held, serializability did not" in lines,
          "the levels that held and did not are named, also those not asked for", done.stdout)
    check("    snapshot isolation           held" in lines, "there is a table of levels")
    for title in ("What happened", "What can go wrong", "What to do"):
        check(any(line.startswith(f"  {title}: ") for line in lines), f"the answer says: {title}")
    done = run(*SKEW, "-l", "si")
    check(done.returncode == 0 and "snapshot isolation held, serializability did not" in done.stdout,
          "the exit status is about the levels asked for", done.stdout)
    done = run(*SKEW, "-q")
    check(len(done.stdout.splitlines()) == 1, "-q prints the verdict line only", done.stdout)
    said = json.loads(run(*SKEW, "--json").stdout)
    check([r["level"] for r in said["results"]] == ["ser"], "results are those of the levels asked for")
    check(said["answer"]["levels"]["si"] == "ok" and said["answer"]["levels"]["ser"] == "violated",
          "the answer in JSON has all levels", said["answer"])


def the_power():
    done = run("store:ser", "--txns", "5")
    check(done.returncode == 0 and "\nweak test: " in done.stdout and "write skew (" in done.stdout,
          "five transactions are a weak test", done.stdout)
    done = run("store:ser", "-w", "skew", "--keys", "4", "--txns", "1000", "--pause", "0.0005")
    check(done.returncode == 0 and "weak test" not in done.stdout,
          "many transactions in conflict are not", done.stdout)
    power = json.loads(run("store:ser", "--txns", "5", "--json").stdout)["power"]
    check("weak" in power and power["chances"]["write-skew"] < 30, "JSON has the chances", power)


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    the_answer()
    the_power()
    os.chdir("/")
sys.exit(end())
