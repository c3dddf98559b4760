#!/usr/bin/env python3
"""Help, man page and completions list the same commands and options.

    test_help.py ASSAY

All come from one table, and each writes it in a syntax of its own.  Runs
them, compares them, and completes command lines in those shells that are
installed.  Speaks TAP.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
root = pathlib.Path(__file__).resolve().parents[2]


def run(*words):
    return subprocess.run([assay, *words], text=True, capture_output=True, timeout=60)


def options_of(text):
    """The long options that a help text lists."""
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.M))


def in_bash(script, line):
    """What bash offers at the end of a command line, which it breaks at blanks, ':' and '='."""
    words = [w for w in re.split(r"\s+|([:=])", line) if w] + ([""] if line[-1] == " " else [])
    done = subprocess.run(
        ["bash", "-c", script + '\nCOMP_LINE=$1 COMP_POINT=${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay\n'
         'printf "%s\\n" "${COMPREPLY[@]}"', "bash", line, *words],
        text=True, capture_output=True, timeout=60)
    return set(done.stdout.split()) if not done.stderr else {done.stderr}


def in_fish(script, line):
    """What fish offers, without the descriptions."""
    done = subprocess.run(["fish", "--no-config", "-c", script + "\ncomplete -C " + shlex.quote(line)],
                          text=True, capture_output=True, timeout=60)
    return {row.split("\t")[0] for row in done.stdout.splitlines()} if not done.stderr else {done.stderr}


ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=; autoload -Uz compinit; compinit -u -D; source $SCRIPT'
zpty -w z 'compadd() { [[ $@ == *-[A-Za-z]#[OAD]* ]] && { builtin compadd "$@"; return }
    local -a got; builtin compadd -O got "$@"; print -rl -- "" "<"$^got">"; builtin compadd "$@"; }'
zpty -w z 'done-now() { print; print "<en""d>"; exit 0 }; zle -N done-now; bindkey "^I" complete-word; bindkey "^Xe" done-now'
zpty -w z 'print "<rea""dy>"'
zpty -r -m z seen "*<ready>*"
zpty -w -n z "$LINE"$'\t'$'\C-xe'
zpty -r -m z seen "*<end>*"
print -r -- "$seen"
"""


def in_zsh(script, line):
    """What zsh offers."""
    with tempfile.NamedTemporaryFile("w", suffix=".zsh") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(["zsh", "-f", "-c", ZSH], text=True, capture_output=True, timeout=60,
                              env={**os.environ, "SCRIPT": file.name, "LINE": line, "TERM": "dumb"})
    return set(re.findall(r"<([^<>]+)>\r?\n", done.stdout)) - {"ready", "end"} if not done.stderr else {done.stderr}


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


def man_pages(helps):
    pages = {name: run("manpage", name).stdout for name in helps}
    pages[""] = run("manpage").stdout
    check(all(f"\\-{name} (1)" in pages[""] for name in helps), "assay(1) refers to the pages of all commands")
    for name, text in helps.items():
        plain = pages[name].replace("\\-", "-")
        missing = {o for o in options_of(text) if f"--{o}" not in plain}
        check(not missing and f"assay-{name} - " in plain, f"assay-{name}(1) has the options", missing)
        words = set(re.findall(r"one of: ([\s\S]*?)\n  +-", text.replace("\n" + " " * 31, " ")))
        check(all(w in plain for w in words), f"assay-{name}(1) has their words", words)
    installed = re.findall(r"'(\w+)'", (root / "doc/meson.build").read_text().split("foreach command")[1].split("]")[0])
    check(sorted(installed) == sorted(helps), "all of them are installed", installed)
    for name, page in pages.items():
        if not shutil.which("groff"):
            skip(f"assay-{name}(1): groff has no warnings", "groff is not installed")
            continue
        typeset = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page, text=True, capture_output=True, timeout=60)
        check(typeset.returncode == 0 and not typeset.stderr, f"assay-{name}(1): groff has no warnings", typeset.stderr)


def examples(helps):
    """Every example is a command line that the program understands."""
    for name, text in helps.items():
        for line in re.findall(r"^  ((?:\S.* \| )?assay .*)$", text.partition("examples:")[2], re.M):
            words = shlex.split(line.partition("assay ")[2].partition(" | ")[0])
            own = words[:words.index("--")] if "--" in words else words
            done = run(*own, "--help")
            check(done.returncode == 0, f"an example of {name}: {line}", done.stderr)


LEVELS = {"rc", "ra", "cc", "pc", "psi", "si", "ser", "strict-si", "strict-ser"}
# What is offered at the end of a line; bash keeps what is before the last colon or equals sign.
OFFERS = [
    ("assay conv", {"convert"}, {"convert"}),
    ("assay help pro", {"prove"}, {"prove"}),
    ("assay completions ", {"bash", "zsh", "fish"}, None),
    ("assay check -l strict", {"strict-si", "strict-ser"}, None),
    ("assay check -l si,strict-se", {"si,strict-ser"}, None),
    ("assay check --level rc,si,p", {"rc,si,pc", "rc,si,psi"}, None),
    ("assay gen -l s", {"si", "ser"}, None),
    ("assay test sto", {"store:" + level for level in LEVELS if not level.startswith("strict")}, None),
    ("assay test store:p", {"store:pc", "store:psi"}, {"pc", "psi"}),
    ("assay collect sq", {"sqlite:"}, None),
    ("assay test --start gal", {"galera:3"}, None),
    ("assay check --no-ver", {"--no-verify"}, None),
    ("assay check --output=mark", {"--output=markdown"}, {"markdown"}),
]


def completions(helps):
    shells = {"bash": in_bash, "fish": in_fish, "zsh": in_zsh}
    for shell, offered in shells.items():
        script = run("completions", shell).stdout
        if not shutil.which(shell):
            skip(f"{shell} completes", f"{shell} is not installed")
            continue
        for line, words, for_bash in OFFERS:
            got = offered(script, line)
            if shell == "zsh":  # which shows the words without what they have in common with the line
                got = {w for w in got if any(x.endswith(w) for x in words)}
                words = {next((w for w in got if x.endswith(w)), x) for x in words}
            check(got == (for_bash or words if shell == "bash" else words), f"{shell} completes '{line}'", got)
    script = run("completions", "bash").stdout
    check(in_bash(script, "assay ") == set(helps), "bash completes the command", in_bash(script, "assay "))
    for name, text in helps.items():
        missing = {"--" + o for o in options_of(text)} - in_bash(script, f"assay {name} --")
        check(not missing, f"bash completes the options of {name}", missing)
    for shell, pattern in (("zsh", r"'--{}[=[]"), ("fish", "-l {} ")):
        script = run("completions", shell).stdout
        missing = [o for text in helps.values() for o in options_of(text) if not re.search(pattern.format(o), script)]
        check(not missing, f"{shell} has every option", missing)
        check(re.search(r"no-verify\b.*do not check each", script), f"{shell} says what --no-verify does not do")
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
man_pages(helps)
examples(helps)
completions(helps)
lists()
sys.exit(end())
