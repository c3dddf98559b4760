"""Which rows the database reports for each form of statement, against an
oracle: every row is deleted in turn, and if the statement then answers or does
something else, the row must have been reported."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Failure, Server, find
from recording import Recording

assay = sys.argv[1]
if not find("initdb"):
    tap.skip("statements", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())

SCHEMA = """
create table acc (id int primary key, own int, bal int, name text);
create table ord (id int primary key, acc int references acc on delete cascade,
  amt int);
create index on ord (acc);
insert into acc select i, i % 3, i * 10, 'n' || i from generate_series(1, 6) i;
insert into ord select i, 1 + i % 4, i * 7 % 50 from generate_series(1, 8) i;
create view rich as select * from acc where bal > 30;
create function bal_of(int) returns int language plpgsql as
  'declare x int; begin select bal into x from acc where id = $1; return x; end';
analyze
"""

# A statement, and what is reported of it: exactly the rows that matter, or
# some more (a superset).  "checks" are rows that only constraints look at;
# src/spec/row derives these from the catalog.
EXACT, SUPERSET, CHECKS = "exact", "superset", "checks"
FORMS = [
    ("select bal from acc where id = 3", EXACT),
    ("select * from acc where bal between 20 and 40", EXACT),
    ("select sum(bal) from acc where own = 2", EXACT),
    ("select count(*) from acc", EXACT),
    ("select own, count(*) from acc group by own having sum(bal) > 60", SUPERSET),
    ("select max(bal) from acc", SUPERSET),
    ("select id from acc order by bal limit 2", SUPERSET),
    ("select id from acc order by id limit 2 offset 1", EXACT),
    ("select a.name, o.amt from acc a join ord o on o.acc = a.id where o.id = "
     "5", EXACT),
    ("select a.id, o.id from acc a left join ord o on o.acc = a.id where a.id "
     "in (3, 6)", EXACT),
    ("select id from acc a where exists (select 1 from ord o where o.acc = a.id"
     " and amt > 30)", EXACT),
    ("select id from acc where id not in (select acc from ord where amt > 20)",
     SUPERSET),
    ("select id, (select sum(amt) from ord where acc = a.id) from acc a where "
     "own = 0", EXACT),
    ("with x as (select * from ord where amt > 20) select a.id from acc a join "
     "x on x.acc = a.id", EXACT),
    ("with recursive r(i) as (select 1 union all select a.id + 1 from acc a "
     "join r on a.id = r.i and i < 3) select * from r", EXACT),
    ("select id from acc where own = 1 union select id from ord where amt = 7",
     SUPERSET),
    ("select id, rank() over (order by bal) from acc where own = 1", EXACT),
    ("select id from rich", EXACT),
    ("select bal_of(3)", EXACT),
    ("select id from ord where bal_of(acc) > 20 and id < 3", SUPERSET),
    ("select id from acc where bal > 40 for update", EXACT),
    ("select id from ord where amt > 20 order by id limit 1 for update skip "
     "locked", EXACT),
    ("copy acc to stdout", EXACT),
    ("copy (select id from acc where own = 1) to stdout", EXACT),
    ("update acc set bal = bal + 1 where id = 3", EXACT),
    ("update acc set bal = 1", EXACT),
    ("update acc set bal = bal + o.amt from ord o where o.acc = acc.id and "
     "o.id = 5", EXACT),
    ("update acc set bal = 0 where own = 1 returning id", EXACT),
    ("update acc set bal = 0 where id = 99", EXACT),
    ("delete from ord where amt > 40", EXACT),
    ("delete from acc where id = 2", SUPERSET),
    ("insert into acc values (50, 1, 1, 'z')", EXACT),
    ("insert into acc values (50, 1, 1, 'z') returning id", EXACT),
    ("insert into ord values (50, 3, 1)", CHECKS),
    ("insert into acc select id + 100, own, bal, name || 'x' from acc where own"
     " = 1", EXACT),
    ("insert into acc values (3, 1, 1, 'z') on conflict (id) do update set bal "
     "= acc.bal + 1", SUPERSET),
    ("insert into acc values (3, 1, 1, 'z') on conflict do nothing", CHECKS),
    ("merge into acc using (select * from ord where id in (1, 2)) o on acc.id "
     "= o.acc when matched then update set bal = bal + o.amt when not matched "
     "then do nothing", EXACT),
    ("with d as (delete from ord where amt = 7 returning acc) update acc set "
     "bal = 0 where id in (select acc from d)", EXACT),
]


def answer_of(client, sql, change=None):
    """What a statement answers and leaves, in a transaction of its own."""
    client.run("begin isolation level repeatable read")
    skip = None
    try:
        if change:
            client.run("set local session_replication_role = replica")
            table, key = skip = change
            client.run(f"delete from {table} where id = {key}")
            client.run("set local session_replication_role = origin")
        before = state(client, skip)
        client.send(("Q", sql.encode() + b"\0"))
        messages = client.until("Z")
        rows = sorted(b for l, b in messages if l in "DdC")
        failed = ["error" for l, b in messages if l == "E"]
        if failed:
            return rows, failed
        after = state(client, skip)
        return rows, sorted(map(repr, set(before.items()) ^ set(after.items())))
    finally:
        client.run("rollback")


def state(client, skip):
    rows = {}
    for table in ("acc", "ord"):
        for key, text in client.run(f"select id, x::text from {table} x"):
            if (table, int(key)) != skip:
                rows[(table, int(key))] = text
    return rows


def needed(client, sql):
    """The rows without which the statement answers something else."""
    usual = answer_of(client, sql)
    rows = []
    for row in state(client, None):
        other = answer_of(client, sql, row)
        mine = [e for e in usual[1] if repr(row) not in e]
        theirs = [e for e in other[1] if repr(row) not in e]
        if (usual[0], mine) != (other[0], theirs):
            rows.append(row)
    return set(rows)


server = Server()
try:
    path = server.root + "/run.jsonl"
    c = Client(server.port, "postgres", "postgres")
    c.run("create role app login")
    c.run("create database shop owner app")
    c.close()
    c = Client(server.port)
    c.run(SCHEMA)
    c.close()
    r = Recording(assay, server, path)
    c = Client(r.port)
    for sql, _ in FORMS:
        c.run("begin isolation level repeatable read")
        c.send(("Q", sql.encode() + b"\0"))
        c.until("Z")
        c.run("rollback")
    c.run("select * from acc") # one transaction that commits
    c.close()
    r.stop()
    tap.check(r.status in (0, 3), "the statements are recorded", r.said)
    found = {}
    for line in r.lines():
        for text in line.get("meta", {}).get("sql", []):
            found[text] = {tuple(o[1]) for o in line["ops"]
                           if o[0] == "r" and len(o) > 2 and o[2] is not None}
    oracle = Client(server.port, "postgres")
    for sql, kind in FORMS:
        told, must = found.get(sql, set()), needed(oracle, sql)
        tap.check(must <= told, f"reports every row that matters: {sql}",
                  f"missing {must - told}")
        more = told - must
        tap.check(bool(more) == (kind is SUPERSET),
                  f"and {'more' if kind is SUPERSET else 'no other'}",
                  f"{kind}: {more}")
    oracle.close()
finally:
    server.stop()
sys.exit(tap.end())
