#!/usr/bin/env python3
"""Predictions in the formats for programs and browsers, and validated.

    test_predict.py ASSAY GOLDEN

GOLDEN is the folder with the golden cases, whose traces are used.  What text
and Markdown say is in those cases.  Speaks TAP.
"""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
golden = pathlib.Path(sys.argv[2])
COURSES = [str(golden / "predict-validate/courseware.jsonl"), "-l", "si", "-w", "courseware", "--sessions", "3"]


def run(*words):
    return subprocess.run([assay, *words], text=True, capture_output=True, timeout=120)


def validated_as_json():
    done = run("predict", "--json", "--validate", *COURSES, "--seed", "1")
    found = json.loads(done.stdout)["results"][0]["predictions"][0]
    check(done.returncode == 1 and found["validation"]["outcome"] == "validated" and
          found["validation"]["diverged"] is False, "a validated prediction as JSON", found.get("validation"))
    read = found["changed_reads"][0]
    check(read["observed"] != read["predicted"], "a changed read has two sources", read)
    done = run("predict", "--json", "--validate", *COURSES, "--seed", "2")
    rows = [p["validation"] for p in json.loads(done.stdout)["results"][0]["predictions"]]
    check(rows and all(r["outcome"] != "validated" for r in rows), "another program validates nothing", rows)


def page():
    done = run("predict", "--output", "html", "--validate", *COURSES, "--seed", "1")
    text = html.unescape(re.sub(r"<[^>]*>", "", done.stdout.split("<body>")[1]))
    check(done.returncode == 1 and "What was observed, and what could be" in text, "the page has both sides", text[:500])
    check("Validated: run again with these reads, the application did exactly this." in text, "and the validation")
    check('<mark class="op r changed">' in done.stdout and '<s class="op r changed">' in done.stdout,
          "changed reads are marked on both sides")
    check("This execution was not observed." in text, "it says that this was not observed")


def counters():
    done = run("predict", "--stats", *COURSES[:3])
    check(re.search(r"boundary candidates +\d", done.stderr) and re.search(r"version orders +\d", done.stderr),
          "--stats prints the counters of the search", done.stderr)


def from_a_run():
    with tempfile.TemporaryDirectory() as scratch:
        done = run("test", "sqlite:", "-w", "courseware", "--txns", "60", "--sessions", "3", "--keys", "6",
                   "--predict", "si", "--validate", "--report", scratch)
        if "built without sqlite" in done.stderr:
            skip("a run of a database predicts and validates",
                 "this build has no SQLite")
            return
        check("sqlite: snapshot: predicted: " in done.stdout and "Validated: " in done.stdout,
              "a run of a database predicts and validates", done.stdout + done.stderr)
        page = pathlib.Path(scratch, "index.html").read_text()
        check("What was observed, and what could be" in page, "its page has the prediction")


validated_as_json()
page()
counters()
from_a_run()
sys.exit(end())
