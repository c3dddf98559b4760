#!/usr/bin/env python3
"""What CI systems get: the script, the action and the template.

    test_ci.py ASSAY SOURCE

The scripts of action.yml and ci/gitlab.yml run in a shell with the variables
that the two systems set.  Speaks TAP.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)
RESULTS = ["junit.xml", "assay.sarif", "summary.md", "result.json", "page/index.html"]
pathlib.Path("skew.hist").write_text("[x==? y==? x:=1] --- [x==? y==? y:=1]\n")
pathlib.Path("*.hist").write_text("[x:=1] --- [x==1]\n")


def run(words, directory, **more):
    env = {**os.environ, "ASSAY": assay, "ASSAY_RESULTS": directory, **more}
    return subprocess.run(words, text=True, capture_output=True, timeout=120, check=False, env=env)


def ci(directory, *words, **more):
    return run([source / "ci/assay-ci", *words], directory, **more)


def script_of(path, name):
    """The shell text of the step 'Run Assay', or of the template's job."""
    text = (source / path).read_text()
    found = re.search(name, text, re.S)
    return found[1] if found else ""


def results_are_left():
    done = ci("violated", "check", "-l", "si,ser", "skew.hist", GITHUB_STEP_SUMMARY="summary")
    check(done.returncode == 1 and all((pathlib.Path("violated") / f).stat().st_size for f in RESULTS),
          "a violation leaves every result", done.stdout + done.stderr)
    cases = {c.get("name"): c.find("failure") is not None
             for c in xml.parse("violated/junit.xml").iter("testcase")}
    check(cases == {"snapshot": False, "serializable": True}, "one test case per level", cases)
    check("write skew" in pathlib.Path("summary").read_text(), "the summary of the job has the anomaly")
    done = ci("held", "check", "-l", "si", "skew.hist")
    check(done.returncode == 0, "a level that holds passes", done.stderr)
    done = ci("none", "gen")
    check(done.returncode == 2 and not os.path.exists("none"), "other commands are refused", done.stderr)


def an_unreachable_server_is_an_error():
    url = "postgresql://me:secret@127.0.0.1:1/db"
    done = ci("down", "test", url, "-l", "si")
    if "built without" in done.stderr:
        return
    text = pathlib.Path("down/junit.xml").read_text()
    suite = next(xml.fromstring(text).iter("testsuite"))
    check(done.returncode == 2 and suite.get("errors") == "1" and suite.get("tests") == "1",
          "a server that is down is an error in JUnit", text + done.stderr)
    check("secret" not in text + done.stdout + done.stderr, "its password is not in the results")


def words_are_data():
    """Arguments of a workflow are split into words and not evaluated."""
    github = script_of("action.yml", r"- name: Run Assay.*?run: \|\n(.*?)\n    - uses")
    gitlab = script_of("ci/gitlab.yml", r"script:\n    - (.*?)\n")
    os.symlink(source / "ci/assay-ci", "assay-ci")
    for name, script in [("the action", github), ("the template", gitlab)]:
        for words, status in [("check -l ser skew.hist", 1), ("check -l ser *.hist", 0),
                              ("check -l $(touch${IFS}evaluated) skew.hist", 2)]:
            done = run(["sh", "-ec", script], "words", ASSAY_ARGUMENTS=words, GITHUB_ACTION_PATH=str(source),
                       PATH=scratch.name + ":" + os.environ["PATH"])
            check(done.returncode == status, f"{name}: {words}", done.stdout + done.stderr)
        check(script and not os.path.exists("evaluated"), f"{name} evaluates nothing")


results_are_left()
an_unreachable_server_is_an_error()
words_are_data()
sys.exit(end())
