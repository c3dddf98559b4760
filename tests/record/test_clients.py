"""test_clients.py ASSAY [NAME...] -- unmodified clients through 'assay record'.
At SERIALIZABLE what they do is serializable; at READ COMMITTED the race that is
planted is found, with the statements that they sent.  Clients that are not
installed are skipped; without names only the quick ones run.  NODE_PATH says
where Node finds its modules, CLASSPATH where Java finds the driver."""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Server, find
from recording import record, run

assay = sys.argv[1]
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients")
os.environ.setdefault("NODE_PATH", "/usr/share/nodejs")
java = os.environ.get("CLASSPATH", "/usr/share/java/postgresql.jar")


def works(*command):
    return shutil.which(command[0]) and subprocess.run(
        command, capture_output=True).returncode == 0


def python(name, *modules):
    """With the first Python that has the modules: packages of the system belong
    to its own."""
    test = "import " + ", ".join(modules)
    found = [p for p in (sys.executable, "/usr/bin/python3")
             if works(p, "-c", test)]
    return [*found[:1], f"{here}/{name}.py"], lambda: found


def node(name):
    return (["node", f"{here}/node_app.js", name],
            lambda: works("node", "-e", f"require('{name}'); require('pg')"))


SYSBENCH = ["sysbench", "oltp_read_write", "--db-driver=pgsql",
            "--pgsql-user=app", "--pgsql-db=shop", "--table-size=5"]
# The command, whether it can run, and a part of a statement that races.
CLIENTS = {
    "django": (*python("django_app", "django", "psycopg2"),
               'UPDATE "account" SET'),
    "sqlalchemy": (*python("sqlalchemy_app", "sqlalchemy", "psycopg2"),
                   "UPDATE account SET balance="),
    "pg": (*node("pg"), "update account set balance"),
    "knex": (*node("knex"), 'update "account" set'),
    "sequelize": (*node("sequelize"), 'UPDATE "account" SET'),
    "typeorm": (*node("typeorm"), 'UPDATE "account" SET'),
    "activerecord": (["ruby", f"{here}/active_record_app.rb"],
                     lambda: works("ruby", "-e",
                                   "require 'active_record'; require 'pg'"),
                     'UPDATE "account" SET'),
    "jdbc": (["java", "-cp", java, f"{here}/JdbcApp.java"],
             lambda: shutil.which("java") and os.path.exists(java),
             "update account set balance"),
    "sysbench": (["sh", "-c", " ".join(
        SYSBENCH + ["--pgsql-host=$PGHOST", "--pgsql-port=$PGPORT",
                    "--threads=3", "--events=30", "--time=0",
                    "--skip-trx=off", "run", ">&2"])],
                 lambda: shutil.which("sysbench"), "UPDATE sbtest1"),
}
QUICK = ["django", "sqlalchemy", "pg"]


def admin(sql):
    c = Client(server.port, "postgres")
    try:
        return c.run(sql)
    finally:
        c.close()


def play(name, level, user):
    command = CLIENTS[name][0]
    admin("drop table if exists account, sbtest1")
    if name == "sysbench":
        subprocess.run(SYSBENCH + ["--pgsql-host=127.0.0.1",
                                   f"--pgsql-port={server.port}", "prepare"],
                       capture_output=True)
    else:
        admin("create table account (id int primary key, owner text, balance "
              "int); grant all on account to app; insert into account select "
              "i, 'o' || i, 100 from generate_series(1, 4) i")
        command = command + [level]
    admin(f"alter database shop set default_transaction_isolation = '{level}'")
    return record(assay, server, path, command, user=user)


def test(name):
    what = f"{name} at SERIALIZABLE"
    status, said = play(name, "serializable", "app")
    tap.check(status in (0, 3), f"{what} is recorded", said)
    counts = said.strip().rsplit("\n", 1)[-1].split(": ")[-1]
    print(f"# {name}: {counts}")
    status, said = run(assay, "check", "-q", "-l", "ser", path)
    tap.check(status == 0, f"{what} is serializable", said)
    what = f"{name} at READ COMMITTED"
    status, said = play(name, "read committed",
                        "app" if name == "sysbench" else "postgres")
    tap.check(status in (0, 3), f"{what} is recorded", said)
    status, said = run(assay, "check", "-l", "ser", path)
    tap.check(status == 1 and CLIENTS[name][2] in said.replace('\\"', '"'),
              f"{what}: the race is shown with its statement", said)
    status, said = run(assay, "check", "-q", "-l", "rc", path)
    tap.check(status == 0, f"{what} is read committed", said)


names = sys.argv[2:] or QUICK
if not find("initdb"):
    tap.skip("clients", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()
path = server.root + "/run.jsonl"
try:
    c = Client(server.port, "postgres", "postgres")
    c.run("create role app login")
    c.run("create database shop")
    c.close()
    admin("grant all on schema public to app")
    before = server.schema("shop")
    for name in list(CLIENTS) if names == ["all"] else names:
        if CLIENTS[name][1]():
            test(name)
        else:
            tap.skip(name, f"{name} is not installed")
    admin("drop table if exists account, sbtest1")
    tap.check(server.schema("shop") == before, "the schema is as before")
finally:
    server.stop()
sys.exit(tap.end())
