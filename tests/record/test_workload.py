"""SQL files as a workload with the recorder 'policy': statements that the text
recorder refuses are run as they are, and PostgreSQL reports the rows."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Server, find
from recording import run

assay = sys.argv[1]
if not find("initdb"):
    tap.skip("workloads", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()

SCHEMA = """create schema duty;
create type duty.state as enum ('on', 'off');
create table duty.doctors (id int primary key, state duty.state not null);
insert into duty.doctors select i, 'on' from generate_series(1, 2) i;
create function duty.present() returns bigint language plpgsql as
  'begin return (select count(*) from duty.doctors where state = ''on''); end';
"""
# Each leaves if the other one is there, and comes back at once.
LEAVE = """\\set d random(1, 2)
begin;
select duty.present() as n \\gset
\\if :n > 1
with gone as (update duty.doctors set state = 'off' where id = :d returning id)
  select count(*) from gone;
\\endif
commit;
update duty.doctors set state = 'on' where id = :d;
"""


def write(name, text):
    path = os.path.join(server.root, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def play(isolation, levels, *options, script=LEAVE, recorder="policy"):
    return run(assay, "test", server.url("shop"), "-w",
               write("leave.sql", script), "--schema",
               write("schema.sql", SCHEMA), "--recorder", recorder,
               "--isolation", isolation, "-l", levels, "--sessions", "4",
               "--txns", "400", "--store", "", *options)


def test_skew():
    status, said = play("repeatable-read", "si,ser")
    tap.check(status == 1 and "serializable: violated: write skew" in said and
              "snapshot: ok" in said,
              "write skew of a function is found at REPEATABLE READ", said)
    status, said = play("serializable", "ser,si,rc")
    tap.check(status == 0 and "serializable: ok" in said and
              "violated" not in said, "SERIALIZABLE has none", said)
    tap.check("as far as it was recorded" in said,
              "what the function did not find is said to be left out", said)
    tap.check(play("serializable", "ser", "--complete")[0] == 3,
              "--complete asks for all of it")


def test_text():
    status, said = play("serializable", "ser", recorder="text")
    tap.check(status == 2 and "leave.sql:3" in said,
              "the text recorder refuses the function", said)


def test_left():
    c = Client(server.port, "postgres", "shop")
    left = c.run("select 'function', proname from pg_proc where proname ~ "
                 "'^present|assay' union all select 'schema', nspname from "
                 "pg_namespace where nspname ~ 'duty|assay' union all select "
                 "'role', rolname from pg_roles where rolname ~ 'assay'")
    c.close()
    tap.check(left == [], "nothing of the schema and of the recorder is left",
              str(left))


def test_nothing():
    status, said = play("serializable", "ser", script="select 1;\n")
    tap.check(status != 0 and "reads or writes a row" in said,
              "a script without rows tests nothing", said)
    status, said = play("serializable", "ser", script="select nothing();\n")
    tap.check(status != 0 and "nothing" in said,
              "statements that are refused are not green", said)
    status, said = run(assay, "test", "--start", "postgresql", "-w", "x.sql",
                       "--schema", "y.sql", "--recorder", "policy", "--fault",
                       "kill@1")
    tap.check(status == 2 and "--recorder policy" in said,
              "faults end the connection of the recorder", said)


try:
    c = Client(server.port, "postgres", "postgres")
    c.run("create database shop")
    c.close()
    test_skew()
    test_text()
    test_left()
    test_nothing()
    test_left()
finally:
    server.stop()
sys.exit(tap.end())
