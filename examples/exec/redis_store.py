#!/usr/bin/env python3
"""Test Redis: assay test 'exec:python3 redis_store.py PORT [watch|multi [PREFIX]]'

Writes of a transaction wait for its end, in MULTI and EXEC.  With 'watch' each
key that is read is watched, so a transaction commits only if none has changed.
With 'multi' nothing is watched, which loses updates.  Nothing is installed: the
protocol of Redis is lines.  Runs at the same time need a PREFIX of their keys.
"""
import json
import socket
import sys

port, mode = int(sys.argv[1]), (sys.argv[2:] or ["watch"])[0]
prefix = (sys.argv[3:] or [""])[0]
link = socket.create_connection(("127.0.0.1", port))
answers = link.makefile("rb")
writes = []  # of the transaction, in order
watched = False


class Refused(Exception):
    """An error that Redis answered."""


def answer():
    line = answers.readline()
    if not line:
        raise ConnectionError("the server closed the connection")
    kind, rest = line[:1], line[1:-2]
    if kind == b"-":
        raise Refused(rest.decode())
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return None if rest == b"-1" else answers.read(int(rest) + 2)[:-2].decode()
    if kind == b"*":
        return None if rest == b"-1" else [answer() for _ in range(int(rest))]
    return rest.decode()


def ask(*words):
    words = [str(word).encode() for word in words]
    link.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
    return answer()


def watch(key):
    global watched
    if mode == "watch":
        ask("WATCH", key)
        watched = True


def read(key):
    watch(key)
    value = ask("GET", key)
    for word, k, v in writes:
        if word == "SET" and k == key:
            value = v
    return {"value": value}


def read_list(key):
    watch(key)
    value = [int(x) for x in ask("LRANGE", key, 0, -1)]
    return {"value": value + [v for word, k, v in writes if word == "RPUSH" and k == key]}


def forget():
    global watched
    writes.clear()
    if watched:
        ask("UNWATCH")
    watched = False


def commit():
    global watched
    ask("MULTI")
    for write in writes:
        ask(*write)
    writes.clear()
    watched = False
    if ask("EXEC") is None:
        return {"ok": False, "outcome": "aborted", "code": "WATCH", "message": "a key has changed"}
    return {}


def do(request):
    what = request["do"]
    if what == "open":
        info = ask("INFO", "server")
        return {"name": "Redis " + info.split("redis_version:")[1].split()[0] + ", " + mode}
    if what in ("load", "unload"):
        keys = ask("KEYS", prefix + "*")
        if keys:
            ask("DEL", *keys)
    elif what in ("begin", "rollback"):
        forget()
    elif what == "read":
        return read(request["key"])
    elif what == "read-list":
        return read_list(request["key"])
    elif what == "write":
        writes.append(("SET", request["key"], request["value"]))
    elif what == "append":
        writes.append(("RPUSH", request["key"], request["element"]))
    elif what == "commit":
        return commit()
    elif what == "query":
        ask(*request["sql"].split())
    return {}


for line in sys.stdin:
    try:
        request = json.loads(line)
        if "key" in request:
            request["key"] = prefix + request["key"]
        reply = {"ok": True, **do(request)}
    except Refused as e:
        reply = {"ok": False, "outcome": "failed", "code": str(e).split()[0], "message": str(e)}
    except OSError as e:
        reply = {"ok": False, "outcome": "lost", "message": str(e)}
    print(json.dumps(reply), flush=True)
