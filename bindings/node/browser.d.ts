import { Options, Recorded, Result } from './index.js';

export { AssayError, History, Recorder, Result, Session } from './index.js';

export function load(
  source: BufferSource | WebAssembly.Module | Response | Promise<Response>,
): Promise<{ inspect(history: Recorded, options?: Options): Result; readonly version: string }>;
