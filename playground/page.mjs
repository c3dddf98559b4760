// page.mjs -- the playground: a history in, verdict, story and picture out.
//
// The text and the levels are in the fragment of a shared link, compressed; a
// fragment never leaves the browser.

const LEVELS = ['rc', 'ra', 'cc', 'pc', 'psi', 'si', 'ser', 'strict-si', 'strict-ser'];
const TITLES = {
  rc: 'read committed', ra: 'read atomic', cc: 'causal', pc: 'prefix', psi: 'parallel snapshot',
  si: 'snapshot isolation', ser: 'serializable', 'strict-si': 'strict snapshot', 'strict-ser': 'strictly serializable',
};
const FORMATS = ['', 'hist', 'jsonl', 'json', 'edn', 'text', 'csv', 'cobra', 'dbcop', 'dbcop-json', 'viper'];
const LONGEST_LINK = 30000; // characters: mail and chat cut longer ones
const EXAMPLES = {
  'Write skew: both doctors leave': 'alice[x==? y==? x:=1] --- bob[x==? y==? y:=1]',
  'Lost update': 'start[x:=1] --- first[x==1 x:=2] --- second[x==1 x:=3]',
  'Long fork': 'reader[x==1 y==?] --- other-reader[x==? y==1] --- [x:=1] --- [y:=1]',
  'Read of an aborted write': 'writer[x:=1]! --- reader[x==1]',
  'Fractured read': 'writer[x:=1 y:=1] --- reader[x==1 y==?]',
  'Nothing wrong': 'writer[x:=1] [x==1 x:=2] --- reader[x==2 y:=1]',
  'JSON lines: on call': @ON_CALL@,
};

const $ = (id) => document.getElementById(id);
let worker, module, running = false, last;

function say(text, isBad) {
  $('status').textContent = text;
  $('status').className = isBad ? 'bad' : '';
}

// --- bytes ------------------------------------------------------------------

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
}

function toBase64(bytes) {
  let text = '';
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

async function compile() {
  const packed = fromBase64($('wasm').textContent.trim());
  return WebAssembly.compile(await through(packed, new DecompressionStream('gzip')));
}

// --- checking ---------------------------------------------------------------

function chosenLevels() {
  return LEVELS.filter((l) => $(`level-${l}`).checked);
}

function setRunning(is) {
  running = is;
  $('stop').hidden = !is;
  $('check').disabled = is;
}

function stop(why) {
  worker?.terminate();
  worker = undefined;
  setRunning(false);
  say(why);
}

function showResult(result, text) {
  last = result;
  const wrong = Object.entries(result.levels).filter(([, v]) => v !== 'ok');
  $('headline').textContent = wrong.length
    ? wrong.map(([l, v]) => `${TITLES[l]}: ${v}`).slice(0, 1)[0] : 'All chosen levels hold';
  document.title = `${result.verdict}: Assay playground`;
  $('verdicts').replaceChildren(...Object.entries(result.levels).map(([level, verdict]) => {
    const item = document.createElement('li');
    item.className = verdict;
    item.textContent = `${TITLES[level]}: ${verdict}`;
    return item;
  }));
  $('story').textContent = result.reports.text;
  $('report').srcdoc = result.reports.html;
  $('version').textContent = result.version;
  $('result').hidden = false;
  const n = result.transactions;
  say(`${n} transaction${n === 1 ? '' : 's'} checked`);
}

function check() {
  const text = $('text').value;
  const level = chosenLevels().join(',');
  if (!text.trim()) return say('The history is empty: paste one, or choose an example', true);
  if (!level) return say('Choose at least one level', true);
  if (running) stop('');
  setRunning(true);
  say('checking ...');
  worker ??= new Worker(URL.createObjectURL(new Blob([$('worker').textContent], { type: 'text/javascript' })));
  worker.onmessage = ({ data }) => {
    setRunning(false);
    if (data.error) {
      $('result').hidden = true;
      say(data.error, true);
    } else {
      showResult(data.result, text);
    }
  };
  worker.onerror = (e) => stop(`The checker failed: ${e.message}`);
  worker.postMessage({ module, text, name: 'history', format: $('format').value || undefined, level });
}

// --- links and files --------------------------------------------------------

async function share() {
  const state = JSON.stringify({ text: $('text').value, levels: chosenLevels(), format: $('format').value });
  const packed = toBase64(await through(new TextEncoder().encode(state), new CompressionStream('deflate-raw')));
  if (packed.length > LONGEST_LINK) {
    return say(`The history is too large for a link (${packed.length} characters): share the file`, true);
  }
  history.replaceState(null, '', `#${packed}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say('The link is copied; it holds the history itself');
  } catch {
    say('The link is in the address bar; it holds the history itself');
  }
}

async function openLink() {
  if (location.hash.length < 2) return false;
  try {
    const bytes = await through(fromBase64(location.hash.slice(1)), new DecompressionStream('deflate-raw'));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    $('text').value = String(state.text);
    $('example').selectedIndex = -1;
    $('format').value = FORMATS.includes(state.format) ? state.format : '';
    for (const l of LEVELS) $(`level-${l}`).checked = state.levels.includes(l);
    return true;
  } catch {
    say('The link is damaged: it holds no history', true);
    return false;
  }
}

async function take(file) {
  if (!file) return;
  $('text').value = await file.text();
  $('example').selectedIndex = -1;
  $('format').value = '';
  check();
}

function save(name, text, type) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([text], { type }));
  a.download = name;
  a.click();
}

// --- the page ---------------------------------------------------------------

/** As high as the report is, so that the page scrolls and not a part of it. */
function fit() {
  const page = $('report').contentDocument?.body;
  if (!page) return;
  new ResizeObserver(() => { $('report').style.height = `${page.offsetHeight + 4}px`; }).observe(page);
}

function option(value, text) {
  const o = document.createElement('option');
  o.value = value;
  o.textContent = text;
  return o;
}

function build() {
  $('example').append(...Object.entries(EXAMPLES).map(([name, text]) => option(text, name)));
  $('format').append(...FORMATS.map((f) => option(f, f || 'by the contents')));
  $('levels').append(...LEVELS.map((l) => {
    const label = document.createElement('label'), box = document.createElement('input');
    box.type = 'checkbox';
    box.id = `level-${l}`;
    box.checked = l === 'si' || l === 'ser';
    label.append(box, TITLES[l]);
    return label;
  }));
}

function listen() {
  $('form').addEventListener('submit', (e) => { e.preventDefault(); check(); });
  $('text').addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) check(); });
  $('example').addEventListener('change', (e) => { $('text').value = e.target.value; $('format').value = ''; check(); });
  $('text').addEventListener('input', () => { $('example').selectedIndex = -1; });
  $('file').addEventListener('change', (e) => take(e.target.files[0]));
  $('stop').addEventListener('click', () => stop('Stopped'));
  $('share').addEventListener('click', share);
  $('report').addEventListener('load', fit);
  $('save-html').addEventListener('click', () => save('assay.html', last.reports.html, 'text/html'));
  $('save-json').addEventListener('click', () => save('assay.json', last.reports.json, 'application/json'));
  addEventListener('hashchange', async () => { if (await openLink()) check(); });
  addEventListener('dragover', (e) => { e.preventDefault(); document.body.classList.add('drop'); });
  addEventListener('dragleave', () => document.body.classList.remove('drop'));
  addEventListener('drop', (e) => {
    e.preventDefault();
    document.body.classList.remove('drop');
    take(e.dataTransfer.files[0]);
  });
}

async function start() {
  build();
  listen();
  const isDamaged = !(await openLink()) && location.hash.length > 1;
  if (!$('text').value) $('text').value = Object.values(EXAMPLES)[0];
  module = await compile();
  document.body.dataset.ready = 'yes';
  if (!isDamaged) check();
}

start().catch((e) => say(`The checker cannot start: ${e.message}`, true));
