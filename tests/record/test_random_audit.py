"""test_random_audit.py ASSAY [COUNT [SEED]] -- predictions at PostgreSQL's READ
COMMITTED about random small applications, each tried on PostgreSQL.

A suite of three to seven transactions reads, locks, counts, updates, inserts and
deletes rows of two tables, one transaction after the other.  'assay audit'
predicts and tries.  What it predicts has to be shown, or say why it is not.  A
statement whose rows differ from the recording is shown on a condition, since no
application goes on after it, or diverges.  Without COUNT, three applications.

    test_random_audit.py suite SEED     the suite itself, a client of PGPORT"""

import html
import os
import random
import re
import subprocess
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Failure, Server, find


def statement(r, number):
    table = r.choice("tttu")
    row, value = r.choice([1, 1, 1, 2, 3]), r.randint(0, 3)
    return r.choice([
        lambda: f"select * from {table} where id = {row}",
        lambda: f"select * from {table} where id = {row}",
        lambda: f"select count(*) from {table} where v >= {value}",
        lambda: f"select * from {table} where v = {value}",
        lambda: f"select * from {table} where id = {row} "
                + r.choice(["for update", "for share", "for no key update"]),
        lambda: f"update {table} set v = {10 * number + value} where id = {row}",
        lambda: f"update {table} set v = {10 * number + value} where id = {row}",
        lambda: f"update {table} set v = v + 1 where id = {row}",
        lambda: f"update {table} set v = v + 1 where v < {value}",
        lambda: f"insert into {table} values ({10 * number + row}, {value})",
        lambda: f"insert into {table} values ({row}, {value}) "
                "on conflict do nothing",
        lambda: f"delete from {table} where id = {row}",
    ])()


def suite(seed):
    r = random.Random(seed)
    c = Client(int(os.environ["PGPORT"]), os.environ["PGUSER"],
               os.environ["PGDATABASE"])
    for number in range(r.randint(3, 7)):
        statements = [f"{statement(r, number)} /*route='e{number}'*/"
                      for _ in range(r.randint(2, 4))]
        if len(statements) > 1:
            statements = ["begin", *statements, "commit"]
        for sql in statements:
            try:
                c.run(sql)
            except Failure:
                c.run("rollback")
                break
    c.close()


def findings(page):
    """The outcome and the reason of each finding."""
    for section in page.split("<section ")[1:]:
        tag = re.search(r"<span class=tag>([^<]*)", section)
        why = re.search(r"The trial: (.*?)</p>", section)
        yield tag.group(1), html.unescape(
            re.sub("<[^>]*>", "", why.group(1))) if why else ""


def test(seed, outcomes, reasons):
    database = f"app{seed}"
    admin(f"create database {database}")
    admin("create table t (id int primary key, v int);"
          "create table u (id int primary key, v int);"
          "insert into t values (1, 0), (2, 2);"
          "insert into u values (1, 1)", database)
    page = f"{server.root}/{database}"
    p = subprocess.run(
        [assay, "audit", "-q", "--on", "postgresql:rc", "--to",
         server.url(database), "-o", page, "--", sys.executable, __file__,
         "suite", str(seed)], capture_output=True, text=True,
        env=dict(os.environ, PGUSER="postgres"))
    admin(f"drop database {database}")
    bad = []
    if p.returncode not in (0, 1, 3):
        if "no row was read" not in p.stderr:
            bad.append(p.stderr.strip())
        outcomes["not recorded"] += 1
        return bad
    with open(page + "/index.html") as f:
        found = list(findings(f.read()))
    outcomes["applications"] += 1
    outcomes["with predictions"] += bool(found)
    for tag, why in found:
        outcomes[tag] += 1
        if tag != "happened on the database":
            reasons[re.sub(r"`[^`]*`|\d+", "_", why)[:100]] += 1
            print(f"# seed {seed}: {tag}: {why}")
        if not why and tag != "happened on the database":
            bad.append(f"{tag}: {why}")
    return bad


def admin(sql, database="postgres"):
    c = Client(server.port, "postgres", database)
    try:
        return c.run(sql)
    finally:
        c.close()


if sys.argv[1] == "suite":
    suite(int(sys.argv[2]))
    sys.exit(0)
assay = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 3
first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
if not find("initdb"):
    tap.skip("random applications", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()
outcomes, reasons, unexplained = Counter(), Counter(), []
try:
    for seed in range(first, first + count):
        unexplained += [f"seed {seed}: {b}"
                        for b in test(seed, outcomes, reasons)]
finally:
    server.stop()
print("#", dict(outcomes))
for reason, n in reasons.most_common():
    print(f"# {n} x {reason}")
tap.check(not unexplained, "every prediction is shown, or it is said why not",
          "\n".join(unexplained))
sys.exit(tap.end())
