/* The page: state, panels, keys. */

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "="];
const LOST = "missed by all methods";
const KEYS = [
  ["j k or → ←", "next, previous citance (↓ ↑ in their list)"],
  ["n p", "next, previous marked place"],
  ["1 2 … 0 - =", "show or hide a method"],
  ["a", "all methods, or none"],
  ["h", "agreement: shade by how many annotators marked each character"],
  ["m", "missed: hatch what annotators marked and no method returned"],
  ["f", "marked paragraphs only, or the whole article"],
  ["t", "light or dark"],
  ["?", "these keys"],
];
const state = {
  citance: data.start,
  methods: new Set(data.methods.length ? [0, data.methods.length - 1] : []),
  heat: false,
  missed: true,
  marked: false,
  place: -1, // offset of the marked place stepped to last
};
const citance = () => data.citances[state.citance];
const percent = (value) => (value === null || value === undefined ? "–" : value.toFixed(1));
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const paragraphs = [];

/* ---- what is drawn once ---- */

function layOut() {
  const tags = { title: "h1", heading: "h2", table: "pre" };
  let reach = 0;
  for (const [start, end, kind, section] of data.blocks) {
    const node = make(tags[kind] ?? "p", { class: `block ${kind}` });
    node.textContent = data.text.slice(start, end);
    paragraphs.push({ node, range: [start, end], reach, kind, section });
    reach = end;
  }
  byId("article").append(...paragraphs.map((p) => p.node));
  if (!paragraphs.length) byId("article").append(make("p", { class: "note" }, "This article has no text."));
  byId("where").textContent = [data.corpus, data.topic, data.title].filter(Boolean).join(" · ");
  byId("k").textContent = data.k;
  for (const [key, what] of KEYS) byId("keys").append(make("dt", {}, make("kbd", {}, key)), make("dd", {}, what));
}

function listCitances() {
  byId("citances").append(
    ...data.citances.map((one, i) =>
      make("li", {}, make("button", { type: "button", class: "citance", onclick: () => go(i) }, ...citanceHead(one), passage(one), facets(one))),
    ),
  );
  if (!data.citances.length) byId("citances").after(make("p", { class: "note" }, "Nobody cites this article in the corpus."));
  byId("all-citances").textContent = `All ${plural(data.citances.length, "citance")}`;
}

function citanceHead(one) {
  return [make("span", { class: "number" }, one.id), make("span", { class: "citing" }, one.citing === one.id ? "" : one.citing), make("span", { class: `cue${cue(one) === LOST ? " lost" : ""}` }, cue(one))];
}

function cue(one) {
  if (!one.annotators.length) return "no annotators";
  if (!one.gold.length) return "no evidence";
  if (!data.methods.length) return "";
  const f = one.scores.map((row) => row[2]);
  const best = Math.max(...f);
  return best > 0 ? `best c-F ${percent(best)}, ${data.methods[f.indexOf(best)].name}` : LOST;
}

function passage(one) {
  const node = make("span", { class: "passage" });
  if (one.marker === null) node.textContent = one.text;
  else {
    const [start, end] = one.marker;
    node.append(one.text.slice(0, start), make("b", { class: "marker" }, one.text.slice(start, end)), one.text.slice(end));
  }
  return node;
}

function facets(one) {
  return make(
    "span",
    { class: "facets" },
    ...one.facets.map(([facet, annotators]) => {
      const who = annotators.map((a) => data.annotators[a].name);
      return make("span", { class: "facet", title: `said by ${who.join(", ")}` }, `${facet.replaceAll("_", " ")} (${who.join(", ")})`);
    }),
  );
}

function listMethods() {
  const heads = [...data.scores, "mean\nc-F"].map((name) => make("th", { scope: "col" }, name));
  byId("scores").append(make("tr", {}, make("th", { scope: "col" }, "method"), ...heads));
  data.methods.forEach((method, i) => {
    const box = make("input", { type: "checkbox", value: i, onchange: () => toggle(i) });
    const key = DIGITS[i] ? make("kbd", {}, DIGITS[i]) : null;
    const label = make("label", { title: `${method.params || "no parameters"}: ${method.how}` }, box, make("span", { class: `swatch m${i % COLOURS}` }), method.name, key);
    byId("methods").append(make("tr", {}, make("th", { scope: "row" }, label), ...[...data.scores, "mean"].map(() => make("td"))));
    byId("settings").append(make("dt", {}, method.name), make("dd", {}, `${method.params || "no parameters"} (${method.how})`));
  });
  for (const [name, why] of data.leftOut) byId("settings").append(make("dt", {}, name), make("dd", {}, `not shown: ${why}`));
  if (!data.methods.length) byId("methods").append(make("tr", {}, make("td", { colspan: 6 }, "No method is shown.")));
}

/* What the labels in the text mean, by the first annotator and the first method. */
function explainChips() {
  const parts = [];
  const [annotator, method] = [data.annotators[0], data.methods[0]];
  if (annotator) parts.push(chip({ kind: "gold", of: 0, label: annotator.label }), ` what annotator ${annotator.name} marked begins here; `);
  if (method) parts.push(chip({ kind: "hit", of: 0, label: `${method.name} 1` }), ` the sentence that ${method.name} ranks first (2: second, and so on); `);
  if (annotator && method) parts.push(chip({ kind: "missed", of: 0, label: "missed" }), " an annotator marked this, and no method returned it; ");
  if (parts.length) byId("chips").append(...parts, "point at one, or step through them with n and p, to read it in full.");
}

/* ---- what follows the state ---- */

function draw() {
  const one = citance();
  const spans = one ? layers(data, one, [...state.methods].sort((a, b) => a - b)) : [];
  if (one && state.missed) {
    for (const [start, end] of one.missed) spans.push({ kind: "missed", of: 0, start, end, name: LOST, label: "missed" });
  }
  for (const p of paragraphs) paint(p.node, data.text, p.range, p.reach, spans, state.heat);
  const open = new Set(paragraphs.filter((p) => p.node.classList.contains("has-marks")).map((p) => p.section));
  for (const p of paragraphs) p.node.classList.toggle("keep", p.kind === "title" || (p.kind === "heading" && open.has(p.section)));
  byId("article").classList.toggle("marked-only", state.marked);
  drawCitances();
  drawMethods(one);
  drawAnnotators(one);
  drawTools();
  requestAnimationFrame(drawMap);
  remember();
}

function drawCitances() {
  [...byId("citances").children].forEach((item, i) => {
    const current = i === state.citance;
    item.classList.toggle("current", current);
    if (current) item.firstChild.setAttribute("aria-current", "true");
    else item.firstChild.removeAttribute("aria-current");
  });
}

function drawMethods(one) {
  [...byId("methods").rows].forEach((row, i) => {
    if (!data.methods[i]) return;
    row.querySelector("input").checked = state.methods.has(i);
    row.classList.toggle("on", state.methods.has(i));
    const values = [...(one?.scores[i] ?? data.scores.map(() => null)), data.methods[i].means?.[2]];
    [...row.cells].slice(1).forEach((cell, n) => (cell.textContent = percent(values[n])));
  });
  byId("all-missed").textContent = missedNote(one);
}

function missedNote(one) {
  if (!one || !data.methods.length) return "";
  if (!one.annotators.length) return "This citance has no annotators: there is nothing to score against.";
  if (!one.gold.length) return "No annotator marked evidence for this citance: there is nothing to score against.";
  const all = data.methods.length === 1 ? data.methods[0].name : `all ${data.methods.length} methods`;
  if (!one.missed.length) return `Nothing that annotators marked was missed by ${all}.`;
  return `Missed by ${all}: ${one.missedShare.toFixed(0)} % of the marked characters, in ${plural(one.missed.length, "place")}.`;
}

function drawAnnotators(one) {
  const list = byId("annotators");
  list.replaceChildren();
  const gold = new Map(one?.gold ?? []);
  for (const of of one?.annotators ?? []) {
    const sample = make("span", { class: `line a${of % STYLES}` }, data.annotators[of].name);
    sample.style.setProperty("--row", 0);
    list.append(make("li", {}, sample, ` ${gold.has(of) ? plural(gold.get(of).length, "span") : "marked nothing"}`));
  }
  if (!list.children.length) list.append(make("li", {}, "none for this citance"));
  if (state.heat) {
    const most = Math.min(Math.max(gold.size, 1), 4);
    const steps = Array.from({ length: most }, (_, n) => make("span", { class: `heat${n + 1} sample` }, n === 3 && gold.size > 4 ? "4+" : `${n + 1}`));
    list.append(make("li", { class: "scale" }, "annotators who marked a character: ", ...steps));
  }
}

function drawTools() {
  byId("at-citance").textContent = data.citances.length ? `citance ${state.citance + 1} of ${data.citances.length}` : "no citances";
  for (const name of ["heat", "missed", "marked"]) document.querySelector(`[data-do="${name}"]`).setAttribute("aria-pressed", state[name]);
  drawPlace();
}

function drawPlace() {
  const all = stops();
  const at = all.findIndex((s) => Number(s.dataset.at) === state.place);
  byId("at-place").textContent = all.length ? (at < 0 ? plural(all.length, "place") : `place ${at + 1} of ${all.length}`) : "no places";
}

/* Where in the article the marks are: annotators' on the left, methods' on the right. */
function drawMap() {
  const article = byId("article");
  const box = article.getBoundingClientRect();
  const ticks = [...article.querySelectorAll(".piece")].map((node) => {
    const own = node.getBoundingClientRect();
    const tick = make("i", { class: ["gold", "hit", "missed"].filter((name) => node.classList.contains(name)).join(" ") });
    tick.style.top = `${(100 * (own.top - box.top)) / box.height}%`;
    tick.style.height = `max(3px, ${(100 * own.height) / box.height}%)`;
    return tick;
  });
  byId("map").replaceChildren(...ticks);
}

/* ---- moving about ---- */

const stops = () => [...document.querySelectorAll("button.stop")];

function go(i, { quiet = false } = {}) {
  if (!data.citances.length) return;
  state.citance = (i + data.citances.length) % data.citances.length;
  state.place = -1;
  draw();
  if (quiet) return;
  const item = byId("citances").children[state.citance];
  const list = item.closest(".citances");
  if (list.scrollHeight > list.clientHeight) list.scrollTop = item.offsetTop - list.clientHeight / 4;
  const first = stops()[0];
  if (first) show(first);
  tell();
}

function tell() {
  const one = citance();
  const shown = [...state.methods].map((m) => `${data.methods[m].name} c-F ${percent(one.scores[m]?.[2])}`);
  byId("status").textContent = `Citance ${state.citance + 1} of ${data.citances.length}. ${cue(one)}. ${shown.join(", ")}`;
}

function show(node) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  node.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
}

function step(by) {
  const all = stops();
  if (!all.length) return;
  const places = all.map((s) => Number(s.dataset.at));
  let next = by > 0 ? places.findIndex((at) => at > state.place) : places.findLastIndex((at) => at < state.place);
  if (next < 0) next = by > 0 ? 0 : all.length - 1;
  state.place = places[next];
  all[next].focus({ preventScroll: true });
  show(all[next]);
  drawPlace();
}

function toggle(i) {
  if (!data.methods[i]) return;
  if (!state.methods.delete(i)) state.methods.add(i);
  draw();
  byId("status").textContent = `${data.methods[i].name} ${state.methods.has(i) ? "shown" : "hidden"}`;
}

function toggleAll() {
  const all = data.methods.map((_, i) => i);
  state.methods = new Set(state.methods.size < all.length ? all : []);
  draw();
}

function flip(name) {
  state[name] = !state[name];
  draw();
}

function theme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
}

function help() {
  if (byId("help").open) byId("help").close();
  else byId("help").showModal();
}

/* ---- the address: #citance=3&methods=BM25,LMD&show=heat,marked ---- */

function remember() {
  if (!citance()) return;
  const shown = ["heat", "missed", "marked"].filter((name) => state[name]);
  const parts = [["citance", citance().id], ["methods", [...state.methods].map((m) => data.methods[m].name).join(",")], ["show", shown.join(",")]];
  const hash = `#${new URLSearchParams(parts)}`.replaceAll("%2C", ",");
  try {
    history.replaceState(null, "", hash);
  } catch {
    /* a page inside a notebook has no address of its own */
  }
}

/* Take the state from the address; what it does not name stays as it is. Returns whether it names a citance. */
function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const wanted = parts.get("citance");
  const at = data.citances.findIndex((one) => one.id === wanted);
  if (at >= 0) state.citance = at;
  else if (wanted !== null) byId("status").textContent = `There is no citance ${wanted} here.`;
  if (parts.has("methods")) {
    const names = parts.get("methods").split(",");
    state.methods = new Set(data.methods.map((_, i) => i).filter((i) => names.includes(data.methods[i].name)));
  }
  if (parts.has("show")) for (const name of ["heat", "missed", "marked"]) state[name] = parts.get("show").split(",").includes(name);
  return at >= 0;
}

/* ---- events ---- */

const ACTIONS = {
  "next-citance": () => go(state.citance + 1),
  "previous-citance": () => go(state.citance - 1),
  "next-place": () => step(1),
  "previous-place": () => step(-1),
  heat: () => flip("heat"),
  missed: () => flip("missed"),
  marked: () => flip("marked"),
  all: toggleAll,
  theme,
  help,
};
const BOUND = { j: "next-citance", ArrowRight: "next-citance", k: "previous-citance", ArrowLeft: "previous-citance", n: "next-place", p: "previous-place", h: "heat", m: "missed", f: "marked", a: "all", t: "theme", "?": "help" };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (byId("help").open) {
    if (event.key === "?") help();
    return;
  }
  const inList = byId("citances").contains(document.activeElement);
  const action = BOUND[event.key] ?? (inList && { ArrowDown: "next-citance", ArrowUp: "previous-citance" }[event.key]);
  if (action) {
    ACTIONS[action]();
    if (inList && action.endsWith("citance")) byId("citances").children[state.citance].firstChild.focus({ preventScroll: true });
  } else if (DIGITS.includes(event.key)) toggle(DIGITS.indexOf(event.key));
  else return;
  event.preventDefault();
}

function listen() {
  document.addEventListener("keydown", onKey);
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", ACTIONS[button.dataset.do]);
  byId("skip").addEventListener("click", () => byId("article").focus());
  byId("all-citances").addEventListener("click", () => {
    const open = document.querySelector(".citances").classList.toggle("open");
    byId("all-citances").setAttribute("aria-expanded", open);
  });
  byId("article").addEventListener("click", (event) => {
    const at = event.target.closest("button.stop")?.dataset.at;
    if (at === undefined) return;
    state.place = Number(at);
    drawPlace();
  });
  byId("map").addEventListener("click", (event) => {
    const box = byId("map").getBoundingClientRect();
    const article = byId("article").getBoundingClientRect();
    scrollTo({ top: scrollY + article.top + (article.height * (event.clientY - box.top)) / box.height - innerHeight / 2 });
  });
  addEventListener("hashchange", () => {
    recall();
    go(state.citance);
  });
  addEventListener("resize", () => requestAnimationFrame(drawMap));
}

layOut();
listCitances();
listMethods();
explainChips();
listen();
byId("panel").open = !matchMedia("(max-width: 760px)").matches;
const linked = recall();
draw();
if (linked) go(state.citance);
document.documentElement.dataset.ready = "true";
