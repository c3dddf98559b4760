#!/usr/bin/env python3
"""PostgreSQL, MariaDB and SQLite through ODBC.

    test_odbc.py ASSAY ROOT

Speaks TAP; a database without a driver or a server here is skipped.
"""
import ctypes.util
import glob
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent), str(here.parent / "record")]
from tap import check, end, skip
import postgres

assay, root = (os.path.abspath(word) for word in sys.argv[1:3])
SKEW = """setup { create table t (id int primary key, v int); insert into t values (1, 10), (2, 10) }
teardown { drop table t }
session a
step ab { begin }
step ar { select v from t where id = 1 }
step aw { update t set v = 11 where id = 2 }
step ac { commit }
session b
step bb { begin }
step br { select v from t where id = 2 }
step bw { update t set v = 12 where id = 1 }
step bc { commit }
"""


class MariaDB:
    """A server on loopback, in a temporary directory."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="assay-odbc-")
        self.data, self.socket = self.root + "/data", self.root + "/s"
        user = []
        if os.getuid() == 0:
            who = pwd.getpwnam("mysql")
            os.chown(self.root, who.pw_uid, who.pw_gid)
            user = ["--user=mysql"]
        subprocess.run(["mariadb-install-db", "--no-defaults", "--datadir=" + self.data,
                        "--auth-root-authentication-method=normal", *user], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.log = open(self.root + "/log", "w", encoding="utf8")
        self.process = subprocess.Popen(
            ["mariadbd", "--no-defaults", "--datadir=" + self.data, "--socket=" + self.socket,
             "--skip-networking", "--innodb-flush-log-at-trx-commit=0", *user],
            stdout=self.log, stderr=self.log)
        for _ in range(600):
            done = subprocess.run(["mariadb", "--no-defaults", "-uroot", "-S", self.socket, "-e",
                                   "create database if not exists d"], check=False,
                                  capture_output=True)
            if done.returncode == 0:
                return
            time.sleep(0.1)
        raise RuntimeError("MariaDB does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.root, ignore_errors=True)


def run(target, *words):
    done = subprocess.run([assay, "test", target, "--store", "", *words], text=True,
                          capture_output=True, timeout=200, check=False, cwd=folder)
    return done.returncode, done.stdout + done.stderr


def has(target, words, status, text, name):
    got, out = run(target, *words)
    check(got == status and text in out, name, f"exit {got}: {out}")
    return out


def has_driver(name):
    done = subprocess.run(["odbcinst", "-q", "-d", "-n", name], capture_output=True, check=False)
    return done.returncode == 0


def try_all(name, target, weak, weak_text):
    """What every SQL database can do; *weak violates ser with that text."""
    small = ("--txns", "100", "--sessions", "4", "--keys", "12")
    has(target, (*small, "-l", "ser"), 0, "serializable: ok", f"{name}: registers")
    has(target, (*small, "-l", "ser", "-w", "append"), 0, "serializable: ok", f"{name}: lists")
    has(target, (*small, "-l", "ser", "-w", "rows", "--index", "btree", "--access",
                 "key,index,range,scan"), 0, "serializable: ok", f"{name}: rows and access paths")
    has(target, ("--txns", "60", "--keys", "1", "-l", "ser", "-w", "tpcc"), 0,
        "serializable: ok", f"{name}: an application")
    out = has(target, (*small, "--nemesis", "nonsense@0", "--nemesis", "analyze@0.01"), 0,
              "serializable: ok", f"{name}: a nemesis")
    check("nonsense" in out, f"{name}: a nemesis that is refused is counted", out)
    if weak:
        has(target, weak, 1, weak_text, f"{name}: what its weak level allows is found")
    status, out = run(target, "--setup", "select nothing from nowhere", "--txns", "9")
    check(status == 2 and "nowhere" in out, f"{name}: a setup that is refused", out)


with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "skew.spec").write_text(SKEW)
    if not ctypes.util.find_library("odbc") or not shutil.which("odbcinst"):
        skip("ODBC", "not installed: 'apt-get install unixodbc'")
        sys.exit(end())
    if "without odbc:" in run("odbc:DSN=x")[1]:
        skip("ODBC", "not in this build")
        sys.exit(end())
    has("odbc:", (), 2, "expected a connection string", "nothing behind the scheme")
    has("odbc:DSN=assay-has-no-such", (), 2, "IM002", "a source that is not known")
    out = run("odbc:DSN=assay-has-no-such;PWD=geheim")[1]
    check("geheim" not in out, "a password is not shown", out)
    if has_driver("SQLite3"):
        lite = f"odbc:Driver=SQLite3;Database={folder}/a b.db;Timeout=300"
        try_all("SQLite", lite, None, None)
        has(lite, ("--spec", "skew.spec", "-l", "ser"), 0, "interleavings", "SQLite: a spec")
    else:
        skip("SQLite", "no ODBC driver: 'apt-get install libsqliteodbc'")
    if has_driver("PostgreSQL Unicode") and postgres.find("initdb"):
        server = postgres.Server()
        try:
            target = (f"odbc:Driver=PostgreSQL Unicode;Server=127.0.0.1;Port={server.port};"
                      "Database=postgres;Uid=postgres;Pwd=geheim")
            try_all("PostgreSQL", target,
                    ("-i", "repeatable-read", "-l", "ser", "-w", "skew", "--keys", "4",
                     "--txns", "300", "--pause", "1ms"), "write skew")
            has(target, ("-l", "si", "-w", "update", "--keys", "4", "--txns", "300"), 0,
                "snapshot: ok", "PostgreSQL: conflicts are refused, and known as such")
            has(target, ("--spec", "skew.spec", "-l", "ser", "-i", "serializable"), 0,
                "interleavings", "PostgreSQL: a spec at serializable")
            has(target, ("--spec", "skew.spec", "-l", "ser", "-i", "repeatable-read"), 1,
                "write skew", "PostgreSQL: a spec at repeatable read")
            out = run(target, "--txns", "20")[1]
            check("geheim" not in out, "PostgreSQL: its password is not shown", out)
        finally:
            server.stop()
    else:
        skip("PostgreSQL", "no driver or server: 'apt-get install odbc-postgresql postgresql'")
    if has_driver("MariaDB Unicode") and shutil.which("mariadbd"):
        server = MariaDB()
        try:
            target = f"odbc:Driver=MariaDB Unicode;Socket={server.socket};Database=d;Uid=root"
            try_all("MariaDB", target,
                    ("-i", "repeatable-read", "-l", "si", "-w", "update", "--keys", "4",
                     "--txns", "300", "--pause", "1ms"), "lost update")
            has(target, ("--spec", "skew.spec", "-l", "ser", "-i", "repeatable-read"), 1,
                "write skew", "MariaDB: a spec at repeatable read, recorded by rows")
            sql = root + "/examples/workloads/"
            has(target, ("-w", sql + "on_call.sql", "--schema", sql + "on_call_tables.sql",
                         "-l", "ser", "-i", "serializable", "--txns", "40"), 0,
                "serializable: ok", "MariaDB: SQL files")
        finally:
            server.stop()
    else:
        skip("MariaDB", "no driver or server: 'apt-get install odbc-mariadb mariadb-server'")
sys.exit(end())
