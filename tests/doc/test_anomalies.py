#!/usr/bin/env python3
"""doc/anomalies.md has every anomaly, says what reports say, and its examples
are what it calls them.

    test_anomalies.py ASSAY

Speaks TAP.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests"))
from tap import check, end

assay = os.path.abspath(sys.argv[1])
NO_EXAMPLE = {"dependency cycle"}  # what has no other name


def answer(history):
    done = subprocess.run([assay, "check", "--json", "-l", "all", "-"], input=history,
                          text=True, capture_output=True, timeout=60)
    return json.loads(done.stdout)


def main():
    table = (root / "src/explain/anomaly_kinds.c").read_text()
    titles = dict(re.findall(r'\{"([a-z0-9-]+)", "([^"]+)", ', table))
    page = (root / "doc/anomalies.md").read_text()
    sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", page, re.M))
    check(list(sections) == list(titles.values()), "there is a section for each anomaly",
          set(titles.values()) ^ set(sections))
    for name, title in titles.items():
        text = sections.get(title, "")
        if title in NO_EXAMPLE:
            continue
        example = re.search(r"^`(.*)` forbids it:\n\n((?:    .*\n)+)", text, re.M)
        check(example, f"{title} has an example")
        if not example:
            continue
        said = answer(textwrap.dedent(example[2]))
        found = {a["name"]: a for a in said["answer"]["anomalies"]}
        check(name in found, f"the example is a {title}", list(found))
        advice = found.get(name, {})
        flat = " ".join(text.split())  # lines are broken
        check(advice.get("risk", "?") in flat and advice.get("remedy", "?") in flat,
              f"the page says what reports say about it: {title}", advice)
        weakest = [r["level"] for r in said["results"] if r["verdict"] == "violated"][0]
        check(weakest == example[1], f"the weakest level that forbids it is named: {title}", weakest)
    findings = set(re.findall(r'= \{"([a-z ]+)", [12]', (root / "src/driver/server_error.c").read_text()))
    page = (root / "doc/findings.md").read_text()
    sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", page, re.M))
    check(set(sections) == findings and len(findings) == 5 and all("**What to do.**" in t for t in sections.values()),
          "doc/findings.md has a section with advice for each finding", findings ^ set(sections))
    return end()


sys.exit(main())
