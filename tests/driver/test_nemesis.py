#!/usr/bin/env python3
"""--nemesis and --setup: statements beside and before a workload, on SQLite.

    test_nemesis.py ASSAY

Speaks TAP.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])


def run(target, *words):
    return subprocess.run([assay, "test", target, "--time", "0.3", "--store",
                           "", "--sessions", "2", *words], text=True,
                          capture_output=True, timeout=120, check=False)


def has(done, status, text, name):
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name,
          f"exit {done.returncode}: {out}")


has(run("store:ser", "--nemesis", "vacuum@0"), 2, "takes SQL, found store:ser",
    "the store takes no SQL")
for wrong in ("vacuum", "@1", "vacuum@", "vacuum@soon", "vacuum@every:-1"):
    has(run("store:ser", "--nemesis", wrong), 2, "'vacuum@every:0.5s'",
        f"'{wrong}' has no statement or no time")
has(run("store:ser", "--nemesis", "vacuum@0", "--spec", "x"), 2,
    "not for --spec", "a specification has none")
first = run("sqlite:")
if "built without" in first.stderr:
    skip("statements", "this build has no SQLite")
    sys.exit(end())
turns = ("--setup", "pragma temp_store=2", "--setup", "select a from nowhere")
has(run("sqlite:", *turns), 2, "no such table: nowhere", "the second session takes the second setup")
has(run("sqlite:", *turns, "--sessions", "1"), 0, "", "the first one does not")
with tempfile.TemporaryDirectory() as scratch:
    path = os.path.join(scratch, "test.db")
    with sqlite3.connect(path) as db:
        db.execute("create table a_b (mail)")
    page = os.path.join(scratch, "page")
    # Sessions that only read are never refused, and the statements have time on a busy machine.
    done = run("sqlite:" + path + "?journal=wal", "--reads", "1", "--time", "1",
               "--json", "--report", page, "--nemesis", "select 1@0s",
               "--nemesis", "insert into a_b values ('x@y')@every:0",
               "--nemesis", "frobnicate@0", "--nemesis", "vacuum@1000")
    check(done.returncode == 0, "statements do not fail the run",
          done.stdout + done.stderr)
    found = json.loads(done.stdout)["run"]["nemesis"]
    check([n["statement"] for n in found] ==
          ["select 1@0s", "insert into a_b values ('x@y')@every:0",
           "frobnicate@0", "vacuum@1000"], "they are reported", found)
    check(found[0]["runs"] == 1 and found[3]["runs"] == 0,
          "one is run at its time, and not before", found)
    check(found[2]["failures"] == 1 and "frobnicate" in found[2]["message"],
          "one that is refused is counted, with the reason", found)
    check(all(len(n["times"]) == min(n["runs"], 1000) and
              all(0 <= t["began"] <= t["ended"] for t in n["times"])
              for n in found), "their times are known", found)
    marks = pathlib.Path(page, "index.html").read_text(encoding="utf-8")
    check(marks.count('<g class="statement time"><title>select 1@0s, at') in (2, 3),
          "they are marks in the plots", marks.count("statement time"))
    with sqlite3.connect(path) as db:
        rows = db.execute("select count(*) from a_b where mail = 'x@y'")
        check(rows.fetchone()[0] == found[1]["runs"] - found[1]["failures"],
              "one that repeats has run as often as it says", found)
sys.exit(end())
