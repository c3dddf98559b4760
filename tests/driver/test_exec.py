#!/usr/bin/env python3
"""Databases are tested through a program that answers a JSON line per step.

    test_exec.py ASSAY EXAMPLES

Speaks TAP.
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

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
from tap import check, end, skip

assay, examples = (os.path.abspath(word) for word in sys.argv[1:3])
spec = str(pathlib.Path(examples).parent / "specs" / "read-only-anomaly.spec")
python = shlex.quote(sys.executable)


def run(command, *words):
    return subprocess.run([assay, "test", "exec:" + command, "--sessions", "4",
                           "--keys", "8", *words], text=True,
                          capture_output=True, timeout=120, check=False)


def child(how, *words):
    return run(f"{python} {shlex.quote(str(here / 'child.py'))} {how}", *words)


def has(done, status, text, name):
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name,
          f"exit {done.returncode}: {out}")


with tempfile.TemporaryDirectory() as scratch:
    file = shlex.quote(os.path.join(scratch, "a b.db"))
    script = shlex.quote(os.path.join(examples, "sqlite_store.py"))
    has(run(f"{python} {script} {file}", "--txns", "60"), 0, "SQLite 3",
        "the example in Python: SQLite is serializable")
    has(run(f"{python} {script} {file}", "--txns", "10", "--setup",
            "select a from nowhere"), 2, "the setup failed: no such",
        "what the setup asks for is sent")

if shutil.which("node"):
    script = shlex.quote(os.path.join(examples, "memory_store.js"))
    done = run("node " + script, "-l", "si,ser", "--txns", "600")
    has(done, 1, ": snapshot: ok",
        "the example in JavaScript: snapshot isolation")
    has(done, 1, "write skew", "and no more than that")
    has(run("node " + script, "-w", "smallbank", "-l", "si", "--txns", "60"),
        0, "snapshot: ok", "applications run on it")
    has(run("node " + script, "-w", "append"), 2, "refuses", "it has no lists")
else:
    skip("the example in JavaScript", "node is not installed")

# One process a session: each has a store of its own, which nobody else sees.
has(child("well", "--txns", "80"), 1, "serializable: violated",
    "four stores are not one")
# A store without isolation.
has(child("many", "--txns", "400", "-l", "rc"), 1, "a child",
    "what is read before it is committed is found")
has(child("many", "--txns", "40", "--sessions", "1", "-w", "append"), 0,
    "serializable: ok", "lists are appended to and read")
has(child("uncertain", "--txns", "40", "--sessions", "1"), 3, "40 unknown",
    "a commit without an answer is unknown")
late = f"{python} {shlex.quote(str(here / 'late.py'))}"
for workload in ("mixed", "update", "smallbank", "twitter"):
    done = run(late, "--txns", "600", "-l", "strict-ser", "-w", workload)
    has(done, 0, "strict-serializable: ok",
        "a commit that takes effect late is no violation: " + workload)
    check(" unknown" in done.stdout and "go on" not in done.stderr,
          "and the recording says nothing else", done.stdout + done.stderr)
has(child("wrong", "--txns", "20"), 3, 'neither "ok":true nor an "outcome"',
    "an answer that is none makes the outcome unknown")
done = child("tells", "--txns", "9", "--sessions", "3", "-i",
             "serializable,read-committed")
check(done.stderr.count("asked for serializable") == 4 and
      done.stderr.count("asked for read committed") == 2,
      "sessions take isolations in turn, also those of the self-check; the "
      "first is that of the control",
      done.stderr)
has(done, done.returncode, "requested: SERIALIZABLE, READ COMMITTED",
    "and the summary has them all")
has(child("tells", "-i", "serializable,", "--txns", "9"), 2,
    "not 'serializable,'", "each of them has a name")
has(child("both", "--txns", "20"), 3, 'has both "ok":true and an "outcome"',
    "an answer that contradicts itself makes the outcome unknown")
for how in ("padded", "large", "hidden"):
    done = child(how, "--txns", "40", "--sessions", "1")
    check(done.returncode == 0 and "what was written (outcome unknown)" in
          done.stdout, f"a value that was not written is no answer: {how}",
          done.stdout + done.stderr)
has(child("idle", "--txns", "12"), 3, " x failed: not today",
    "transactions that do not begin are counted")
has(child("idle", "--txns", "12"), 3, "unknown: nothing was tested",
    "a run without transactions tests nothing")
done = child("stuck", "--txns", "20", "--sessions", "1", "--aborts", "1")
check("20 reconnects" in done.stdout or "19 reconnects" in done.stdout,
      "a session that cannot roll back begins anew", done.stdout + done.stderr)
has(child("refuses"), 2, "refuses to open: no such\\x1b[1m place",
    "a refusal is shown, and does no harm to a terminal")
has(child("limits"), 2, '"sessions" is "one" or "many", not \'three\'',
    "a word that is not known is named")
done = child("vanishes", "--txns", "60", "--sessions", "1", "-l", "rc")
has(done, 1, "finding: row vanished: ", "a row that is gone is a finding")
check("no row was found; first at 'read of key " in done.stdout and "(doc/findings.md)" in done.stdout,
      "with its key, and the page that says what to do", done.stdout)
for how, status, name, detail in (
        ("internal", 1, "internal error", "cache lookup failed for type 7"),
        ("worded", 1, "internal error", "odd: Internal error: assertion"),
        ("refused", 2, "the workload does not run on this server",
         "42000: Syntax error in SQL"),
        ("forbidden", 2, "the workload does not run on this server",
         "42501: permission denied for table kv"),
        ("crashes", 1, "server crashed", "the program ended by signal 11"),
        ("crashes-alone", 1, "server crashed", "the program ended by signal 11"),
        ("ends", 1, "server crashed", "the program ended with status 0")):
    # One session: the verdict is ok where there is one.
    words = ("--txns", "200", "--sessions", "1")
    done = child(how, *words)
    check("violated" not in done.stdout or how == "crashes-alone", f"{how}: no level is violated",
          done.stdout)
    has(done, status, f"finding: {name}: ", "a finding: " + how)
    check(done.stdout.startswith("finding: ") and detail in done.stdout and
          "; first at '{\"session\":" in done.stdout,
          f"{how}: it comes first, with the message and the request",
          done.stdout + done.stderr)
    done = child(how, *words, "-q")
    has(done, status, "finding: ", f"{how}: also in few words")
    done = child(how, *words, "--json")
    if done.stdout and '"run"' in done.stdout:
        found = json.loads(done.stdout)["run"]["findings"]
        check(found and found[0]["finding"] == name and
              detail.split(": ")[-1] in found[0]["message"] and
              found[0]["statement"] and found[0]["count"] > 0,
              f"{how}: in JSON", done.stdout[:2000])
    if how in ("internal", "forbidden"):
        kind = "failure" if status == 1 else "error"
        done = child(how, *words, "--output", "junit")
        if done.stdout:
            has(done, status, f'<testcase name="{name}" ',
                f"{how}: a case of JUnit")
            has(done, status, f'<{kind} type="finding" message="{name}: ',
                f"{how}: which does not pass")
            check(re.search(r'<testsuite [^>]*%ss="[1-9]"' % kind, done.stdout),
                  f"{how}: and is counted", done.stdout[:500])
        done = child(how, *words, "--output", "sarif")
        if done.stdout:
            results = json.loads(done.stdout)["runs"][0]["results"]
            check(results[0]["ruleId"] == "finding" and
                  results[0]["level"] == "error" and
                  name in results[0]["message"]["text"],
                  f"{how}: a result of SARIF", done.stdout[-1500:])
        done = child(how, *words, "--output", "markdown")
        if done.stdout:
            has(done, status, "**finding:** ", f"{how}: in Markdown")
        with tempfile.TemporaryDirectory() as place:
            done = child(how, *words, "--sweep", "seeds", "--seeds", "1",
                         "--results", place + "/results")
            has(done, status, "finding in 1 of 1: internal error" if status == 1
                else "not run in 1 of 1: ", f"{how}: in the table of a sweep")
has(child("seldom", "--txns", "400", "--sessions", "1"), 0,
    "syntax error at or near 7",
    "a syntax error now and then is no finding: others succeed")
for how, words in (("garbage", "the program wrote '{'ok': 1}': "),
                   ("stranger", "session 77 asked nothing")):
    done = child(how, "--txns", "400")
    has(done, 2, words, "a child that breaks down: " + how)
has(run("exit 3"), 2,
    'exit 3: the program ended with status 3, before it answered "open"',
    "a command that fails, with its status and the request")
has(child("crashes", "--txns", "200", "--sessions", "1"), 1,
    "the program ended by signal 11, before it answered",
    "so does the finding of a crash")
done = child("chats", "--txns", "40", "--sessions", "1")
has(done, 0, "serializable: ok", "lines that are no JSON are no answers")
check("adapter: request 7" in done.stderr, "they go to stderr", done.stderr)
has(child("other-level", "--txns", "9", "-i", "serializable"), 2,
    "requested the isolation 'serializable', the program opened "
    "'read committed'", "the level is read back")
has(child("sql-what"), 2, '"sql" is postgresql, mariadb, ',
    "a dialect that is not known")
for how, step, words in (
        ("forgets-write", "a transaction reads its own write",
         "expected 9007199254740993, found no value"),
        ("keeps-write", "a rollback undoes a write", "found 9007199254740993"),
        ("double", "a value comes back as it was written",
         "found 9007199254740992"),
        ("not-empty", "a new key is read", "expected no value, found 5"),
        ("busy", "a new key is read", "come back later (busy)")):
    has(child(how, "--txns", "9"), 2,
        f"the self-check failed at '{step}': ", "the self-check: " + how)
    has(child(how, "--txns", "9"), 2, words, "and what was found: " + how)
has(run(""), 2, "expected a command", "no command")
has(child("well", "--spec", spec), 2, "speaks SQL", "a spec needs SQL")
sys.exit(end())
