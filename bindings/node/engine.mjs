// engine.mjs -- libassay as WebAssembly, without files, threads or a network.
//
// An Engine is one instance of the module.  Work that the library abandons, at a
// limit, leaves it by an exception of JavaScript: host.run catches it and puts
// the stack pointer back.  Any other exception means that the memory of the
// instance cannot be trusted, so the next call gets a new instance.

const OPTIONS = { timeout: 1, memory: 2, verify: 4, anomalies: 5, sessionOrder: 6, work: 7, complete: 9 };
const RENEW = 256 << 20; // bytes: memory of an instance never shrinks
const BAD_DESCRIPTOR = 8;

/** What the library refused: bad input, a wrong level, no memory. */
export class AssayError extends Error {
  constructor(message, status, line, column) {
    super(message);
    this.name = 'AssayError';
    this.status = status;
    this.line = line;
    this.column = column;
  }
}

/** Half of a surrogate pair, which is not a character. */
export const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** An option for the library: times and sizes are rounded up, so that none of them becomes 0. */
function integer(name, value) {
  const number = typeof value === 'bigint' ? value : Math.ceil(Number(value));
  if (typeof number === 'number' && !Number.isSafeInteger(number)) throw new TypeError(`${name}: ${value} is no number`);
  return BigInt(number);
}

class Instance {
  constructor(module) {
    const leave = new Error('left');
    const wasi = new Proxy({}, { get: (_, name) => this[name] || (() => BAD_DESCRIPTOR) });
    const host = {
      run: (work, self) => {
        const stack = this.exports.__stack_pointer.value;
        try {
          this.exports.__indirect_function_table.get(work)(self);
          return 1;
        } catch (e) {
          if (e !== leave) throw e;
          this.exports.__stack_pointer.value = stack;
          return 0;
        }
      },
      leave: () => { throw leave; },
    };
    this.exports = new WebAssembly.Instance(module, { host, wasi_snapshot_preview1: wasi }).exports;
    this.exports._initialize();
  }

  clock_time_get = (id, precision, at) => {
    const now = id === 0 ? Date.now() : performance.now();
    new DataView(this.exports.memory.buffer).setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
    return 0;
  };

  proc_exit = (status) => { throw new Error(`the library ended with ${status}`); };

  get bytes() { return new Uint8Array(this.exports.memory.buffer); }

  /** A copy of bytes in the memory, with a zero behind it. */
  put(bytes) {
    const at = this.exports.malloc(bytes.length + 1);
    if (!at) throw new AssayError('the history does not fit into memory', -4, 0, 0);
    this.bytes.set(bytes, at);
    this.bytes[at + bytes.length] = 0;
    return at;
  }

  text(at, n) {
    const bytes = this.bytes;
    if (n === undefined) for (n = 0; bytes[at + n];) n++;
    return new TextDecoder().decode(bytes.slice(at, at + n));
  }
}

/** Calls of the library; an instance behind it is made when it is needed. */
export class Engine {
  #module;
  #instance;

  constructor(module) { this.#module = module; }

  get version() { return this.#run((i) => i.text(i.exports.assay_version_text())); }

  /** Decide levels of a history: its verdicts, and reports by format. */
  decide(history, levels, options, formats) {
    return this.#with(history, levels, options, ({ i, x, a, h, l, need, show }) => {
      const r = need(x.assay_check(a, h, l), x.assay_result_free);
      const reports = show(formats, (format, length) => x.assay_result_text(r, format, length));
      const rows = Array.from({ length: x.assay_result_levels(r) }, (_, k) =>
        ({ level: i.text(x.assay_result_level(r, k)), status: x.assay_result_verdict(r, k) }));
      return { status: x.assay_verdict(r), rows, reports, transactions: Number(x.assay_transactions(h)),
        partial: Number(x.assay_result_partial(r)) };
    });
  }

  /** Predict from a history: the answers, and reports by format. */
  predict(history, levels, most, options, formats) {
    return this.#with(history, levels, options, ({ i, x, a, h, l, need, show }) => {
      const p = need(x.assay_predict(a, h, l, most), x.assay_prediction_free);
      const reports = show(formats, (format, length) => x.assay_prediction_text(p, format, length));
      const rows = Array.from({ length: x.assay_prediction_levels(p) }, (_, k) =>
        ({ level: i.text(x.assay_prediction_level(p, k)), status: x.assay_prediction_answer(p, k) }));
      return { status: x.assay_answer(p), rows, reports };
    });
  }

  /** Call work with a history and levels in the memory of the instance. */
  #with({ data, name, format }, levels, options, work) {
    return this.#run((i, use) => {
      const x = i.exports;
      const copy = (text) => {
        // C would see what is before a zero; an encoder makes one text of different ones.
        if (typeof text === 'string' && (text.includes('\0') || LONE.test(text)))
          throw new TypeError(`${JSON.stringify(text)} has a zero character or half of a surrogate pair`);
        return use(i.put(typeof text === 'string' ? new TextEncoder().encode(text) : text), x.free);
      };
      const need = (at, free) => {
        if (!at) throw this.#error(i);
        return use(at, free);
      };
      const a = need(x.assay_new(), x.assay_free);
      for (const [key, value] of Object.entries(options)) {
        if (!OPTIONS[key]) throw new TypeError(`unknown option '${key}'`);
        if (value !== undefined && x.assay_set(a, OPTIONS[key], integer(key, value)) !== 0) throw this.#error(i);
      }
      const h = need(x.assay_parse(a, copy(data), data.length, format ? copy(format) : 0), x.assay_history_free);
      if (x.assay_history_set_name(h, copy(name)) !== 0) throw this.#error(i);
      const show = (formats, make) => {
        const length = copy('....');
        const reports = {};
        for (const one of formats) {
          const at = make(copy(one), length);
          if (!at) throw this.#error(i);
          reports[one] = i.text(at, new DataView(x.memory.buffer).getUint32(length, true));
        }
        return reports;
      };
      return work({ i, x, a, h, l: copy(levels), need, show });
    });
  }

  #error(i) {
    const x = i.exports;
    return new AssayError(i.text(x.assay_error()), x.assay_error_status(),
      Number(x.assay_error_line()), Number(x.assay_error_column()));
  }

  /** Run work(instance, use), then free what it used, last first. */
  #run(work) {
    const instance = (this.#instance ??= new Instance(this.#module));
    const used = [];
    const use = (at, free) => {
      used.push(() => free(at));
      return at;
    };
    try {
      const result = work(instance, use);
      while (used.length) used.pop()();
      if (instance.bytes.length > RENEW) this.#instance = undefined;
      return result;
    } catch (e) {
      if (e instanceof AssayError || e instanceof TypeError) while (used.length) used.pop()();
      else this.#instance = undefined;
      throw e;
    }
  }
}
