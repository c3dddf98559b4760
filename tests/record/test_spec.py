"""Specifications with the recorder 'policy': statements are sent unchanged and
PostgreSQL reports the rows; beside it the recorder that understands SQL."""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Server, find
from recording import run

assay = sys.argv[1]
if not find("initdb"):
    tap.skip("specifications", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
examples = os.path.join(os.path.dirname(__file__), "../../examples/specs")
server = Server()
path = server.root + "/run.jsonl"
LEVELS = {"read-committed": "rc,si,ser", "repeatable-read": "rc,si,ser",
          "serializable": "rc,ser"}


def admin(sql, database="shop"):
    c = Client(server.port, "postgres", database)
    try:
        return c.run(sql)
    finally:
        c.close()


def play(spec, isolation, recorder, *options, user="postgres"):
    return run(assay, "test", "--spec", spec, server.url("shop", user),
               "--isolation", isolation, "-l", LEVELS[isolation], "--recorder",
               recorder, "--keep", path, *options)


def verdicts(said):
    """Each interleaving and level with its verdict, without what is not
    recorded."""
    found = re.findall(r"^([\w ]+): ([a-z-]+): (ok|violated|unknown)", said,
                       re.M)
    return sorted(found)


def write(text):
    spec = server.root + "/a.spec"
    with open(spec, "w") as f:
        f.write(text)
    return spec


TABLE = """setup { create table t (id int primary key, v int);
  insert into t select i, 0 from generate_series(1, 3) i; }
teardown { drop table t; }
"""


def test_examples():
    """Each at one isolation, in turn; with "all" each at every one."""
    for i, spec in enumerate(sorted(glob.glob(examples + "/*.spec"))):
        wanted = list(LEVELS) if "all" in sys.argv else [list(LEVELS)[i % 3]]
        for isolation in wanted:
            said = {r: play(spec, isolation, r)[1] for r in ["policy", "text"]}
            name = f"{os.path.basename(spec)} at {isolation}"
            tap.check(verdicts(said["policy"]) == verdicts(said["text"]) and
                      verdicts(said["policy"]),
                      f"both recorders give the same verdicts: {name}",
                      str(said))


def test_unknown_text():
    spec = write(TABLE.replace("teardown", """setup {
  create view w as select id, v from t where v >= 0;
  create function total() returns bigint language plpgsql as
    'begin return (select sum(v) from t); end'; }
teardown { drop function total(); }
teardown""", 1).replace("teardown { drop table t; }\n", "")
        .replace("drop function total()", "drop function total(); drop view w; "
                 "drop table t")
        + """
session a
setup { begin; }
step ra { select total(); }
step wa { update w set v = 1 where id = 1; }
step ca { commit; }
session b
setup { begin; }
step rb { do 'begin perform v from w where id = 1 for key share; end';
  select v from w order by id limit 1; }
step wb { with x as (update t set v = 1 where id = 2 returning id)
  select * from x; }
step cb { commit; }
permutation ra rb wa wb ca cb
""")
    status, said = play(spec, "repeatable-read", "policy")
    tap.check(status == 1 and "serializable: violated: write skew" in said,
              "write skew through a view, a function and WITH", said)
    status, said = play(spec, "serializable", "policy")
    tap.check("as far as it was recorded" in said and "select total()" in said,
              "SERIALIZABLE prevents it; a function is recorded in part", said)


def test_whole():
    spec = write(TABLE + """
session a
step a { begin; select v from t where id = 1; insert into t values (4, 0)
  on conflict do nothing; commit; }
session b
step b { begin; savepoint s; update t set v = 9 where id = 1; rollback to s;
  update t set v = 2 where id = 2; commit; }
""")
    status, said = play(spec, "serializable", "policy", "--complete")
    tap.check(status in (0, 3) and "2 checked" in said,
              "many statements in one step", said)
    with open(path.replace(".jsonl", "-2.jsonl")) as f:
        lines = [json.loads(l) for l in f]
    written = [o for l in lines if l.get("session") == "b" for o in l["ops"]
               if o[0] == "w"]
    tap.check("savepoint s" in str([l.get("meta") for l in lines]) and
              all("test" not in str(o) for o in written),
              "transactions have their statements", str(lines))


def test_partitions():
    """Rows of partitions are those of their table."""
    spec = write("""
setup { create table p (id int primary key, v int) partition by list (id);
  create table p1 partition of p for values in (1);
  create table p2 partition of p for values in (2) partition by list (id);
  create table p22 partition of p2 for values in (2);
  insert into p values (1, 0), (2, 0); }
teardown { drop table p; }
session a
setup { begin; }
step ra { select sum(v) from p; }
step wa { update p set v = 1 where id = 1; }
step ca { commit; }
session b
setup { begin; }
step rb { select sum(v) from p1; select sum(v) from p2; }
step wb { update p2 set v = 1; }
step cb { commit; }
permutation ra rb wa wb ca cb
""")
    for isolation, words in [("repeatable-read", "violated: write skew on keys "
                              "p/2 and p/1"), ("serializable", "ok")]:
        status, said = play(spec, isolation, "policy", "--complete")
        tap.check(f"serializable: {words}" in said and "as far" not in said,
                  f"partitions are recorded whole at {isolation}", said)
    spec = write("""
setup { create table p (id int, v int) partition by list (id);
  create table p1 partition of p for values in (1); }
teardown { drop table p; }
session a
step i { insert into p values (1, 1) returning v; }
session b
step r { select v from p; }
""")
    status, said = play(spec, "serializable", "policy")
    tap.check(status == 2 and "fails because it is recorded" in said,
              "a statement that the recording spoils is refused", said)


def test_refused():
    for statement in ["discard all", "reset all"]:
        spec = write(TABLE + f"""
session a
step r {{ select * from t; }}
step x {{ {statement}; }}
step w {{ update t set v = 1 where id = 1; }}
""")
        status, said = play(spec, "serializable", "policy")
        tap.check(status == 2 and "ends its recording" in said,
                  f"{statement} is refused", said)
    spec = write(TABLE + """
session a
step r { select * from t; }
step x { alter system set work_mem = '5MB'; }
step w { update t set v = 1 where id = 1; }
""")
    status, said = play(spec, "serializable", "policy")
    tap.check(status == 2 and "is no superuser while it is recorded" in said,
              "what only a superuser may do is refused", said)
    spec = write(TABLE + """
session a
step s { reset session authorization; }
step r { select * from t where id = 1; }
step w { update t set v = 1 where id = 1; }
""")
    status, said = play(spec, "serializable", "policy", "--complete")
    tap.check(status == 3 and "superuser" in said,
              "what a superuser reads is not recorded, and said", said)
    spec = write(TABLE + """
session a
step c { create table more (id int); }
step r { insert into more select id from t; }
""")
    status, said = play(spec, "serializable", "policy", "--complete")
    admin("drop table if exists more")
    tap.check(status == 0 and "1 checked" in said,
              "a table that a session makes is recorded", said)
    spec = write(TABLE + """
session a
step c { cluster t using t_pkey; }
step r { select v from t where id = 1; }
step w { create table w (id int) partition by list (id); }
step i { update t set v = 1; }
step m { create table more (id int); insert into more values (1); }
""")
    status, said = play(spec, "serializable", "policy", "--complete")
    admin("drop table if exists w, more")
    tap.check(status == 3 and "rewritten by CLUSTER" in said and
              "tables that are not watched: w" in said,
              "a table that is rewritten is left out, and said", said)
    status, said = run(assay, "test", "--spec", spec, "sqlite:", "--recorder",
                       "policy")
    tap.check(status == 2 and "needs one node of PostgreSQL" in said,
              "other databases have no policies", said)
    status, said = run(assay, "test", server.url("shop"), "--recorder",
                       "policy", "-w", "mixed")
    tap.check(status == 2 and "--recorder" in said and "--spec" in said,
              "-w mixed has no policies", said)


def test_left():
    spec = os.path.join(examples, "write-skew.spec")
    admin("create table mine (id int); create table test_of_mine (id int)")
    before = server.schema("shop")
    play(spec, "serializable", "policy")
    tap.check(server.schema("shop") == before and
              admin("select count(*) from pg_roles where rolname ~ '^assay'")
              == [["0"]], "nothing is left in the database")
    waiting = write(TABLE + """
session a
step a { select v from t; }
step b { select pg_sleep(60); }
""")
    p = subprocess.Popen([assay, "test", "--spec", waiting,
                          server.url("shop"), "--recorder", "policy", "--keep",
                          path], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    until = time.time() + 60
    while time.time() < until and admin(
            "select count(*) from pg_stat_activity where query ~ 'pg_sleep' "
            "and pid <> pg_backend_pid()") == [["0"]]:
        time.sleep(0.05)
    p.send_signal(signal.SIGKILL)
    p.wait()
    admin("select pg_terminate_backend(pid) from pg_stat_activity where datname"
          " = 'shop' and pid <> pg_backend_pid()")
    admin("drop table if exists t")
    until = time.time() + 60
    while time.time() < until and admin(
            "select count(*) from pg_stat_activity where datname = 'shop' and "
            "pid <> pg_backend_pid()") != [["0"]]:
        time.sleep(0.05)
    status, said = run(assay, "record", "--to", server.url("shop"), "--clean")
    tap.check(status == 0 and server.schema("shop") == before and
              admin("select count(*) from pg_roles where rolname ~ '^assay'")
              == [["0"]], "--clean removes what a killed run left", said)


def test_plain():
    spec = os.path.join(examples, "write-skew.spec")
    status, said = play(spec, "repeatable-read", "policy", user="app")
    tap.check(status == 1 and "write skew" in said,
              "a plain user needs no other role", said)


def test_keeps_nothing():
    spec = os.path.join(examples, "write-skew.spec")
    status, said = run(assay, "test", "--spec", spec, server.url("shop"),
                       "--recorder", "policy", "-l", "ser", "--store", "")
    tap.check(status == 0 and verdicts(said),
              "a run that keeps no file is recorded", said)


try:
    admin("create role app login", "postgres")
    admin("create database shop owner app", "postgres")
    test_examples()
    test_unknown_text()
    test_whole()
    test_partitions()
    test_refused()
    test_left()
    test_plain()
    test_keeps_nothing()
finally:
    server.stop()
sys.exit(tap.end())
