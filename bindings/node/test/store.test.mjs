// A key-value store with a bug, and a test that finds it: an example to copy.
//
// Transactions read from a snapshot.  A commit should fail where another one has
// written one of its keys since; with the bug it compares with the wrong clock.
import assert from 'node:assert';
import test from 'node:test';
import { Recorder, check } from 'assay';

class Store {
  clock = 0;
  data = new Map();
  written = new Map();

  constructor(bug) { this.bug = bug; }

  begin() { return { began: this.clock, snapshot: new Map(this.data), writes: new Map() }; }

  commit({ began, writes }) {
    const limit = this.bug ? began + 1 : began;
    for (const key of writes.keys()) if ((this.written.get(key) ?? 0) > limit) return 'aborted';
    this.clock++;
    for (const [key, value] of writes) {
      this.data.set(key, value);
      this.written.set(key, this.clock);
    }
    return 'committed';
  }
}

const tick = () => new Promise(setImmediate);

/** Clients that add to one counter at the same time. */
async function incrementAtOnce(recorder, bug) {
  const store = new Store(bug);
  await Promise.all([1, 2].map(async (client) => {
    const session = recorder.session(`client ${client}`);
    session.begin();
    const txn = store.begin();
    await tick();
    const value = session.read('counter', txn.snapshot.get('counter')) ?? 0;
    txn.writes.set('counter', value + client);
    session.write('counter', value + client);
    session.end(store.commit(txn));
  }));
}

test('the store without the bug', async () => {
  const recorder = new Recorder();
  await incrementAtOnce(recorder, false);
  check(recorder, { level: 'si' });
});

test('the bug is found', async () => {
  const recorder = new Recorder();
  await incrementAtOnce(recorder, true);
  assert.throws(() => check(recorder, { level: 'si' }), /lost update/);
});
