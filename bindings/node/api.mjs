// api.mjs -- check and inspect, for any engine.
import { LONE } from './engine.mjs';
import { Recorder, line } from './recorder.mjs';

const VERDICTS = { 0: 'ok', 1: 'violated', 3: 'unknown' };
const ANSWERS = { 0: 'none', 1: 'predicted', 3: 'unknown' };

/** A history that was read: bytes of any format, and what to call it. */
export class History {
  constructor(data, { name = 'history', format } = {}) {
    if (typeof data === 'string' && LONE.test(data))
      throw new TypeError('the history has half of a surrogate pair, which is not a character');
    this.data = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    this.name = name;
    this.format = format;
  }
}

/** A history from whatever a test has. */
function history(from) {
  if (from instanceof History) return from;
  if (from instanceof Recorder) return new History(from.jsonl(), { name: 'recording', format: 'jsonl' });
  if (typeof from === 'string' || from instanceof Uint8Array) return new History(from);
  if (Array.isArray(from)) return new History(from.map(line).join(''), { format: 'jsonl' });
  throw new TypeError('a history is a Recorder, a History, an array of transactions, or a text');
}

/** Verdicts and explanations. */
export class Result {
  constructor({ status, rows, reports, transactions, partial }) {
    this.status = status;
    this.verdict = VERDICTS[status];
    this.levels = Object.fromEntries(rows.map((r) => [r.level, VERDICTS[r.status]]));
    this.reports = reports;
    this.transactions = transactions;
    this.partial = partial; // recorded in part: what holds is meant as far as it was recorded
  }

  /** The story, for people. */
  get text() { return this.reports.text; }
}

/** inspect(history, options): the Result. */
export function inspector(engine) {
  return (from, { level = 'ser', formats = [], ...options } = {}) =>
    new Result(engine().decide(history(from), level, options, ['text', ...formats]));
}

/** What the same program could also have done. */
export class Prediction {
  constructor({ status, rows, reports }) {
    this.answer = ANSWERS[status];
    this.levels = Object.fromEntries(rows.map((r) => [r.level, ANSWERS[r.status]]));
    this.reports = reports;
  }

  /** The story, for people. */
  get text() { return this.reports.text; }
}

/** predict(history, options): the Prediction. */
export function predictor(engine) {
  return (from, { level = 'si', most = 1, formats = [], ...options } = {}) => {
    if (!Number.isInteger(most) || most < 0) throw new TypeError(`most: ${most} is no number of predictions`);
    return new Prediction(engine().predict(history(from), level, most, options, ['text', ...formats]));
  };
}
