// Looks a reading up among those that were run. A reading is a letter per switch; ours is all zeros.
"use strict";
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const element = (id) => document.getElementById(id);
const { curves, verdicts, colours } = JSON.parse(element("readings-data").textContent);
let curve;

const switches = () => [...element("switches").querySelectorAll("select")];
const reading = () => switches().map((choice) => DIGITS[choice.selectedIndex]).join("");
const isHundredths = () => curve.paper !== "sigir2017";
const signed = (number) => (number < 0 ? "−" : "+") + Math.abs(number).toFixed(isHundredths() ? 3 : 1);

function make(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function listComparisons() {
  for (const stage of new Set(curves.map((one) => one.stage))) {
    const group = make("optgroup", "", { label: stage });
    curves.forEach((one, number) => {
      if (one.stage === stage) group.append(make("option", `${one.paper}: ${one.headline}`, { value: number }));
    });
    element("comparison").append(group);
  }
}

function compare() {
  curve = curves[element("comparison").value];
  element("says").textContent = `${curve.says} (${curve.paper}, ${curve.stage} on ${curve.corpus})`;
  const labels = Object.entries(curve.options).map(([name, options]) => {
    const choice = make("select");
    choice.append(...options.map((option, number) => make("option", number ? option : `${option} (ours)`)));
    const label = make("label", `${name} `);
    label.append(choice);
    return label;
  });
  element("switches").replaceChildren(...labels);
  show("");
}

// Most combinations were never run: then what was changed last is changed alone.
function change({ target }) {
  let note = "";
  if (!(reading() in curve.readings)) {
    for (const choice of switches()) if (choice !== target) choice.selectedIndex = 0;
    note = " This combination was not run, so the other switches are back at ours.";
  }
  show(note);
}

function show(note) {
  const found = curve.readings[reading()];
  if (!found) {
    element("result").textContent = "This choice was run only together with others.";
    return;
  }
  const [effect, low, high, verdict, rival] = found;
  const badge = make("span", verdicts[verdict], { class: "verdict", style: colours[verdict] });
  const ours = curve.readings["0".repeat(switches().length)];
  const told = `over ${curve.rivals[rival]}: ${signed(effect)} [${signed(low)}, ${signed(high)}]. `;
  const before = `Our reading has ${signed(ours[0])}: ${verdicts[ours[3]]}.${note}`;
  element("result").replaceChildren(badge, ` ${told}${before}`);
  draw(found);
}

function draw([effect, low, high, verdict]) {
  const all = Object.values(curve.readings).map(([number]) => number);
  const ends = [...all, low, high, 0, curve.published ?? 0];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const at = (number) => (10 + (580 * (number - least)) / (most - least || 1)).toFixed(1);
  const ticks = all.map((number) => `<path class="tick" d="M${at(number)} 42v24"/>`).join("");
  const printed = curve.published === null ? "" : `<path class="printed" d="M${at(curve.published)} 0V74"/>`;
  const bar = `<g class="confirmed"><path class="bar" d="M${at(low)} 20H${at(high)}"/><circle cx="${at(effect)}" cy="20" r="7"/></g>`;
  element("spread").innerHTML = `<path class="zero" d="M${at(0)} 0V74"/>${printed}${ticks}${bar}`;
  const larger = all.filter((number) => number > effect).length;
  const agree = Object.values(curve.readings).filter((one) => one[3] === verdict).length;
  const told = `${all.length} readings were run: ${larger} have a larger effect, ${agree} have this verdict.`;
  element("spread").setAttribute("aria-label", told);
  element("caption").textContent = `${told} A thin line below is a reading, the bar is this one. The solid line is 0` +
    (curve.published === null ? "; the paper prints no effect." : `, the dashed one the paper's effect (${signed(curve.published)}).`);
}

listComparisons();
element("comparison").addEventListener("input", compare);
element("switches").addEventListener("input", change);
element("back").addEventListener("click", compare);
element("reading").hidden = false;
compare();
