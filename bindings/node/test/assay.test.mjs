// Tests of the package, as it is installed: node --test.
//
// With ASSAY_LIST and ASSAY_OUT set, the results for the histories in the list
// are written out, and tests/bindings/compare compares them with the program's.
import assert from 'node:assert';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import * as assay from 'assay';
import { load } from 'assay/browser';

const require = createRequire(import.meta.url);

const skew = [
  { session: 1, ops: [['r', 'x', null], ['r', 'y', null], ['w', 'x', 1]] },
  { session: 2, ops: [['r', 'x', null], ['r', 'y', null], ['w', 'y', 1]] },
];

test('three lines', () => {
  assay.check(skew, { level: 'si' });
  assert.throws(() => assay.check(skew, { level: 'ser' }), (e) => {
    assert.ok(e instanceof assert.AssertionError);
    assert.strictEqual(e.code, 'ERR_ASSERTION');
    assert.match(e.message, /write skew/);
    assert.deepStrictEqual(e.result.levels, { ser: 'violated' });
    return true;
  });
});

test('require gives the same functions', () => {
  const common = require('assay');
  assert.deepStrictEqual(Object.keys(common).sort(), Object.keys(assay).sort());
  assert.throws(() => common.check(skew), /write skew/);
});

test('a store with a lost update', async () => {
  const data = new Map([['counter', 0]]);
  const recorder = new assay.Recorder();
  await recorder.session('load').transaction((t) => t.write('counter', 0));
  const tick = () => new Promise(setImmediate);
  await Promise.all([1, 2].map((client) =>
    recorder.session(`client ${client}`).transaction(async (t) => {
      const seen = t.read('counter', data.get('counter'));
      await tick(); // both clients read before either writes: the bug
      data.set('counter', seen + client);
      t.write('counter', seen + client);
    })));
  assert.throws(() => assay.check(recorder, { level: 'si' }), /lost update/);
});

test('errors have a place', () => {
  assert.throws(() => assay.inspect('{"session":1,"ops":[}'), { name: 'AssayError', line: 1, column: 21 });
  assert.throws(() => assay.inspect(skew, { level: 'nonsense' }), /nonsense/);
  assert.throws(() => assay.inspect(skew, { levels: 'si' }), TypeError);
  assert.throws(() => assay.inspect(skew, { formats: ['papyrus'] }), /format/);
  assert.throws(() => assay.inspect(17), TypeError);
  assert.throws(() => assay.load('/nonexistent'), { code: 'ENOENT' });
});

test('a limit abandons the work, and the next check works', () => {
  const many = Array.from({ length: 3000 }, (_, i) =>
    ({ session: i % 50, ops: [['w', i % 3, 1], ['r', (i + 1) % 3, 1]] }));
  assert.throws(() => assay.inspect(many, { memory: 10000 }), { name: 'AssayError', status: -5 });
  const limited = assay.inspect(many, { level: 'all', work: 1 });
  assert.strictEqual(limited.verdict, 'unknown');
  assert.match(limited.text, /unknown/);
  assert.strictEqual(assay.inspect(skew).verdict, 'violated');
});

test('a deeply nested line is an error, not the end', () => {
  const deep = `{"session":1,"ops":[["r","x",${'['.repeat(1000000)}`;
  assert.throws(() => assay.inspect(new assay.History(deep, { format: 'jsonl' })), { name: 'AssayError' });
  assert.strictEqual(assay.inspect(skew).verdict, 'violated');
});

test('an exception aborts, and unknown outcomes leave the session', async () => {
  const recorder = new assay.Recorder({ clock: false });
  const s = recorder.session('s');
  await assert.rejects(s.transaction((t) => {
    t.write('x', 1);
    throw new RangeError('rolled back');
  }), RangeError);
  s.begin();
  s.write('y', 10n ** 17n);
  s.end('unknown');
  s.begin(); // never ends
  s.op(['r', 'x', null]);
  const lines = recorder.jsonl().trim().split('\n').map((l) => JSON.parse(l));
  assert.deepStrictEqual(lines.map((l) => l.status), ['aborted', 'unknown', 'unknown', 'unknown']);
  assert.match(recorder.jsonl(), /100000000000000000/);
  assert.throws(() => recorder.session('s'), /already/);
  assert.throws(() => recorder.session().write('x', 1), /begin/);
  assert.throws(() => recorder.session().end(), /begin/);
});

test('aborted reads are found', async () => {
  const recorder = new assay.Recorder();
  await recorder.session().transaction((t) => { t.write('x', 1); throw new Error(); }).catch(() => {});
  await recorder.session().transaction((t) => t.read('x', 1));
  assert.throws(() => assay.check(recorder, { level: 'rc' }), /aborted/);
});

test('times suit the strict levels', async () => {
  const recorder = new assay.Recorder();
  await recorder.session('a').transaction((t) => t.write('x', 1));
  await new Promise((done) => setTimeout(done, 2));
  await recorder.session('b').transaction((t) => t.read('x', null));
  assay.check(recorder, { level: 'ser' });
  assert.throws(() => assay.check(recorder, { level: 'strict-ser' }), /stale read/);
});

test('matchers of Jest', () => {
  assert.strictEqual(assay.matchers.toBeIsolated(skew, 'si').pass, true);
  const wrong = assay.matchers.toBeIsolated(skew);
  assert.strictEqual(wrong.pass, false);
  assert.match(wrong.message(), /write skew/);
});

test('not.toBeIsolated does not pass for what could not be decided', () => {
  const untested = [{ session: 1, ops: [] }];
  assert.throws(() => assay.matchers.toBeIsolated(untested, 'ser'), { name: 'Violation' });
});

test('gaps are told', () => {
  const recorder = new assay.Recorder();
  const s = recorder.session();
  s.begin();
  s.write('x', 1);
  s.partial('which rows a statement did not find');
  s.end();
  const result = assay.check(recorder);
  assert.strictEqual(result.partial, 1);
  assert.match(result.text, /as far as it was recorded/);
  assert.throws(() => assay.check(recorder, { complete: 1 }), { name: 'Violation' });
});

test('a recording that was misused is refused', () => {
  const misuses = [(s) => s.write('x', 1), (s) => s.end(), (s) => { s.begin(); s.write('x', NaN); },
    (s) => { s.begin(); s.write('x', new Set([1])); }, (s) => { s.begin(); s.end('done'); }, (s) => { s.begin(); s.write('x', () => {}); }];
  for (const misuse of misuses) {
    const recorder = new assay.Recorder();
    assert.throws(() => misuse(recorder.session('s')));
    assert.throws(() => assay.check(recorder), /used wrongly/);
  }
  const recorder = new assay.Recorder();
  const s = recorder.session();
  s.begin();
  s.write('x', '\ud800');
  s.end();
  assert.throws(() => assay.check(recorder), /surrogate/);
  assert.throws(() => assay.inspect('{"session":1,"ops":[["w","x","\ud800"]]}'), /surrogate/);
  assert.throws(() => assay.inspect(skew, { level: 'si\0,ser' }), /zero/);
  assert.throws(() => assay.inspect(skew, { timeout: 'soon' }), TypeError);
  assert.strictEqual(assay.inspect(skew, { timeout: 1e6 + 0.5 }).verdict, 'violated');
});

test('predictions', () => {
  const serial = [skew[0], { session: 2, ops: [['r', 'x', 1], ['r', 'y', null], ['w', 'y', 1]] }];
  const found = assay.predict(serial);
  assert.strictEqual(found.answer, 'predicted');
  assert.deepStrictEqual(found.levels, { si: 'predicted' });
  assert.match(found.text, /write skew/);
  assert.strictEqual(assay.predict([skew[0]], { level: 'all' }).answer, 'none');
  assert.throws(() => assay.predict(serial, { level: 'ser' }), { name: 'AssayError' });
});

test('a report is written', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-'));
  const report = path.join(directory, 'report.html');
  assert.throws(() => assay.check(skew, { report }));
  assert.match(fs.readFileSync(report, 'utf8'), /<html/);
  fs.rmSync(directory, { recursive: true });
});

test('what a page loads works without Node', async () => {
  const there = await load(fs.readFileSync(require.resolve('assay/assay.wasm')));
  assert.strictEqual(there.version, assay.version());
  assert.strictEqual(there.inspect(skew, { level: 'si' }).verdict, 'ok');
});

test('workers check beside each other', async () => {
  const work = `
    const { workerData, parentPort } = require('node:worker_threads');
    const assay = require(workerData.at);
    for (let i = 0; i < 50; i++)
      if (assay.inspect(workerData.skew).verdict !== 'violated') process.exit(1);
    parentPort.postMessage('fine');`;
  const answers = await Promise.all([1, 2, 3].map(() => new Promise((done, failed) => {
    const worker = new Worker(work, { eval: true, workerData: { skew, at: require.resolve('assay') } });
    worker.on('message', done);
    worker.on('error', failed);
  })));
  assert.deepStrictEqual(answers, ['fine', 'fine', 'fine']);
});

test('dump', { skip: !process.env.ASSAY_LIST && 'tests/bindings/compare sets ASSAY_LIST' }, () => {
  const out = process.env.ASSAY_OUT;
  fs.readFileSync(process.env.ASSAY_LIST, 'utf8').split('\n').filter(Boolean).forEach((file, i) => {
    const result = assay.inspect(assay.load(file), { level: 'all', formats: ['json'] });
    fs.writeFileSync(path.join(out, `${i}.status`), String(result.status));
    fs.writeFileSync(path.join(out, `${i}.text`), result.text);
    fs.writeFileSync(path.join(out, `${i}.json`), result.reports.json);
    try {
      const found = assay.predict(assay.load(file), { formats: ['json'] });
      fs.writeFileSync(path.join(out, `${i}.predict-json`), found.reports.json);
    } catch (e) {
      if (!(e instanceof assay.AssayError)) throw e; // not serializable, or lists
    }
  });
});
