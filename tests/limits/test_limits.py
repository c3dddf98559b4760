#!/usr/bin/env python3
"""Limits hold in every phase and are named; nothing else looks at a clock.

    test_limits.py ASSAY JUMPING_CLOCK SANITIZERS

A limit that is reached gives 'unknown', with the limit and the phase, and exit
status 3.  Machines that run tests are busy, so a limit of time has kept when
the command ended within SLACK seconds of it; how much it was is printed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

SLACK = 20
assay, jumping_clock, sanitizers = sys.argv[1:4]
assay = os.path.abspath(assay)

# Without the strategies that make such searches easy.
HARD = "--without=input-order,timed-order,strict-serial,strict-snapshot"


def run(*words, **more):
    began = time.monotonic()
    done = subprocess.run([assay, *words], capture_output=True, text=True,
                          errors="replace", **more)
    done.seconds = time.monotonic() - began
    return done


def gen(name, *words):
    done = run("gen", "-q", "-o", name, *words)
    assert done.returncode == 0, done.stderr


def keeps_time(name, seconds, phases, *words, **more):
    """The command reaches the limit of time in one of these phases."""
    done = run(*words, "--timeout", str(seconds), **more)
    said = done.stdout + done.stderr
    limit = f"unknown: the time limit of {seconds:g} s was reached while "
    check(done.returncode == 3
          and any(limit + phase in said for phase in phases)
          and done.seconds < seconds + SLACK,
          name, f"{said}\nstatus {done.returncode}, {done.seconds:.2f} s")
    print(f"# {done.seconds - seconds:.3f} s late")


def keeps_verdict(name, seconds, *words):
    """A violation is told although its explanation reaches the limit.  Where
    the machine is too busy to decide in that time, that is told instead."""
    done = run("check", "-l", "ser", "--timeout", str(seconds), *words)
    told = {1: "serializable: violated",
            3: f"serializable: unknown: the time limit of {seconds:g} s"}
    check(told.get(done.returncode, "neither") in done.stdout
          and done.seconds < seconds + SLACK,
          name, f"{done.stdout[:2000]}\nstatus {done.returncode}")
    print(f"# {done.seconds - seconds:.3f} s late")


def keeps_memory(name, memory, phases, *words, **more):
    done = run(*words, "--memory", memory, **more)
    said = done.stdout + done.stderr
    limit = f"unknown: the memory limit of {memory} was reached while "
    check(done.returncode == 3
          and any(limit + phase in said for phase in phases),
          name, f"{said}\nstatus {done.returncode}")


def peak(words, stdin):
    """The most memory that any process of the command held, in MB."""
    script = ("import resource,subprocess,sys;"
              "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL,"
              " stderr=subprocess.DEVNULL);"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run([sys.executable, "-c", script, assay, *words],
                          capture_output=True, text=True, stdin=stdin)
    return int(done.stdout) / 1024


def test_time():
    gen("large.jsonl", "--txns", "200000", "--sessions", "50")
    gen("hard.hist", "--txns", "10000", "--ops", "8", "--keys", "20",
        "--sessions", "20", "--duplicates", "0.9", "--values", "5", "-l", "si")
    gen("violated.hist", "--txns", "600", "--ops", "8", "--keys", "20",
        "--sessions", "20", "--duplicates", "0.9", "--values", "5", "-l", "si")
    with open("/dev/zero", "rb") as zero:
        keeps_time("time holds while an endless input is read", 0.3,
                   ["reading"], "check", "-", stdin=zero)
    keeps_time("time holds in large inputs", 0.05,
               ["reading", "deciding", "looking", "verifying"], "check", "-l",
               "ser", "large.jsonl")
    for level in ["rc", "ra", "cc", "pc", "psi", "si"]:
        keeps_time(f"time holds in hard searches at {level}", 0.5,
                   ["deciding", "reading"], "check", "-l", level,
                   HARD, "hard.hist")
    keeps_verdict("a violation stands, and its explanation keeps the limit",
                  0.5, "violated.hist")
    keeps_time("time holds in stats", 0.02, ["reading", "counting"], "stats",
               "large.jsonl")
    keeps_time("time holds in show", 0.02, ["reading"], "show", "large.jsonl",
               "s1/1")
    keeps_time("time holds in convert", 0.02, ["reading", "writing"],
               "convert", "large.jsonl", "-o", "converted.hist")
    keeps_time("time holds in gen", 0.02, ["generating", "writing"], "gen",
               "--txns", "1000000", "-o", "generated.jsonl")
    check(not any(".partial" in name or name.startswith(("conv", "generated"))
                  for name in os.listdir(".")),
          "nothing is left of what was not written", os.listdir("."))


def test_memory():
    if sanitizers == "none":
        with open("/dev/zero", "rb") as zero:
            most = peak(["check", "--memory", "100M", "-"], zero)
            check(most < 110, "an endless input is held to the limit",
                  f"{most} MB")
    with open("/dev/zero", "rb") as zero:
        keeps_memory("memory holds while reading", "50M", ["reading"],
                     "check", "-", stdin=zero)
    keeps_memory("memory holds in large inputs", "20M",
                 ["reading", "deciding", "looking"], "check", "-l", "ser",
                 "large.jsonl")
    keeps_memory("memory holds in stats", "10M", ["reading"], "stats",
                 "large.jsonl")
    keeps_memory("memory holds in gen", "10M", ["generating"], "gen",
                 "--txns", "1000000", "-o", "generated.jsonl")


def test_results():
    gen("middle.jsonl", "--txns", "5000")
    pathlib.Path("skew.hist").write_text("[x==? y:=1] --- [y==? x:=1]")
    done = run("check", "-l", "cc,ser", "--json", "--timeout", "60",
               "--memory", "1G", "skew.hist", "middle.jsonl", "skew.hist")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    verdicts = [[r["verdict"] for r in result["results"]]
                for result in results]
    check(done.returncode == 1 and verdicts[0] == ["ok", "violated"]
          and verdicts[2] == verdicts[0] and len(verdicts) == 3,
          "limits that are not reached change nothing", verdicts)
    with open("/dev/zero", "rb") as zero:
        done = run("check", "-l", "rc,ser", "--json", "--timeout", "0.1", "-",
                   stdin=zero)
    result = json.loads(done.stdout)
    check([(r["level"], r["verdict"], r["reason"]) for r in result["results"]]
          == [(level, "unknown",
               "the time limit of 0.1 s was reached while reading")
              for level in ["rc", "ser"]],
          "what was not read is unknown at every level", done.stdout)
    with open("/dev/zero", "rb") as zero:
        done = run("check", "--timeout", "0.1", "--certificate", "certificate",
                   "-", stdin=zero)
    check(done.returncode == 3 and not os.path.exists("certificate")
          and "no certificate" in done.stderr,
          "what was not read has no certificate", done.stderr)
    done = run("check", "-l", "si", "--timeout", "60", "--memory", "1G",
               "--certificate", "certificate", "middle.jsonl")
    again = run("certify", "--timeout", "60", "middle.jsonl", "certificate")
    check(done.returncode == 0 and again.returncode == 0,
          "a certificate within limits certifies", again.stdout + again.stderr)
    pathlib.Path("lost.hist").write_text(
        "[x:=1] --- [x==1 x:=2] --- [x==1 x:=3]\n")
    done = run("check", "-l", "si", "--timeout", "1.5", "--report", "page",
               HARD, "hard.hist", "lost.hist")
    page = pathlib.Path("page/index.html").read_text()
    check(done.returncode == 1 and page.count('class="run"') == 2
          and "lost.hist: snapshot: violated" in done.stdout
          and "si is unknown: the time limit of 1.5 s" in page,
          "a limit ends with the history that reached it", done.stdout)


def test_reports():
    """What cannot be shown within the limits leaves its verdict."""
    value = "a" * 200000
    pathlib.Path("long.hist").write_text(
        " --- ".join(f'[x{i}=="{value}{i}"]' for i in range(60)))
    limit = "the memory limit of 65M was reached while writing the report"
    words = ["check", "-l", "ser", "--max-anomalies", "60", "long.hist",
             "--all", "--memory", "65M"]
    for output, verdict in [("html", 'class="chip violated"'),
                            ("text", "serializable: violated"),
                            ("json", '"verdict":"violated"'),
                            ("sarif", "serializable: violated"),
                            ("svg", "serializable: violated"),
                            ("dot", "serializable: violated"),
                            ("markdown", "violated"),
                            ("junit", "violated")]:
        done = run(*words, "--output", output)
        check(done.returncode == 1 and verdict in done.stdout
              and len(done.stdout) < 100000
              and limit in done.stdout,
              f"a verdict that cannot be explained as {output} is told",
              done.stdout[:2000] + done.stderr)
    keeps_verdict("time holds while a page is written", 0.6, "long.hist",
                  "--max-anomalies", "60", "--report", "long-page")


def verdict_lines(done, names):
    """One verdict line for each level, in this order."""
    lines = done.stdout.splitlines()
    return (len(lines) == len(names)
            and all(f": {name}: " in line for line, name in zip(lines, names)))


def test_predict():
    """Every level has its verdict, whatever the others reached."""
    gen("observed.jsonl", "--txns", "3000", "--sessions", "20", "--keys", "100",
        "-l", "ser")
    names = ["read-committed", "read-atomic", "causal", "prefix",
             "parallel-snapshot", "snapshot"]
    phases = ["reading", "predicting", "proving", "verifying"]
    for option, value, limit in [("--timeout", "0.02", "time limit of 0.02 s"),
                                 ("--memory", "5M", "memory limit of 5M")]:
        done = run("predict", "-q", "-l", "all", option, value,
                   "observed.jsonl")
        told = [line for line in done.stdout.splitlines()
                if ": predicted: " in line
                or any(f"unknown: the {limit} was reached while {phase}" in line
                       for phase in phases)]
        check(done.returncode in [1, 3] and verdict_lines(done, names)
              and len(told) == len(names),
              f"predict has a verdict for each level at {option}",
              done.stdout + done.stderr)
    done = run("predict", "--json", "-l", "rc,si", "--memory", "10M",
               "large.jsonl")
    result = json.loads(done.stdout)
    check(done.returncode == 3
          and [(r["level"], r["verdict"], r["reason"])
               for r in result["results"]]
          == [(level, "unknown",
               "the memory limit of 10M was reached while reading")
              for level in ["rc", "si"]],
          "predict: what was not read is unknown at every level", done.stdout)
    done = run("predict", "-q", "-l", "rc,si", "--memory", "1G", "--timeout",
               "60", "skew.hist")
    again = run("predict", "-q", "-l", "rc,si", "skew.hist")
    check(done.stdout == again.stdout and done.returncode == again.returncode,
          "predict: limits that are not reached change nothing",
          done.stdout + again.stdout)


def test_prove():
    """The solver stops at the limit, and other levels have their verdicts."""
    programs = pathlib.Path(__file__).resolve().parents[2] / "examples/programs"
    tpcc = str(programs / "tpcc.sql")
    done = run("prove", "-q", "-l", "ser,rc,psi,si", "--timeout", "0.05", tpcc)
    if done.returncode == 2 and ("Z3" in done.stderr or "parser" in done.stderr):
        skip("prove keeps its limit", done.stderr.strip())
        return
    unknown = "unknown: the time limit of 0.05 s was reached while "
    told = [": proved: " in line if ": serializable: " in line
            and unknown not in line else unknown in line
            for line in done.stdout.splitlines()]
    check(done.returncode == 3 and done.seconds < SLACK and all(told)
          and verdict_lines(done, ["serializable", "read-committed",
                                   "parallel-snapshot", "snapshot"]),
          "prove has a verdict for each level", done.stdout + done.stderr)
    print(f"# {done.seconds:.3f} s for four times 0.05 s")
    done = run("prove", "--weakest", "--timeout", "0.05", tpcc)
    check(done.returncode == 3
          and "not rc: unknown: the time limit of 0.05 s" in done.stdout,
          "prove --weakest keeps its limit", done.stdout + done.stderr)
    done = run("prove", "-q", "-l", "rc", "--repair", "--timeout", "0.05", tpcc)
    check(done.returncode == 3
          and "suffice: the time limit of 0.05 s was reached while repairing"
          in done.stdout,
          "prove --repair keeps its limit", done.stdout + done.stderr)


def without_seconds(text):
    result = json.loads(text)
    for row in result["results"]:
        del row["seconds"]
    return result


def test_clock():
    """The same output, however time passes."""
    gen("skews.hist", "--txns", "3000", "-l", "si", "--sessions", "20",
        "--keys", "200")
    gen("ambiguous.hist", "--txns", "80", "--ops", "4", "--keys", "8",
        "--sessions", "8", "--duplicates", "0.7", "--values", "5", "-l", "pc")
    for name in ["skews.hist", "ambiguous.hist"]:
        words = ["check", "-l", "rc,cc,pc,si,ser", "--json", name]
        usual = run(*words)
        if sanitizers != "none":
            skip(f"{name}: no clock matters", "a sanitizer comes first")
            continue
        jumping = run(*words, env={**os.environ, "LD_PRELOAD":
                                   os.path.abspath(jumping_clock)})
        check(without_seconds(usual.stdout) == without_seconds(jumping.stdout),
              f"{name}: no clock matters", usual.stderr + jumping.stderr)
        check(json.loads(jumping.stdout)["results"][0]["seconds"] >= 60,
              f"{name}: but time did pass", jumping.stdout[:200])


def main():
    global jumping_clock
    jumping_clock = os.path.abspath(jumping_clock)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        test_time()
        test_memory()
        test_results()
        test_reports()
        test_predict()
        test_prove()
        test_clock()
        os.chdir("/")
    sys.exit(end())


main()
