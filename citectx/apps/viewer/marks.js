"use strict";
/* From spans to elements. Text is set by textContent alone: an article cannot smuggle markup in. */

const COLOURS = 12; // tints of methods in page.css
const STYLES = 6; // lines of annotators in page.css

/* make("p", {class: "note", onclick: f}, "text", another) */
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/* All that is to be marked for one citance: a list of {kind, of, rank, start, end, name, label}. */
function layers(data, citance, methods) {
  const spans = [];
  for (const [of, marked] of citance.gold) {
    const { name, label } = data.annotators[of];
    for (const [start, end] of marked) spans.push({ kind: "gold", of, start, end, name: `annotator ${name}`, label });
  }
  for (const of of methods) {
    const { name } = data.methods[of];
    citance.found[of].forEach(([start, end], i) => {
      spans.push({ kind: "hit", of, start, end, name: `${name} at rank ${i + 1}`, label: `${name} ${i + 1}` });
    });
  }
  return spans;
}

/* One paragraph, cut at every border: `reach` is where the paragraph before it ends, so that a span which starts
   in the white space between the two is announced here. */
function paint(node, text, [start, end], reach, spans, heat) {
  const here = spans.filter((span) => span.start < end && span.end > start);
  node.classList.toggle("has-marks", here.length > 0);
  if (!here.length) {
    if (node.childElementCount || !node.firstChild) node.textContent = text.slice(start, end);
    return;
  }
  const borders = new Set([start, end]);
  for (const span of here) {
    borders.add(Math.max(span.start, start));
    borders.add(Math.min(span.end, end));
  }
  const places = [...borders].sort((a, b) => a - b);
  const rows = heat ? new Map() : rowsOf(here);
  node.style.setProperty("--rows", Math.max(0, ...[...rows.values()].map((row) => row + 1)));
  node.replaceChildren();
  for (let i = 0; i + 1 < places.length; i++) {
    const [a, b] = [places[i], places[i + 1]];
    const starting = here.filter((span) => span.start === a || (a === start && span.start < a && span.start >= reach));
    if (starting.length) node.append(stop(a, starting));
    node.append(piece(text.slice(a, b), here.filter((span) => span.start <= a && span.end >= b), rows, heat));
  }
}

/* A row of underlining for each annotator of a paragraph: the first that nobody whose spans overlap has taken. */
function rowsOf(spans) {
  const rows = new Map();
  const gold = spans.filter((span) => span.kind === "gold");
  for (const of of new Set(gold.map((span) => span.of))) {
    const own = gold.filter((span) => span.of === of);
    const near = gold.filter((other) => rows.has(other.of) && own.some((span) => span.start < other.end && other.start < span.end));
    const taken = new Set(near.map((other) => rows.get(other.of)));
    let row = 0;
    while (taken.has(row)) row++;
    rows.set(of, row);
  }
  return rows;
}

/* A stretch of text over which nothing changes. */
function piece(text, spans, rows, heat) {
  if (!spans.length) return document.createTextNode(text);
  const gold = spans.filter((span) => span.kind === "gold");
  const hits = [...new Map(spans.filter((span) => span.kind === "hit").map((span) => [span.of, span])).values()];
  const missed = spans.some((span) => span.kind === "missed");
  const annotators = new Set(gold.map((span) => span.of));
  let inner = document.createTextNode(text);
  for (const of of heat ? [] : annotators) {
    const line = make("span", { class: `line a${of % STYLES}` }, inner);
    line.style.setProperty("--row", rows.get(of));
    inner = line;
  }
  const classes = ["piece"];
  if (annotators.size) classes.push("gold");
  if (hits.length) classes.push("hit");
  if (missed) classes.push("missed");
  const node = make(hits.length ? "mark" : "span", { class: classes.join(" "), title: told(spans) }, inner);
  node.dataset.annotators = annotators.size;
  node.dataset.methods = hits.map((span) => span.of).join(" ");
  if (heat && annotators.size) node.classList.add(`heat${Math.min(annotators.size, 4)}`);
  if (hits.length) {
    node.style.backgroundImage = bands(hits.map((span) => span.of), heat ? 35 : 0);
    if (heat) node.style.backgroundSize = `100% ${Math.min(3 * hits.length, 6)}px`;
  }
  return node;
}

/* Methods that returned the same text share its height as bands. */
function bands(methods, ink) {
  const height = 100 / methods.length;
  const colour = (m) => `color-mix(in srgb, var(--m${m % COLOURS}), var(--ink) ${ink}%)`;
  const parts = methods.map((m, i) => `${colour(m)} ${i * height}% ${(i + 1) * height}%`);
  return `linear-gradient(to bottom, ${parts.join(", ")})`;
}

/* The button at the start of spans: who starts here. Its labels are drawn by CSS from data-label, so that what is
   searched, copied or read as text is the article alone. */
function chip({ kind, of, label }) {
  const look = { gold: `who a${of % STYLES}`, hit: `rank m${of % COLOURS}`, missed: "lost" }[kind];
  return make("span", { class: `chip ${look}`, "data-label": label });
}

function stop(at, spans) {
  const chips = spans.map(chip);
  return make("button", { type: "button", class: "stop", "data-at": at, "aria-label": `starts here: ${told(spans)}` }, ...chips);
}

function told(spans) {
  return [...new Set(spans.map((span) => span.name))].join(", ");
}
