#!/usr/bin/env python3
"""tools/mutate itself: what it must not call killed.

    test_mutate.py MUTATE BUILD

Speaks TAP.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import check, end

mutate, build = sys.argv[1:3]
LAYER = "layer sat: sat/*\n"
MUTANT = "mutant m\nfile sat/propagate.c\ntests {}\n- {}\n+ {}\n"
TEXT = "    clause_ref conflict = REF_NONE;\n    for (;;) {"


def run(rows, status, text, name):
    with tempfile.TemporaryDirectory() as place:
        table = pathlib.Path(place, "mutants")
        table.write_text(LAYER + rows)
        done = subprocess.run([sys.executable, mutate, "--build", build,
                               "--no-build",
                               "--table", str(table)], text=True,
                              capture_output=True, check=False)
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name,
          f"exit {done.returncode}: {out}")


def lines(text):
    return text.replace("\n", "\n- ")


run(MUTANT.format("sat/sat", lines(TEXT), TEXT.replace("\n", "\n+ ") + " "),
    1, "SURVIVED m", "a change that changes nothing survives")
run(MUTANT.format("sat/sat", "no such text", "x"), 2, "0 times",
    "a text that is not there is an error")
run(MUTANT.format("sat/sat", "REF_NONE", "REF_THEORY"), 2, "times in src/sat",
    "a text that is there several times is an error")
run(MUTANT.format("sat/sat", lines(TEXT), "an error"), 2, "does not compile",
    "a change that does not compile is an error, and no kill")
run(MUTANT.format("acyc/acyc", lines(TEXT), "x"), 2, "no test of its layer",
    "tests of other layers do not count")
sys.exit(end())
