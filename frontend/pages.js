// Keys of the review page, forms that are sent once, choices that need no button, and parts that are drawn anew without the
// rest. Every page works without it.
import "htmx.org";

function step(by) {
  const steps = [...document.querySelectorAll("[data-step]")];
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
  const sends = event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.closest("form[data-keys=send]");
  if (sends) return sends.requestSubmit();
  const writes = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && writes) return writes.blur();
  if (writes || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (!["a", "e", "r"].includes(event.key) || !reach(event.key)) return undefined;
  event.preventDefault();
  return undefined;
});

// A form is sent once; one that is sent in part is free again when its answer is there.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!form.matches("[data-once]")) return;
    if (form.dataset.sent) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    form.dataset.sent = "yes";
    form.setAttribute("aria-busy", "true");
  },
  true,
);
function free() {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.removeAttribute("aria-busy");
  }
}
window.addEventListener("pageshow", free);
document.addEventListener("htmx:finally:request", free);

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.copied;
  });
}

for (const link of document.querySelectorAll("[data-reaches]")) {
  link.addEventListener("click", (event) => {
    if (reach(link.dataset.reaches)) event.preventDefault();
  });
}
for (const box of document.querySelectorAll("[data-unified]")) {
  box.addEventListener("change", () => box.closest(".card-body").classList.toggle("unified", box.checked));
}

// The reference of the API: a form sends its request with the key that is typed there, and shows what came.
const typedKey = document.querySelector("form[data-key]");
for (const form of document.querySelectorAll("form[data-try]")) {
  form.querySelector("button").hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const headers = {};
    const query = new URLSearchParams();
    let path = form.dataset.path;
    for (const one of form.querySelectorAll("[data-in]")) {
      if (one.dataset.in === "path") path = path.replace(`{${one.name}}`, encodeURIComponent(one.value));
      else if (one.value && one.dataset.in === "query") query.append(one.name, one.value);
      else if (one.value) headers[one.name] = one.value;
    }
    if (typedKey.elements.key.value) headers.Authorization = `Bearer ${typedKey.elements.key.value}`;
    const sent = { method: form.dataset.method, headers };
    if ("body" in form.dataset) {
      headers["Content-Type"] = "application/json";
      sent.body = form.querySelector("textarea").value;
    }
    const came = form.querySelector(".came");
    const answer = await fetch(`${path}${query.size ? `?${query}` : ""}`, sent);
    const text = await answer.text();
    const isJson = (answer.headers.get("content-type") || "").includes("json");
    came.textContent = `${answer.status} ${answer.statusText}\n${isJson ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
    came.hidden = false;
  });
}
typedKey?.addEventListener("submit", (event) => event.preventDefault());

// A type is unfolded by the link that leads to it.
function unfold() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName === "DETAILS") named.open = true;
}
window.addEventListener("hashchange", unfold);
unfold();

const menu = document.querySelector(".menu");
if (menu) {
  document.documentElement.classList.add("has-script");
  menu.hidden = false;
  menu.addEventListener("click", () => {
    menu.setAttribute("aria-expanded", document.getElementById("places").classList.toggle("show"));
  });
}

for (const form of document.querySelectorAll("form[data-sends]")) {
  form.querySelector("button").hidden = true;
  form.addEventListener("change", () => form.submit());
}

// Times are in the reader's zone, near ones relative; the exact one stands in the tip.
function placeTimes() {
  const language = document.documentElement.lang;
  const exact = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "long" });
  const short = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short" });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const one of document.querySelectorAll("time[datetime*=T]:not([title])")) {
    const at = new Date(one.dateTime);
    const hours = (at - Date.now()) / 36e5;
    one.title = exact.format(at);
    if (Math.abs(hours) < 1 / 120) one.textContent = relative.format(0, "second");
    else if (Math.abs(hours) < 1) one.textContent = relative.format(Math.round(hours * 60), "minute");
    else if (Math.abs(hours) < 24) one.textContent = relative.format(Math.round(hours), "hour");
    else one.textContent = short.format(at);
  }
}
placeTimes();

// What a deletion would take is shown where it is asked for, also at the foot of the window.
document.addEventListener("toggle", (event) => {
  if (event.target.matches("details.sure[open]")) event.target.scrollIntoView({ block: "nearest" });
}, true);

// On a phone a table is drawn as a list: each cell says its column.
function nameCells() {
  for (const table of document.querySelectorAll(".table-responsive table")) {
    const names = [...table.querySelectorAll("thead th")].map((one) => one.textContent);
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, place) => place && cell.tagName === "TD" && (cell.dataset.name = names[place]));
    }
  }
}
nameCells();
document.addEventListener("htmx:after:swap", () => {
  nameCells();
  placeTimes();
  document.querySelector("#main [data-arrive]")?.focus();
});
