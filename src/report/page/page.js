// The script of the page: highlight a transaction or edge in all views, pin it,
// filter, move by keyboard, zoom in time.  The page is complete without it.
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

// --- the time axis: fits the page, and can be zoomed and moved ---------------

const LEFT = 6;
const CHAR = 8;

// The smallest of 1, 2 and 5 times a power of ten that fits at most 5 times.
function roundStep(span) {
  const least = span / 5;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((n) => n * power >= least * 0.9999);
}

function unitFor(span, unit) {
  if (unit !== "ns") return ["", 1];
  return [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3]].find(
    ([, size]) => span >= size) || ["ns", 1];
}

class TimeAxis {
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector("svg");
    this.height = this.svg.viewBox.baseVal.height;
    const involved = Array.from(
      figure.querySelectorAll(".txn:not(.context) .bar"));
    const last = Math.max(...involved.map((b) => Number(b.dataset.began)),
      ...involved.map((b) => Number(b.dataset.ended)));
    const more = last > 0 ? last / 12 : 1;
    this.first = { from: -more, to: last + more };
    this.range = { ...this.first };
    figure.querySelector(".zoom").hidden = false;
    figure.addEventListener("click", (event) => {
      const button = event.target.closest("[data-zoom]");
      if (button) this.zoom(button.dataset.zoom);
    });
    figure.addEventListener("keydown", (event) => this.press(event));
    this.svg.addEventListener("wheel", (event) => this.turn(event),
      { passive: false });
    this.draw();
  }

  // Zoom by a factor; the time at 'share' of the axis stays where it is.
  scale(factor, share) {
    const { from, to } = this.range;
    const span = Math.min((to - from) * factor,
      1000 * (this.first.to - this.first.from));
    if (span < 1e-3 * (this.first.to - this.first.from)) return;
    const at = from + share * (to - from);
    this.range = { from: at - share * span, to: at + (1 - share) * span };
    this.draw();
  }

  move(share) {
    const shift = share * (this.range.to - this.range.from);
    this.range = { from: this.range.from + shift, to: this.range.to + shift };
    this.draw();
  }

  zoom(how) {
    if (how === "all") {
      this.range = { ...this.first };
      this.draw();
    } else {
      this.scale(how === "in" ? 0.5 : 2, 0.5);
    }
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = {
      "+": () => this.zoom("in"), "=": () => this.zoom("in"),
      "-": () => this.zoom("out"), "0": () => this.zoom("all"),
      ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2),
    }[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  }

  // The wheel alone scrolls the page, as everywhere.
  turn(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / this.width;
    this.scale((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8,
      Math.min(1, Math.max(0, share)));
    event.preventDefault();
  }

  place(time) {
    const { from, to } = this.range;
    const at = Math.min(to, Math.max(from, time));
    return LEFT + this.width * (at - from) / (to - from);
  }

  draw() {
    const room = this.figure.clientWidth;
    if (!room) return; // folded
    this.width = Math.max(240, room - 2 * LEFT);
    const full = this.width + 2 * LEFT;
    this.svg.setAttribute("viewBox", `0 0 ${full} ${this.height}`);
    this.svg.setAttribute("width", full);
    for (const bar of this.svg.querySelectorAll("rect[data-began]")) {
      const began = Number(bar.dataset.began);
      const ended = Number(bar.dataset.ended);
      const seen = ended >= this.range.from && began <= this.range.to;
      const group = bar.closest("g");
      group.setAttribute("visibility", seen ? "visible" : "hidden");
      if (!seen) continue;
      const x = this.place(began);
      bar.setAttribute("x", x);
      bar.setAttribute("width", Math.max(3, this.place(ended) - x));
      const text = group.querySelector("text");
      if (!text) continue;
      const most = full - LEFT - Number(text.dataset.chars) * CHAR;
      text.setAttribute("x", Math.max(LEFT, Math.min(x, most)));
    }
    this.drawTicks();
  }

  drawTicks() {
    const { from, to } = this.range;
    const [name, size] = unitFor(to - from, this.svg.dataset.unit);
    const step = roundStep((to - from) / size);
    const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    const ticks = this.svg.querySelector(".ticks");
    ticks.replaceChildren();
    for (let i = Math.ceil(from / size / step); i * step * size <= to; i++) {
      const x = this.place(i * step * size);
      const line = this.make("line", "axis",
        { x1: x, x2: x, y1: 0, y2: this.height - 22 });
      const text = this.make("text", "tick", {
        x, y: this.height - 6,
        "text-anchor": x < LEFT + 26 ? "start"
          : x > LEFT + this.width - 26 ? "end" : "middle",
      });
      text.textContent = `${(i * step).toFixed(digits)} ${name}`.trim();
      ticks.append(line, text);
    }
  }

  make(tag, name, attributes) {
    const element =
      document.createElementNS("http://www.w3.org/2000/svg", tag);
    element.setAttribute("class", name);
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, value);
    }
    return element;
  }
}

const axes = Array.from(document.querySelectorAll("figure.timed"),
  (figure) => new TimeAxis(figure));
const drawAxes = () => axes.forEach((axis) => axis.draw());
addEventListener("resize", drawAxes);
document.addEventListener("toggle", drawAxes, true);
