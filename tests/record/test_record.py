"""An application through 'assay record': what comes back to its clients, what
the history says of it, and what is left of it in the database."""

import os
import signal
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Failure, Server, answer, find, prepared
from recording import Recording, record, run

assay = sys.argv[1]
if not find("initdb") or not find("pgbench"):
    tap.skip("recording", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()
path = server.root + "/run.jsonl"


def admin(sql, database="shop"):
    c = Client(server.port, "postgres", database)
    try:
        return c.run(sql)
    finally:
        c.close()


def verdicts(levels="ser", *options):
    return run(assay, "check", "-q", "-l", levels, *options, path)


def reads(line):
    return [o for o in line["ops"] if o[0] == "r"]


def transactions(lines):
    return [l for l in lines
            if "ops" in l and l["session"] != "final state"]


def test_pgbench():
    os.system(f"PGUSER=app {find('pgbench')} -h 127.0.0.1 -p {server.port} -i "
              "-s 1 -q shop >/dev/null 2>&1")
    before = server.schema("shop")
    admin("alter database shop set default_transaction_isolation = "
          "'serializable'")
    for mode in ["simple", "extended", "prepared"]:
        status, said = record(assay, server, path, [
            find("pgbench"), "-n", "-c", "3", "-t", "4", "-M", mode,
            "--max-tries=100"])
        tap.check(status == 0, f"pgbench -M {mode} is recorded whole", said)
        status, said = verdicts("ser,strict-ser", "--complete")
        tap.check(status == 0 and "as far as" not in said,
                  f"pgbench -M {mode} at SERIALIZABLE is serializable", said)
    admin("alter database shop reset default_transaction_isolation")
    script = server.root + "/race.sql"
    with open(script, "w") as f:
        f.write("begin;\nselect abalance from pgbench_accounts where aid = 1 "
                "\\gset\n\\sleep 20 ms\nupdate pgbench_accounts set abalance = "
                ":abalance + 1 where aid = 1;\ncommit;\n")
    status, said = record(assay, server, path, [
        find("pgbench"), "-n", "-c", "3", "-t", "2", "-f", script])
    status, said = run(assay, "check", "-l", "ser", path)
    tap.check(status == 1 and "select abalance" in said and
              "pgbench_accounts/1" in said,
              "a race at READ COMMITTED is shown with its statements", said)
    status, said = verdicts("rc")
    tap.check(status == 0, "and is read committed", said)
    tap.check(server.schema("shop") == before,
              "the schema is the same as before")
    status, said = record(assay, server, path, [
        find("pgbench"), "-n", "-c", "3", "-t", "2", "-f", script], "--redact")
    status, said = run(assay, "check", "-l", "ser", path)
    with open(path) as f:
        text = f.read()
    tap.check(status == 1 and "abalance = ? + ? where aid = ?" in text and
              '["pgbench_accounts","#' in text and '"abalance":0' not in text,
              "with --redact the race is there and the data is not",
              said + text[-500:])
    status, said = record(assay, server, path, ["sh", "-c", "exit 7"])
    tap.check(status == 7, "the status of the command is passed on", said)


def test_protocol():
    admin("drop table if exists t, u; create table t (id int primary key, v "
          "int); create table u (id int primary key, t int references t); "
          "insert into t values (1, 10), (2, 20), (3, 30); grant all on t, u "
          "to app")
    before = server.schema("shop")
    r = Recording(assay, server, path)
    c = Client(r.port, application_name="tests")

    # a pipeline with an error in the middle
    c.run("begin isolation level repeatable read")
    c.send(*prepared("select v from t where id = $1", [1]),
           *prepared("select v from missing"),
           *prepared("select v from t where id = 2"), ("S", b""))
    messages = c.until("Z")
    tap.check([m[0] for m in messages if m[0] in "DEZ"] == ["D", "E", "Z"],
              "a pipeline with an error is answered as usual", messages)
    tap.check(messages[-1][1] == b"E", "the transaction has failed")
    c.run("rollback")

    # a portal in parts, and what others write meanwhile
    c.run("begin isolation level repeatable read")
    c.send(*prepared("select v from t order by id", limit=1, portal="p"),
           ("H", b""))
    c.until("s")
    d = Client(r.port)
    d.run("update t set v = 31 where id = 3")
    c.send(("E", b"p\0" + struct.pack("!I", 0)), ("S", b""))
    tap.check(answer(c.until("Z")) == [["20"], ["30"]],
              "a portal in parts is answered as usual")
    c.run("commit")

    # savepoints, two-phase commit, COPY, NOTIFY
    c.run("begin; insert into t values (4, 40); savepoint a; update t set v = "
          "41 where id = 4; select v from t where id = 4; rollback to a; "
          "select v from t where id = 4; commit")
    c.run("begin; insert into t values (5, 50); prepare transaction 'x'")
    d.run("commit prepared 'x'")
    tap.check(c.run("select v from t where id in (4, 5) order by 1") ==
              [["40"], ["50"]], "savepoints and two-phase commits are kept")
    c.send(("Q", b"copy t to stdout\0"))
    tap.check(sum(m[0] == "d" for m in c.until("Z")) == 5, "COPY TO works")
    c.run("listen n")
    d.run("notify n, 'hello'")
    tap.check(any(m[0] == "A" for m in run_messages(c, "select 1")),
              "NOTIFY works")
    c.run("do $$ begin begin insert into t values (6, 60); raise exception "
          "'x'; exception when others then null; end; end $$")
    c.run("alter role app password 'secret word'")

    # cancelling, and a client that goes away
    c.send(("Q", b"select pg_sleep(20)\0"))
    time.sleep(0.2)
    cancel(r.port, c.key)
    try:
        answer(c.until("Z"))
        code = ""
    except Failure as e:
        code = e.code
    tap.check(code == "57014", "a statement can be cancelled", code)
    d.run("begin")
    d.run("update t set v = 99 where id = 1")
    d.socket.close()
    c.close()
    status = r.stop()
    tap.check(status == 3, "recorded, some of it in part", r.said)
    lines = transactions(r.lines())
    status, said = verdicts("rc,ser,strict-ser")
    tap.check(status == 0, "the history is serializable", said)
    parts = [l for l in lines if l.get("meta", {}).get("sql", [""])[-2:-1] ==
             ["select v from t order by id"]]
    tap.check(len(parts) == 1 and [o[2]["v"] for o in reads(parts[0])] ==
              [10, 20, 30], "all parts of a portal are of one snapshot", parts)
    saved = [l for l in lines if "savepoint a" in l["meta"]["sql"]]
    tap.check(len(saved) == 1 and
              [o[0] for o in saved[0]["ops"] if o[0] in "iud"] == ["i"],
              "what a savepoint undid is no write", saved)
    two = [l for l in lines if "prepare transaction 'x'" in l["meta"]["sql"]]
    tap.check(len(two) == 1 and "status" not in two[0],
              "a prepared transaction is committed, as the server says", two)
    tap.check(not any(o[1] == ["t", 6] for l in lines for o in l["ops"]
                      if o[0] == "i"),
              "what an exception block undid is no write")
    lost = [l for l in lines if any(o[0] == "u" and o[2]["v"] == 99
                                    for o in l["ops"])]
    tap.check(len(lost) == 1 and lost[0]["status"] == "aborted",
              "a transaction whose client went away is aborted", lost)
    tap.check("secret" not in open(path).read(), "no password is kept")
    tap.check(any(l["meta"].get("application") == "tests" for l in lines),
              "the application's name is kept")
    tap.check(server.schema("shop") == before, "the schema is as before")


def run_messages(c, sql):
    c.send(("Q", sql.encode() + b"\0"))
    return c.until("Z")


def cancel(port, key):
    import socket
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(struct.pack("!II", 16, 80877102) + key)
        s.recv(1)


def test_phantom():
    """Write skew by rows that were not there: only what-if can see it."""
    admin("truncate u, t cascade; insert into t values (1, 10)")
    r = Recording(assay, server, path)
    a, b = Client(r.port), Client(r.port)
    for c in (a, b):
        c.run("begin isolation level repeatable read")
    found = [c.run(f"select count(*) from t where v > {20 + i}")
             for i, c in enumerate((a, b))]
    a.execute("insert into t values ($1, $2)", 2, 30)
    b.execute("insert into t values ($1, $2)", 3, 40)
    for c in (a, b):
        c.run("commit")
        c.close()
    status = r.stop()
    tap.check(found == [[["0"]], [["0"]]] and status == 0,
              "two transactions that found nothing are recorded whole", r.said)
    status, said = verdicts("si", "--complete")
    tap.check(status == 0, "they have one snapshot each", said)
    status, said = run(assay, "check", "-l", "ser", path)
    tap.check(status == 1 and "count(*)" in said,
              "each missed the row of the other: not serializable", said)


def test_settings():
    """Values look the same whatever sessions have set."""
    admin("drop table if exists times; create table times (id int primary key, "
          "at timestamptz, i interval, b bytea, f float8); alter table times "
          "owner to app; insert into times select i, '2026-01-01 12:00+00', "
          "'1 day 2 hours', 'x', 0.1 from generate_series(1, 2) i")
    r = Recording(assay, server, path)
    c, d = Client(r.port, TimeZone="America/Chicago"), Client(r.port)
    c.run("set intervalstyle = 'iso_8601'; set bytea_output = 'escape'; set "
          "extra_float_digits = 0")
    for n, x in enumerate((c, d, c)):
        x.run(f"update times set f = f / 3 where id = {1 + n % 2}")
        x.run(f"insert into times select {n} + 5, at, i, b, f from times where "
              "id = 1")
    c.close()
    d.close()
    status = r.stop()
    tap.check(status == 0, "sessions may show values as they like", r.said)
    status, said = verdicts("ser")
    tap.check(status == 0, "the history is serializable", said)
    admin("drop table times")


def test_definitions():
    """Tables that are made, altered, emptied and dropped while it records."""
    admin("drop table if exists own, t2, u; truncate t; "
          "insert into t values (1, 10), (2, 20); grant all on t to app; "
          "alter table t owner to app")
    r = Recording(assay, server, path)
    c, d = Client(r.port), Client(r.port, "postgres")
    c.run("create table more (id int primary key, t int references t, v int)")
    c.run("begin; truncate more; insert into more values (2, 2, 6); commit")
    c.run("create table twice (v int); begin; insert into twice values (1); "
          "truncate twice; insert into twice values (2); commit")
    c.run("create table copy as select * from t")
    c.run("select v as v2 into copy2 from copy where id = 1")
    c.run("create temp table own (id int); insert into own values (1)")
    c.run("alter table more disable trigger user; "
          "insert into more values (3, 1, 7)")
    c.run("alter table more enable trigger user")
    c.run("create table copy3 (id int, v int); alter table copy3 alter v type "
          "text; insert into copy3 values (1, 'x')")
    c.run("update more set v = v + 1 where id = 3")
    d.run("create table mine (id int primary key); insert into mine values "
          "(1); update mine set id = 2")
    c.run("truncate t cascade")
    c.run("insert into t values (7, 70)")
    c.close()
    d.close()
    status = r.stop()
    lines = transactions(r.lines())

    def of(text):
        found = [l for l in lines if text in str(l.get("meta"))]
        return found[0] if found else {"ops": []}

    def written(text):
        return [o[1] for o in of(text)["ops"] if o[0] in "uwdi"]

    tap.check(status == 3 and "refused" not in r.said, "definitions are "
              "recorded", r.said)
    tap.check(written("alter table more disable") == [["more", 3]] and
              written("update more") == [["more", 3]] and
              written("insert into copy3") != [] and
              "partial" not in of("update more"),
              "rows of a table that was made meanwhile are recorded",
              str(lines))
    tap.check(len(written("create table copy as")) == 2 and
              len(written("into copy2")) == 1 and
              len(reads(of("into copy2"))) == 1,
              "CREATE TABLE AS and SELECT INTO read and write rows",
              str(lines))
    tap.check(len(written("truncate t cascade")) == 4,
              "TRUNCATE deletes the rows of all tables", str(lines))
    tap.check("twice, which was emptied and filled" in str(lines),
              "a table whose versions have no names is left out", str(lines))
    tap.check(written("update mine") != [], "a superuser's table, too",
              str(lines))
    status, said = verdicts("ser,strict-ser")
    tap.check(status in (0, 3) and "violated" not in said,
              "the history is serializable", said)

    r = Recording(assay, server, path)
    c = Client(r.port)
    c.run("insert into more values (9, 7, 9)")
    c.run("alter table more add w int")
    c.run("update more set w = 1")
    c.run("select * from copy2")
    c.run("drop table copy")
    c.run("insert into t values (8, 80)")
    c.run("insert into copy2 values (7)")
    c.run("alter table copy2 add foreign key (v2) references t not valid")
    c.run("update copy2 set v2 = 8 where v2 = 7")
    c.close()
    status = r.stop()
    lines = transactions(r.lines())
    tap.check(status == 3 and "more, which was altered" in
              str(of("update more")) and
              "partial" not in of("select * from copy2"),
              "a table that is altered after it was used is left out, and said",
              r.said + str(lines))
    tap.check(written("update copy2") != [] and "what foreign keys read" in
              str(of("update copy2")),
              "a table that gets a foreign key later is recorded", str(lines))
    admin("drop table more, copy2, copy3, mine, twice; truncate t; "
          "insert into t values (1, 10)")


def test_refusals():
    def refused(words, what, *options):
        r = Recording(assay, server, path, *options)
        if not r.port:
            r.stop()
            tap.check(words in r.said and r.status == 2, what, r.said)
            return
        r.stop()
        tap.check(False, what, "it was recorded")

    admin("create table own (v int); create policy mine on own using (true)")
    refused("row security of its own", "a table with policies is refused")
    admin("drop table own; create table p (k int) partition by list (k)")
    refused("is partitioned", "a partitioned table is refused")
    admin("drop table p")
    status, said = run(assay, "record", "--to", server.url("shop"), "--listen",
                       "0.0.0.0:0", "-o", path)
    tap.check(status == 2 and "loopback" in said,
              "other addresses than those of loopback are refused", said)

    admin("create role seer login bypassrls")
    r = Recording(assay, server, path)
    try:
        Client(r.port, "seer")
        said = "it got in"
    except Failure as e:
        said = str(e)
    admin("drop role seer")
    tap.check("BYPASSRLS" in said and "grant seer to" in said,
              "a role with BYPASSRLS is refused, with what to do", said)
    status, other = run(assay, "record", "--to", server.url("shop"), "--clean")
    tap.check(status == 2 and "another" in other,
              "two recordings of one database are refused", other)
    c = Client(r.port, database="postgres")
    tap.check(c.run("select current_database()") == [["postgres"]],
              "connections to other databases are passed")
    c.close()
    c = Client(r.port)
    c.run("select * from t where id = 1")
    admin("update t set v = 77 where id = 1")
    c.run("select * from t where id = 1")
    c.close()
    status = r.stop()
    tap.check(status == 2 and "no recorded transaction wrote version" in r.said,
              "a write of another client is refused by name", r.said)
    r = Recording(assay, server, path)
    for database in ("postgres", "shop"):
        c = Client(r.port, database=database)
        c.run("select 1 from pg_class limit 1")
        c.close()
    c = Client(r.port)
    c.run("select * from t")
    c.close()
    r.stop()
    tap.check("1 connection to other databases was not recorded" in r.said,
              "and counted", r.said)


def test_kill():
    before = server.schema("shop")
    r = Recording(assay, server, path)
    c = Client(r.port)
    c.run("update t set v = v + 1 where id = 1")
    c.send(("Q", b"update t set v = v + 1 where id = 1\0"))
    c.receive()
    r.stop(signal.SIGKILL)
    tap.check(server.schema("shop") != before, "a kill leaves things behind")
    d = Client(server.port)
    d.send(("Q", b"select * from t\0"))
    tap.check(not any(m[0] == "N" for m in d.until("Z")),
              "others get no message")
    d.close()
    status, said = run(assay, "record", "--to", server.url("shop"),
                       "--assemble", path + ".raw", "-o", path)
    tap.check(status in (0, 3), "the log of a killed recording is a history",
              said)
    status, said = verdicts("ser")
    tap.check(status == 0, "and it is serializable", said)
    tap.check(server.schema("shop") == before, "assembling cleans up")
    r = Recording(assay, server, path)
    c = Client(r.port)
    c.run("select * from t")
    r.stop(signal.SIGKILL)
    status, said = run(assay, "record", "--to", server.url("shop"), "--clean")
    tap.check(status == 0 and server.schema("shop") == before,
              "--clean leaves the schema as it was", said)
    status, said = run(assay, "record", "--to", server.url("shop"), "--clean")
    tap.check(status == 0 and "nothing" in said, "twice, too", said)


try:
    admin("create role app login", "postgres")
    admin("create database shop owner app", "postgres")
    test_pgbench()
    test_protocol()
    test_phantom()
    test_settings()
    test_definitions()
    test_refusals()
    test_kill()
finally:
    server.stop()
sys.exit(tap.end())
