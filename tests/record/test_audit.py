"""test_audit.py ASSAY EXAMPLES [NAME...] -- from a sequential suite of tests to
races that were shown on the database, and silence about the application that is
mended.  Applications that cannot run here are skipped; without names only those
in Python and Node run.  NODE_PATH says where Node finds knex; without it npm
fetches it.  CLASSPATH says where Java finds the driver."""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Server, find

assay, examples = sys.argv[1:3]
python = "/usr/bin/python3"
if not find("initdb"):
    tap.skip("audit", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()
RACES = {"withdraw": "lost update", "redeem": "lost update",
         "leave": "write skew", "book": "phantom", "enrol": "phantom"}
# What names the endpoints of the suite in Node: the shapes of transactions.
SHAPES = {"withdraw": "select account + update account",
          "redeem": "select coupon + update coupon + insert discount",
          "leave": "select doctor + update doctor",
          "book": "select booking + insert booking",
          "enrol": "select course + select student + insert student"}


def admin(sql, database="postgres"):
    c = Client(server.port, "postgres", database)
    try:
        return c.run(sql)
    finally:
        c.close()


def audit(database, *words):
    """The status, what is said on stdout and on stderr, and the page."""
    page = f"{server.root}/{database}"
    p = subprocess.run(
        [assay, "audit", "-q", "--to", server.url(database), "-o", page,
         *words], capture_output=True, text=True,
        env=dict(os.environ, PGUSER="app"))
    path = page + "/index.html"
    text = ""
    if os.path.exists(path):
        with open(path) as f:
            text = f.read()
    return p.returncode, p.stdout, p.stderr, text


def check_suite(name, command, environment, names):
    """A suite with five races, and the same without them."""
    def run(word, *more):
        return subprocess.run([*command, word, *more], env=environment,
                              capture_output=True, text=True)
    done = [run("migrate"), run("reset")]
    tap.check(all(d.returncode == 0 for d in done), f"{name} is set up",
              "".join(d.stderr for d in done))
    status, said, errors, page = audit(environment["PGDATABASE"], "--",
                                       *command, "test")
    tap.check(status == 1, f"{name}: races are shown", said + errors)
    for endpoint, kind in RACES.items():
        tap.check(any(line.startswith(f"{names(endpoint)} (twice): ")
                      and kind in line and line.endswith(": shown")
                      for line in said.splitlines()),
                  f"{name}: the {kind} of {endpoint} is shown", said + errors)
    withdraw = names("withdraw")
    tap.check("<b>What to change.</b> In " + withdraw + ", add FOR UPDATE to "
              "<code>" in page and
              f"as it was before &quot;{withdraw} 1&quot;" in page,
              f"{name}: the page says what to change", page)
    run("reset", "--fixed")
    status, said, errors, page = audit(environment["PGDATABASE"], "--",
                                       *command, "test", "--fixed")
    tap.check(status == 0 and said.startswith("no race found"),
              f"{name}: the mended suite is silent", said + errors)
    tap.check(not [d for d in admin("select datname from pg_database")
                   if "assay" in d[0]], f"{name}: no copy is left behind")


def environment_of(database):
    admin(f"create database {database} owner app")
    return dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(server.port),
                PGUSER="app", PGDATABASE=database)


def works(*command):
    return shutil.which(command[0]) and subprocess.run(
        command, capture_output=True).returncode == 0


def has_knex():
    """Where Node finds knex and pg, fetched if need be."""
    test = ["node", "-e", "require('knex'); require('pg')"]
    if works(*test):
        return True
    where = f"{server.root}/npm"
    os.mkdir(where)
    with open(where + "/package.json", "w") as f:
        f.write('{"private":true}')
    os.environ["NODE_PATH"] = where + "/node_modules"
    return shutil.which("npm") and subprocess.run(
        ["npm", "install", "--silent", "--no-audit", "--no-fund", "knex@3.1.0",
         "pg@8.11.3"], cwd=where, capture_output=True,
        timeout=200).returncode == 0 and works(*test)


def route(endpoint):
    return endpoint


java = os.environ.get("CLASSPATH", "/usr/share/java/postgresql.jar")
SUITES = {
    "Django": (lambda: works(python, "-c", "import django, psycopg2"),
               [python, examples + "/python/clinic.py"], route),
    "SQLAlchemy": (lambda: works(python, "-c", "import sqlalchemy, psycopg2"),
                   [python, examples + "/python/clinic_sqlalchemy.py"], route),
    "knex": (has_knex, ["node", examples + "/node/clinic.js"], SHAPES.get),
    "ActiveRecord": (
        lambda: works("ruby", "-e", "require 'active_record'; require 'pg'"),
        ["ruby", examples + "/ruby/clinic.rb"], "clinic#{}".format),
    "pgjdbc": (lambda: shutil.which("java") and os.path.exists(java),
               ["java", "-cp", java, examples + "/java/Clinic.java"], route),
}
QUICK = ["Django", "SQLAlchemy", "knex"]


def test_suite(name):
    can_run, command, names = SUITES[name]
    if can_run():
        check_suite(name, command, environment_of("app_" + name.lower()), names)
    else:
        tap.skip(f"an application with {name}", f"{name} cannot run here")


def play(statements):
    """A suite that sends these statements."""
    return ["--", sys.executable, "-c", f"""
import os, sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from postgres import Client
c = Client(int(os.environ["PGPORT"]), "app", os.environ["PGDATABASE"])
for sql in {statements!r}:
    c.run(sql)
c.close()"""]


def test_untested():
    admin("create database till")
    admin("create table cash (id int primary key, v int);"
          "insert into cash values (1, 5); grant all on cash to app", "till")
    write = ["begin", "select v from cash where id = 1",
             "update cash set v = 6 where id = 1"]
    status, said, errors, page = audit("till", *play(2 * [*write, "rollback"]))
    tap.check(status == 3 and "all transactions were rolled back" in said and
              "No race was found" not in page,
              "a suite that rolls back has tested nothing", said + errors)
    status, said, errors, page = audit("till", *play(2 * write[1:2]))
    tap.check(status == 3 and "nothing tested" in said and
              "No race was found" not in page,
              "a suite that only reads has tested nothing", said + errors)
    locks = ["begin", "select pg_advisory_xact_lock(1)", *write[1:], "commit"]
    status, said, errors, page = audit("till", *play(2 * locks))
    tap.check(status == 0 and "1 more cannot go wrong" in said,
              "an advisory lock prevents a lost update", said + errors)
    status, said, errors, page = audit("till", *play(2 * [*write, "commit"]))
    tap.check(status == 1 and "lost update: shown" in said,
              "without it the update is lost", said + errors)


def test_mistakes():
    status, said, errors, _ = audit("postgres", "--", "true")
    tap.check(status == 2 and "no row was read or written" in errors,
              "a suite that does not use the proxy is refused", said + errors)
    status, said, errors, _ = audit("postgres", "--reset", "false", "--",
                                    "true")
    tap.check(status == 2 and "'false' ended with status 1" in errors,
              "a reset that fails is reported", said + errors)


try:
    admin("create role app login")
    for name in sys.argv[3:] or QUICK:
        test_suite(name)
    test_untested()
    test_mistakes()
finally:
    server.stop()
sys.exit(tap.end())
