// recorder.mjs -- what sessions did, as lines of the format jsonl.

/** JSON of a key or a value; a bigint is an integer. */
function json(value) {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be recorded`);
      return String(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'null';
    case 'string':
      return JSON.stringify(value);
    case 'function':
    case 'symbol':
      throw new TypeError(`a ${typeof value} cannot be recorded`);
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
      if (typeof value.toJSON === 'function') return json(value.toJSON());
      // All sets, and all maps, would be '{}'.
      if (![null, Object.prototype].includes(Object.getPrototypeOf(value)) && !Object.keys(value).length)
        throw new TypeError(`a ${value.constructor?.name} cannot be recorded`);
      return `{${Object.entries(value).filter(([, v]) => v !== undefined)
        .map(([k, v]) => `${JSON.stringify(k)}:${json(v)}`).join(',')}}`;
  }
}

/** A transaction as a line, from the notation of doc/formats/jsonl.md. */
export function line(transaction) { return json(transaction) + '\n'; }

const STATUS = { committed: '', aborted: ',"status":"aborted"', unknown: ',"status":"unknown"' };

/** One transaction after another: a connection. */
export class Session {
  #name;
  #clock;
  #lines;
  #ops;
  #start;
  #gaps = [];
  #wasUnknown = false;
  #wrong; // the first misuse: something that the test did is not recorded

  constructor(name, clock, lines) {
    this.#name = JSON.stringify(name);
    this.#clock = clock;
    this.#lines = lines;
  }

  /** Before the first byte goes to the database. */
  begin() {
    if (this.#ops !== undefined) this.end('unknown');
    this.#ops = '';
    this.#gaps = [];
    if (this.#clock) this.#start = this.#clock();
  }

  /** No check takes the recording from here on. */
  #refuse(error) {
    this.#wrong ??= error;
    throw error;
  }

  #add(operation) {
    if (this.#ops === undefined) this.#refuse(new Error('begin() comes before operations'));
    try {
      this.#ops += (this.#ops ? ',' : '') + json(operation);
    } catch (e) {
      this.#refuse(e);
    }
  }

  /** What a read returned; null: the key had no value; an array: all elements. */
  read(key, value) {
    this.#add(['r', key, value]);
    return value;
  }

  write(key, value) { this.#add(['w', key, value]); }

  append(key, element) { this.#add(['append', key, element]); }

  /** An operation as doc/formats/jsonl.md has it, for rows and queries. */
  op(operation) { this.#add(operation); }

  /** The transaction read more than is recorded: 'which rows a statement did not find'. */
  partial(what) {
    if (this.#ops === undefined) this.#refuse(new Error('begin() comes before partial()'));
    this.#gaps.push(String(what));
  }

  /** 'committed', 'aborted', or 'unknown' where no answer came. */
  end(outcome = 'committed') {
    if (this.#ops === undefined) this.#refuse(new Error('end() without begin()'));
    if (STATUS[outcome] === undefined) this.#refuse(new TypeError(`unknown outcome '${outcome}'`));
    const end = this.#clock?.();
    const times = this.#clock ? `,"start":${this.#start},"end":${end}` : '';
    const gaps = this.#gaps.length ? `,"partial":${JSON.stringify(this.#gaps)}` : '';
    const gone = this.#wasUnknown ? `{"session":${this.#name},"status":"unknown"}\n` : '';
    this.#lines.push({
      end: end ?? this.#lines.length,
      text: `${gone}{"session":${this.#name},"ops":[${this.#ops}]${times}${gaps}${STATUS[outcome]}}\n`,
    });
    this.#wasUnknown = outcome === 'unknown';
    this.#ops = undefined;
  }

  /** Commits after the function; an exception aborts the transaction. */
  async transaction(work) {
    this.begin();
    let outcome = 'aborted';
    try {
      const result = await work(this);
      outcome = 'committed';
      return result;
    } finally {
      if (this.#ops !== undefined) this.end(outcome);
    }
  }

  /** A transaction that is open has no outcome. */
  close() {
    if (this.#wrong) throw new Error(`session ${this.#name} was used wrongly: ${this.#wrong.message}`);
    if (this.#ops !== undefined) this.end('unknown');
  }
}

/** Collects what sessions do.  clock: false records no times. */
export class Recorder {
  #clock;
  #sessions = new Map();
  #lines = [];

  constructor({ clock = true } = {}) {
    this.#clock = clock ? () => Math.round(performance.now() * 1e6) : undefined;
  }

  /** Open a session; each has a name of its own. */
  session(name = `s${this.#sessions.size + 1}`) {
    if (this.#sessions.has(name)) throw new Error(`there is a session '${name}' already`);
    const session = new Session(name, this.#clock, this.#lines);
    this.#sessions.set(name, session);
    return session;
  }

  /** The recording as text, for a file or for the program. */
  jsonl() {
    for (const session of this.#sessions.values()) session.close();
    return [...this.#lines].sort((a, b) => a.end - b.end).map((l) => l.text).join('');
  }
}
