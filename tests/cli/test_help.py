#!/usr/bin/env python3
"""Help, man page and completions list the same commands and options.

    test_help.py ASSAY

All come from one table, and each writes it in a syntax of its own.  Runs
them, compares them, and completes command lines in bash.  Speaks TAP.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])


def run(*words):
    return subprocess.run([assay, *words], text=True, capture_output=True, timeout=60)


def options_of(text):
    """The long options that a help text lists."""
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.M))


def complete(script, *words):
    """What bash offers for the last word of a command line."""
    done = subprocess.run(
        ["bash", "-c", script + '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay\n'
         'printf "%s\\n" "${COMPREPLY[@]}"', "bash", "assay", *words],
        text=True, capture_output=True, timeout=60)
    return set(done.stdout.split()) if not done.stderr else {done.stderr}


def commands():
    listed = run("help")
    names = re.findall(r"^  (\w+) +\w", listed.stdout, re.M)
    check(listed.returncode == 0 and {"check", "test", "prove"} <= set(names), "help lists the commands", listed.stdout)
    return names


def help_of(names):
    helps = {}
    for name in names:
        helps[name] = run("help", name).stdout
        asked = run(name, "--help")
        check(asked.returncode == 0 and asked.stdout == helps[name] and f"usage: assay {name} " in helps[name],
              f"help of {name}", asked.stdout + asked.stderr)
        check(max(map(len, helps[name].splitlines())) <= 80, f"help of {name} fits a terminal")
    for words in (["help", "nothing"], ["completions"], ["completions", "tcsh"]):
        wrong = run(*words)
        check(wrong.returncode == 2 and wrong.stderr.count("\n") == 1, "usage: " + " ".join(words), wrong.stderr)
    return helps


def man_page(helps):
    page = run("manpage").stdout
    plain = page.replace("\\-", "-")
    for name, text in helps.items():
        missing = {o for o in options_of(text) if f"--{o}" not in plain}
        check(not missing and name in plain, f"the man page has {name} and its options", missing)
    if not shutil.which("groff"):
        return skip("groff has no warnings", "groff is not installed")
    typeset = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, text=True, capture_output=True, timeout=60)
    check(typeset.returncode == 0 and not typeset.stderr, "groff has no warnings", typeset.stderr)


def completions(helps):
    script = run("completions", "bash").stdout
    check(complete(script, "") == set(helps), "bash completes the command", complete(script, ""))
    check(complete(script, "conv") == {"convert"}, "bash completes the beginning of a command")
    for name, text in helps.items():
        offered = complete(script, name, "--")
        missing = {"--" + o for o in options_of(text)} - offered
        check(not missing, f"bash completes the options of {name}", missing)
    check(complete(script, "check", "-l", "strict") == {"strict-si", "strict-ser"}, "bash completes the words of -l")
    for shell, pattern in (("zsh", r"'--{}["), ("fish", "-l {} ")):
        script = run("completions", shell).stdout
        missing = [o for text in helps.values() for o in options_of(text) if pattern.format(o) not in script]
        check(not missing, f"{shell} has every option", missing)
        if shutil.which(shell):
            done = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, timeout=60)
            check(done.returncode == 0 and not done.stderr, f"{shell} can parse it", done.stderr)
        else:
            skip(f"{shell} can parse it", f"{shell} is not installed")


def lists():
    for what, member in (("levels", "level"), ("formats", "format")):
        rows = [json.loads(line) for line in run(what, "--json").stdout.splitlines()]
        text = run(what).stdout
        check(rows and all(str(r.get(member, r.get("name"))) in text for r in rows),
              f"{what} as JSON and as text are the same", rows)
    solver = run("check", "--help-solver").stdout
    check(options_of(solver) and not options_of(solver) & options_of(run("help", "check").stdout),
          "options for measuring have a help of their own", solver)


names = commands()
helps = help_of(names)
man_page(helps)
completions(helps)
lists()
sys.exit(end())
