#!/usr/bin/env python3
"""Test etcd: assay test 'exec:python3 etcd_store.py PORT [serializable|snapshot [PREFIX]]'

A transaction as etcd's clients make it (concurrency/stm.go): reads remember the
revision of their key, writes wait for the commit, which is one request.  With
'serializable' it compares the revisions of all keys read.  With 'snapshot' all
reads are of one revision, and only the keys written are compared, which allows
write skew.  Nothing is installed: etcd answers JSON over HTTP.
Runs at the same time need a PREFIX of their keys.
"""
import base64
import http.client
import json
import sys

port, mode = int(sys.argv[1]), (sys.argv[2:] or ["serializable"])[0]
prefix = (sys.argv[3:] or [""])[0]
link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
reads, writes = {}, {}  # of the transaction: revision and value by key
at = 0                  # the revision of its snapshot


def ask(path, **body):
    link.request("POST", "/v3/" + path, json.dumps(body))
    answer = link.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise OSError(f"status {answer.status}: {text.decode()[:200]}")
    return json.loads(text)


def code(text):
    return base64.b64encode(text.encode()).decode()


def get(key):
    global at
    request = {"key": code(key)}
    if at:
        request["revision"] = at
    answer = ask("kv/range", **request)
    if mode == "snapshot":
        at = at or int(answer["header"]["revision"])
    found = answer.get("kvs", [{"mod_revision": "0"}])[0]
    value = base64.b64decode(found["value"]).decode() if "value" in found else None
    reads.setdefault(key, (found["mod_revision"], value))
    return reads[key][1]


def read(key):
    if key in writes:
        return writes[key]
    return reads[key][1] if key in reads else get(key)


def begin():
    global at
    at = 0
    reads.clear()
    writes.clear()


def compare(key):
    if mode == "snapshot" and at and key not in reads:
        return {"key": code(key), "target": "MOD", "result": "LESS", "mod_revision": str(at + 1)}
    return {"key": code(key), "target": "MOD", "result": "EQUAL", "mod_revision": reads[key][0]}


def commit():
    keys = reads if mode == "serializable" else [k for k in writes if at]
    done = ask("kv/txn", compare=[compare(key) for key in keys],
               success=[{"request_put": {"key": code(k), "value": code(v)}} for k, v in writes.items()])
    begin()
    if done.get("succeeded"):
        return {}
    return {"ok": False, "outcome": "aborted", "code": "revision", "message": "a key has changed"}


def do(request):
    what = request["do"]
    if what == "open":
        link.request("GET", "/version")
        return {"name": "etcd " + json.loads(link.getresponse().read())["etcdserver"] + ", " + mode}
    if what == "load" and request["kind"] == "lists":
        return {"ok": False, "outcome": "failed", "message": "has no lists"}
    if what in ("load", "unload"):
        # Up to the key after all those that begin so; \0 is all keys.
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else "\0"
        ask("kv/deleterange", key=code(prefix or "\0"), range_end=code(end))
    elif what in ("begin", "rollback"):
        begin()
    elif what == "read":
        return {"value": read(request["key"])}
    elif what == "write":
        writes[request["key"]] = request["value"]
    elif what == "commit":
        return commit()
    return {}


for line in sys.stdin:
    try:
        request = json.loads(line)
        if "key" in request:
            request["key"] = prefix + request["key"]
        reply = {"ok": True, **do(request)}
    except (OSError, http.client.HTTPException) as e:
        link.close()
        reply = {"ok": False, "outcome": "lost", "message": str(e)}
    print(json.dumps(reply), flush=True)
