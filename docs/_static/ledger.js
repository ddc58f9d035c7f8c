// Filters the ledger: by paper, corpus, kind, verdict and words. The choice is kept in the address, so that it can
// be sent to somebody. Without this script the table is simply whole.
"use strict";
(() => {
  const form = document.getElementById("ledger-filter");
  const output = form.querySelector("output");
  const rows = [...document.querySelectorAll("#ledger tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const names = ["paper", "corpus", "kind", "verdict"];

  function apply() {
    const wanted = names.map((name) => form.elements[name].value);
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      const fits = names.every((name, k) => !wanted[k] || row.dataset[name] === wanted[k]);
      row.hidden = !(fits && words.every((word) => texts[i].includes(word)));
      shown += !row.hidden;
    });
    output.textContent = `${shown} of ${rows.length} rows`;
  }

  function remember() {
    const chosen = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) chosen.set(name, value);
    const query = chosen.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
  }

  for (const [name, value] of new URLSearchParams(location.search))
    if (form.elements[name]) form.elements[name].value = value;
  form.hidden = false;
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
})();
