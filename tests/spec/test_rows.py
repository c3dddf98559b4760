#!/usr/bin/env python3
"""Rows of real SQL on SQLite, by 'assay test --spec'.

    test_rows.py ASSAY

Each form of a statement is played twice: in a serial interleaving, which must
be serializable, and with a shared cache and dirty reads, so that the other
session sees what is rolled back, which must violate read committed.

Speaks TAP; skipped where the build leaves SQLite or PostgreSQL's parser out.
"""
import fcntl
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])

T = (
    "create table t (id int primary key, v int, s text); "
    "insert into t values (1, 10, 'a'), (2, 20, 'b')"
)
ALL = "select * from t"

# name, setup, a statement that writes, one that sees it
FORMS = [
    ("insert", T, "insert into t values (3, 30, null)", "select v from t where v > 25"),
    ("insert of columns", T, "insert into t (v, id) values (30, 3) returning *", ALL),
    ("insert ... select", T, "insert into t select id + 2, v, s from t where v > 15",
     "select count(*) from t where id > 2"),
    ("update by expression", T, "update t set v = v + 1 where v < 15",
     "select * from t as x where x.v between 11 and 12"),
    ("update of NULL", T, "update t set s = null where s = 'a'",
     "select id from t where s is null"),
    ("update of the key", T, "update t set id = id + 10", "select v from t where id = 11"),
    ("blind update", T, "update t set v = 1 where id = 1", "select max(v), min(v) from t"),
    ("update returning", T, "update t set v = 0 returning v", "select v from t where v = 0"),
    ("delete", T, "delete from t where s = 'a'", "select id from t where v < 15"),
    ("delete of all", T, "delete from t", ALL),
    ("upsert that updates", T,
     "insert into t values (1, 1, 'x') on conflict (id) do update set v = excluded.v",
     "select v from t where id in (1, 3)"),
    ("upsert that inserts", T,
     "insert into t values (3, 1, 'x') on conflict (id) do update set v = excluded.v",
     "select v from t where id in (1, 3)"),
    ("replace", T, "replace into t values (1, 1, 'x')", "select v from t where id = 1"),
    ("insert or replace", T, "insert or replace into t values (1, 1, 'x'), (4, 1, 'y')",
     "select v from t where id = 4"),
    ("insert or ignore", T, "insert or ignore into t values (1, 1, 'x'), (4, 1, 'y')",
     "select v from t where id = 4"),
    ("join", T, "update t set v = 0 where id = 1",
     "select a.v, b.v from t a join t b on a.id < b.id"),
    ("outer join", T, "update t set v = 0 where id = 1",
     "select a.v, b.v from t a left join t b on b.id = a.id + 1"),
    ("limit", T, "update t set v = 0 where id = 1", "select v from t order by t.id limit 1"),
    ("exists", T, "insert into t values (3, 33, '')", "select exists (select 1 from t where v = 33)"),
    ("composite key",
     "create table t (a text, b int, v, primary key (a, b)); "
     "insert into t values ('it''s', 1, 1.5), ('x', 1, 2)",
     "update t set v = v + 0.25 where a = 'it''s'", "select v from t where v = 1.75"),
    ("without rowid",
     "create table t (a text, b int, v, primary key (a, b)) without rowid; "
     "insert into t values ('it''s', 1, 1.5), ('x', 1, 2)",
     "update t set a = 'y' where a = 'x'", "select v from t where a > 'j'"),
    ("integer primary key",
     "create table t (id integer primary key, v); insert into t (v) values (7)",
     "insert into t (v) values (8) on conflict do nothing", "select * from t where v >= 8"),
    ("quoted names",
     'create table "T t" ("Id" int primary key, "V""v" int); insert into "T t" values (1, 1)',
     'update `t T` set "v""V" = 3 where "Id" = 1', 'select "Id" from "T t" X where X."V""v" = 3'),
    ("no primary key", "create table t (v int); insert into t values (1), (1), (2)",
     "update t set v = 5 where v = 1", "select * from t where v = 5"),
    ("types",
     "create table t (id int primary key, r real, b blob, x); insert into t values "
     "(1, 0.1, x'00ff', 9223372036854775807), (2, 1e300, null, 'a' || char(10) || 'b')",
     "update t set r = r * 3 where r < 1", "select * from t where r > 0.3 and r < 0.31"),
    ("strict", "create table t (id int primary key, v any) strict; insert into t values (1, '1')",
     "update t set v = 1", "select * from t where v = 1"),
    ("savepoint", T, "savepoint p; delete from t; rollback to p; update t set v = 1 where id = 1",
     "select v from t where id = 1"),
    ("cascade",
     "create table p (id int primary key); create table t (id int primary key, p int references p "
     "on delete cascade); insert into p values (1), (2); insert into t values (7, 1), (8, 2)",
     "delete from p where id = 1", "select * from t where id = 7"),
]

SPEC = """setup {{ {setup} }}
session a
setup {{ begin }}
step w {{ {write} }}
step c1 {{ commit }}
step a1 {{ rollback }}
session b
setup {{ begin }}
step r {{ {read} }}
step c2 {{ commit }}
permutation {steps}
"""


def run(text, target, *arguments):
    (folder / "x.spec").write_text(text)
    done = subprocess.run(
        [assay, "test", target, "--spec", "x.spec", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def play(form, steps, target, *arguments):
    _, setup, write, read = form
    foreign = ["--setup", "pragma foreign_keys = on"] if "references" in setup else []
    text = SPEC.format(setup=setup, write=write, read=read, steps=steps)
    return run(text, target, "--keep", "x.jsonl", *arguments, *foreign)


def rows_of(text, *arguments):
    """All operations of a serial run of one session."""
    status, out = run(text, "sqlite:", "-l", "ser", "--keep", "y.jsonl", *arguments)
    lines = (folder / "y.jsonl").read_text().splitlines() if status == 0 else []
    return status, out, [op for line in lines[1:-1] for op in json.loads(line)["ops"]]


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    status, out = play(FORMS[0], "w c1 r c2", "sqlite:", "-l", "ser")
    kept = folder / "x.jsonl"
    if "built without" in out or not kept.read_text().startswith('{"initial"'):
        skip("rows", "this build leaves SQLite or PostgreSQL's parser out")
        sys.exit(end())
    for form in FORMS:
        status, out = play(form, "w c1 r c2", "sqlite:", "-l", "ser", "-q")
        check(status == 0 and "serializable: ok" in out, f"{form[0]}: serial", out)
        status, out = play(form, "w r a1 c2", "sqlite:?cache=shared", "-l", "rc", "-q",
                           "--isolation", "read-uncommitted")
        check(status == 1 and "read-committed: violated" in out, f"{form[0]}: dirty", out)

    # A unique violation is a read, and its transaction goes on.  Reads of constraint checks are marked.
    CHECK = {"check": True}
    status, out, ops = rows_of(
        f"setup {{ {T} }}\nsession a\n"
        "step x { begin; insert into t values (2, 0, '') }\nstep y { select v from t where v = 10; commit }\n"
    )
    check(ops[:1] == [["r", ["t", 2], {}, CHECK]] and len(ops) == 2, "unique violation", [out, ops])

    # The row in the way may be one that the statement added itself.
    status, out, ops = rows_of(
        f"setup {{ {T} }}\nsession a\n"
        "step x { begin; insert into t values (5, 0, ''), (5, 1, '') }\nstep y { select v from t; commit }\n"
    )
    check(status == 0 and "not recorded" not in out and len(ops) == 2 and ops[0] == ["r", ["t", 5], None, CHECK],
          "unique violation within a statement", [out, ops])
    # What it had added before was not there, and is gone.
    status, out, ops = rows_of(
        f"setup {{ {T} }}\nsession a\n"
        "step x { begin; insert into t values (5, 0, ''), (2, 1, ''), (6, 1, '') }\n"
        "step y { insert into t values (5, 0, ''); commit }\n"
    )
    check(status == 0 and "not recorded" not in out and
          ops[:3] == [["r", ["t", 5], None, CHECK], ["r", ["t", 2], {}, CHECK], ["r", ["t", 5], None, CHECK]] and
          len(ops) == 4,
          "unique violation in a later row", [out, ops])
    # So are other indexes and foreign keys, whether they let a statement pass or not.
    PARENTS = (
        "create table p (id int primary key, w text unique); create table t (id int primary key, "
        "p int references p (id), q text references p (w)); insert into p values (1, 'a,b'), (2, 'c'), (3, 'd'), (5, null); "
        "insert into t values (7, 5, null)"
    )
    for statement, failed, expected in [
        ("insert into t values (8, 2, null)", False, [["r", ["p", 2], {}, CHECK]]),
        ("insert into t values (8, null, 'a,b')", False, [["r", ["p", 1], {"w": "a,b"}, CHECK]]),
        ("insert into t values (8, 9, null)", True,
         [["q", {"table": "p", "id": "foreign key: id = 9", **CHECK}, []]]),
        ("insert into t values (8, null, 'z')", True,
         [["q", {"table": "p", "id": "foreign key: w = 'z'", **CHECK}, []]]),
        ("delete from p where id = 5", True, [["r", ["t", 7], {"p": 5}, CHECK]]),
        ("delete from p where id = 2", False,
         [["q", {"table": "t", "id": "foreign key: p = 2", **CHECK}, []],
          ["q", {"table": "t", "id": "foreign key: q = 'c'", **CHECK}, []]]),
        ("insert into p values (4, 'c')", True, [["r", ["p", 2], {"w": "c"}, CHECK]]),
        ("insert into p values (4, 'e')", False,
         [["q", {"table": "p", "id": "unique: w = 'e'", **CHECK},
           [[["p", 4], {"id": 4, "w": "e"}, {"ver": 5}]]]]),
        ("update p set w = 'c' where id = 3", True, []),
        ("insert into t values (8, 9, 'z')", True, []),
    ]:
        status, out, ops = rows_of(
            f"setup {{ {PARENTS} }}\nsession a\nstep b {{ begin }}\nstep x {{ {statement} }}\n"
            "step y { select id from t; commit }\n", "--setup", "pragma foreign_keys = on")
        missing = [op for op in expected if op not in ops]
        check(status == 0 and not missing and ("refused 1 statement" in out) == failed
              and (expected != [] or "not recorded, so not checked" in out),
              f"constraints: {statement}", [out, ops, missing])

    # The pragma of the setup holds for its own connection, so the sessions check nothing.
    status, out, ops = rows_of(
        "setup { pragma foreign_keys = on; create table p (id int primary key); "
        "create table t (id int primary key, p int references p); insert into p values (1) }\n"
        "session a\nstep x { delete from p }\nsession b\nstep y { insert into t values (7, 1) }\npermutation x y\n")
    check(status == 0 and "refused" not in out and [op[0] for op in ops if op[0] in "id"] == ["d", "i"],
          "foreign keys that only the setup checks", [out, ops])

    # A version names the one that it replaced, unless its own transaction wrote that: letters of the writes of row 1
    # or 5 of table t, with what each names.  An insert names none, nor does what was undone.
    def names(statements):
        status, out, ops = rows_of(
            f"setup {{ {T} }}\nsession a\nstep x {{ begin; {statements[0]}; commit }}\n"
            f"session b\nstep y {{ begin; {statements[1]}; commit }}\npermutation x y\n")
        writes = [op for op in ops if op[0] in "iud"]
        return status, out, "".join(op[0] + str(op[-1].get("prev", "") if isinstance(op[-1], dict) else "")
                                    for op in writes)

    BLIND = "update t set v = 5 where id = 1"
    for first, second, expected in [
        (BLIND, BLIND, "u0u2"),
        (f"{BLIND}; {BLIND}", BLIND, "u0uu3"),
        (BLIND, "delete from t where id = 1", "u0d2"),
        ("delete from t where id = 1", "insert into t values (1, 1, 'x')", "d0i"),
        ("delete from t where id = 1; insert into t values (1, 1, 'x')", BLIND, "d0iu2"),
        ("update t set id = 5 where id = 1", "update t set v = 1 where id = 5", "d0iu2"),
        (f"savepoint p; {BLIND}; rollback to p", BLIND, "u0"),
        (f"savepoint p; {BLIND}; rollback to p; {BLIND}", BLIND, "u0u3"),
        (f"{BLIND}; savepoint p; {BLIND}; rollback to p; {BLIND}", BLIND, "u0uu4"),
        (f"{BLIND}; savepoint p; delete from t where id = 1; rollback to p", BLIND, "u0u2"),
        ("replace into t values (1, 1, 'x')", "replace into t values (1, 2, 'x')", "d0id3i"),
        ("insert into t values (1, 1, 'x') on conflict (id) do update set v = excluded.v", BLIND, "u0u3"),
        ("insert into t values (5, 1, 'x')", "update t set v = 2 where id = 5", "iu2"),
    ]:
        status, out, named = names((first, second))
        check(status == 0 and named == expected, f"replaced: {first}; then: {second}", [out, named])

    # A row that changes once more before its first change is told.
    status, out, ops = rows_of(
        "setup { create table t (id int primary key, p int references t on update cascade); "
        "insert into t values (1, 1) }\nsession a\nstep x { update t set id = 2 where id = 1 }\n",
        "--setup", "pragma foreign_keys = on")
    check(status == 2 and "a row was changed in a way that was not told, in table t" in out, "a cascade to itself", out)

    # An equality of a text is decided without the database, which says the same.
    status, out, ops = rows_of(
        "setup { create table t (id int primary key, s text, c varchar(3), x); insert into t "
        "values (1, 'a', 'a', 'a'), (2, 'A', 'a ', 'A'), (3, null, '', null), (4, x'61', x'61', x'61'), (5, 1, 1, 1), "
        "(6, 'a' || char(10) || 'b', 'a' || char(9), 'é'), (7, 'é', 'it''s', 1.0), (8, '1.0', 'abcd', '1') }\nsession a\n" + "".join(
            f"step y{i} {{ select * from t where {column} = {value}; select * from t where ({column} = {value}) is true }}\n"
            for i, (column, value) in enumerate((c, v) for c in "scx" for v in
                                                ("'a'", "'1'", "1", "''", "'é'", "'it''s'", "'abcd'"))))
    queries = [(op[1]["id"], [row[0][1] for row in op[2]]) for op in ops if op[0] == "q"]
    initial = json.loads((folder / "y.jsonl").read_text().splitlines()[0])["initial"]["rows"] if status == 0 else []
    told = {row[0][1]: row[-1]["satisfies"] for row in initial}
    check(status == 0 and len(queries) == 42 and
          all(a[1] == b[1] == [row for row in told if a[0] in told[row]] for a, b in zip(queries[::2], queries[1::2])),
          "equalities of texts", [out, queries, told])

    status, out, ops = rows_of("setup { create table t (v text); insert into t values ('a' || char(0)) }\nsession a\n"
                               "step x { select * from t where v = 'a' }\n")
    check(status == 2 and "a value that JSON does not keep exactly, in table t" in out, "a zero byte", out)

    status, out, ops = rows_of("setup { create table t (v text); insert into t values (cast(x'ff41' as text)) }\n"
                               "session a\nstep x { select * from t }\n")
    check(status == 2 and "not checked: a text that is not UTF-8, in table t" in out, "bytes that are no text", out)

    # A blob in a column of integers equals no integer, also not the one with its digits.
    status, out, ops = rows_of(
        "setup { create table t (id int primary key, v int unique); insert into t values (1, 1) }\n"
        "session a\nstep x { insert into t values (2, cast('1' as blob)) }\n")
    check(status == 0 and ["q", {"table": "t", "id": "unique: v = X'31'", **CHECK}] in [op[:2] for op in ops],
          "a blob in a unique index", [out, ops])

    # Conditions are evaluated by one connection, so they must mean the same in all.
    spec = f"setup {{ {T} }}\nsession a\nstep x {{ select * from t where s like 'A' }}\n"
    status, out, ops = rows_of(spec, "--setup", "pragma case_sensitive_like = 0", "--setup",
                               "pragma case_sensitive_like = 1")
    check(status == 2 and "case_sensitive_like is '0' in one session and '1' in another one" in out,
          "settings that differ", out)
    status, out, ops = rows_of(spec, "--setup", "pragma case_sensitive_like = 1", "--setup", "pragma cache_size = 10; "
                               "pragma case_sensitive_like = 1")
    check(status == 0, "settings that agree", out)

    for values in ("(null)", "(x'31')"):
        status, out, ops = rows_of(
            f"setup {{ create table t (k text primary key); insert into t values {values} }}\n"
            "session a\nstep x { select * from t }\n"
        )
        check(status == 2 and "a row with NULL or a blob in its key, in table t" in out, f"key {values}", out)

    # What a join and a limit leave out is said; so is what is refused.
    for statement, said in [
        ("select a.v from t a, t b", "not recorded, so not checked: which rows the join"),
        ("select v from t order by v limit 1", "not recorded, so not checked: which rows were not returned"),
        ("select v from t where rowid = 1", "a condition about the place of a row"),
        ("select v from t where v = ?1", "found '?', which is not understood here"),
        ("update or ignore t set id = 2", "found 'or', which is not understood here"),
        ("create index i on t (v)", "found 'create', expected begin"),
        ("select v from t where v = random()", "a condition that depends on 'random'"),
    ]:
        status, out, ops = rows_of(f"setup {{ {T} }}\nsession a\nstep x {{ {statement} }}\n")
        check(said in out, f"said: {statement}", out)
    for setup, said in [
        ("create table t (id int primary key, v text collate nocase)", "a column has a collation"),
        ("create table s (v int); create view t as select v from s", "it is a view"),
        ("create table t (v primary key) without rowid", "keys that are equal"),
        ("create table t (v int primary key on conflict rollback)", "a constraint has ON CONFLICT"),
    ]:
        status, out, ops = rows_of(f"setup {{ {setup} }}\nsession a\nstep x {{ select v from t }}\n")
        check(status == 2 and said in out, f"said: {said}", out)

    # Tables that were there are not touched.
    subprocess.run([sys.executable, "-c",
                    "import sqlite3; sqlite3.connect('own.db').execute('create table T (x)')"],
                   cwd=folder, check=True)
    status, out = run("setup { drop table if exists t; create table t (id int) }\nsession a\n"
                      "step x { select * from t }\n", "sqlite:own.db")
    check(status == 2 and "already has a table" in out, "tables of users", out)
    own = sqlite3.connect(folder / "names.db")
    own.executescript("create table assay_rows_archive (x); create table assay_rows_u (x)")
    status, out = run(f"setup {{ {T} }}\nsession a\nstep x {{ {ALL} }}\n", "sqlite:names.db")
    check(status == 0, "beside a table with a name like ours", out)
    status, out = run("setup { create table u (id int) }\nsession a\nstep x { select * from u }\n", "sqlite:names.db")
    check(status == 2 and "assay_rows_u" in out, "beside one with the name of ours", out)
    names = [name for name, in own.execute("select name from sqlite_schema order by name")]
    check(names == ["assay_rows_archive", "assay_rows_u"], "both stay, and nothing else", names)
    own.close()

    # Two runs in one file at the same time.  Without a transaction around them the pauses hold no lock, so that
    # neither run keeps the other one out.
    def scripts(name):
        (folder / f"{name}.sql").write_text(
            f"select v from {name} where id = 1;\nupdate {name} set v = v + 1 where id = 1;\n")
        (folder / f"{name}_tables.sql").write_text(
            f"create table {name} (id int primary key, v int); insert into {name} values (1, 0);")
        return [assay, "test", "sqlite:both.db", "-w", f"{name}.sql", "--schema", f"{name}_tables.sql", "-l", "ser",
                "--sessions", "2", "--pause", "5ms", "--store", ""]
    pipes = dict(cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with subprocess.Popen([*scripts("one"), "--time", "1.5"], **pipes) as first:
        watch = sqlite3.connect(folder / "both.db", isolation_level=None, timeout=10)
        while not watch.execute("select 1 from sqlite_schema where name = 'assay_propose_one'").fetchall():
            if first.poll() is not None:
                break
            time.sleep(0.01)
        watch.close()
        second = subprocess.run([*scripts("two"), "--time", "0.3"], timeout=60, **pipes)
        out = first.stdout.read()
    check(second.returncode == 0 and "no such table" not in second.stdout, "a run beside another one", second.stdout)
    check(first.returncode == 0 and "no such table" not in out, "and the other one", out)

    # The tables of '-w rows' have the same names in all runs.
    with open(folder / "both.db", "rb") as claimed:
        fcntl.flock(claimed, fcntl.LOCK_EX)
        done = subprocess.run([assay, "test", "sqlite:both.db", "-w", "rows", "--txns", "10", "--store", ""],
                              timeout=60, **pipes)
    check(done.returncode == 2 and "another run has its tables in this database" in done.stdout,
          "a run with the same tables is refused", done.stdout)
    done = subprocess.run([assay, "test", "sqlite:both.db", "-w", "rows", "--txns", "10", "--store", ""],
                          timeout=60, **pipes)
    check(done.returncode == 0, "and is not after the end of the other one", done.stdout)

    # A limit without an order may return any row: the one that was read is the one whose value is used.
    (folder / "pick.sql").write_text("begin;\nselect v from q limit 1 \\gset\n"
                                     "insert into answers values (:v);\ncommit;\n")
    (folder / "pick_tables.sql").write_text("create table q (id int primary key, v int); create index i on q (v); "
                                            "insert into q values (1, 20), (2, 10); "
                                            "create table answers (v int primary key);")
    done = subprocess.run([assay, "test", "sqlite:", "-w", "pick.sql", "--schema", "pick_tables.sql", "-l", "ser",
                           "--sessions", "1", "--txns", "1", "--keep", "pick.jsonl"], timeout=60, **pipes)
    ops = [op for line in (folder / "pick.jsonl").read_text().splitlines()[1:-1] for op in json.loads(line)["ops"]]
    read = [op[2]["v"] for op in ops if op[1][0] == "q"]
    used = [op[2]["v"] for op in ops if op[0] == "i"]
    check(done.returncode == 0 and len(used) == 1 and read == used, "the row of a limit", [done.stdout, ops])
sys.exit(end())
