#!/usr/bin/env python3
"""Random specifications: a database that keeps a level is not accused of less.

    test_random.py ASSAY DATABASE ISOLATION LEVEL [COUNT [SEED]]

Plays COUNT specifications of random statements, each in a serial interleaving
and in random ones, at ISOLATION, and expects that every history satisfies
LEVEL.  SQLite runs in memory, others on a server of their own.  A specification that fails is printed.

Speaks TAP; skipped where the database is not there.
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay, database, isolation, level = sys.argv[1:5]
assay = os.path.abspath(assay)
count, seed = [int(x) for x in sys.argv[5:]] + [2, 1][len(sys.argv) - 5:]
target = ["sqlite:"] if database == "sqlite" else ["--start", database]
INTERLEAVINGS = 12

SETUP = {
    "postgresql": "create table t (id int primary key, v int, s text); "
                  "insert into t values (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'); "
                  "create table u (v int); insert into u values (1), (1), (2); "
                  "create table q (id int primary key, v int) partition by list (id); "
                  "create table q1 partition of q for values in (1, 3); "
                  "create table q2 partition of q for values in (2, 4); insert into q values (1, 1), (2, 2)",
    "mariadb": "create table t (id int primary key, v int, s varchar(9)); "
               "insert into t values (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'); "
               "create table u (v int); insert into u values (1), (1), (2)",
}
SETUP["sqlite"] = SETUP["postgresql"].split("create table q")[0].rstrip("; ")
TABLES = re.findall(r"create table (\w+) \((?!select)", SETUP[database])


def key(r):
    return r.choice((1, 1, 2, 2, 3, 4))


def statement(r):
    i, j, v = key(r), key(r), r.randrange(5)
    forms = [
        f"update t set v = {v} where id = {i}",
        f"update t set v = {v} where id = {i}",
        f"update t set v = {v}, s = 'x' where id = {i}",
        f"update t set v = v + 1 where id = {i}",
        f"update t set v = {v} where v < 15",
        f"update t set v = {v}",
        f"delete from t where id = {i}",
        f"delete from t where id = {i}; insert into t values ({i}, {v}, 'n')",
        f"insert into t values ({i}, {v}, 'i')",
        f"update t set id = {j} where id = {i}",
        f"select * from t where id = {i}",
        "select * from t",
        f"select v from t where v < 15",
        f"savepoint p; update t set v = {v} where id = {i}; rollback to p; update t set v = {v + 5} where id = {j}",
        f"savepoint p; delete from t where id = {i}; rollback to p; delete from t where id = {j}",
        f"update t set v = {v} where id = {i}; update t set v = {v} where id = {i}; update t set v = {v + 1} where id = {i}",
        f"update u set v = {v} where v = {r.randrange(4)}",
        f"delete from u where v = {r.randrange(4)}",
        f"insert into u values ({r.randrange(4)})",
        "select * from u",
    ]
    if database == "mariadb":
        forms += [
            f"insert into t values ({i}, {v}, 'o') on duplicate key update v = {v}",
            f"insert ignore into t values ({i}, {v}, 'o'), ({j}, {v}, 'o')",
            f"select * from t where id = {i} for update",
        ]
    else:
        forms += [
            f"insert into t values ({i}, {v}, 'o') on conflict (id) do update set v = {v}",
            f"insert into t values ({i}, {v}, 'o') on conflict do nothing",
        ]
    if database == "sqlite":
        forms += [f"replace into t values ({i}, {v}, 'r'), ({j}, {v}, 'r')"]
    if database == "postgresql":
        forms += [
            f"select * from t where id = {i} for update",
            f"merge into t using (select {i} as k) x on x.k = t.id when matched then update set v = {v} "
            f"when not matched then insert values (x.k, {v}, 'm')",
            f"merge into t using (select {i} as k) x on x.k = t.id when matched then delete",
            f"with x as (update t set v = {v} where id = {i} returning *) select count(*) from x",
            f"with x as (delete from t where id = {i} returning id) insert into t select id, {v}, 'w' from x",
            f"update q set v = {v} where id = {i}",
            f"update q set id = {j} where id = {i}",
            f"insert into q values ({i}, {v}) on conflict (id) do update set v = {v}",
            f"delete from q where id = {i}",
            "select * from q",
        ]
    if isolation == "read-committed":
        # A statement that waits for a row which is deleted and added again misses both, which is no read committed.
        forms = [f for f in forms if not re.search("set id =|delete.*insert into t", f)]
    return r.choice(forms)


def specification(r):
    names, text = [], [f"setup {{ {SETUP[database]} }}"]
    text.append("teardown { " + "; ".join(f"drop table {t}" for t in TABLES) + " }")
    for s in range(r.choice((2, 3, 3))):
        steps = []
        text.append(f"session s{s}")
        for k in range(2):  # transactions
            n = r.choice((1, 2, 2, 3))
            for i in range(n):
                begin = "begin; " if i == 0 else ""
                steps.append(f"s{s}t{k}x{i}")
                text.append(f"step {steps[-1]} {{ {begin}{statement(r)} }}")
            steps.append(f"s{s}t{k}e")
            text.append(f"step {steps[-1]} {{ {r.choice(('commit', 'commit', 'commit', 'rollback'))} }}")
        names.append(steps)
    serial = [x for s in r.sample(names, len(names)) for x in s]
    text.append("permutation " + " ".join(serial))
    for _ in range(INTERLEAVINGS):
        rest = [list(s) for s in names]
        order = []
        while any(rest):
            order.append(r.choice([s for s in rest if s]).pop(0))
        text.append("permutation " + " ".join(order))
    return "\n".join(text) + "\n"


for n in range(seed, seed + count):
    text = specification(random.Random(n))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "x.spec").write_text(text)
        done = subprocess.run(
            [assay, "test", *target, "--spec", "x.spec", "--isolation", isolation, "-l", level, "-q",
             "--store", ""],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=600)
    if re.search("built without|cannot find|cannot load a library", done.stdout):
        skip(f"seed {n}", done.stdout.splitlines()[-1])
        break
    check(done.returncode == 0, f"{database} at {isolation}: {level}, seed {n}", done.stdout + text)
sys.exit(end())
