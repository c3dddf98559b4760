#!/usr/bin/env python3
"""The commands of doc/tutorial.md that need no server do what it says.

    test_tutorial.py ASSAY

Speaks TAP.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests"))
from tap import check, end

assay = os.path.abspath(sys.argv[1])
NEEDS_MORE = ("--start", "postgresql://", "$DATABASE_URL", "history.jsonl")


def main():
    page = (root / "doc/tutorial.md").read_text()
    commands = re.findall(r"^    ((?:echo|build/assay) .*)$", page, re.M)
    check(len(commands) == 8, "the page has its commands", commands)
    wanted = {"-l si": 0, "store:si": 1, "echo": 1}
    with tempfile.TemporaryDirectory() as scratch:
        for command in commands:
            if any(word in command for word in NEEDS_MORE):
                done = subprocess.run([assay, "help", command.split()[1]], capture_output=True, text=True)
                options = set(re.findall(r" (-i|--[a-z]+)\b", command))
                check(all(option in done.stdout for option in options), f"its options exist: {command}", options)
                continue
            done = subprocess.run(["sh", "-c", command.replace("build/assay", assay)], cwd=scratch,
                                  capture_output=True, text=True, timeout=60)
            status = next(status for word, status in wanted.items() if word in command)
            check(done.returncode == status, f"{command} ends with {status}", done.stdout + done.stderr)
            if status and "store:si" in command:
                answer = re.search(r"^    (store:si: .*)$", page, re.M)[1]
                check(answer in done.stdout.splitlines(), "the answer is the one on the page", done.stdout)
                check("kept in assay-runs/" in done.stderr, "the run is kept", done.stderr)
            if "echo" in command:
                check("lost update on key stock" in done.stdout, "it is a lost update", done.stdout)
    return end()


sys.exit(main())
