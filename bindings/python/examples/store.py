"""A key-value store with a bug, and clients that record what they see.

Transactions read from a snapshot.  A commit should fail where another
transaction has written one of its keys since the snapshot was taken; this store
compares with the wrong clock, so that two transactions that begin at the same
time both commit.
"""


class Conflict(Exception):
    """The commit was refused: try again."""


class Store:
    def __init__(self, planted_bug=True):
        self.planted_bug = planted_bug
        self.clock, self.data, self.written = 0, {}, {}

    def begin(self):
        return Transaction(self)


class Transaction:
    def __init__(self, store):
        self.store, self.began = store, store.clock
        self.snapshot, self.writes = dict(store.data), {}

    def get(self, key):
        return self.writes.get(key, self.snapshot.get(key))

    def put(self, key, value):
        self.writes[key] = value

    def commit(self):
        store = self.store
        limit = self.began + 1 if store.planted_bug else self.began  # the bug
        if any(store.written.get(key, 0) > limit for key in self.writes):
            raise Conflict
        store.clock += 1
        store.data.update(self.writes)
        store.written.update(dict.fromkeys(self.writes, store.clock))


class Client:
    """Transactions of one client, each beside its recording."""

    def __init__(self, store, recorder, name):
        self.store, self.session = store, recorder.session(name)
        self.transaction = self.block = self.recorded = None

    def begin(self):
        self.transaction = self.store.begin()
        self.block = self.session.transaction()
        self.recorded = self.block.__enter__()

    def read(self, key):
        return self.recorded.read(key, self.transaction.get(key))

    def write(self, key, value):
        self.transaction.put(key, value)
        self.recorded.write(key, value)

    def commit(self):
        try:
            self.transaction.commit()
        except Conflict:
            self.recorded.abort()
        self.block.__exit__(None, None, None)
        self.transaction = None
