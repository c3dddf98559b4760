"""From a sequential suite of tests to races that were shown on the database,
and silence about the application that is mended."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Server, find

assay, clinic = sys.argv[1:3]
suites = sys.argv[3:]
python = "/usr/bin/python3"
if not find("initdb"):
    tap.skip("audit", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()
RACES = {"withdraw": "lost update", "redeem": "lost update",
         "leave": "write skew", "book": "phantom", "enrol": "phantom"}


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


def check_suite(name, command, environment):
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
        tap.check(any(line.startswith(f"{endpoint} (twice): ")
                      and kind in line and line.endswith(": shown")
                      for line in said.splitlines()),
                  f"{name}: the {kind} of {endpoint} is shown", said + errors)
    tap.check("<b>What to change.</b> In withdraw, add FOR UPDATE to <code>"
              in page and "as it was before &quot;withdraw 1&quot;" in page,
              f"{name}: the page says what to change", page)
    run("reset")
    status, said, errors, page = audit(environment["PGDATABASE"], "--",
                                       *command, "test", "--fixed")
    tap.check(status == 0 and said.startswith("nothing predicted"),
              f"{name}: the mended suite is silent", said + errors)
    tap.check(not [d for d in admin("select datname from pg_database")
                   if "assay" in d[0]], f"{name}: no copy is left behind")


def environment_of(database):
    admin(f"create database {database} owner app")
    return dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(server.port),
                PGUSER="app", PGDATABASE=database)


def test_django():
    imports = "import django, psycopg2"
    if subprocess.run([python, "-c", imports], capture_output=True).returncode:
        tap.skip("a Django application", "python3-django is not installed")
        return
    check_suite("Django", [python, clinic], environment_of("clinic"))


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
    test_django()
    test_mistakes()
finally:
    server.stop()
sys.exit(tap.end())
