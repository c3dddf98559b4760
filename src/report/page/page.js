// The script of the page: highlight a transaction or edge in all views, pin it,
// filter, and move by keyboard.  The page is complete without the script.
"use strict";

const cards = Array.from(document.querySelectorAll(".card"));
const filter = document.getElementById("filter");
const status = document.getElementById("status");
const selector = "[data-txn], [data-edge]";

// The tab says what the page is about: the first history and its verdict.
const runs = document.querySelectorAll(".run");
if (runs.length) {
  const more = runs.length > 1 ? ` and ${runs.length - 1} more` : "";
  document.title = `${runs[0].dataset.verdict}: ` +
    `${runs[0].querySelector("h2").textContent}${more} - assay report`;
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
// or transactions, exactly; a word that ends in * is the beginning of one.
// Boxes that match no word fade.
function hasWord(element, word) {
  const terms = element.dataset.find.split(/\s+/);
  return word.endsWith("*")
    ? terms.some((term) => term.startsWith(word.slice(0, -1)))
    : terms.includes(word);
}

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const card of cards) {
    const found = words.every((word) => hasWord(card, word));
    card.hidden = !found;
    shown += found ? 1 : 0;
    for (const box of card.querySelectorAll("[data-find]")) {
      const hit = words.length === 0 ||
        words.some((word) => hasWord(box, word));
      box.classList.toggle("faint", !hit);
    }
  }
  status.textContent = words.length
    ? `${shown} of ${cards.length} anomalies` : "";
}
if (filter) filter.addEventListener("input", applyFilter);

// Cards after the first are folded; what is gone to is unfolded.
function unfold(card) {
  const body = card && card.querySelector("details.body");
  if (body) body.open = true;
}
function unfoldTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.classList.contains("card")) unfold(target);
}
addEventListener("hashchange", unfoldTarget);
addEventListener("beforeprint", () => cards.forEach(unfold));
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
