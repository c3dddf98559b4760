#!/usr/bin/env python3
"""A run that could not have failed does not look like one that passed.

    test_power.py ASSAY

Weak tests and histories that test nothing, in every output; damaged files in a
directory; options that are given several times.  Speaks TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)
NOTHING = "nothing was tested"


def run(*words):
    return subprocess.run([assay, *words], text=True, capture_output=True, timeout=240, check=False)


def nothing_tested():
    pathlib.Path("aborted.hist").write_text("[x:=1]! --- [x:=2]!\n")
    for form in ("text", "markdown", "json", "dot", "svg", "junit", "sarif", "html"):
        done = run("check", "-l", "si,ser", "--output", form, "aborted.hist")
        check(done.returncode == 3 and done.stdout.count(NOTHING) >= 1, f"{form}: {NOTHING}", done.stdout[-500:])
    done = run("test", "store:ser", "--aborts", "1", "--txns", "50", "--store", "")
    check(done.returncode == 3 and f"unknown: {NOTHING}" in done.stdout, "a run that commits nothing", done.stdout)


def weak_run(*words):
    return run("test", "store:si", "-l", "si", "--txns", "2", "--sessions", "1", "--store", "", *words)


def weak():
    done = weak_run("--junit", "j.xml", "--sarif", "s.json", "--markdown", "m.md", "--json=j.json", "--report", "page")
    check(done.returncode == 0 and "weak test: only 2 committed transactions" in done.stdout, "a weak test passes, and says so", done.stdout)
    check("(30 wanted of each); " in done.stdout and " overlapping pairs conflicted. Run more" in done.stdout, "with its numbers", done.stdout)
    suite = xml.parse("j.xml").getroot()[0]
    case = suite.find("testcase")
    check(suite.get("skipped") == "1" and "weak test: only 2 committed" in case.find("skipped").get("message"), "JUnit: skipped", xml.tostring(suite))
    numbers = {p.get("name"): p.get("value") for p in suite.find("properties")}
    check(numbers["committed"] == "2" and {"overlapping_pairs", "conflicting_pairs"} < numbers.keys(), "JUnit: numbers", numbers)
    log = json.loads(pathlib.Path("s.json").read_text())["runs"][0]
    found = [r for r in log["results"] if r.get("ruleId") == "weak-test"]
    check(len(found) == 1 and found[0]["level"] == "warning" and found[0]["properties"]["committed"] == 2, "SARIF: a warning", found)
    check(any(rule["id"] == "weak-test" for rule in log["tool"]["driver"]["rules"]), "SARIF: a rule")
    check("**weak test:** only 2 committed" in pathlib.Path("m.md").read_text(), "Markdown")
    power = json.loads(pathlib.Path("j.json").read_text())["power"]
    check(power["committed"] == 2 and power["weak"].startswith("only 2 committed"), "JSON", power)
    page = pathlib.Path("page/index.html").read_text()
    check("<b>Weak test</b>: only 2 committed" in page and "2 committed transactions, " in page, "HTML")


def required():
    done = weak_run("--require-power", "--junit", "j.xml", "-q")
    check(done.returncode == 3 and "weak test: only 2" in done.stdout, "--require-power: status 3, and the reason", done.stdout)
    suite = xml.parse("j.xml").getroot()[0]
    check(suite.get("errors") == "1" and suite.find("testcase/error").get("type") == "weak-test", "JUnit: an error", xml.tostring(suite))
    done = run("test", "store:ser", "--require-power", "-q", "--store", "")
    check(done.returncode == 0, "the defaults are not weak on the store", done.stdout)
    done = run("test", "store:cc?fresh=0&window=0", "-w", "update", "-l", "si", "--keys", "4", "--txns", "200", "--require-power", "-q", "--store", "")
    check(done.returncode == 1, "a violation stays one", done.stdout)
    done = run("test", "--spec", "x.spec", "--require-power")
    check(done.returncode == 2 and "--require-power is for workloads" in done.stderr, "not with --spec", done.stderr)
    pathlib.Path("one.hist").write_text("[x:=1] --- [x==1]\n")
    check(run("check", "-q", "one.hist").returncode == 0 and run("check", "-q", "--require-power", "one.hist").returncode == 3, "check, too")
    done = run("test", "--require-power", "-q", "--store", "")
    if "built without" in done.stderr:
        skip("defaults on SQLite", "this build has no SQLite")
    else:
        check(done.returncode == 0, "the defaults are not weak on SQLite", done.stdout)


def sweeps():
    one = ["test", "store:ser", "--sweep", "seeds", "--seeds", "2", "--txns", "1", "--results", "s.db"]
    done = run(*one)
    if "built without" in done.stderr:
        skip("sweeps", "this build has no SQLite")
        return
    row = done.stdout.splitlines()[-2]
    check(done.returncode == 0 and "held in 2; weak test in 2: only 1 committed transaction and 0 chances for write skew" in row,
          "the table of a sweep says what is weak", done.stdout)
    check(run(*one, "--require-power").returncode == 3, "--require-power in a sweep")
    done = run("test", "store:ser", "--sweep", "seeds", "--seeds", "1", "--txns", "40", "--aborts", "1", "--results", "s.db")
    check(done.returncode == 3 and f"unknown in 1 of 1: {NOTHING}" in done.stdout, "and what tested nothing", done.stdout)


def directories():
    for name, text in (("empty.jsonl", ""), ("cut.jsonl", '{"session":"s","ops":[["w","x"'), ("other.txt", "no history\n")):
        place = pathlib.Path("with-" + name)
        place.mkdir()
        (place / "a.hist").write_text("[x:=1]\n")
        check(run("check", "-q", str(place)).returncode == 0, "a history in a directory")
        (place / name).write_text(text)
        done = run("check", "-q", str(place))
        check(done.returncode == 2 and done.stdout == f"{place}/a.hist: serializable: ok\n" and
              done.stderr.startswith(f"{place}/{name}:") and done.stderr.count("\n") == 1,
              f"{name} fails the directory", done.stdout + done.stderr)


def repeated():
    pathlib.Path("h.hist").write_text("[x==? y:=1] --- [y==? x:=1]\n")
    done = run("check", "-q", "-l", "ser", "-l", "si", "h.hist")
    check(done.stdout.splitlines()[0] == "h.hist: snapshot: ok" and done.returncode == 1, "-l si -l ser checks both", done.stdout)
    done = run("predict", "-q", "-l", "rc", "-l", "si", "one.hist")
    check(len(done.stdout.splitlines()) == 2, "predict -l rc -l si predicts at both", done.stdout)
    done = run("test", "store:ser", "-w", "mixed", "-w", "update")
    check(done.returncode == 2 and "mixed,update" in done.stderr, "two workloads are not one", done.stderr)
    done = run("test", "store:ser", "--sweep", "seeds", "--sweep", "keys")
    check(done.returncode == 2 and "--sweep is levels" in done.stderr, "two axes are both taken", done.stderr)


for part in (nothing_tested, weak, required, sweeps, directories, repeated):
    part()
sys.exit(end())
