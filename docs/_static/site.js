// What scrolls can be reached by keyboard, code can be copied, and the two side bars have names.
"use strict";
const SCROLLS = "pre, .table-wrapper, .cell_output, div.math, p:has(> img)";

function reach() {
  for (const box of document.querySelectorAll(SCROLLS)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

// What one types, without prompts and answers.
function typed(text) {
  const lines = text.trim().split("\n");
  const prompted = lines.filter((line) => /^(\$|>>>|\.\.\.)( |$)/.test(line));
  return (prompted.length ? prompted.map((line) => line.replace(/^\S+ ?/, "")) : lines).join("\n");
}

function offerToCopy(code) {
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(typed(code.textContent));
    button.textContent = "Copied";
  });
  code.before(button);
}

if (navigator.clipboard) {
  document.querySelectorAll("div[class*=highlight-]:not(.cell_output *) > .highlight > pre").forEach(offerToCopy);
}
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
addEventListener("load", reach);
addEventListener("resize", reach);
addEventListener("toggle", reach, true); // a fold that opens does not tell its parents
