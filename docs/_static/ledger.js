// Filters, sorts and pages the ledger: by mouse, by keyboard, or by a script that sets a field and sends "change" (or by
// document.querySelector("#ledger").show({verdict: "holds", sort: "ours", page: 2})). The choice is kept in the address,
// so that it can be sent to somebody. Without this script the table is simply whole.
"use strict";
(() => {
  const PER_PAGE = 50;
  const form = document.getElementById("ledger-filter");
  const table = document.getElementById("ledger");
  const [output, pager] = [form.querySelector("output"), document.getElementById("ledger-pages")];
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const heads = [...table.tHead.rows[0].cells];
  const FILTERS = ["paper", "corpus", "kind", "verdict", "q"];
  const state = { sort: "", down: false, page: 1 };
  let found = rows;

  // A cell's number where it has one; rows without a number come last, whichever way the table is sorted.
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent.trim().toLowerCase() : parseFloat(cell.dataset.sort);
  };

  function sorted(list) {
    const column = heads.findIndex((head) => head.dataset.name === state.sort);
    if (column < 0) return list;
    const keyed = list.map((row) => [key(row, column), row]);
    const [missing, present] = [keyed.filter(([k]) => Number.isNaN(k)), keyed.filter(([k]) => !Number.isNaN(k))];
    const sign = state.down ? -1 : 1;
    present.sort(([a], [b]) => sign * (typeof a === "number" ? a - b : a.localeCompare(b)));
    return [...present, ...missing].map(([, row]) => row);
  }

  function apply() {
    const wanted = FILTERS.slice(0, -1).map((name) => [name, form.elements[name].value]);
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row, i) =>
      wanted.every(([name, value]) => !value || row.dataset[name] === value) && words.every((w) => texts[i].includes(w));
    found = sorted(rows.filter(fits));
    const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
    state.page = Math.min(Math.max(1, state.page), pages);
    const from = (state.page - 1) * PER_PAGE;
    body.replaceChildren(...found.slice(from, from + PER_PAGE));
    output.textContent = `${found.length} of ${rows.length} rows`;
    for (const head of heads)
      head.ariaSort = head.dataset.name !== state.sort ? "none" : state.down ? "descending" : "ascending";
    pager.hidden = pages < 2;
    pager.querySelector("output").textContent = `page ${state.page} of ${pages}`;
    pager.querySelector("[value='-1']").disabled = state.page === 1;
    pager.querySelector("[value='1']").disabled = state.page === pages;
  }

  function remember() {
    const chosen = new URLSearchParams();
    for (const name of FILTERS) if (form.elements[name].value) chosen.set(name, form.elements[name].value);
    if (state.sort) chosen.set("sort", (state.down ? "-" : "") + state.sort);
    if (state.page > 1) chosen.set("page", state.page);
    const query = chosen.toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
  }

  function choose({ sort, page, ...filters }) {
    for (const [name, value] of Object.entries(filters))
      if (FILTERS.includes(name)) form.elements[name].value = value;
    if (sort !== undefined) [state.sort, state.down] = [sort.replace(/^-/, ""), sort.startsWith("-")];
    state.page = Number(page) || 1;
    apply();
  }

  // The row that the address names, wherever it is.
  function reveal() {
    const row = rows.find(({ id }) => id && `#${id}` === location.hash);
    if (!row || row.isConnected) return;
    if (!found.includes(row)) choose(Object.fromEntries(FILTERS.map((name) => [name, ""])));
    choose({ page: 1 + Math.floor(found.indexOf(row) / PER_PAGE) });
    row.scrollIntoView();
  }

  table.show = (choice) => { choose(choice); remember(); };
  for (const type of ["input", "change"]) form.addEventListener(type, () => table.show({}));
  form.addEventListener("reset", () => setTimeout(() => table.show({ sort: "" })));
  form.addEventListener("submit", (event) => event.preventDefault());
  pager.addEventListener("click", (event) => {
    if (event.target.value) table.show({ page: state.page + Number(event.target.value) });
  });
  for (const head of heads) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => {
      const name = head.dataset.name;
      table.show({ sort: state.sort !== name ? name : state.down ? "" : `-${name}` });
    });
    head.append(button);
  }
  form.hidden = false;
  choose(Object.fromEntries(new URLSearchParams(location.search)));
  reveal();
  window.addEventListener("hashchange", reveal);
})();
