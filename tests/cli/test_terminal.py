#!/usr/bin/env python3
"""What a terminal shows while the program works.

    test_terminal.py ASSAY

Stderr is a pseudo terminal.  Speaks TAP.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay = os.path.abspath(sys.argv[1])
root = pathlib.Path(__file__).resolve().parents[2]


def watch(*words, until, stdin=b"", env=None, columns=80):
    """Run on a terminal; send stdin once 'until' was shown.  All that was
    shown, and the exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    given = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    child = subprocess.Popen([assay, *words], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs,
                             env={**given, **(env or {})})
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


def every_command_that_reads_shows_it():
    for words in (["stats", "-f", "hist", "-"], ["convert", "-f", "hist", "-", "-o", "/dev/null"]):
        shown, status = watch(*words, until=rb"reading -: \d+ s, \d+ MB", stdin=b"[x:=1]\n")
        check(status == 0 and b"reading -: 1 s" in shown, f"{words[0]} shows that it reads", shown)


def a_run_shows_its_progress():
    words = ("test", "store:ser", "--time", "0.8", "--pause", "0.001")
    shown, status = watch(*words, until=rb"never")
    check(status == 0 and re.search(rb"\d s: \d+ committed, \d+ aborted", shown), "a run shows its progress", shown)
    shown, _ = watch(*words, "--quiet", until=rb"never")
    check(not re.search(rb"\d s: \d+ committed, \d+ aborted", shown), "unless it is to be quiet", shown)


def lines_fit_the_terminal():
    place = root / "examples"
    for words in (["check", "-l", "all", place / "on-call.jsonl"], ["levels"], ["formats"], ["help"], ["help", "check"],
                  ["stats", "--power", place / "on-call.jsonl"], ["predict", "-l", "si", place / "on-call.jsonl"],
                  ["test", "store:ser", "--txns", "5"], ["check", "-l", "si", root / "tests/golden/long-names/history.jsonl"]):
        for columns in (60, 80, 200):
            shown, _ = watch(*words, until=rb"", env={"NO_COLOR": "1"}, columns=columns)
            lines = shown.decode().replace("\r", "").partition("In full:")[0].split("\n")
            longest = max(lines, key=len)
            check(len(longest) <= columns, f"{words[0]} fits in {columns} columns", f"{len(longest)}: {longest}")
    shown, _ = watch("help", "check", until=rb"", columns=200, env={"COLUMNS": "50"})
    check(max(len(l) for l in shown.decode().replace("\r", "").split("\n")) <= 76, "COLUMNS overrides what the terminal says", shown)


a_line_shows_long_work()
every_command_that_reads_shows_it()
a_run_shows_its_progress()
lines_fit_the_terminal()
sys.exit(end())
