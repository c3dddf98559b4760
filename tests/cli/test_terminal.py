#!/usr/bin/env python3
"""What a terminal shows while the program works.

    test_terminal.py ASSAY

Stderr is a pseudo terminal.  Speaks TAP.
"""
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay = os.path.abspath(sys.argv[1])


def watch(*words, until, stdin=b"", env=None):
    """Run on a terminal; send stdin once 'until' was shown.  All that was
    shown, and the exit status."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([assay, *words], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs,
                             env={**os.environ, **(env or {})})
    os.close(theirs)
    shown, deadline = b"", time.time() + 60
    while time.time() < deadline:
        if select.select([ours], [], [], 0.05)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the terminal was closed
                break
        if not child.stdin.closed and re.search(until, shown):
            child.stdin.write(stdin)
            child.stdin.close()
    status = child.wait(timeout=60)
    os.close(ours)
    return shown, status


def a_line_shows_long_work():
    shown, status = watch("check", "-f", "hist", "-", until=rb"reading -: \d+ s, \d+ MB", stdin=b"[x:=1]\n")
    check(status == 0, "a history may come late", shown)
    check(b"reading -: 1 s" in shown, "after a second there is a line of progress", shown)
    check(shown.index(b"\r\x1b[K") < shown.index(b"serializable"), "which is removed before the verdict", shown)


def a_run_shows_its_progress():
    words = ("test", "store:ser", "--time", "0.8", "--pause", "0.001")
    shown, status = watch(*words, until=rb"never")
    check(status == 0 and re.search(rb"\d s: \d+ committed, \d+ aborted", shown), "a run shows its progress", shown)
    shown, _ = watch(*words, "--quiet", until=rb"never")
    check(not re.search(rb"\d s: \d+ committed, \d+ aborted", shown), "unless it is to be quiet", shown)


def lines_fit_the_terminal():
    history = b"[x:=1]\n---\n[x==1 x:=2]\n---\n[x==1 x:=3]\n"
    for columns in (40, 100):
        shown, status = watch("check", "-f", "hist", "-", until=rb"", stdin=history, env={"COLUMNS": str(columns), "NO_COLOR": "1"})
        lines = shown.decode().replace("\r", "").split("\n")
        longest = max(len(l) for l in lines if l.startswith("  ") and "(Adya" not in l)
        check(status == 1 and longest <= columns, f"but for its headline an explanation fits in {columns} columns", longest)


a_line_shows_long_work()
a_run_shows_its_progress()
lines_fit_the_terminal()
sys.exit(end())
