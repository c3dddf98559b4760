import { Options, Prediction, Recorded, Result } from './index.js';

export { AssayError, History, Prediction, Recorder, Result, Session } from './index.js';

export function load(
  source: BufferSource | WebAssembly.Module | Response | Promise<Response>,
): Promise<{
  inspect(history: Recorded, options?: Options): Result;
  predict(history: Recorded, options?: Options & { most?: number }): Prediction;
  readonly version: string;
}>;
