#!/usr/bin/env python3
"""The recorders of doc/recording.md write histories that say what they should.

    test_recorders.py ASSAY

Each is run where its language is on the machine.  Speaks TAP.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests"))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
folder = root / "examples/recorders"
# file, the program it takes, commands; {s} is the source, {h} the history
RECORDERS = [
    ("recorder.py", "python3", ["python3 {s} {h}"]),
    ("recorder.js", "node", ["node {s} {h}"]),
    ("recorder.c", "cc", ["cc -Wall -Wextra -Werror -o run {s}", "./run {h}"]),
    ("recorder.rs", "rustc", ["rustc -A warnings -o run {s}", "./run {h}"]),
    ("Recorder.java", "java", ["java {s} {h}"]),
    ("recorder.go", "go", ["go run {s} {h}"]),
]


def main():
    page = (root / "doc/recording.md").read_text()
    for name, tool, commands in RECORDERS:
        check(f"examples/recorders/{name}" in page, f"the page names {name}")
        if not shutil.which(tool):
            skip(f"{name} records a lost update", f"there is no {tool}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            for command in commands:
                words = command.format(s=folder / name, h="h.jsonl").split()
                done = subprocess.run(words, cwd=scratch, capture_output=True, text=True, timeout=200)
                if done.returncode:
                    break
            if done.returncode:
                check(False, f"{name} runs", done.stderr)
                continue
            done = subprocess.run([assay, "check", "-q", "-l", "psi", "h.jsonl"], cwd=scratch,
                                  capture_output=True, text=True)
            check(done.returncode == 1 and "lost update on key balance" in done.stdout,
                  f"{name} records a lost update", done.stdout + done.stderr)
    return end()


sys.exit(main())
