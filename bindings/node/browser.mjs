// browser.mjs -- the same without Node: a page, a worker, Deno.
//
//     const assay = await load(fetch('assay.wasm'));
//     assay.inspect(text, { level: 'si', formats: ['html'] });
import { Engine } from './engine.mjs';
import { inspector, predictor } from './api.mjs';

export { AssayError } from './engine.mjs';
export { Recorder, Session } from './recorder.mjs';
export { History, Prediction, Result } from './api.mjs';

/** From a Response, a promise of one, bytes, or a compiled module. */
export async function load(source) {
  const from = await source;
  const module = from instanceof WebAssembly.Module ? from
    : await WebAssembly.compile(from instanceof Response ? await from.arrayBuffer() : from);
  const engine = new Engine(module);
  return { inspect: inspector(() => engine), predict: predictor(() => engine), version: engine.version };
}
