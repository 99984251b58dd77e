// Lines of a running job's log as they are said. Without it the page's link shows them.
"use strict";

const log = document.querySelector("[data-follow]");

if (log && window.EventSource) {
  const bar = document.querySelector("[data-progress]");
  const again = document.querySelector("[data-again]");
  const source = new EventSource(log.dataset.follow);
  if (again) again.hidden = true;

  source.addEventListener("line", (event) => {
    const told = JSON.parse(event.data);
    const line = document.createElement("li");
    const at = document.createElement("time");
    const text = document.createElement("bdi");
    at.dateTime = told.at;
    at.textContent = told.at.slice(0, 16).replace("T", " ");
    text.textContent = told.text;
    line.append(at, " ", text);
    log.append(line);
  });
  source.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    if (!bar) return;
    bar.max = Math.max(1, told.total);
    bar.value = told.done;
  });
  source.addEventListener("end", () => {
    source.close();
    window.location.reload();
  });
  source.addEventListener("error", () => {
    if (again && source.readyState === EventSource.CLOSED) again.hidden = false;
  });
}
