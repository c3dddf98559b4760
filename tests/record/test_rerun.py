"""Rows that a statement did not find, for each way in which a client can send
it.  Two transactions at REPEATABLE READ count rows and then each adds one.  If
it is one that the other one counts, no serial order explains the answers, and
only the statement run again can show it: with its parameters, its settings and
its cursor.  If the row concerns nobody, the history is serializable.  Both must
be recorded whole."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Server, answer, find
from recording import Recording, run

assay = sys.argv[1]
if not find("initdb"):
    tap.skip("statements that are run again",
             "PostgreSQL's programs are not installed")
    sys.exit(tap.end())

SCHEMA = """
create table t (id int primary key, v int, at timestamptz, price numeric,
  name text, tags text[]);
insert into t select i, i, '2020-01-01', i / 4.0, 'n' || i, array['x', 'y']
  from generate_series(1, 5) i;
create schema other;
create table other.t (like t including all);
insert into other.t select * from t
"""
INT4, TEXT, TIMESTAMPTZ, NUMERIC, TEXTS = 23, 25, 1184, 1700, 1009
MATTERS, CONCERNS_NOBODY = 1000, -1000
ROW = ("({id}, {v}, '2020-01-01'::timestamptz + {v} * interval '1 day', {v}, "
       "'n' || {v}, array['v' || {v}])")


def bind(client, sql, types, values, name=b""):
    """A statement with parameters in binary form; the rows of its answer."""
    parse = (name + b"\0" + sql.encode() + b"\0" +
             struct.pack(f"!H{len(types)}I", len(types), *types))
    body = b"\0" + name + b"\0" + struct.pack("!HH", 1, 1)
    body += struct.pack("!H", len(values))
    for value in values:
        body += struct.pack("!i", len(value)) + value
    body += struct.pack("!HH", 1, 0)
    client.send(("P", parse), ("B", body), ("E", b"\0" + bytes(4)), ("S", b""))
    return answer(client.until("Z"))


def array(text):
    return struct.pack("!iiIii", 1, 0, TEXT, 1, 1) + struct.pack(
        "!i", len(text)) + text


def cursor(client):
    client.run("declare c cursor for select id from t where v > 100")
    client.run("fetch 2 from c")
    client.run("fetch all from c")
    client.run("close c")


def prepared(client):
    client.run("prepare p (int) as select count(*) from t where v > $1")
    client.run("execute p (100)")
    client.run("deallocate p")


def portal(client):
    parse = b"\0select id from t where v > 100 or id < 4 order by id\0\0\0"
    client.send(("P", parse), ("B", b"x\0\0" + bytes(6)),
                ("E", b"x\0" + struct.pack("!I", 2)), ("H", b""))
    client.until("s")
    client.send(("E", b"x\0" + bytes(4)), ("S", b""))
    answer(client.until("Z"))


COUNT = "select count(*) from t where v > 100"
# What it is, what is done before the transaction, how rows are counted, and
# the table.
FORMS = [
    ("a simple query", "", lambda c: c.run(COUNT), "t"),
    ("an extended one", "", lambda c: c.execute(
        "select count(*) from t where v > $1", 100), "t"),
    ("a binary integer", "", lambda c: bind(
        c, "select count(*) from t where v > $1", [INT4],
        [struct.pack("!i", 100)]), "t"),
    ("a binary value whose type is inferred", "", lambda c: bind(
        c, "select count(*) from t where v > $1", [],
        [struct.pack("!i", 100)]), "t"),
    ("a binary time, beside DateStyle", "set datestyle = 'SQL, DMY'",
     lambda c: bind(c, "select count(*) from t where at > $1", [TIMESTAMPTZ],
                    [struct.pack("!q", (20 * 365 + 105) * 86400 * 10**6)]),
     "t"),
    ("a binary numeric", "", lambda c: bind(
        c, "select count(*) from t where price > $1", [NUMERIC],
        [struct.pack("!hhHhhh", 2, 0, 0, 2, 99, 5000)]), "t"),
    ("a binary text and NULL", "", lambda c: bind(
        c, "select count(*) from t where name = $1", [TEXT], [b"n1000"]), "t"),
    ("a binary array", "", lambda c: bind(
        c, "select count(*) from t where tags = $1", [TEXTS],
        [array(b"v1000")]), "t"),
    ("EXECUTE of a prepared statement", "", prepared, "t"),
    ("a cursor in parts", "", cursor, "t"),
    ("a portal in parts", "", portal, "t"),
    ("SET search_path", "set search_path = other", lambda c: c.run(COUNT),
     "other.t"),
    ("SET LOCAL search_path", "", lambda c: (
        c.run("set local search_path to other"), c.run(COUNT)), "other.t"),
    ("set_config", "select set_config('search_path', 'other, public', false)",
     lambda c: c.run(COUNT), "other.t"),
    ("RESET after SET", "set search_path = other; reset search_path",
     lambda c: c.run(COUNT), "t"),
    ("DISCARD ALL after SET", "set search_path = other/discard all",
     lambda c: c.run(COUNT), "t"),
    ("a setting that was rolled back",
     "begin; set search_path = other; rollback", lambda c: c.run(COUNT), "t"),
    ("SET ROLE", "set role other_role", lambda c: c.run(COUNT), "t"),
    ("options of the connection", {"options": "-c search_path=other"},
     lambda c: c.run(COUNT), "other.t"),
    ("a list as a parameter of the connection",
     {"search_path": "other, public"}, lambda c: c.run(COUNT), "other.t"),
    ("ALTER ROLE SET", {"user": "elsewhere"}, lambda c: c.run(COUNT),
     "other.t"),
    ("a superuser", {"user": "postgres"}, lambda c: c.run(COUNT), "t"),
    ("a comment before the statement", "/* x */ set search_path = other",
     lambda c: c.run("/* tag='1' */ " + COUNT), "other.t"),
]


def play(port, form, v):
    what, before, count, table = form
    parameters = before if isinstance(before, dict) else {}
    clients = [Client(port, **parameters) for _ in range(2)]
    for c in clients:
        if isinstance(before, str) and before:
            for sql in before.split("/") if "/*" not in before else [before]:
                c.run(sql)
        c.run("begin isolation level repeatable read")
    for c in clients:
        count(c)
    for i, c in enumerate(clients):
        c.run(f"insert into {table} values " + ROW.format(
            id=1000 + i, v=v))
    for c in clients:
        c.run("commit")
        c.close()


server = Server()
try:
    path = server.root + "/run.jsonl"
    c = Client(server.port, "postgres", "postgres")
    c.run("create role app login; create role elsewhere login; create role "
          "other_role; grant other_role to app; grant app to elsewhere; alter "
          "role elsewhere set search_path = other, public")
    c.run("create database shop owner app")
    c.close()
    c = Client(server.port)
    c.run(SCHEMA)
    c.run("grant all on all tables in schema public, other to "
          "other_role; grant all on schema other, public to other_role")
    for form in FORMS:
        for v, expected in ((MATTERS, 1), (CONCERNS_NOBODY, 0)):
            r = Recording(assay, server, path)
            play(r.port, form, v)
            status = r.stop()
            partial = [(l["meta"]["sql"], l["partial"]) for l in r.lines()
                       if "partial" in l]
            found, said = run(assay, "check", "-q", "-l", "ser", path)
            tap.check(status == 0 and found == expected,
                      f"{form[0]}: {'violated' if expected else 'ok'}",
                      f"{r.said}{said}{partial}")
            c.run("delete from t where id > 5; delete from other.t where id > "
                  "5")
    r = Recording(assay, server, path)
    d = Client(r.port)
    d.run("begin isolation level repeatable read")
    d.run("declare c cursor for select v from t where id < 3 order by id; "
          "declare d cursor with hold for select v from t where id = 3")
    d.run("fetch 1 from c")
    d.run("update t set v = 77 where id in (2, 3)")
    rows = d.run("fetch 1 from c")
    d.run("commit")
    tap.check(rows == [["2"]] and d.run("fetch d") == [["3"]],
              "a cursor does not see what is written after its DECLARE", rows)
    d.close()
    r.stop()
    found, said = run(assay, "check", "-q", "-l", "si,ser", path)
    tap.check(found == 0, "and is not accused", r.said + said)
    c.close()
finally:
    server.stop()
sys.exit(tap.end())
