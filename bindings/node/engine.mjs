// engine.mjs -- libassay as WebAssembly, without files, threads or a network.
//
// An Engine is one instance of the module.  Work that the library abandons, at a
// limit, leaves it by an exception of JavaScript: host.run catches it and puts
// the stack pointer back.  Any other exception means that the memory of the
// instance cannot be trusted, so the next call gets a new instance.

const OPTIONS = { timeout: 1, memory: 2, verify: 4, anomalies: 5, sessionOrder: 6, work: 7 };
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
  decide({ data, name, format }, levels, options, formats) {
    return this.#run((i, use) => {
      const x = i.exports;
      const copy = (text) => use(i.put(typeof text === 'string' ? new TextEncoder().encode(text) : text), x.free);
      const need = (at, free) => {
        if (!at) throw this.#error(i);
        return use(at, free);
      };
      const a = need(x.assay_new(), x.assay_free);
      for (const [key, value] of Object.entries(options)) {
        if (!OPTIONS[key]) throw new TypeError(`unknown option '${key}'`);
        if (value !== undefined && x.assay_set(a, OPTIONS[key], BigInt(value)) !== 0) throw this.#error(i);
      }
      const h = need(x.assay_parse(a, copy(data), data.length, format ? copy(format) : 0), x.assay_history_free);
      if (x.assay_history_set_name(h, copy(name)) !== 0) throw this.#error(i);
      const r = need(x.assay_check(a, h, copy(levels)), x.assay_result_free);
      const length = copy('....');
      const reports = {};
      for (const one of formats) {
        const at = x.assay_result_text(r, copy(one), length);
        if (!at) throw this.#error(i);
        reports[one] = i.text(at, new DataView(x.memory.buffer).getUint32(length, true));
      }
      const rows = Array.from({ length: x.assay_result_levels(r) }, (_, k) =>
        ({ level: i.text(x.assay_result_level(r, k)), status: x.assay_result_verdict(r, k) }));
      return { status: x.assay_verdict(r), rows, reports, transactions: Number(x.assay_transactions(h)) };
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
