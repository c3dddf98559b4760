#!/usr/bin/env python3
"""--sweep and --shrink, on the built-in store.

    test_sweep.py ASSAY

Speaks TAP.
"""
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
path = os.path.join(scratch.name, "a?b%41'.db")  # no name is special
WEAK = "store:cc?fresh=0&window=0"


def run(*words, **more):
    return subprocess.run([assay, "test", *words], text=True,
                          capture_output=True, timeout=240, check=False,
                          cwd=scratch.name, **more)


def has(done, status, text, name):
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name,
          f"exit {done.returncode}: {out}")


has(run("--sweep", "levels,keys"), 2, "--sweep is levels, workloads or seeds",
    "a sweep varies what it can")
for wrong in (["--spec", "x"], ["--keep", "x"], ["--json"], ["--junit", "x"],
              ["--timeout", "1"], ["--output", "dot"]):
    has(run("--sweep", "seeds", *wrong), 2, "is for one run",
        f"{wrong[0]} is for one run")
has(run("--sweep", "seeds", "--shrink"), 2, "exclude each other",
    "a sweep does not shrink")

sweep = ["store:ser", WEAK, "--sweep", "levels,workloads,seeds", "-l", "rc,si",
         "--seeds", "2", "--txns", "300", "--keys", "4", "--results", path]
first = run(*sweep)
if "built without" in first.stderr:
    skip("sweeps", "this build has no SQLite")
    sys.exit(end())
has(first, 1, "48 runs, 0 of them from before", "every combination is run")
rows = {tuple(line.split()[:3]): line for line in first.stdout.splitlines()}
check("held in 2" in rows["store:ser", "si", "update"] and
      "violated in 2 of 2" in rows[WEAK, "si", "update"] and
      "held in 2" in rows[WEAK, "rc", "update"] and
      "refused" in rows[WEAK, "si", "append"], "the table says what held",
      first.stdout)
has(run(*sweep), 1, "48 runs, 48 of them from before", "nothing is run twice")
has(run(*sweep[:-2], "--results", path, "-q"), 1, "48 runs, 0 of them",
    "another command line is another sweep")

with sqlite3.connect(path) as db:
    found = db.execute("select name, transactions, history, level from anomaly"
                       " where target = ?", [WEAK]).fetchall()
    check(found, "anomalies are in the file")
    for name, transactions, history, level in found:
        again = subprocess.run(
            [assay, "check", "-q", "-l", level, "-"], input=history, text=True,
            capture_output=True, timeout=60, check=False)
        check(again.returncode == 1 and
              len(history.splitlines()) == transactions,
              f"its smallest history shows it: {name}",
              again.stdout + again.stderr + history)
    db.execute("drop table anomaly")
    db.execute("create table anomaly (x)")
has(run(*sweep), 2, "no such column",
    "a file with other tables is refused")

slow = ["store:ser", "--sweep", "seeds", "--seeds", "40", "--txns", "40",
        "--results", os.path.join(scratch.name, "slow.db")]
with subprocess.Popen([assay, "test", *slow], text=True, cwd=scratch.name,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=120)
done = run(*slow)
before = [line.split()[2] for line in done.stdout.splitlines()
          if "of them from before" in line]
check(done.returncode == 0 and "40 runs" in done.stdout and
      before and int(before[0]) >= 1,
      "a sweep that was interrupted goes on", done.stdout + done.stderr)

both = [assay, "test", "store:ser", "--sweep", "seeds", "--seeds", "30", "--txns",
        "40", "--results", os.path.join(scratch.name, "both.db")]
children = [subprocess.Popen(both, text=True, cwd=scratch.name,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(2)]
for child in children:
    out, err = child.communicate(timeout=120)
    check(child.returncode == 0 and "30 runs" in out,
          "two sweeps into one file do not disturb each other", out + err)

os.mkdir(os.path.join(scratch.name, "files"))
for name, text in (("t.sql", "create table t (id int primary key, v int); insert into t values (1, 0);"),
                   ("read.sql", "select v from t where id = 1;"),
                   ("write.sql", "update t set v = v + 1 where id = 1;")):
    pathlib.Path(scratch.name, "files", name).write_text(text)
files = ["sqlite:", "--sweep", "workloads,seeds", "--seeds", "2", "-w", "files/read.sql,files/write.sql",
         "--schema", "files/t.sql", "--txns", "4", "--results", os.path.join(scratch.name, "files.db")]
done = run(*files)
if "PostgreSQL's parser" in done.stderr:
    skip("sweeps of SQL files", "this build has no parser")
else:
    rows = [line.split()[:3] for line in done.stdout.splitlines()]
    check(["sqlite:", "ser", "read.sql"] in rows and ["sqlite:", "ser", "write.sql"] in rows,
          "each file is a workload, called without its directory", done.stdout + done.stderr)
    has(run(*files), 0, "4 runs, 4 of them from before", "SQL files are not run twice")
    with open(os.path.join(scratch.name, "files/t.sql"), "a", encoding="utf-8") as file:
        file.write("-- changed")
    has(run(*files), 0, "4 runs, 0 of them from before", "files that have changed are run again")

small = run(WEAK, "--shrink", "-w", "update", "-l", "si", "--sessions", "8",
            "--txns", "400", "--keys", "8", "-q")
has(small, 1, "the smallest that violates the level", "a run is made smaller")
words = next((line.split() for line in small.stdout.splitlines()
              if "--txns" in line), [])
check(words and int(words[words.index("--txns") + 1]) < 400,
      "it has fewer transactions", small.stdout)
has(run("store:ser", "--shrink", "-l", "ser", "--txns", "50"), 0,
    "3 runs, and the level held in all of them", "what holds is not shrunk")
scratch.cleanup()
sys.exit(end())
