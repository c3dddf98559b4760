#!/usr/bin/env python3
"""assay campaign: plans, draws, reports and known findings.

    test_campaign.py ASSAY

Speaks TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end

assay = os.path.abspath(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
here = pathlib.Path(scratch.name)
(here / "tmp").mkdir()


def run(*words):
    return subprocess.run([assay, "campaign", *words], text=True, check=False,
                          capture_output=True, timeout=240, cwd=here,
                          env=os.environ | {"TMPDIR": str(here / "tmp")})


def write(name, text):
    (here / name).write_text(text)
    return name


def has(done, status, text, name):
    out = done.stdout + done.stderr
    check(done.returncode == status and text in out, name, f"exit {done.returncode}: {out}")


# --- plans -------------------------------------------------------------------

has(run(), 2, "needs a directory", "a campaign has a directory")
has(run("none"), 2, "it has no file 'runs'", "without a plan nothing begins")
has(run("none", "no.plan"), 2, "cannot read 'no.plan'", "a plan that is not there")
for text, message in [
        ("", "found no axis"),
        ("# nothing\n", "found no axis"),
        ("levle = si\n", "x.plan:1:1: found 'levle'"),
        ("\nlevel si\n", "x.plan:2:1: found 'level si'"),
        ("level = si | \n", "found no value"),
        ("level =\n", "found no value"),
        ("[block\n", "expected [a name]"),
        ("seed = 5..2\n", "found '5..2', expected a range"),
        ("pairs = maybe\n", "found 'maybe', expected 'yes' or '-'"),
        ("seed = 1..2000\nkeys = 1..2000\n", "more than 1000000 combinations")]:
    has(run("bad", write("x.plan", text)), 2, message, f"refused: {text!r}")

plan = write("plan", """
level = si
sizes = --sessions 1 --txns 20
target = store:ser | store:rc
# blocks have these axes, too
[one]
workload = update | mixed
seed = 1..2
pairs = - | yes
[two]
target = store:si
workload = no-such
nemesis = select 1 || 2@1s | -
""")
done = run("c", plan)
runs = [json.loads(line) for line in (here / "c/runs").read_text().splitlines()]
check(len(runs) == 2 * 2 * 2 * 2 + 2, "every combination of each block is a run", str(runs))
check(runs[0] == ["store:ser", "--level=si", "--sessions", "1", "--txns", "20",
                  "--workload=update", "--seed=1"], "an option by its name", str(runs[0]))
check(runs[1][-1] == "--pairs" and "--nemesis=select 1 || 2@1s" in runs[-2],
      "flags, and values with bars", str(runs))
check("18 of 18 runs" in done.stdout and "2 refused" in done.stdout,
      "what was refused is counted", done.stdout)
check(done.returncode == 1 and "NEW: " in done.stdout and "store:rc at si" in done.stdout,
      "a new finding fails", done.stdout)
check("unknown workload 'no-such'" in done.stdout or "no-such" in done.stdout.split("leads:")[1],
      "a refusal is a lead", done.stdout)
check(os.listdir(here / "tmp") == [] and os.listdir(here / "c/tmp") == [] and
      os.listdir(here / "c/workers") == [], "nothing is left behind", str(os.listdir(here / "tmp")))
again = run("c", plan)
check(again.returncode == 1 and again.stdout == done.stdout[done.stdout.index("18 of 18"):],
      "the same command runs nothing twice", again.stdout)
has(run("c", write("other", "level = si\n")), 2, "has another plan", "another plan is refused")
has(run("c", plan, "--draw", "3"), 2, "other draws", "and so are other draws")

# --- reports -----------------------------------------------------------------

files = ["--json=r.json", "--junit", "r.xml", "--markdown", "r.md", "--report", "page"]
report = run("report", "c", *files)
check(report.stdout == again.stdout, "report shows the same", report.stdout)
data = json.loads((here / "r.json").read_text())
check(data["done"] == 18 and data["runs"]["refused"] == 2 and data["new_findings"] >= 1, "JSON",
      str(data))
finding = data["findings"][0]
check(finding["target"] == "store:rc" and finding["command"].startswith("assay test store:rc --level=si") and
      0 < finding["rate_95"][0] < 1 and (here / "c" / finding["kept"] / "reduced.jsonl").exists(),
      "a finding has its command, its rate, and its files", str(finding))
check(json.loads(run("report", "c", "--json").stdout) == data, "JSON on stdout")
root = xml.parse(here / "r.xml").getroot()
cases = {(c.get("classname"), c.get("name")): c for c in root.iter("testcase")}
check(cases["store:rc", "si"].find("failure") is not None and
      cases["store:ser", "si"].find("failure") is None and
      cases["store:si", "si"].find("skipped") is not None, "JUnit fails for new findings")
check("| store:rc | si | update |" in (here / "r.md").read_text(), "Markdown",
      (here / "r.md").read_text())
page = (here / "page/index.html").read_text()
check("<td>store:rc</td>" in page and "http" not in page, "one page, from one file")

levels = run("lv", write("p", "target = store:rc\nlevel = rc,si,ser\nsizes = --txns 300 --sessions 4\n"
                          "workload = update\n"), "--json=l.json")
cells = {c["level"]: c["runs"] for c in json.loads((here / "l.json").read_text())["cells"]}
check(sorted(cells) == ["rc", "ser", "si"] and cells["rc"]["held"] == 1 and cells["si"]["violated"] == 1,
      "a run of several levels is in several cells", str(cells))
check("on store:rc at si" in levels.stdout and "at rc," not in levels.stdout,
      "and its findings are those of the weakest level that fails", levels.stdout)

known = write("known", "# ours\nstore:rc | si | * | * | * = read committed allows it\n")
done = run("report", "c", "--known", known)
check("0 of them new" in done.stdout and "known: read committed allows it" in done.stdout,
      "known findings are not new", done.stdout)
check(done.returncode == 3 and "not tested: store:si at si with no-such" in done.stdout,
      "what refused every run was not tested", done.stdout)
write("unseen", "store:rc | si | * | * | * = seen\nstore:ser | si | write-skew | * | * = never there\n"
      "other: | si | * | * | * = not in this campaign\n")
done = run("report", "c", "--known", "unseen", "--json=u.json")
check("known findings that no run showed:\n  store:ser | si | write-skew | * | * = never there\n" in done.stdout
      and "not in this" not in done.stdout, "known findings that no run shows are listed", done.stdout)
check(len(json.loads((here / "u.json").read_text())["unseen"]) == 1, "also as JSON")
has(run("report", "c", "--known", write("wrong", "store:rc | si = no\n")), 2,
    "wrong:1:1: found", "a line of known findings is complete")
has(run("report", "c", "--known", "nothing"), 2, "cannot read 'nothing'", "a file that is not there")

# --- draws -------------------------------------------------------------------

for name in "de":
    run(name, plan, "--draw", "9", "--seed", "5", "-q")
drawn = (here / "d/runs").read_text()
check(drawn == (here / "e/runs").read_text() and drawn.count("\n") == 9, "draws come from a seed", drawn)
one = run("f", write("p", "target = store:ser\nlevel = ser\ntxns = 10\nsessions = 1\n"), "--draw", "2")
check(one.returncode == 0 and [json.loads(line)[-1] for line in (here / "f/runs").read_text().splitlines()]
      == ["--seed=1", "--seed=2"], "a draw without a seed has its number", one.stdout)
late = run("g", write("p", "target = store:ser\ntime = 60\n"), "--each", "0.5")
has(late, 3, "1 late", "a run that takes too long is ended")
over = run("h", plan, "--budget", "0.000001")
has(over, 3, "0 of 18 runs", "no run begins after the budget")
has(run("i", plan, "--executor", "cluster"), 2, "--executor is local, parallel or slurm", "an executor by its name")
many = run("j", plan, "--workers", "3", "-q")
check(many.returncode == 1 and "18 of 18 runs" in many.stdout, "several workers share the runs", many.stdout)

# --- what tests nothing is not green -----------------------------------------

green = write("green", "target = store:ser\nlevel = ser\ntxns = 10\nsessions = 1\n")
check(run("l", green).returncode == 0, "a run that holds passes")
for name, line in (("m", "help = yes"), ("n", "workload = no-such | mixed\nlevel = si | ser\n[a]\n"
                                               "workload = no-such\nlevel = si\n[b]\nworkload = mixed")):
    done = run(name, write("nothing", green and (here / green).read_text() + line + "\n"))
    check(done.returncode in (2, 3), f"not green: {line!r}", done.stdout + done.stderr)
(here / "l/results/000001").unlink()
(here / "l/results/000001").write_text('{"verdict":"he')
has(run("report", "l"), 3, "1 files of results cannot be read", "a result that is cut off is no result")
(here / "l/runs").write_text("")
has(run("report", "l"), 2, "its file 'runs' is empty", "no runs are no campaign")

# --- texts from outside ------------------------------------------------------

hostile = write("hostile", "target = postgresql://me:s3cret@127.0.0.1:1/x'\x1b[31m<b> | odbc:DSN=x;PWD=s3cret;UID=me\n")
done = run("o", hostile, "--json=h.json", "--junit", "h.xml", "--markdown", "h.md", "--report", "h")
shown = done.stdout + done.stderr + "".join((here / f).read_text() for f in
                                            ("h.json", "h.xml", "h.md", "h/index.html"))
check(done.returncode == 2 and "s3cret" not in shown, "no report shows a password", shown)
check("\x1b" not in shown and "<b>" not in (here / "h/index.html").read_text() and
      xml.parse(here / "h.xml") is not None, "nor do names reach a terminal or a page as they are", shown)
command = json.loads((here / "h.json").read_text())["leads"][0]["command"]
check(subprocess.run(["sh", "-nc", command], check=False).returncode == 0, "a command is quoted for a shell",
      command)

# The result of a crash is a finding of its own.
shell = here / "crash"
shell.mkdir()
has(run("k", write("p", "target = exec:kill -9 $PPID\nlevel = ser\n")), 1, "assay-failed",
    "a crash of this program is a finding")
check(os.listdir(here / "tmp") == [], "and nothing is left behind", str(os.listdir(here / "tmp")))
sys.exit(end())
