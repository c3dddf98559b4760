"""Record SQLite inside the process, and find a bug of the application.

The recorder wraps a connection: 'get' and 'put' run SQL and record what it
returned.  The bug: 'deposit' reads the balance before its transaction begins, so
two deposits at once lose one of them, although SQLite is serializable.
"""
import os
import sqlite3
import tempfile
import threading

import assay


class RecordedConnection:
    """A connection to a table kv(k, v) whose transactions are recorded."""

    def __init__(self, path, recorder, name):
        self.connection = sqlite3.connect(path, isolation_level=None, timeout=30)
        self.session = recorder.session(name)

    def transact(self, work):
        """Run work(get, put) in a transaction."""
        with self.session.transaction() as t:

            def get(key):
                row = self.connection.execute("SELECT v FROM kv WHERE k = ?", (key,)).fetchone()
                return t.read(key, row[0] if row else None)

            def put(key, value):
                self.connection.execute("INSERT OR REPLACE INTO kv VALUES (?, ?)", (key, value))
                t.write(key, value)

            self.connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(get, put)
                self.connection.execute("COMMIT")
                return result
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise


def deposit(connection, amount, meet, planted_bug):
    if planted_bug:
        balance = connection.transact(lambda get, put: get("balance"))
        meet.wait()  # another request comes in between
        connection.transact(lambda get, put: put("balance", balance + amount))
    else:
        connection.transact(lambda get, put: put("balance", get("balance") + amount))


def run(directory, planted_bug):
    path = os.path.join(directory, f"bank-{planted_bug}.db")
    recorder = assay.Recorder()
    sqlite3.connect(path).execute("CREATE TABLE kv (k TEXT PRIMARY KEY, v)").connection.commit()
    RecordedConnection(path, recorder, "setup").transact(lambda get, put: put("balance", 100))
    meet = threading.Barrier(2)

    def client(i):
        connection = RecordedConnection(path, recorder, f"client {i}")
        deposit(connection, 10 ** i, meet, planted_bug)
        connection.connection.close()

    threads = [threading.Thread(target=client, args=(i,)) for i in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    final = RecordedConnection(path, recorder, "audit").transact(lambda get, put: get("balance"))
    return recorder, final


def main():
    with tempfile.TemporaryDirectory() as directory:
        recorder, final = run(directory, planted_bug=False)
        assay.check(recorder, level="strict-ser")
        assert final == 210, final
        # The transactions of SQLite are serializable, also with the bug ...
        recorder, final = run(directory, planted_bug=True)
        assay.check(recorder, level="strict-ser")
        assert final != 210, final
        # ... so the unit that matters has to be recorded: the request.
        found = assay.inspect(requests(recorder), "ser")
        assert found.verdict == "violated", found.text()
        print(found.text())


def requests(recorder):
    """The transactions of each client as one."""
    import json
    merged = {}
    for line in map(json.loads, recorder.jsonl().splitlines()):
        request = merged.setdefault(line["session"], {"session": line["session"], "ops": []})
        request["ops"] += line["ops"]
    return list(merged.values())


if __name__ == "__main__":
    main()
