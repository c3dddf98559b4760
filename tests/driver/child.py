"""A store for one session or many that misbehaves on request.

    child.py HOW      well, many, garbage, stranger, ends, refuses, limits,
                      uncertain, wrong, both, padded, large, hidden, idle,
                      stuck, tells, internal, worded, refused, forbidden,
                      seldom, crashes, crashes-alone
"""
import json
import os
import signal
import sys

how = sys.argv[1]
# Values that are not what was written.
ODD = {"padded": " 0{}", "large": "99999999999999999999", "hidden": "{}\0x"}
# Requests that fail, one in how many, and with which code and message.
ERRORS = {
    "internal": (("read",), 7, "XX000", "cache lookup failed for type 7"),
    "worded": (("write",), 7, "odd", "Internal error: assertion failed"),
    "refused": (("read", "write"), 1, "42000", "Syntax error in SQL"),
    "forbidden": (("write",), 1, "42501", "permission denied for table kv"),
    "seldom": (("read",), 50, "42601", "syntax error at or near 7"),
}
store = {}
before = {}  # the store when the transaction began, of the only session
asked = 0


def answer(ask):
    do = ask["do"]
    if do == "open" and how == "refuses":
        return {"ok": False, "message": "no such\u001b[1m place"}
    if do == "open" and how == "limits":
        return {"ok": True, "sessions": "three"}
    if do == "open" and how == "tells":
        print("asked for", ask["isolation"], file=sys.stderr, flush=True)
    if do == "open":
        return {"ok": True, "name": "a child",
                "sessions": "one" if how in ("well", "crashes-alone") else "many"}
    if do == "commit" and how == "uncertain":
        return {"ok": False, "outcome": "lost", "code": "gone",
                "message": "no answer from the store"}
    if do == "commit" and how == "wrong":
        return {"ok": "perhaps"}
    if do == "commit" and how == "both":
        return {"ok": True, "outcome": "aborted"}
    if do in ERRORS.get(how, ((),))[0] and asked % ERRORS[how][1] == 0:
        return {"ok": False, "outcome": "failed", "code": ERRORS[how][2],
                "message": ERRORS[how][3]}
    if do == "begin" and how == "idle":
        return {"ok": False, "outcome": "failed", "message": "not today"}
    if do == "rollback" and how == "stuck":
        return {"ok": False, "outcome": "failed"}
    if do == "read" and store.get(ask["key"]) and how in ODD:
        return {"ok": True, "value": ODD[how].format(store[ask["key"]])}
    if do == "begin" and how in ERRORS:
        before.clear()
        before.update(store)
    if do == "rollback" and how in ERRORS:
        store.clear()
        store.update(before)
    if do == "read":
        return {"ok": True, "value": store.get(ask["key"])}
    if do == "append":
        store.setdefault(ask["key"], []).append(ask["element"])
    if do == "read-list":
        return {"ok": True, "value": store.get(ask["key"], [])}
    if do == "write":
        store[ask["key"]] = ask["value"]
    return {"ok": True}


for line in sys.stdin:
    ask = json.loads(line)
    asked += 1
    if asked > 40 and how == "garbage":
        print("{'ok': 1}", flush=True)
    elif asked > 40 and how == "stranger":
        print('{"session":77,"ok":true}', flush=True)
    elif asked > 40 and how == "ends":
        sys.exit(0)
    elif asked > 40 and how.startswith("crashes"):
        os.kill(os.getpid(), signal.SIGSEGV)
    else:
        print(json.dumps({"session": ask["session"], **answer(ask)}),
              flush=True)
