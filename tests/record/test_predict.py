"""From a sequential suite of tests to predictions: requests that were sent one
after the other, and what they could have done at once."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import tap
from postgres import Client, Server, find
from recording import Recording, run

assay, clinic = sys.argv[1:3]
python = "/usr/bin/python3"
if not find("initdb"):
    tap.skip("predict", "PostgreSQL's programs are not installed")
    sys.exit(tap.end())
server = Server()
path = server.root + "/run.jsonl"


def admin(sql, database="postgres"):
    c = Client(server.port, "postgres", database)
    try:
        return c.run(sql)
    finally:
        c.close()


def predictions(level):
    """What is predicted: the endpoints and the titles."""
    status, said = run(assay, "predict", "--session", "transaction", "-l",
                       level, "--all", "--json", path)
    found = json.loads(said)["results"][0]["predictions"]
    return status, {
        (p["anomaly"]["name"],
         *sorted({t.rsplit(" ", 1)[0] for t in p["anomaly"]["transactions"]}))
        for p in found}, said


def test_phantom():
    """Two requests add a row if a table that was empty has a free place."""
    admin("create table place (id int primary key, who text);"
          "create table hall (id int primary key, places int);"
          "insert into hall values (1, 2);"
          "grant all on place, hall to app", "shop")
    recording = Recording(assay, server, path, "--session", "transaction")
    for i in [1, 2]:
        c = Client(recording.port)
        c.run("begin")
        c.run("select places from hall where id = 1 /*route='%2Ftake'*/")
        c.run("select count(*) from place /*route='%2Ftake'*/")
        c.run(f"insert into place values ({i}, 'x') /*route='%2Ftake'*/")
        c.run("commit")
        c.close()
    recording.stop()
    status, found, said = predictions("si")
    tap.check(status == 1 and ("write-skew", "/take") in found,
              "a row that was not there when it was counted is predicted",
              recording.said + said)
    status, said = run(assay, "predict", "-l", "si", "-q", path)
    tap.check(status in (0, 1) and "c1/1" not in said,
              "without --session, connections stay sessions", said)


def clinic_run(*words):
    environment = dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(server.port),
                       PGUSER="app", PGDATABASE="clinic")
    return subprocess.run([python, clinic, *words], env=environment,
                          capture_output=True, text=True)


def test_django():
    imports = "import django, psycopg2"
    if subprocess.run([python, "-c", imports], capture_output=True).returncode:
        tap.skip("a Django application", "python3-django is not installed")
        return
    admin("create database clinic owner app")
    done = [clinic_run("migrate"), clinic_run("reset")]
    tap.check(all(d.returncode == 0 for d in done), "the application is set up",
              "".join(d.stderr for d in done))
    p = record_clinic()
    tap.check(p.returncode in (0, 3), "its suite of tests passes", p.stderr)
    status, found, said = predictions("pc")
    for race in [("lost-update", "withdraw"), ("lost-update", "redeem"),
                 ("write-skew", "leave"), ("write-skew", "book"),
                 ("write-skew", "enrol")]:
        tap.check(race in found, f"{race[0]} of {race[1]} is predicted", said)
    status, found, said = predictions("si")
    tap.check(status == 1 and found == {("write-skew", "leave"),
                                        ("write-skew", "book"),
                                        ("write-skew", "enrol")},
              "snapshot isolation prevents the lost updates", said)
    status, said = run(assay, "predict", "--session", "transaction", "--on",
                       "postgresql:rc", "--all", "--json", path)
    found = {t.rsplit(" ", 1)[0]
             for p in json.loads(said)["results"][0]["predictions"]
             for t in p["anomaly"]["transactions"]}
    tap.check(status == 1 and found == {"withdraw", "redeem", "leave", "book",
                                        "enrol"},
              "PostgreSQL at READ COMMITTED allows all five", said)


def record_clinic(*words):
    environment = dict(os.environ, PGUSER="app")
    return subprocess.run(
        [assay, "record", "--session", "transaction", "--to",
         server.url("clinic"), "--listen", "0", "-o", path, "--", python,
         clinic, "test", *words], capture_output=True, text=True,
        env=environment)


def test_fixed():
    if not clinic_run("reset").returncode == 0:
        return
    p = record_clinic("--fixed")
    tap.check(p.returncode in (0, 3), "the mended suite passes", p.stderr)
    for level in ["postgresql:rc", "postgresql:rr"]:
        status, said = run(assay, "predict", "--session", "transaction",
                           "--on", level, path)
        tap.check(status == 0, f"nothing is predicted of it on {level}", said)


try:
    admin("create role app login")
    admin("create database shop")
    test_phantom()
    test_django()
    test_fixed()
finally:
    server.stop()
sys.exit(tap.end())
