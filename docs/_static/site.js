// What scrolls can be reached by keyboard, and the two side bars have names.
"use strict";
const SCROLLS = "pre, .table-wrapper, .cell_output, div.math, p:has(> img)";

function reach() {
  for (const box of document.querySelectorAll(SCROLLS)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}

document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
addEventListener("load", reach);
addEventListener("resize", reach);
addEventListener("toggle", reach, true); // a fold that opens does not tell its parents
