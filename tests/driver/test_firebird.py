#!/usr/bin/env python3
"""Firebird, where its engine is there: what its levels are worth.

    test_firebird.py ASSAY

Speaks TAP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
leaks = pathlib.Path(__file__).resolve().parent / "leaks.txt"
quiet = dict(os.environ,
             LSAN_OPTIONS=f"suppressions={leaks}:print_suppressions=0")

SKEW = """
setup { create table t (id int primary key, v int); insert into t values (1, 10); insert into t values (2, 20); }
teardown { drop table t; }
session s1
step b1 { begin; }
step r1 { select * from t where id = 1; }
step w1 { update t set v = 11 where id = 2; }
step c1 { commit; }
session s2
step b2 { begin; }
step r2 { select * from t where id = 2; }
step w2 { update t set v = 21 where id = 1; }
step c2 { commit; }
permutation b1 b2 r2 w2 c2 r1 w1 c1
permutation b1 r1 w1 c1 b2 r2 w2 c2
"""


def run(target, *words):
    return subprocess.run([assay, "test", target, *words], text=True,
                          capture_output=True, timeout=120, check=False,
                          env=quiet)


def has(done, status, text, name):
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name,
          f"exit {done.returncode}: {out}")


first = run("firebird:?wait=0", "--txns", "60", "-l", "si")
for words in ("built without", "cannot load a library", "unavailable"):
    if words in first.stderr:
        skip("Firebird", first.stderr.strip())
        sys.exit(end())
has(first, 0, "snapshot: ok", "SNAPSHOT is snapshot isolation: registers")
has(run("firebird:?wait=0", "-w", "append", "--txns", "60", "-l", "si"), 0,
    "snapshot: ok", "lists")
has(run("firebird:?wait=0", "-w", "tpcc", "--txns", "60", "-l", "si"), 0,
    "snapshot: ok", "applications, which make rows")
has(run("firebird:", "--txns", "60", "-l", "rc"), 0, "read-committed: ok",
    "READ COMMITTED")
has(run("firebird:?wait=long"), 2, "wait takes whole seconds", "bad parameters")
has(run("firebird:", "-i", "read-uncommitted"), 2, "no read uncommitted",
    "a level that it does not have")

# The lock of a table comes with its first use, the snapshot with the begin.
with tempfile.TemporaryDirectory() as scratch:
    spec = os.path.join(scratch, "skew.spec")
    path = os.path.join(scratch, "it's here.fdb")
    with open(spec, "w", encoding="ascii") as file:
        file.write(SKEW)
    done = run("firebird:" + path, "--spec", spec, "-l", "ser")
    has(done, 1, "b1 b2 r2 w2 c2 r1 w1 c1: serializable: violated: write skew",
        "SNAPSHOT TABLE STABILITY lets write skew commit")
    has(done, 1, "b1 r1 w1 c1 b2 r2 w2 c2: serializable: ok",
        "one transaction after the other is fine")
    check(os.path.exists(path), "a file with a quote in its name")
    with open(path, "w", encoding="ascii") as file:
        file.write("not a database")
    has(run("firebird:" + path), 2, "cannot open", "what is no database")
for seed in range(1, 6):
    done = run("firebird:", "-w", "skew", "--keys", "4", "--sessions", "4",
               "--txns", "40", "--seed", str(seed), "-l", "ser")
    if done.returncode == 1:
        break
has(done, 1, "write skew", "a random run finds it, too")
sys.exit(end())
