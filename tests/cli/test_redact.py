"""'assay convert --redact': every verdict stays, and no datum does."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap

assay = sys.argv[1]
root = os.path.join(os.path.dirname(__file__), "../..")
scratch = tempfile.mkdtemp(prefix="assay-redact-")


def run(*words):
    p = subprocess.run([assay, *words], capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def verdicts(path):
    """Levels, verdicts and kinds of anomalies."""
    p = run("check", "-l", "all", "-j", "1", "--json=-", path)[1]
    found = []
    for line in p.splitlines():
        try:
            result = json.loads(line)
        except ValueError:
            continue
        for level in result["results"]:
            kinds = [a["name"] for a in level.get("anomalies", [])]
            found.append((level["level"], level["verdict"], kinds))
    return found


def test_verdicts():
    """Those of all histories of the golden tests."""
    same = refused = other = 0
    for path in sorted(glob.glob(root + "/tests/golden/*/*.jsonl") +
                       glob.glob(root + "/examples/*.jsonl")):
        out = os.path.join(scratch, "out.jsonl")
        status, _, said = run("convert", "--redact", path, "-o", out)
        if status:
            refused += "cannot be redacted" in said
            continue
        before, after = verdicts(path), verdicts(out)
        same += before == after and before != []
        other += before != after
        if before != after:
            print("#", os.path.relpath(path, root), before, after)
    tap.check(other == 0 and same > 30,
              "the verdicts of redacted histories are the same",
              f"{same} the same, {other} not, {refused} refused")


SECRETS = """{"initial":{"rows":[[["person","kay"],{"mail":"kay@x","age":4711,"boss":null},{"ver":"vera","satisfies":["con-a"]}]]}}
{"session":"s1","id":"t1","ops":[["statement",1],["r",["person","kay"],{"mail":"kay@x"},{"ver":"vera"}],["q",{"table":"person","id":"con-a"},[[["person","kay"],{"age":4711}]]],["u",["person","kay"],{"mail":"lou@x","age":4712,"boss":null},{"ver":"wera","prev":"vera","satisfies":[]}],["d",["person","kay"],{"prev":"wera"}]],"meta":{"sql":["update person set mail = 'lou@x', age=4712 where id = E'k\\\\'ay' /* secret-c */","select $1, $$quoted$$, 4713e2 -- secret-d"],"parameters":[["kay",null],["4711"]],"application":"shop","note":"secret-e"}}
"""


def test_secrets():
    path = os.path.join(scratch, "in.jsonl")
    with open(path, "w") as f:
        f.write(SECRETS)
    status, out, said = run("convert", "--redact", path, "-o", "-")
    left = re.findall(r"kay|lou|47\d\d|vera|wera|con-a|secret|quoted", out)
    tap.check(status == 0 and not left, "nothing of the data is left",
              out + said + str(left))
    kept = ['"person"', '"mail"', '"age"', '"boss":null', '"s1"', '"t1"',
            '"shop"', "update person set mail = ?", "select $1"]
    tap.check(all(word in out for word in kept),
              "names of tables, columns and sessions are", out)
    mail = re.search(r'"initial".*?"mail":"(#\d+)"', out)
    tap.check(mail and out.count(f'"mail":"{mail.group(1)}"') == 2,
              "equal values have equal numbers", out)


def test_refused():
    path = os.path.join(scratch, "where.jsonl")
    with open(path, "w") as f:
        f.write('{"session":1,"ops":[["q",{"table":"t","where":"v > 5"},[]]]}')
    out = os.path.join(scratch, "where-out.jsonl")
    status, _, said = run("convert", "--redact", path, "-o", out)
    tap.check(status == 2 and "condition" in said and not os.path.exists(out),
              "a condition that compares values is refused, and no file left",
              said)
    status, _, said = run("convert", "--redact", "-t", "edn", path, "-o", out)
    tap.check(status == 2 and "jsonl" in said, "it writes jsonl only", said)


test_verdicts()
test_secrets()
test_refused()
subprocess.run(["rm", "-r", scratch])
sys.exit(tap.end())
