// SurrealDB, embedded, tested through a program:
//
//     npm install @surrealdb/node@3.0.3 surrealdb@2.0.8
//     assay test 'exec:node surreal_store.mjs DIRECTORY mem://' -l si
//
// DIRECTORY is where npm put the packages; the engine is mem://,
// surrealkv://PATH or rocksdb://PATH.  One process serves all sessions, which
// share one connection and have a transaction each.  A read looks at all rows
// of the table: mem:// loses some of them while others write, and surrealkv://
// loses updates.
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';

const directory = process.argv[2] || '.';
const engine = process.argv[3] || 'mem://';

// What the database says where it has rolled a transaction back, or will.
const CONFLICT = /conflict|retry|retried/i;

// A package that is elsewhere, and can only be imported.
function find(name) {
  const place = join(resolve(directory), 'node_modules', name);
  let entry = JSON.parse(readFileSync(join(place, 'package.json'))).exports;
  for (const step of ['.', 'import', 'default'])
    entry = entry[step] ?? entry;
  return import(pathToFileURL(join(place, entry)));
}

const {Surreal} = await find('surrealdb');
const {createNodeEngines} = await find('@surrealdb/node');
const db = new Surreal({engines: createNodeEngines()});
await db.connect(engine);
await db.use({namespace: 'assay', database: 'assay'});

const open = new Map(); // the transaction of each session

async function rollback(session) {
  const txn = open.get(session);
  open.delete(session);
  if (txn)
    await txn.cancel().catch(() => {}); // it may be over already
}

async function version() {
  return (await db.version()).version.replace(/^surrealdb-/, '');
}

async function load(keys) {
  await db.query('remove table if exists store; define table store');
  for (let k = 0; k < keys; k++)
    await db.query(`create store:${k} set v = null`);
}

async function perform(ask) {
  const txn = open.get(ask.session);
  switch (ask.do) {
    case 'open':
      return {ok: true, sessions: 'many',
              name: `SurrealDB ${await version()}, ${engine.split(':')[0]}`};
    case 'load':
      if (ask.kind !== 'registers')
        return {ok: false, outcome: 'failed', code: 'load',
                message: 'has only registers'};
      await load(ask.keys);
      break;
    case 'begin':
      open.set(ask.session, await db.beginTransaction());
      break;
    case 'read': {
      const [rows] = await txn.query('select * from store');
      const row = rows.find((row) => String(row.id.id) === ask.key);
      return {ok: true, value: row?.v ?? null, missing: !row};
    }
    case 'write':
      await txn.query(`update store:${Number(ask.key)} set v = $v`,
                      {v: ask.value});
      break;
    case 'commit':
      await txn.commit();
      open.delete(ask.session);
      break;
    case 'rollback':
    case 'close':
      await rollback(ask.session);
      break;
    case 'query':
      await db.query(ask.sql);
      break;
  }
  return {ok: true};
}

async function serve(ask) {
  let reply;
  try {
    reply = await perform(ask);
  } catch (e) {
    const outcome = CONFLICT.test(e.message) ? 'aborted' : 'failed';
    if (outcome === 'aborted')
      await rollback(ask.session);
    reply = {ok: false, outcome, code: outcome, message: e.message};
  }
  console.log(JSON.stringify({session: ask.session, ...reply}));
}

createInterface({input: process.stdin})
    .on('line', (line) => serve(JSON.parse(line)))
    .on('close', () => process.exit(0));
