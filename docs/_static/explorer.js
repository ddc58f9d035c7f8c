// Filters of the table of claims. Each row carries its verdicts and the words it is found by as data.
"use strict";
const form = document.getElementById("filters");
const rows = [...document.querySelectorAll("#claims tbody tr")];
const stages = [...form.elements.stage.options].map((option) => option.value).filter(Boolean);

function verdictOf(row, stage) {
  return row.getAttribute("data-" + stage.replace(" ", "-"));
}

function fits(row, wanted) {
  const asked = wanted.stage ? [wanted.stage] : stages;
  const verdicts = asked.map((stage) => verdictOf(row, stage)).filter(Boolean);
  const hasVerdict = (verdict) =>
    wanted.verdict === "holds*" ? verdict.startsWith("holds") : verdict === wanted.verdict;
  return (
    wanted.words.every((word) => row.dataset.words.includes(word)) &&
    (!wanted.paper || row.dataset.paper === wanted.paper) &&
    verdicts.length > 0 &&
    (!wanted.verdict || verdicts.some(hasVerdict)) &&
    (!wanted.differs || "differs" in row.dataset) &&
    (!wanted.headline || "headline" in row.dataset)
  );
}

function filter() {
  const { words, paper, stage, verdict, differs, headline, count } = form.elements;
  const wanted = {
    words: words.value.toLowerCase().split(/\s+/),
    paper: paper.value,
    stage: stage.value,
    verdict: verdict.value,
    differs: differs.checked,
    headline: headline.checked,
  };
  for (const row of rows) row.hidden = !fits(row, wanted);
  const shown = rows.filter((row) => !row.hidden);
  count.value = `${shown.length} of ${rows.length} claims`;
  document.getElementById("none").hidden = shown.length > 0;
}

// A link to a row shows it, whatever the filters hide.
function follow() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (row?.hidden) {
    form.reset();
    filter();
    row.scrollIntoView();
  }
}

form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);
filter();
