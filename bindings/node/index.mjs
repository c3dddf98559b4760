// index.mjs -- check from a test in Node whether transactions were isolated.
//
//     import { Recorder, check } from 'assay';
//     const recorder = new Recorder();
//     ...
//     check(recorder, { level: 'si' });
//
// check throws an AssertionError with the story of the anomaly.
import { AssertionError } from 'node:assert';
import fs from 'node:fs';
import { Engine } from './engine.mjs';
import { History, inspector, predictor } from './api.mjs';

export { AssayError } from './engine.mjs';
export { Recorder, Session } from './recorder.mjs';
export { History, Prediction, Result } from './api.mjs';

let shared;
function engine() {
  return (shared ??= new Engine(new WebAssembly.Module(
    fs.readFileSync(new URL('./assay.wasm', import.meta.url)))));
}

/** The version of Assay: '0.1.0'. */
export function version() { return engine().version; }

/** A level does not hold, or could not be decided.  The message is the story. */
export class Violation extends AssertionError {
  constructor(result, level) {
    super({ message: `\n${result.text}`, actual: result.levels, expected: level, operator: 'isolated' });
    this.name = 'Violation';
    this.result = result;
  }
}

/** The history in a file. */
export function load(path, format) {
  return new History(fs.readFileSync(path), { name: String(path), format });
}

/** Decide levels ('si', 'si,ser', 'all') and return the Result. */
export const inspect = inspector(engine);

/** What could go wrong, from a run that went well: executions that the same
 * program could also have had at a level ('si', 'rc,si', 'all',
 * 'postgresql:rc'), and that no serial order explains. */
export const predict = predictor(engine);

/** Like inspect; throws a Violation unless every level holds.  report: a path for
 * an HTML report of what failed. */
export function check(history, { report, formats = [], ...options } = {}) {
  const result = inspect(history, { ...options, formats: report ? [...formats, 'html'] : formats });
  if (result.status === 0) return result;
  if (report) fs.writeFileSync(report, result.reports.html);
  throw new Violation(result, options.level ?? 'ser');
}

/** For expect.extend(matchers) of Jest and Vitest: expect(h).toBeIsolated('si'). */
export const matchers = {
  toBeIsolated(history, level = 'ser') {
    const result = inspect(history, { level });
    // 'not.toBeIsolated' must not pass for what could not be decided.
    if (result.verdict === 'unknown') throw new Violation(result, level);
    return { pass: result.status === 0, message: () => `\n${result.text}` };
  },
};
