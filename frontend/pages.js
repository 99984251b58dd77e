// Keys of the review page, forms that are sent once, and choices that need no button. Every page works without it.
"use strict";

const steps = [...document.querySelectorAll("[data-step]")];

function step(by) {
  const at = steps.findIndex((one) => one === document.activeElement || one.contains(document.activeElement));
  const next = steps[Math.min(steps.length - 1, Math.max(0, at + by))];
  if (next) {
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }
}

function reach(letter) {
  const found = document.querySelector(`[data-letter="${letter}"]`);
  if (!found) return false;
  if (found.tagName === "SUMMARY") {
    found.parentElement.open = true;
    found.parentElement.querySelector("textarea").focus();
  } else {
    found.focus();
  }
  found.scrollIntoView({ block: "center" });
  return true;
}

document.addEventListener("keydown", (event) => {
  const writes = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && writes) return writes.blur();
  if (writes || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (!["a", "e", "r"].includes(event.key) || !reach(event.key)) return undefined;
  event.preventDefault();
  return undefined;
});

for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
    form.setAttribute("aria-busy", "true");
  });
}
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.removeAttribute("aria-busy");
  }
});

for (const form of document.querySelectorAll("form[data-sends]")) {
  form.querySelector("button").hidden = true;
  form.addEventListener("change", () => form.submit());
}

for (const table of document.querySelectorAll(".wide table")) {
  const names = [...table.querySelectorAll("thead th")].map((one) => one.textContent);
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, place) => place && cell.tagName === "TD" && (cell.dataset.name = names[place]));
  }
}
