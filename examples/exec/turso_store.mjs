// Turso, an embedded database, tested through a program:
//
//     npm install @tursodatabase/database@0.4.4
//     assay test 'exec:node turso_store.mjs DIRECTORY' -l si
//
// DIRECTORY is where npm put the package; without one it is the current one.
// One process serves all sessions.  Each has a thread and a connection of its
// own, and its transactions are MVCC's.  A read looks at all rows of the table:
// 0.4.4 loses some of them while others write.
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {isMainThread, parentPort, Worker, workerData} from
    'node:worker_threads';

const PACKAGE = '@tursodatabase/database';

// What the database says where it has rolled a transaction back, or will.
const CONFLICT = /conflict|busy|locked|abort/i;

function failed(outcome, message) {
  return {ok: false, outcome, code: outcome, message};
}

// --- a session: a thread with its connection --------------------------------

async function openSession({directory, path}) {
  const require = createRequire(join(resolve(directory), 'x.js'));
  const {connect} = await import(require.resolve(PACKAGE));
  const db = await connect(path);
  const rows = async (sql) => (await db.prepare(sql)).all();
  const quote = (text) => `'${text.replaceAll("'", "''")}'`;
  let open = false; // a transaction

  async function rollback() {
    if (open) {
      open = false;
      await db.exec('rollback').catch(() => {}); // it may be over already
    }
  }

  async function load(keys) {
    await rows("pragma journal_mode = 'experimental_mvcc'");
    await db.exec('create table store (k integer primary key, v text)');
    for (let k = 0; k < keys; k++)
      await db.exec(`insert into store values (${k}, null)`);
  }

  async function perform(ask) {
    switch (ask.do) {
      case 'load':
        await load(ask.keys);
        break;
      case 'begin':
        await db.exec('begin concurrent');
        open = true;
        break;
      case 'read': {
        const all = await rows('select k, v from store');
        const row = all.find((row) => row.k === Number(ask.key));
        return {ok: true, value: row ? row.v : null, missing: !row};
      }
      case 'write':
        await db.exec(`update store set v = ${quote(ask.value)} ` +
                      `where k = ${Number(ask.key)}`);
        break;
      case 'commit':
        await db.exec('commit');
        open = false;
        break;
      case 'rollback':
        await rollback();
        break;
      case 'query':
        await rows(ask.sql);
        break;
    }
    return {ok: true};
  }

  parentPort.on('message', async (ask) => {
    let reply;
    try {
      reply = await perform(ask);
    } catch (e) {
      const conflict = CONFLICT.test(e.message);
      if (conflict)
        await rollback();
      reply = failed(conflict ? 'aborted' : 'failed', e.message);
    }
    parentPort.postMessage({session: ask.session, ...reply});
  });
}

// --- the process: requests go to the thread of their session ----------------

function serve(directory) {
  const scratch = mkdtempSync(join(tmpdir(), 'turso-'));
  process.on('exit', () => rmSync(scratch, {recursive: true, force: true}));
  const require = createRequire(join(resolve(directory), 'x.js'));
  const {version} = require(join(resolve(directory), 'node_modules', PACKAGE,
                                 'package.json'));
  const threads = new Map();
  const answer = (reply) => console.log(JSON.stringify(reply));

  function thread(session) {
    if (!threads.has(session)) {
      const worker = new Worker(new URL(import.meta.url), {
        workerData: {directory, path: join(scratch, 'store.db')},
      });
      worker.on('message', answer);
      worker.on('error', (e) => answer({session, ...failed('lost',
                                                           e.message)}));
      threads.set(session, worker);
    }
    return threads.get(session);
  }

  createInterface({input: process.stdin}).on('line', (line) => {
    const ask = JSON.parse(line);
    const session = ask.session;
    if (ask.do === 'open')
      answer({session, ok: true, name: `Turso ${version}, MVCC`,
              sessions: 'many'});
    else if (ask.do === 'load' && ask.kind !== 'registers')
      answer({session, ...failed('failed', 'has only registers')});
    else if (ask.do === 'close' || ask.do === 'unload')
      answer({session, ok: true});
    else
      thread(session).postMessage(ask);
  }).on('close', () => process.exit(0));
}

if (isMainThread)
  serve(process.argv[2] || '.');
else
  await openSession(workerData);
