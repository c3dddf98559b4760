"""A store for one session or many that misbehaves on request.

    child.py HOW      well, many, garbage, stranger, ends, refuses, limits,
                      uncertain, wrong, both, padded, large, hidden, idle,
                      stuck, tells, internal, worded, refused, forbidden,
                      seldom, vanishes, crashes, crashes-alone, chats, other-level
                      and mistakes that the self-check finds: forgets-write,
                      keeps-write, double, not-empty, busy, sql-what
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
    "seldom": (("read",), 49, "42601", "syntax error at or near 7"),
}
store = {}
undo = {}  # by session: (key, value before) of each write, oldest first
asked = 0
CHECKED = 22  # requests until the self-check of one process is over
LATER = 40  # requests after which most of them begin to misbehave


def answer(ask):
    do = ask["do"]
    if do == "open" and how == "refuses":
        return {"ok": False, "message": "no such\u001b[1m place"}
    if do == "open" and how == "limits":
        return {"ok": True, "sessions": "three"}
    if do == "open" and how == "other-level":
        return {"ok": True, "isolation": "read committed"}
    if do == "open" and how == "sql-what":
        return {"ok": True, "sql": "cobol"}
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
    if asked > CHECKED and do in ERRORS.get(how, ((),))[0] and asked % ERRORS[how][1] == 0:
        return {"ok": False, "outcome": "failed", "code": ERRORS[how][2],
                "message": ERRORS[how][3]}
    if do == "read" and how == "vanishes" and asked > LATER and asked % 7 == 0:
        return {"ok": True, "value": None, "missing": True}
    mine = undo.setdefault(ask["session"], [])
    if do == "begin" and how == "idle" and asked > CHECKED:
        return {"ok": False, "outcome": "failed", "message": "not today"}
    if do == "begin" and how == "busy":
        return {"ok": False, "outcome": "aborted", "code": "busy",
                "message": "come back later"}
    if do == "rollback" and how == "stuck" and asked > CHECKED:
        return {"ok": False, "outcome": "failed"}
    if do == "rollback" and how != "keeps-write":
        for key, value in reversed(mine):
            store[key] = value
    if do in ("begin", "rollback", "commit"):
        mine.clear()
    if do == "read" and how == "not-empty":
        return {"ok": True, "value": store.get(ask["key"]) or "5"}
    if do == "read" and store.get(ask["key"]) and how in ODD and asked > LATER:
        return {"ok": True, "value": ODD[how].format(store[ask["key"]])}
    if do == "read":
        return {"ok": True, "value": store.get(ask["key"])}
    if do == "read-list":
        return {"ok": True, "value": store.get(ask["key"]) or []}
    if do == "append":
        mine.append((ask["key"], store.get(ask["key"])))
        store[ask["key"]] = (store.get(ask["key"]) or []) + [ask["element"]]
    if do == "write" and how != "forgets-write":
        mine.append((ask["key"], store.get(ask["key"])))
        store[ask["key"]] = (str(int(float(ask["value"]))) if how == "double"
                             else ask["value"])
    return {"ok": True}


for line in sys.stdin:
    ask = json.loads(line)
    asked += 1
    if how == "chats":
        print("adapter: request", asked, flush=True)
    if asked > LATER and how == "garbage":
        print("{'ok': 1}", flush=True)
    elif asked > LATER and how == "stranger":
        print('{"session":77,"ok":true}', flush=True)
    elif asked > LATER and how == "ends":
        sys.exit(0)
    elif asked > LATER and how.startswith("crashes"):
        os.kill(os.getpid(), signal.SIGSEGV)
    else:
        print(json.dumps({"session": ask["session"], **answer(ask)}),
              flush=True)
