"use strict";
(() => {
  const { text, nodes, paths } = JSON.parse(document.getElementById("data").textContent);
  const tree = document.querySelector('[role="tree"]');
  const items = [...tree.querySelectorAll('[role="treeitem"]')];
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const status = document.getElementById("status");
  const reading = document.getElementById("reading");
  const codes = items.map((item) => item.dataset.code);
  const places = new Map(codes.map((code, place) => [code, place]));
  const format = new Intl.NumberFormat("en");
  const BESIDE = 240;
  let chosen = -1;
  let sought = "";

  const node = (place) => {
    const [start, end, from, to, gain, tier, id, path, note] = nodes[place];
    return { start, end, from, to, gain, tier, id, note, path: paths[path], code: codes[place] };
  };
  const make = (name, className, content) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (content !== undefined) made.textContent = content;
    return made;
  };
  const bits = (gain) => `${gain < 0 ? "−" : "+"}${Math.abs(gain).toFixed(1)} bits`;
  const expandable = (item) => item.hasAttribute("aria-expanded");
  const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
  const setOpen = (item, open) => expandable(item) && item.setAttribute("aria-expanded", String(open));
  const parentOf = (item) => item.parentElement.closest('[role="treeitem"]');
  const firstInside = (item) => item.querySelector('[role="group"] > [role="treeitem"]:not(.out)');
  // Told from the folding alone: asking for the layout of thousands of items takes a while.
  const shownItems = () => {
    const shown = new Set();
    for (const item of items) {
      const above = parentOf(item);
      if (!item.classList.contains("out") && (!above || (shown.has(above) && isOpen(above)))) shown.add(item);
    }
    return [...shown];
  };
  const reveal = (item) => {
    for (let above = parentOf(item); above; above = parentOf(above)) setOpen(above, true);
  };

  // The text of a stretch, with what was searched for marked; never as markup.
  const write = (target, stretch) => {
    if (!sought) {
      target.append(stretch);
      return;
    }
    const low = stretch.toLowerCase();
    if (low.length !== stretch.length) {
      target.append(stretch); // letters that change length when lowered cannot be counted off
      return;
    }
    let done = 0;
    for (let at = low.indexOf(sought); at >= 0; at = low.indexOf(sought, done)) {
      target.append(stretch.slice(done, at), make("mark", "", stretch.slice(at, at + sought.length)));
      done = at + sought.length;
    }
    target.append(stretch.slice(done));
  };

  const why = ({ gain, tier, start }) => {
    if (tier === 4) return "Its left edge is a hard split: nothing better was found under the size limit.";
    if (gain !== null) {
      const verb = gain < 0 ? "costs" : "saves";
      const reason = gain < 0 ? "; it was cut for its size" : "";
      return `Cutting before it ${verb} ${Math.abs(gain).toFixed(1)} bits over going on with the chunk before${reason}.`;
    }
    return start === 0 ? "The document begins here." : "A heading, or the chunk above it, begins here: nothing was weighed.";
  };

  const edge = (label, place) => {
    const made = make("div", "edge");
    if (place === undefined) made.append(make("span", "", label));
    else {
      const link = make("button", "", codes[place]);
      link.type = "button";
      link.addEventListener("click", () => choose(place, { focus: true }));
      made.append(link, make("span", "", label));
    }
    return made;
  };

  const sheet = (place) => {
    const { start, end, code, gain } = node(place);
    const made = make("div", "sheet");
    if (start > 0) {
      const before = make("div", "beside", (start > BESIDE ? "…" : "") + text.slice(Math.max(0, start - BESIDE), start));
      made.append(before);
    }
    made.append(edge(gain === null ? `${code} begins` : `${code} begins, ${bits(gain)}`));
    let open = true;
    for (let at = place; at < nodes.length && (at === place || codes[at].startsWith(`${code}.`)); at += 1) {
      const one = node(at);
      if (!one.id) continue;
      if (!open) made.append(edge(one.gain === null ? "" : bits(one.gain), at));
      open = false;
      const leaf = make("div", "leaf");
      write(leaf, text.slice(one.start, one.end));
      made.append(leaf);
    }
    made.append(edge(`${code} ends`));
    if (end < text.length) {
      made.append(make("div", "beside", text.slice(end, end + BESIDE) + (end + BESIDE < text.length ? "…" : "")));
    }
    return made;
  };

  const facts = ({ from, to, gain, note, id }) => {
    const made = make("dl", "facts");
    const rows = [
      ["Characters", `${format.format(to - from)} (${format.format(from)}–${format.format(to)})`],
      ["Boundary", gain === null ? "not weighed" : bits(gain)],
      ["Cut by", note],
    ];
    if (id) rows.push(["Id", id]);
    for (const [name, value] of rows) {
      const row = make("div");
      row.append(make("dt", "", name), make("dd", "", value));
      made.append(row);
    }
    return made;
  };

  const read = (place) => {
    const one = node(place);
    const back = make("button", "back", "← Outline");
    back.type = "button";
    back.addEventListener("click", () => {
      document.body.classList.remove("open");
      items[place].scrollIntoView({ block: "center" });
      items[place].focus();
    });
    const name = items[place].querySelector(".name").textContent;
    const parts = [back];
    if (one.path.length) parts.push(make("p", "crumbs", one.path.join(" › ")));
    parts.push(make("h2", "", `${one.code}  ${name}`), facts(one), make("p", "why", why(one)), sheet(place));
    reading.replaceChildren(...parts);
    reading.scrollTop = 0;
  };

  const focusItem = (item) => {
    tree.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    item.focus({ preventScroll: true });
    item.firstElementChild.scrollIntoView({ block: "nearest" });
  };

  const choose = (place, { focus = false, open = true } = {}) => {
    if (chosen >= 0) items[chosen].setAttribute("aria-selected", "false");
    chosen = place;
    items[place].setAttribute("aria-selected", "true");
    reveal(items[place]);
    if (focus) focusItem(items[place]);
    read(place);
    status.textContent = `Chunk ${codes[place]} is shown.`;
    history.replaceState(null, "", `#${codes[place]}`);
    if (open) {
      document.body.classList.add("open");
      if (matchMedia("(max-width: 760px)").matches) {
        scrollTo(0, 0);
        reading.focus({ preventScroll: true });
      }
    }
  };

  const step = (item, by) => {
    const shown = shownItems();
    return shown[Math.min(shown.length - 1, Math.max(0, shown.indexOf(item) + by))];
  };
  const keys = {
    ArrowDown: (item) => step(item, 1),
    ArrowUp: (item) => step(item, -1),
    Home: () => shownItems()[0],
    End: () => shownItems().pop(),
    ArrowRight: (item) => {
      if (!expandable(item)) return item;
      if (isOpen(item)) return firstInside(item) ?? item;
      setOpen(item, true);
      return item;
    },
    ArrowLeft: (item) => {
      if (expandable(item) && isOpen(item)) {
        setOpen(item, false);
        return item;
      }
      return parentOf(item) ?? item;
    },
  };

  tree.addEventListener("keydown", (event) => {
    const item = event.target.closest('[role="treeitem"]');
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") choose(items.indexOf(item));
    else if (event.key === "*") for (const one of item.parentElement.children) setOpen(one, true);
    else if (keys[event.key]) {
      const next = keys[event.key](item);
      if (next) focusItem(next);
    } else return;
    event.preventDefault();
  });

  tree.addEventListener("click", (event) => {
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    const isTwist = event.target.closest(".twist");
    if (isTwist && expandable(item)) setOpen(item, !isOpen(item));
    if (isTwist) focusItem(item);
    else choose(items.indexOf(item), { focus: true });
  });

  // A node stays when it fits, when something below it does, or when it stands below what was named by code or heading.
  const filter = () => {
    sought = search.value.trim().toLowerCase();
    let fits = 0;
    const stays = new Array(items.length).fill(!sought);
    if (sought) {
      items.forEach((item, place) => {
        const one = node(place);
        const isNamed = one.code === sought || item.querySelector(".name").textContent.toLowerCase().includes(sought);
        const isFit = isNamed || (one.id && text.slice(one.start, one.end).toLowerCase().includes(sought));
        if (!isFit) return;
        fits += 1;
        stays[place] = true;
        for (let above = parentOf(item); above; above = parentOf(above)) {
          stays[places.get(above.dataset.code)] = true;
          setOpen(above, true);
        }
      });
    }
    items.forEach((item, place) => item.classList.toggle("out", !stays[place]));
    count.textContent = sought ? `${format.format(fits)} of ${format.format(items.length)} chunks` : "";
    const current = tree.querySelector('[tabindex="0"]');
    const shown = shownItems();
    if (!shown.includes(current)) {
      current?.setAttribute("tabindex", "-1");
      shown[0]?.setAttribute("tabindex", "0");
    }
    if (chosen >= 0) read(chosen);
  };
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, items.length > 1000 ? 150 : 0);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") search.value = "";
    if (event.key !== "Enter" && event.key !== "Escape") return;
    clearTimeout(waiting);
    filter();
    const named = places.get(sought);
    const first = named ?? items.indexOf(shownItems().find((item) => !expandable(item)));
    if (event.key === "Enter" && first >= 0) choose(first, { focus: true });
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    search.focus();
    event.preventDefault();
  });
  for (const [id, open] of [["expand", true], ["collapse", false]]) {
    document.getElementById(id).addEventListener("click", () => items.forEach((item) => setOpen(item, open)));
  }
  const follow = () => {
    const place = places.get(decodeURIComponent(location.hash.slice(1)));
    if (place !== undefined && place !== chosen) choose(place, { focus: true });
    return place !== undefined;
  };
  addEventListener("hashchange", follow);
  if (!follow() && items.length) choose(0, { open: false });
})();
