#!/usr/bin/env python3
"""Rows of real SQL on DuckDB, by 'assay test --spec'.

    test_duckdb_rows.py ASSAY

Each form of a statement is played twice: serially, which must be serializable;
and as one half of a write skew, where the session that does not see the write
makes another one that this session does not see.  That must not be
serializable, but keep what DuckDB promises, snapshot isolation.

Speaks TAP; skipped where DuckDB's library or PostgreSQL's parser is not there.
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

T = (
    "create table t (id int primary key, v int, s text); "
    "insert into t values (1, 10, 'a'), (2, 20, 'b')"
)
NO_KEY = "create table t (v int, w int); insert into t values (1, 7), (1, 8), (2, 9)"
PAIRS = (
    "create table t (a text, b int, v decimal(5, 2), primary key (a, b)); "
    "insert into t values ('it''s', 1, 1.5), ('x', 1, 2)"
)
ALL = "select * from t"

# name, setup, a statement that writes, one that sees it
FORMS = [
    ("insert", T, "insert into t values (3, 30, null)", "select v from t where v > 25"),
    ("insert of columns", T, "insert into t (v, id) values (30, 3) returning *", ALL),
    ("insert ... select", T, "insert into t select id + 2, v, s from t where v > 15",
     "select count(*) from t where id > 2"),
    ("update by expression", T, "update t set v = v + 1 where v < 15",
     "select * from t as x where x.v between 5 and 12"),
    ("update of NULL", T, "update t set s = null where s = 'a'",
     "select id from t where s is null"),
    ("update of the key", T, "update t set id = id + 10", "select v from t where id = 11"),
    ("blind update", T, "update t set v = 1 where id = 1", "select max(v), min(v) from t"),
    ("update that changes nothing", T, "update t set v = v where id = 1",
     "select v from t where id = 1"),
    ("update returning", T, "update t set v = 0 where true returning v", "select v from t where v = 0"),
    ("update ... from", T, "update t set v = t.v + o.v from t o where o.id = t.id + 1",
     "select v from t where id = 1"),
    ("delete", T, "delete from t where s = 'a'", "select id from t where v < 15"),
    ("delete of all", T, "delete from t", ALL),
    ("delete ... using", T, "delete from t using t o where o.id = t.id + 1",
     "select v from t where id = 1"),
    ("upsert that updates", T,
     "insert into t values (1, 1, 'x') on conflict (id) do update set v = excluded.v",
     "select v from t where id in (1, 3)"),
    ("upsert that inserts", T,
     "insert into t values (3, 1, 'x') on conflict (id) do update set v = excluded.v",
     "select v from t where id in (1, 3)"),
    ("insert or replace", T, "insert or replace into t values (1, 1, 'x'), (4, 1, 'y')",
     "select v from t where id = 4"),
    ("insert or ignore", T, "insert or ignore into t values (1, 1, 'x'), (4, 1, 'y')",
     "select v from t where id = 4"),
    ("merge", T,
     "merge into t using (values (1, 5), (9, 6)) s(k, n) on s.k = t.id "
     "when matched then update set v = n when not matched then insert values (s.k, n, '')",
     "select v from t where id = 9"),
    ("join", T, "update t set v = 0 where id = 1",
     "select a.v, b.v from t a join t b on a.id < b.id"),
    ("outer join", T, "update t set v = 0 where id = 1",
     "select a.v, b.v from t a left join t b on b.id = a.id + 1"),
    ("limit", T, "update t set v = 0 where id = 1", "select v from t order by t.id limit 1"),
    ("exists", T, "insert into t values (3, 33, '')", "select exists (select 1 from t where v = 33)"),
    ("cast", T, "update t set v = '3'::int where id = 1", "select * from t where v::text = '3'"),
    ("composite key", PAIRS, "update t set v = v + 0.25 where a = 'it''s'",
     "select v from t where v = 1.75"),
    ("part of a key", PAIRS, "update t set a = 'y' where a = 'x'", "select v from t where a > 'j'"),
    ("quoted names",
     'create table "T t" ("Id" int primary key, "V""v" int); insert into "T t" values (1, 1)',
     'update "t T" set "v""V" = 3 where "Id" = 1', 'select "Id" from "T t" X where X."V""v" = 3'),
    ("no primary key", NO_KEY, "update t set v = 5 where v = 1", "select * from t where v = 5"),
    ("no primary key: insert", NO_KEY, "insert into t values (5, 1), (5, 1)",
     "select * from t where v = 5"),
    ("no primary key: insert ... select", NO_KEY, "insert into t select v + 4, w from t",
     "select * from t where v = 5"),
    ("no primary key: delete", NO_KEY, "delete from t where v = 1", "select * from t where v = 1"),
    ("types",
     "create table t (id int primary key, r double, d date, e enum('x', 'y'), h hugeint); "
     "insert into t values (1, 0.1, '2020-02-29', 'x', 170141183460469231731687303715884105727), "
     "(2, 1e300, null, 'y', 1)",
     "update t set r = r * 3 where r < 1", "select * from t where r > 0.3 and r < 0.31"),
    ("strings", T, "update t set s = 'é\n\"' where id = 1",
     "select * from t where s like '%\"'"),
]

SERIAL = "r2 w c1 r w2 c2"
SKEWED = "r r2 w w2 c1 c2"
SPEC = """setup {{ {setup}; create table o (k int primary key, n int); insert into o values (1, 1) }}
session a
setup {{ begin }}
step r2 {{ select n from o }}
step w {{ {write} }}
step c1 {{ commit }}
session b
setup {{ begin }}
step r {{ {read} }}
step w2 {{ update o set n = n + 1 }}
step c2 {{ commit }}
permutation {serial}
permutation {skewed}
"""


def run(text, *arguments):
    (folder / "x.spec").write_text(text)
    done = subprocess.run(
        [assay, "test", "duckdb:", "--spec", "x.spec", "--keep", "x.jsonl", *arguments],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def play(form):
    _, setup, write, read = form
    return run(SPEC.format(setup=setup, write=write, read=read, serial=SERIAL, skewed=SKEWED),
               "-l", "si,ser")


def two(setup, a, b, steps):
    """Two sessions, whose steps are called a1, b1 and so on."""
    lines = [f"setup {{ {setup} }}"]
    for name, statements in (("a", a), ("b", b)):
        lines += [f"session {name}", "setup { begin }"]
        lines += [f"step {name}{i + 1} {{ {sql} }}" for i, sql in enumerate(statements)]
        lines += [f"step {name}c {{ commit }}"]
    return "\n".join(lines + [f"permutation {steps}", ""])


def kept_text():
    path = folder / "x.jsonl"
    return path.read_text() if path.exists() else ""


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    status, out = play(FORMS[0])
    kept = folder / "x-1.jsonl"
    if "cannot load a library" in out:
        skip("rows", "DuckDB's library is not here; 'make databases' fetches it")
        sys.exit(end())
    if not kept.exists() or not kept.read_text().startswith('{"initial"'):
        skip("rows", "this build leaves PostgreSQL's parser out")
        sys.exit(end())
    for form in FORMS:
        status, out = play(form)
        check(status == 1, f"{form[0]}: played", out)
        for line in (f"{SERIAL}: serializable: ok", f"{SKEWED}: snapshot: ok",
                     f"{SKEWED}: serializable: violated"):
            check(line in out, f"{form[0]}: {line}", out)

    # An update is lost to a delete (duckdb#17223), also where the row is
    # inserted again.
    read = "select * from t where id = 1"
    for name, delete in (("delete", ["delete from t where v = 10"]),
                         ("delete and insert", ["delete from t where v = 10",
                                                "insert into t values (1, 5, 'n')"])):
        steps = "a1 b1 " + " ".join(f"a{i + 2}" for i in range(len(delete))) + " ac b2 bc"
        spec = two(T, [read, *delete], [read, "update t set v = v + 1 where id = 1"], steps)
        status, out = run(spec, "-l", "si")
        check(status == 1 and "lost update" in out, f"an update lost to a {name}", out)
        status, out = run(spec.replace(steps, steps.replace(" b1", "").replace("b2", "b1 b2")),
                          "-l", "ser")
        check(status == 0, f"an update after a {name}", out)

    # A row that is in the way of an insert was read.
    for name, sql in (("on conflict do nothing", "insert into t values (2, 7, '') on conflict do nothing"),
                      ("insert or ignore", "insert or ignore into t (v, id) values (7, 2)"),
                      ("on conflict do update",
                       "insert into t values (2, 20, '') on conflict do update set v = excluded.v")):
        spec = two(T, ["select * from t where id = 1", sql],
                   ["delete from t where id = 2", "update t set v = 0 where id = 1"],
                   "a1 a2 b1 b2 ac bc")
        status, out = run(spec, "-l", "ser")
        check(status == 0 and '["r",["t",2],{},{"check":true}]' in kept_text(), f"{name}: serial", out)
        spec = spec.replace("a1 a2 b1 b2 ac bc", "b1 a1 a2 b2 bc ac")
        status, out = run(spec, "-l", "ser")
        check(status == 0 and '["r",["t",2],{},{"check":true}]' in kept_text(), f"{name}: before", out)

    # Of two updates of one column the later one fails; of two columns, both
    # are kept, and the row that is left is no version of either.
    spec = two(T, [read, "update t set v = 11 where id = 1"],
               [read, "update t set v = 12 where id = 1"], "a1 b1 a2 b2 ac bc")
    status, out = run(spec, "-l", "si")
    check(status == 0 and "snapshot: ok" in out, "updates of one column", out)
    spec = spec.replace("v = 12", "s = 'm'")
    for level in ("si", "ser"):
        status, out = run(spec, "-l", level)
        check(status == 2 and "different columns of a row" in out,
              f"updates of two columns are not checked at {level}", out)
    status, out = run(spec.replace("a1 b1 a2 b2 ac bc", "a1 a2 ac b1 b2 bc"), "-l", "ser")
    check(status == 0 and "serializable: ok" in out, "unless one comes after the other", out)

    # Unless the row is not what the two make together: where one of the columns
    # has an index, the other update is lost (DuckDB 1.2.2 to 1.5.6).
    account = ("create table t (id int primary key, branch int, balance int); create index i on t (branch); "
               "insert into t values (1, 1, 0)")
    for name, update in (("of a value", "balance = 5"), ("of what was read", "balance = balance + 1")):
        spec = two(account, [read, f"update t set {update} where id = 1"],
                   [read, "update t set branch = 7 where id = 1"], "a1 b1 b2 bc a2 ac")
        status, out = run(spec, "-l", "si")
        check(status == 1 and "lost update" in out, f"an update {name} that is lost beside one of an indexed column", out)

    # Versions with the same values are told from each other, by what a snapshot has.
    again = ["update t set v = 11 where id = 1", "commit; begin; update t set v = 10 where id = 1"]
    for steps, seen in (("a1 b1 b2 bc a2 ac", [0, 0]), ("b1 a1 b2 bc a2 ac", [0, 0]), ("b1 b2 bc a1 a2 ac", [1, 1])):
        status, out = run(two(T, [read, read], again, steps), "-l", "ser")
        lines = [json.loads(line) for line in kept_text().splitlines()]
        sessions = {line["session"]: line["ops"] for line in lines[1:]}
        last = sessions["b"][-1][-1]["ver"]
        versions = [row[-1]["ver"] for op in sessions["a"] for row in op[2]]
        check(status == 0 and versions == [last if x else 0 for x in seen], f"the same values again: {steps}",
              out + kept_text())

    # What unique indexes and foreign keys read.  They are checked in the latest state, which the snapshot may lack,
    # and a child may be added while its parent is deleted: both commit.
    parents = ("create table p (id int primary key, w text unique); create table t (id int primary key, p int "
               "references p (id), q text); create unique index i on t (q); "
               "insert into p values (1, '10'), (2, 'b'); insert into t values (7, 1, 'k')")
    see = ["select * from p", "select * from t"]
    for name, a, b, expected in (
            ("a parent is there", "insert into t values (9, 3, 'm')", "insert into p values (3, 'c')",
             '["r",["p",3],{},{"check":true}]'),
            ("no child refers", "delete from p where id = 1", "delete from t where id = 7",
             '["q",{"table":"t","id":"foreign key: p = 1","check":true},[]]'),
            ("no other row has the value", "insert into p values (5, 'b')", "delete from p where id = 2",
             '["q",{"table":"p","id":"unique: w = \'b\'","check":true},[[["p",5],'),
            ("nor in an index", "insert into t values (9, null, 'k')", "delete from t where id = 7",
             '["q",{"table":"t","id":"unique: q = \'k\'","check":true},[[["t",9],')):
        spec = two(parents, [*see, a], [b], "b1 bc a1 a2 a3 ac")
        status, out = run(spec, "-l", "ser")
        check(status == 0 and "not recorded" not in out and expected in kept_text(), f"{name}: serial",
              out + kept_text())
        status, out = run(spec.replace("b1 bc a1 a2 a3 ac", "a1 a2 b1 bc a3 ac"), "-l", "ser")
        check(status == 1 and "serializable: violated" in out and "refused" not in out, f"{name}: unseen", out)
    spec = two(parents, ["insert into t values (9, 2, 'm')"], ["delete from p where id = 2"], "a1 b1 ac bc")
    status, out = run(spec, "-l", "ser")
    check(status == 1 and "serializable: violated: phantom" in out, "a child without a parent", out)
    spec = two(parents, ["insert into p values (4, 'b')", "select * from t"], ["select * from p"], "a1 a2 ac b1 bc")
    status, out = run(spec, "-l", "ser")
    check(status == 0 and "refused 1 statement" in out, "a transaction that a constraint refuses", out)
    spec = two(parents.replace("(q)", "(lower(q))"), ["insert into t values (9, null, 'm')"], see, "a1 ac b1 b2 bc")
    status, out = run(spec, "-l", "ser")
    check("not recorded, so not checked: what unique indexes read" in out, "an index of an expression", out)

    # What an insert proposes is run before it, with its WITH and its joins.
    for sql in ("with q as (select 1 as id union all select 3) insert into t select id, 5, '' from q on conflict do nothing",
                "insert into t select a.id + 1, b.v, '' from t a join t b on a.id = b.id on conflict do nothing"):
        status, out = run(two(T, [sql], [ALL], "a1 ac b1 bc"), "-l", "ser")
        check(status == 0 and "refused" not in out and '["i",["t",3],' in kept_text(), f"serial: {sql}",
              out + kept_text())

    # Of a text with a zero byte only the part before it would be compared.
    zero = "create table t (id int primary key, s text); insert into t values (1, 'a' || chr(0) || 'b'), (2, 'b')"
    for statement in ("update t set s = 'q' where id = 2", "update t set s = s || 'c' where id = 1"):
        status, out = run(two(zero, ["select * from t where s = 'a'"], [statement], "a1 b1 bc ac"), "-l", "ser")
        check(status == 2 and "a value that JSON does not keep exactly, in table t" in out,
              f"a zero byte: {statement}", out)

    # What is refused, by name.
    for setup, sql, why in (
            (T, "select * from t where rowid = 1", "the place of a row"),
            (T, "select * from t where t is not null", "a row as a whole"),
            (NO_KEY, "insert into t select * from t", "an insert of '*'"),
            ("create table t (v int[])", ALL, "the type of a column"),
            ("create table t (v text collate nocase)", ALL, "has a collation"),
            ("create table t (id int, v int generated always as (id + 1))", ALL, "is generated"),
            (T + "; create macro twice(x) as x * 2", "select twice(v) from t", "the function 'twice'"),
            (T, "truncate t", "expected begin"),
            (T + "; create sequence q", "insert into t values (nextval('q'), 1, '') on conflict do nothing",
             "'nextval' beside ON CONFLICT"),
            (T, "select v from t where id in (select 1)", "subqueries")):
        status, out = run(f"setup {{ {setup} }}\nsession a\nstep s {{ {sql} }}\n", "-l", "ser")
        check(status == 2 and why in out, f"refused: {sql}", out)
sys.exit(end())
