#!/usr/bin/env python3
"""Test SQLite through a program: assay test 'exec:python3 sqlite_store.py FILE'

Every session is a process of its own with its own connection.  To test another
database, replace what is called on 'db'.
"""
import json
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1], timeout=0.2, isolation_level=None)


def load(ask):
    db.execute("drop table if exists store")
    db.execute("create table store (k text primary key, v text)")


def read(ask):
    row = db.execute("select v from store where k = ?", (ask["key"],))
    row = row.fetchone()
    return {"value": row[0] if row else None}


def write(ask):
    db.execute("replace into store values (?, ?)", (ask["key"], ask["value"]))


def rollback(ask):
    if db.in_transaction:
        db.execute("rollback")


def answer(ask):
    do = ask["do"]
    if do == "open":
        return {"name": "SQLite " + sqlite3.sqlite_version}
    if do == "load" and ask["kind"] == "lists":
        return {"ok": False, "outcome": "failed", "message": "has no lists"}
    if do == "unload":
        db.execute("drop table store")
    elif do in ("begin", "commit"):
        db.execute(do)
    elif do == "query":
        db.execute(ask["sql"])
    else:
        return {"load": load, "read": read, "write": write,
                "rollback": rollback}[do](ask) or {}
    return {}


for line in sys.stdin:
    try:
        reply = {"ok": True, **answer(json.loads(line))}
    except sqlite3.OperationalError as e:  # busy: rolled back, try again
        rollback(None)
        reply = {"ok": False, "outcome": "aborted",
                 "code": e.sqlite_errorname if hasattr(e, "sqlite_errorname")
                 else "busy", "message": str(e)}
    print(json.dumps(reply), flush=True)
