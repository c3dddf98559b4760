#!/usr/bin/env python3
"""README.md shows what the program prints, and the pages in doc/ exist.

    test_readme.py ASSAY

Speaks TAP.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests"))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])


def blocks(page):
    """The commands that are shown with a $, each with the lines below it."""
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.M):
        lines = [line[4:] for line in block.strip("\n").split("\n")]
        if lines[0].startswith("$ "):
            yield lines[0][2:], "\n".join(lines[1:]).strip()


def verdict_lines(text):
    return [line for line in text.splitlines() if not line.startswith(" ")]


def examples(page):
    shown = 0
    for command, wanted in blocks(page):
        words = command.replace("build/assay", "assay").split()
        end = words.index("--") if "--" in words else len(words)
        helped = subprocess.run([assay, *words[1:end], "--help"], capture_output=True, text=True)
        check(words[0] == "assay" and helped.returncode == 0, f"its options exist: {command}", helped.stderr)
        if "..." in wanted.splitlines():
            continue  # needs a server, and is not shown whole
        done = subprocess.run([assay, *words[1:]], cwd=root, capture_output=True, text=True, timeout=120)
        if done.returncode == 2:
            skip(command, done.stderr.strip())
            continue
        got = done.stdout.strip()
        if words[1] == "prove":  # which rows and arguments an anomaly has is up to Z3
            got, wanted = verdict_lines(got), verdict_lines(wanted)
        check(got == wanted, f"it prints what the page shows: {command}", done.stdout)
        shown += 1
    check(shown >= 1, "one example is shown whole")


def pages():
    for page in [root / "README.md", *sorted((root / "doc").glob("*.md"))]:
        named = set(re.findall(r"`((?:doc|examples)/[\w./-]+?)/?`", page.read_text()))
        missing = [name for name in named if not (root / name).exists()]
        check(not missing, f"{page.relative_to(root)}: what it names is there", missing)


def commands():
    """The command lines in all pages are understood."""
    for page in sorted((root / "doc").glob("*.md")):
        text = page.read_text().replace("\\\n", " ")
        wrong = []
        for line in re.findall(r"^    (?:\$ )?(?:\S.* \| )?(?:build/)?assay ([a-z]+ .*)$", text, re.M):
            words = shlex.split(re.split(r" \| | > |  +# ", line)[0])
            end = words.index("--") if "--" in words else len(words)  # what follows is a command of the user's
            done = subprocess.run([assay, *words[:end], "--help"], capture_output=True, text=True, timeout=60)
            if done.returncode:
                wrong.append(f"{line}: {done.stderr.strip()}")
        check(not wrong, f"{page.relative_to(root)}: its commands are understood", wrong)


examples((root / "README.md").read_text())
pages()
commands()
sys.exit(end())
