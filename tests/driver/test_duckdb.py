#!/usr/bin/env python3
"""DuckDB, where its library is there: snapshot isolation, and no more.

    test_duckdb.py ASSAY SPECS

Speaks TAP.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay, specs = (os.path.abspath(word) for word in sys.argv[1:3])


def run(target, *words, **more):
    return subprocess.run([assay, "test", target, *words], text=True,
                          capture_output=True, timeout=120, check=False,
                          **more)


def has(done, status, text, name):
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name,
          f"exit {done.returncode}: {out}")


has(run("duckdb:?library=/nowhere.so"), 2, "ASSAY_DUCKDB says where it is",
    "a library that is not there is an error that helps")
has(run("duckdb:?nothing=1"), 2, "unknown parameter 'nothing'",
    "an unknown parameter is refused")
first = run("duckdb:", "--txns", "100", "-l", "si")
if "cannot load a library" in first.stderr:
    skip("DuckDB", "its library is not here; 'make databases' fetches it")
    sys.exit(end())
has(first, 0, "snapshot: ok", "registers")
has(run("duckdb:", "-w", "append", "--txns", "100", "-l", "si"), 0,
    "snapshot: ok", "lists as text")
has(run("duckdb:", "-w", "append", "--lists", "arrays"), 2, "has no arrays",
    "arrays are refused: they could not be read")
has(run("duckdb:", "-w", "smallbank", "--txns", "100", "-l", "si"), 0,
    "snapshot: ok", "applications")
has(run("duckdb:", "-w", "skew", "--keys", "4", "--txns", "600", "-l", "ser"),
    1, "write skew", "it is not serializable")
has(run("duckdb:", "--setup", "select 1; select a from nowhere"), 2,
    "nowhere does not exist", "the setup is run")
with tempfile.TemporaryDirectory() as scratch:
    path = os.path.join(scratch, "test.db")
    has(run("duckdb:" + path, "--txns", "50", "-l", "si"), 0, "in a file",
        "a file")
    check(os.path.exists(path), "and it is there afterwards")
    with open(path, "w", encoding="ascii") as file:
        file.write("not a database")
    has(run("duckdb:" + path), 2, "cannot open", "what is no database")
for name, level, status in (("lost-update", "si", 0), ("write-skew", "si", 0),
                            ("write-skew", "ser", 1), ("read-skew", "si", 0),
                            ("lost-to-delete", "si", 1)):
    has(run("duckdb:", "--spec", f"{specs}/{name}.spec", "-l", level), status,
        "0 not understood", f"{name} at {level}")
sys.exit(end())
