#!/usr/bin/env python3
"""What 'assay test' says at its end, and what it leaves behind.

    test_answer.py ASSAY

Runs the built-in store, which shows anomalies on request.  Speaks TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay = os.path.abspath(sys.argv[1])
# The pause makes transactions overlap on every machine.
SKEW = ["store:si", "-w", "skew", "--keys", "4", "--txns", "400", "--pause",
        "1ms"]
NO_STORE = ["--store", ""]


def run(*words):
    return subprocess.run([assay, "test", *words], text=True, capture_output=True, timeout=120)


def the_answer():
    done = run(*SKEW, *NO_STORE)
    lines = done.stdout.splitlines()
    check(done.returncode == 1 and "store:si: snapshot isolation held, serializability did not" in lines,
          "the levels that held and did not are named, also those not asked for", done.stdout)
    check("    snapshot isolation           held" in lines, "there is a table of levels")
    for title in ("What can go wrong", "What to do"):
        check(any(line.startswith(f"  {title}: ") for line in lines), f"the answer says: {title}")
    done = run(*SKEW, *NO_STORE, "-l", "si")
    check(done.returncode == 0 and "snapshot isolation held, serializability did not" in done.stdout,
          "the exit status is about the levels asked for", done.stdout)
    done = run(*SKEW, *NO_STORE, "-q")
    check(len(done.stdout.splitlines()) == 1, "-q prints the verdict line only", done.stdout)
    said = json.loads(run(*SKEW, *NO_STORE, "--json").stdout)
    check([r["level"] for r in said["results"]] == ["ser"], "results are those of the levels asked for")
    check(said["answer"]["levels"]["si"] == "ok" and said["answer"]["levels"]["ser"] == "violated",
          "the answer in JSON has all levels", said["answer"])


def the_power():
    done = run("store:ser", "--txns", "5")
    check(done.returncode == 0 and "\nweak test: " in done.stdout and "write skew (" in done.stdout,
          "five transactions are a weak test", done.stdout)
    done = run("store:ser", "-w", "skew", "--keys", "4", "--txns", "1000", "--pause", "0.0005")
    check(done.returncode == 0 and "weak test" not in done.stdout,
          "many transactions in conflict are not", done.stdout)
    power = json.loads(run("store:ser", "--txns", "5", "--json").stdout)["power"]
    check("weak" in power and power["chances"]["write-skew"] < 30, "JSON has the chances", power)


def what_is_kept():
    done = run(*SKEW, "--aborts", "0.1", "--sarif", "kept.sarif")
    words = done.stderr.split()
    check("kept" in words, "a failing run is kept, and says where", done.stderr)
    kept = pathlib.Path(words[words.index("in") + 1].rstrip(":"))
    check(sorted(p.name for p in kept.iterdir())
          == ["history.jsonl", "index.html", "reduced.jsonl", "result.json"], "history, reduced history, report, result")
    again = subprocess.run([assay, "check", "-q", str(kept / "history.jsonl")], text=True, capture_output=True)
    check(again.returncode == 1, "the history can be checked again", again.stderr)
    again = subprocess.run([assay, "check", "-q", str(kept / "reduced.jsonl")], text=True, capture_output=True)
    check(again.returncode == 1, "so can the reduced one", again.stderr)
    result = json.loads((kept / "result.json").read_text())
    ran = result["run"]
    check(sum(f["count"] for f in ran["failures"]) == ran["aborted"] + ran["unknown"] > 0
          and ran["committed"] + ran["aborted"] + ran["unknown"] == 400,
          "the result says what was run, and its sums agree", ran)
    check("What was run" in (kept / "index.html").read_text(), "so does the report")
    place = json.loads(pathlib.Path("kept.sarif").read_text())["runs"][0]["results"][0]["locations"][0]
    line = (kept / "history.jsonl").read_text().splitlines()[place["physicalLocation"]["region"]["startLine"] - 1]
    check(place["physicalLocation"]["artifactLocation"]["uri"] == str(kept / "history.jsonl") and '"ops"' in line,
          "SARIF points at lines of the history that is kept", place)
    check(0 < ran["writes"] < ran["operations"], "the result says how many operations are writes", ran)
    before = len(list(pathlib.Path("assay-runs").iterdir()))
    run("store:ser", "--txns", "20")
    run(*SKEW, *NO_STORE)
    check(len(list(pathlib.Path("assay-runs").iterdir())) == before, "a passing run is not kept, nor with --store ''")
    done = run(*SKEW, "--store", "/proc/no")
    check(done.returncode == 1 and "/proc/no" in done.stderr, "a store that cannot be written changes no verdict", done.stderr)


def files():
    done = run(*SKEW, *NO_STORE, "--junit", "j.xml", "--sarif", "s.json", "--markdown", "m.md", "--json=r.json",
               "--report", "page")
    check(done.returncode == 1 and "serializable: violated" in done.stdout, "text is shown beside files", done.stdout)
    junit = pathlib.Path("j.xml").read_text()
    check('<testsuite name="store:si skew" ' in junit, "JUnit names target and workload", junit[:200])
    check(json.loads(pathlib.Path("s.json").read_text())["runs"][0]["results"], "SARIF has results")
    check(json.loads(pathlib.Path("r.json").read_text())["schema"] == 1, "JSON has a version")
    check(pathlib.Path("m.md").read_text().startswith("## store:si"), "Markdown is there")
    check(pathlib.Path("page/index.html").exists(), "and the page")
    pathlib.Path("ok.hist").write_text("[x:=1]")
    pathlib.Path("bad.hist").write_text("[x:=1")
    done = subprocess.run([assay, "check", "--junit", "j.xml", "ok.hist", "bad.hist"], text=True, capture_output=True)
    junit = pathlib.Path("j.xml").read_text()
    check(done.returncode == 2 and junit.count("<testsuite ") == 2 and '<error type="input" message="bad.hist:1:' in junit,
          "a history that cannot be read is an error in JUnit", junit)
    done = run(*SKEW, *NO_STORE, "--junit", "/no/j.xml")
    check(done.returncode == 2 and "/no/j.xml" in done.stderr, "a file that cannot be written is an error", done.stderr)


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    the_answer()
    the_power()
    what_is_kept()
    files()
    os.chdir("/")
sys.exit(end())
