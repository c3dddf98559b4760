// The script of the page: highlight a transaction or edge in all views, pin it,
// filter, and move by keyboard.  The page is complete without the script.
"use strict";

const cards = Array.from(document.querySelectorAll(".card"));
const filter = document.getElementById("filter");
const status = document.getElementById("status");
const selector = "[data-txn], [data-edge]";

// The tab says what the page is about: the worst verdict and the first history.
const runs = document.querySelectorAll(".run");
const name = document.querySelector("h2");
if (runs.length && name) {
  const verdicts = Array.from(runs, (run) => run.dataset.verdict);
  const worst = ["violated", "unknown"].find((v) => verdicts.includes(v));
  const others = document.querySelectorAll(".run > h2").length - 1;
  document.title = `${worst || verdicts[0]}: ` +
    name.textContent.slice(0, 100) +
    `${others > 0 ? ` and ${others} more` : ""} - assay report`;
}

// All elements for the same transaction or edge.
function twins(element) {
  const kind = element.dataset.edge ? "edge" : "txn";
  return document.querySelectorAll(
    `[data-${kind}="${CSS.escape(element.dataset[kind])}"]`);
}

function mark(element, name, on) {
  for (const twin of twins(element)) {
    twin.classList.toggle(name, on);
  }
  // An edge also highlights its two transactions.
  if (element.dataset.edge) {
    for (const edge of twins(element)) {
      for (const end of [edge.dataset.from, edge.dataset.to]) {
        if (!end) continue;
        for (const box of document.querySelectorAll(
          `[data-txn="${CSS.escape(end)}"]`)) {
          box.classList.toggle(name, on);
        }
      }
    }
  }
}

function unpin() {
  for (const element of document.querySelectorAll(".pinned")) {
    element.classList.remove("pinned");
  }
}

function pin(element) {
  const was = element.classList.contains("pinned");
  unpin();
  if (was) return;
  mark(element, "pinned", true);
  if (!element.dataset.edge) return;
  for (const twin of twins(element)) {
    if (twin.tagName === "DETAILS" && !twin.contains(document.activeElement)) {
      twin.open = true;
    }
  }
}

document.addEventListener("pointerover", (event) => {
  const element = event.target.closest(selector);
  if (element) mark(element, "hot", true);
});
document.addEventListener("pointerout", (event) => {
  const element = event.target.closest(selector);
  if (element) mark(element, "hot", false);
});
document.addEventListener("click", (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    copyText(copy);
    return;
  }
  const count = event.target.closest("[data-filter]");
  if (count) {
    filter.value = count.dataset.filter.includes(" ")
      ? `"${count.dataset.filter}"` : count.dataset.filter;
    applyFilter();
    return;
  }
  if (event.target.closest("summary, a, input, button")) return;
  const element = event.target.closest(selector);
  if (element) pin(element);
  else unpin();
});

function copyText(button) {
  const source = document.getElementById(button.dataset.copy);
  const range = document.createRange();
  const box = source.closest("details");
  const open = box.open;
  box.open = true;
  range.selectNodeContents(source);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  const done = document.execCommand("copy");
  selection.removeAllRanges();
  box.open = open;
  button.textContent = done ? "copied" : "select and copy by hand";
  if (!done) box.open = true;
}

// A card stays visible if each word of the filter is one of its keys, sessions
// or transactions, exactly; "key:x", "session:1" and "transaction:s1/2" say
// which; a word that ends in * is the beginning of one.  A name with spaces can
// be typed as it is, or in quotes.  Boxes that match no word fade.
const kinds = ["key", "session", "transaction"];

function parseFilter(text) {
  const words = text.match(/(?:[^\s"]|"[^"]*"?)+/g) || [];
  const terms = [];
  for (let i = 0; i < words.length; i++) {
    let word = words[i].replace(/"/g, "");
    let kind = kinds.find((k) => word.startsWith(`${k}:`));
    if (kind) {
      word = word.slice(kind.length + 1);
    } else if (kinds.includes(word) && i + 1 < words.length) {
      kind = word;
      word = words[++i].replace(/"/g, "");
    }
    if (word) terms.push({ kind, word });
  }
  return terms;
}

function hasTerm(element, { kind, word }) {
  return element.dataset.find.split("\n").some((line) => {
    const colon = line.indexOf(":");
    if (kind && line.slice(0, colon) !== kind) return false;
    const value = line.slice(colon + 1);
    return value === word || (word.length > 1 && word.endsWith("*") &&
      value.startsWith(word.slice(0, -1)));
  });
}

// Found as one name, or word by word.
function isFound(element, text, terms) {
  return terms.every((term) => hasTerm(element, term)) ||
    hasTerm(element, { word: text });
}

function applyFilter() {
  const text = filter.value.toLowerCase().trim();
  const terms = parseFilter(text);
  let shown = 0;
  for (const card of cards) {
    const found = isFound(card, text, terms);
    card.hidden = !found;
    shown += found ? 1 : 0;
    for (const box of card.querySelectorAll("[data-find]")) {
      const hit = !text || hasTerm(box, { word: text }) ||
        terms.some((term) => hasTerm(box, term));
      box.classList.toggle("faint", !hit);
    }
  }
  for (const group of document.querySelectorAll("details.group")) {
    const found = group.querySelector(".card:not([hidden])");
    group.hidden = !found;
    if (text && found) group.open = true;
  }
  status.textContent = text ? `${shown} of ${cards.length} anomalies` : "";
}
if (filter) filter.addEventListener("input", applyFilter);

// Cards after the first are folded; what is gone to is unfolded, with what it
// is in.
function unfold(card) {
  const body = card && card.querySelector("details.body");
  if (body) body.open = true;
  for (let box = card; box; box = box.parentElement) {
    if (box.tagName === "DETAILS") box.open = true;
  }
}
function unfoldTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target || !target.classList.contains("card")) return;
  unfold(target);
  target.scrollIntoView({ block: "start" });
}
addEventListener("hashchange", unfoldTarget);
addEventListener("beforeprint", () => {
  if (cards.length <= 10) cards.forEach(unfold);
});
unfoldTarget();

let current = -1;
function goTo(step) {
  const open = cards.filter((card) => !card.hidden);
  if (!open.length) return;
  const here = open.indexOf(cards[current]);
  const next = here < 0 ? (step > 0 ? 0 : open.length - 1)
    : Math.min(open.length - 1, Math.max(0, here + step));
  for (const card of cards) card.classList.remove("here");
  current = cards.indexOf(open[next]);
  open[next].classList.add("here");
  unfold(open[next]);
  open[next].scrollIntoView({ block: "start" });
  open[next].focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === filter) {
    if (event.key === "Escape") {
      filter.value = "";
      applyFilter();
      filter.blur();
    }
    return;
  }
  const element = event.target.closest && event.target.closest(selector);
  if ((event.key === "Enter" || event.key === " ") && element &&
      event.target.tagName !== "SUMMARY") {
    pin(element);
    event.preventDefault();
  } else if (event.key === "/" && filter) {
    filter.focus();
    event.preventDefault();
  } else if (event.key === "j" || event.key === "n") {
    goTo(1);
  } else if (event.key === "k" || event.key === "p") {
    goTo(-1);
  } else if (event.key === "e") {
    const all = document.querySelectorAll(".card details.edge");
    const open = Array.from(all).some((box) => !box.open);
    for (const box of all) box.open = open;
  } else if (event.key === "Escape") {
    unpin();
  }
});
