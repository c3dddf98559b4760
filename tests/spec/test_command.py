#!/usr/bin/env python3
"""What 'assay test --spec' says and how it ends, on SQLite.

    test_command.py ASSAY

Speaks TAP; skipped where the build leaves SQLite out.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])

SETUP = """setup {
  create table t (id int primary key, v int);
  insert into t values (1, 10), (2, 20);
}
"""
GOOD = SETUP + """
session a
step x { update t set v = v + 1 where id = 1 }
step y { select v from t }
session b
step z { delete from t where id = 2 }
"""
MIXED = GOOD + """
step bad { select f(v) from t }
permutation x y z
permutation x bad
permutation bad y
permutation z y
"""
REFUSED = SETUP + """
session a
step x { begin; select f(1) from t }
"""
MANY = SETUP + "".join(
    f"session s{i}\n" + "".join(f"step s{i}{k} {{ select v from t }}\n" for k in range(4))
    for i in range(4)
)


def run(text, *arguments):
    (folder / "x.spec").write_text(text)
    done = subprocess.run(
        [assay, "test", "sqlite:", "--spec", "x.spec", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    status, out, err = run(GOOD)
    if "built without" in err:
        skip("specifications", "this build leaves SQLite out")
        sys.exit(end())
    check(status == 0, "all interleavings hold", out + err)
    check(
        "3 interleavings: 3 checked, 0 violated, 0 not possible because sessions "
        "wait for each other, 0 not understood" in out,
        "they are counted",
        out,
    )

    status, out, err = run(MIXED, "-q")
    check(status == 2, "a refusal is an error", out + err)
    check(
        err.startswith("x.spec:12:19: not understood, so not checked: ")
        and "'f'" in err and err.count("\n") == 1,
        "it is told once, with its place",
        err,
    )
    check(
        out.count("serializable: ok") == 2 and "bad" not in out,
        "interleavings without it are checked",
        out,
    )
    status, out, err = run(MIXED)
    check("2 checked" in out and "2 not understood" in out, "and counted", out)

    status, out, err = run(REFUSED)
    check(
        status == 2
        and "ok" not in out
        and "not checked: " in err and "'f'" in err,
        "what is refused is never ok",
        out + err,
    )

    status, out, err = run(GOOD, "--keep", "kept.jsonl", "-q")
    kept = sorted(p.name for p in folder.glob("kept*"))
    check(
        status == 0
        and kept == ["kept-1.jsonl", "kept-2.jsonl", "kept-3.jsonl"],
        "each interleaving has a file of its own",
        kept,
    )
    lines = [
        [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for name in kept
    ]
    finals = [[line["ops"] for line in history if "ops" in line][-1]
              for history in lines]
    # Builds without PostgreSQL's parser record registers.
    check(
        all([(row, values) for row, values, _ in ops[0][2]]
            == [(["t", 1], {"id": 1, "v": 11})] if ops[0][0] == "q" else
            ["r", "t:1:v", 11] in ops and ["r", "t:2:id", "(no row)"] in ops
            for ops in finals),
        "and in it the state that was left",
        finals,
    )
    done = subprocess.run([assay, "check", "-l", "ser", "-q", *kept], cwd=folder,
                          stdout=subprocess.PIPE, text=True)
    check(done.returncode == 0, "which check takes", done.stdout)
    one = GOOD + "permutation z x\n"
    status, out, err = run(one, "--keep", "one.jsonl", "-q")
    check(status == 0 and (folder / "one.jsonl").exists(), "one needs no number")

    status, out, err = run(MANY, "-q")
    check(
        status == 2 and out == "" and "more than 5000 interleavings" in err,
        "too many interleavings are not a success",
        err,
    )
sys.exit(end())
