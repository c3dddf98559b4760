#!/usr/bin/env python3
"""-w random: the same SQL from the same seed, kept, swept and reduced.

    test_random.py ASSAY

Speaks TAP.  SQLite's shared cache with dirty reads is the database that fails.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
DIRTY = ("sqlite:?cache=shared", "-i", "read-uncommitted", "-l", "rc", "--sessions", "3")


def run(*words):
    done = subprocess.run([assay, "test", *words], text=True, capture_output=True, timeout=200,
                          check=False, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def violated(*words):
    """A run that violates rc: a race, so with a few seeds."""
    for seed in range(1, 9):
        status, out = run(*DIRTY, "--seed", str(seed), *words)
        if status == 1:
            break
    return status, out


with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    status, out = run("-w", "random", "--txns", "30")
    if "PostgreSQL's parser" in out or "built without" in out:
        skip("random SQL", "this build has no parser or no SQLite")
        sys.exit(end())
    for seed in range(1, 7):
        status, out = run("-w", "random", "--seed", str(seed), "--txns", "60", "--sessions", "3")
        check(status == 0 and "serializable: ok" in out, f"SQLite is silent: seed {seed}", out)
    check(not (place / "assay-runs").exists(), "nothing is kept of it", "")
    status, out = violated("-w", "random:3", "--txns", "200")
    check(status == 1, "dirty reads are found", out)
    kept = sorted((place / "assay-runs").iterdir())[0]
    scripts = sorted(str(p) for p in kept.glob("transaction-*.sql"))
    check((kept / "tables.sql").exists() and len(scripts) > 1, "the SQL is kept", str(kept))
    status, out = violated("-w", ",".join(scripts), "--schema", str(kept / "tables.sql"),
                           "--txns", "200", "--store", "")
    check(status == 1, "and runs again from its files", out)
    status, out = violated("-w", "random:3", "--txns", "200", "--shrink")
    check(status == 1 and "-- tables\ncreate table r0" in out and "-- transaction " in out,
          "a failing run is reduced to a script", out)
    found = re.findall(r"^  (-w random:3\S*) --sessions (\d+) --txns (\d+)", out, re.M)
    check(found and int(found[0][2]) < 200 and found[0][0] != "-w random:3",
          "with fewer parts and fewer transactions", out)
    written = out.split("-- tables")[-1]
    check(0 < written.count(";") < sum(pathlib.Path(s).read_text().count(";") for s in scripts),
          "and it is shorter", written)
    status, out = run("-w", "random", "--sweep", "seeds", "--seeds", "3", "--txns", "20")
    check(status == 0 and "seed 3: ok" in out and "3 runs" in out, "a sweep has one SQL a seed", out)
    # A number with an exponent is not understood, and only some values are.
    (place / "t.sql").write_text("create table t (id integer primary key, b integer, c integer);\n"
                                 "insert into t values (1, 0, 0), (2, 0, 0);\n")
    (place / "some.sql").write_text("\\set k random(1, 2)\n\\set v random(1, 3)\n\\if :v = 2\n\\set v 1.0 * "
                                    "1000000000000000000000.0\n\\endif\nbegin;\nselect * from t where id = :k;\n"
                                    "update t set b = b + 1 where id = :k;\nupdate t set c = :v where id = :k;\n"
                                    "commit;\n")
    status, out = run("-w", "some.sql", "--schema", "t.sql", "--txns", "60", "--sessions", "2")
    found = re.findall(r"some.sql:9: not recorded, so rolled back \((\d+) times\): not understood", out)
    check(status == 0 and found and 1 < int(found[0]) < 50 and "serializable: ok" in out,
          "what cannot be recorded is rolled back, and the rest is checked", out)
    status, out = run("-w", "random:9:zz")
    check(status == 2 and "expected random, random:SEED" in out, "a name that is wrong", out)
    status, out = run("-w", "random:9:ffffffffffffffff")
    check(status == 2 and "leaves out every statement" in out, "nothing is left to run", out)
    status, out = run("-w", "random", "--schema", "x.sql")
    check(status == 2 and "makes its own tables" in out, "it has tables already", out)
sys.exit(end())
