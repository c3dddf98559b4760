"""A superuser through 'assay record': it is recorded in a plain role that has
the rights of all others, and nothing of that is left behind."""

import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Failure, Server, find
from recording import Recording, record, run

assay = sys.argv[1]
if not find("initdb") or not find("pgbench"):
    tap.skip("superusers", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()
path = server.root + "/run.jsonl"
SCHEMA = """
create table t (id int primary key, v int, owner text);
insert into t values (1, 10, 'a'), (2, 20, 'b');
create view rich as select * from t where v > 15;
create function total() returns int language sql security definer as
  'select sum(v)::int from t';
create procedure add_one() language sql security definer as
  'update t set v = v + 1 where id = 1';
create role bob; create schema bobs authorization bob;
create table bobs.mine (id int primary key, v int);
alter table bobs.mine owner to bob;
insert into bobs.mine values (1, 1);
grant select on rich to bob
"""


def admin(sql):
    c = Client(server.port, "postgres")
    try:
        return c.run(sql)
    finally:
        c.close()


def code_of(client, sql):
    try:
        client.run(sql)
    except Failure as e:
        return e.code
    return ""


def whole(sql):
    """What the recorded transactions with a statement read and left out."""
    with open(path) as f:
        import json
        lines = [json.loads(l) for l in f]
    for l in lines:
        if sql in l.get("meta", {}).get("sql", []):
            return ({(o[1][0], o[1][1]) for o in l["ops"]
                     if o[0] == "r" and o[2:] and o[2]},
                    l.get("partial", []))
    return set(), ["not there"]


def test_rights():
    before = server.schema("shop")
    owners = admin("select relname, relowner from pg_class where relname ~ "
                   "'^(t|rich|mine)$' union select proname, proowner from "
                   "pg_proc where proname ~ '^(total|add_one)$' order by 1")
    r = Recording(assay, server, path)
    c = Client(r.port, "postgres")
    seen = c.run("select session_user, current_user ~ '^assay_recorded_'")
    tap.check(seen == [["postgres", "t"]], "the session has a plain role", seen)
    tap.check(c.run("select id from rich order by id") == [["2"]] and
              c.run("select total()") == [["30"]],
              "views and functions of superusers answer as usual")
    c.run("call add_one()")
    c.run("update bobs.mine set v = 2")
    c.run("select v from bobs.mine")
    c.run("insert into t values (3, 5, 'c')")
    tap.check(code_of(c, "alter system set work_mem = '5MB'") == "42501",
              "what only a superuser may do is refused by the server")
    c.run("create table made (id int)")
    c.run("drop table made")
    c.run("create sequence numbers")
    c.run("discard all")
    c.run("select v from t where id = 1")
    c.close()
    c = Client(r.port, "postgres")
    c.run("begin; set local role postgres; select v from t where id = 2; "
          "commit")
    c.run("set role none")
    c.run("select v from t where id = 3")
    c.close()
    status = r.stop()
    tap.check(status == 3 and "1 statement failed because sessions of a "
              "superuser" in r.said, "which is said", r.said)
    reads, partial = whole("select id from rich order by id")
    tap.check(("t", 2) in reads, "what a view reads is reported", reads)
    reads, partial = whole("select total()")
    tap.check({("t", 1), ("t", 2)} <= reads,
              "so is what a SECURITY DEFINER function reads", reads)
    reads, partial = whole("call add_one()")
    tap.check(("t", 1) in reads, "and a procedure", reads)
    reads, partial = whole("select v from bobs.mine")
    tap.check(("bobs.mine", 1) in reads and not partial,
              "and tables of others", (reads, partial))
    reads, partial = whole("select v from t where id = 1")
    tap.check(("t", 1) in reads and not partial, "DISCARD ALL changes nothing",
              (reads, partial))
    for sql in ("set local role postgres", "select v from t where id = 3"):
        reads, partial = whole(sql)
        tap.check("what a superuser read" in partial,
                  f"what it reads as a superuser is in part: {sql}", partial)
    status, said = run(assay, "check", "-q", "-l", "ser", path)
    tap.check(status == 0 and "as far as" in said, "the history is checked",
              said)
    tap.check(admin("select pg_get_userbyid(relowner) from pg_class where "
                    "relname = 'numbers'") == [["postgres"]],
              "new objects belong to the superuser")
    admin("drop sequence numbers")
    tap.check(server.schema("shop") == before and owners == admin(
        "select relname, relowner from pg_class where relname ~ "
        "'^(t|rich|mine)$' union select proname, proowner from pg_proc where "
        "proname ~ '^(total|add_one)$' order by 1"),
        "the schema and its owners are as before")
    tap.check(admin("select count(*) from pg_roles where rolname ~ '^assay'")
              == [["0"]], "the role is gone")


def test_refused():
    def refused(before, after, words, what):
        admin(before)
        r = Recording(assay, server, path)
        r.stop()
        admin(after)
        tap.check(words in r.said and r.status == 2, what, r.said)

    refused("create function f() returns int language plpgsql as 'begin set "
            "local role postgres; return 1; end'", "drop function f",
            "sets a role", "a function that sets a role is refused")
    for sql, undo, words in [
            ("create role seer bypassrls", "drop role seer", "BYPASSRLS"),
            ("create schema postgres", "drop schema postgres", "by the name")]:
        admin(sql)
        r = Recording(assay, server, path)
        try:
            Client(r.port, "postgres")
            said = "it got in"
        except Failure as e:
            said = str(e)
        r.stop()
        admin(undo)
        tap.check(words in said, f"a superuser is refused after: {sql}", said)


def test_pgbench():
    url = server.url("shop")
    subprocess.run([find("pgbench"), "-i", "-q", url], capture_output=True)
    before = server.schema("shop")
    admin("alter database shop set default_transaction_isolation = "
          "'serializable'")
    status, said = record(assay, server, path, [
        find("pgbench"), "-n", "-c", "3", "-t", "4", "-M", "prepared",
        "--max-tries=100"], user="postgres")
    tap.check(status == 0, "pgbench as a superuser is recorded whole", said)
    status, said = run(assay, "check", "-q", "-l", "ser,strict-ser",
                       "--complete", path)
    tap.check(status == 0, "and is serializable", said)
    admin("alter database shop reset default_transaction_isolation")
    script = server.root + "/race.sql"
    with open(script, "w") as f:
        f.write("begin;\nselect abalance from pgbench_accounts where aid = 1 "
                "\\gset\n\\sleep 20 ms\nupdate pgbench_accounts set abalance = "
                ":abalance + 1 where aid = 1;\ncommit;\n")
    record(assay, server, path, [find("pgbench"), "-n", "-c", "3", "-t", "3",
                                 "-f", script], user="postgres")
    status, said = run(assay, "check", "-l", "ser", path)
    tap.check(status == 1 and "select abalance" in said,
              "its race is shown with its statements", said)
    tap.check(server.schema("shop") == before, "the schema is as before")


def test_password():
    """The password of a superuser goes to the server, and nowhere else."""
    admin("create role boss superuser login password 'open sesame'")
    verifier = admin("select rolpassword from pg_authid where rolname = "
                     "'boss'")[0][0]
    hba = server.data + "/pg_hba.conf"
    with open(hba) as f:
        rest = f.read()
    with open(hba, "w") as f:
        f.write("host all boss 127.0.0.1/32 scram-sha-256\n" + rest)
    admin("select pg_reload_conf()")
    r = Recording(assay, server, path)

    def psql(password):
        p = subprocess.run(
            [find("psql"), "-X", "-At", "-h", "127.0.0.1", "-p", str(r.port),
             "-U", "boss", "-c", "select v from t where id = 2", "shop"],
            env=dict(os.environ, PGPASSWORD=password, PGSSLMODE="disable"),
            capture_output=True, text=True)
        return p.returncode, p.stdout + p.stderr
    status, said = psql("open sesame")
    tap.check((status, said.strip()) == (0, "20"), "a password is passed on",
              said)
    status, said = psql("wrong")
    tap.check(status != 0 and "password" in said, "and a wrong one refused",
              said)
    try:
        Client(r.port, "postgres")
        said = "it got in"
    except Failure as e:
        said = str(e)
    tap.check("superuser boss is recorded already" in said,
              "a second superuser is refused", said)
    with open(path + ".raw", "rb") as f:
        raw = f.read()
    tap.check(b"sesame" not in raw and verifier.encode() not in raw and
              b"SCRAM" not in raw, "the log has nothing of it")
    r.stop(signal.SIGKILL)
    status, said = run(assay, "record", "--to", server.url("shop"), "--clean")
    tap.check(status == 0 and admin("select count(*) from pg_roles where "
                                    "rolname ~ '^assay'") == [["0"]],
              "after a kill --clean removes the role", said)
    admin("drop role boss")


try:
    c = Client(server.port, "postgres", "postgres")
    c.run("create database shop")
    c.close()
    admin(SCHEMA)
    test_rights()
    test_refused()
    test_pgbench()
    test_password()
finally:
    server.stop()
sys.exit(tap.end())
