// worker.mjs -- checks a history beside the page, so that it can be stopped.
import { History, load } from './browser.mjs';

let assay;
onmessage = async ({ data: { module, text, name, format, level } }) => {
  try {
    assay ??= await load(module);
    const history = new History(text, { name, format });
    const { reports, ...result } = assay.inspect(history, { level, formats: ['json', 'html'] });
    postMessage({ result: { ...result, reports, version: assay.version } });
  } catch (e) {
    postMessage({ error: e.name === 'AssayError' ? e.message : String(e) });
  }
};
