// A store in memory, tested through a program:
//
//     assay test 'exec:node memory_store.js' -l si,ser
//
// All sessions are served by one process, as an engine that lives in the
// application's memory needs it.  Each transaction reads the snapshot of its
// begin, and the first of two writers of a key wins: snapshot isolation.
'use strict';
const versions = new Map();  // key -> [{value, time}], oldest first
const sessions = new Map();  // session -> its transaction
let now = 0;

function latest(key, time) {
  const all = (versions.get(key) || []).filter((v) => v.time <= time);
  return all.length ? all[all.length - 1] : {value: null, time: 0};
}

function commit(txn) {
  for (const key of txn.writes.keys())
    if (latest(key, now).time > txn.snapshot)
      return {ok: false, outcome: 'aborted', code: 'conflict',
              message: `${key} was written meanwhile`};
  now++;
  for (const [key, value] of txn.writes)
    versions.set(key, [...(versions.get(key) || []), {value, time: now}]);
  return {ok: true};
}

function answer(ask) {
  const txn = sessions.get(ask.session);
  switch (ask.do) {
    case 'open':
      return {ok: true, name: 'a store in memory', sessions: 'many'};
    case 'load':
    case 'unload':
      versions.clear();
      return ask.kind === 'lists' ?
          {ok: false, outcome: 'failed', message: 'has no lists'} : {ok: true};
    case 'begin':
      sessions.set(ask.session, {snapshot: now, writes: new Map()});
      return {ok: true};
    case 'read':
      return {ok: true, value: txn.writes.has(ask.key) ?
          txn.writes.get(ask.key) : latest(ask.key, txn.snapshot).value};
    case 'write':
      txn.writes.set(ask.key, ask.value);
      return {ok: true};
    case 'commit':
      return commit(txn);
    case 'rollback':
    case 'close':
      sessions.delete(ask.session);
      return {ok: true};
  }
  return {ok: false, outcome: 'failed', message: `unknown: ${ask.do}`};
}

require('readline').createInterface({input: process.stdin})
    .on('line', (line) => {
      const ask = JSON.parse(line);
      console.log(JSON.stringify({session: ask.session, ...answer(ask)}));
    });
