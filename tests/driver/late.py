"""A strictly serializable store whose commits sometimes take effect late.

    late.py           every third commit is answered with "lost", and takes
                      effect some requests later, unless what it read has
                      changed by then

Writes are kept until the commit, which checks that the values read are still
there.  One thread serves all sessions, so a commit is one point in time.  The
delay is counted in requests, not in time.
"""
import json
import sys

EVERY, DELAY = 3, 25
store, sessions, late = {}, {}, []
requests = commits = 0


def apply(txn):
    if any(store.get(key) != value for key, value in txn["reads"].items()):
        return False
    store.update(txn["writes"])
    return True


def finish(txn):
    global commits
    commits += 1
    if commits % EVERY:
        return ({"ok": True} if apply(txn) else
                {"ok": False, "outcome": "aborted", "code": "40001"})
    late.append((requests + DELAY, txn))
    return {"ok": False, "outcome": "lost", "code": "late",
            "message": "no answer in time"}


def answer(ask):
    do, session, key = ask["do"], ask["session"], ask.get("key")
    txn = sessions.setdefault(session, {"reads": {}, "writes": {}})
    if do == "open":
        return {"ok": True, "name": "late", "sessions": "many"}
    if do == "read" and key in txn["writes"]:
        return {"ok": True, "value": txn["writes"][key]}
    if do == "read":
        return {"ok": True,
                "value": txn["reads"].setdefault(key, store.get(key))}
    if do == "write":
        txn["writes"][key] = ask["value"]
    if do in ("begin", "rollback", "close", "commit"):
        del sessions[session]
    return finish(txn) if do == "commit" else {"ok": True}


for line in sys.stdin:
    requests += 1
    while late and late[0][0] <= requests:
        apply(late.pop(0)[1])
    request = json.loads(line)
    print(json.dumps({"session": request["session"], **answer(request)}),
          flush=True)
