(() => {
  const { nodes, edges, conflicts, contexts, kinds } = JSON.parse(document.getElementById("data").textContent);
  const graph = document.getElementById("graph");
  const figures = [...graph.querySelectorAll(".node")];
  const strands = [...graph.querySelectorAll(".edge")];
  const items = new Map([...document.querySelectorAll("#list li")].map((item) => [Number(item.dataset.node), item]));
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const detail = document.getElementById("detail");
  const status = document.getElementById("status");
  const tip = document.getElementById("tip");
  const format = new Intl.NumberFormat("en");
  const hidden = new Set();
  let chosen = -1;
  let pressed = null;
  let sought = "";

  document.documentElement.classList.add("js");

  const make = (name, className, content) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (content !== undefined) made.textContent = content;
    return made;
  };
  const isShown = ([, , kind]) => !hidden.has(kind);
  const joined = (place) => edges.map((edge, at) => [edge, at]).filter(([edge]) => isShown(edge) && (edge[0] === place || edge[1] === place));
  const other = ([from, to], place) => (from === place ? to : from);
  const beginning = (text, most) => {
    const flat = text.replace(/\s+/gu, " ").trim();
    const letters = [...flat];
    return letters.length <= most ? flat : `${letters.slice(0, most - 1).join("").trimEnd()}…`;
  };

  // A text with what was searched for marked; never as markup.
  const write = (target, text, lang) => {
    if (lang) target.lang = lang;
    target.dir = "auto";
    const low = text.toLowerCase();
    if (!sought || low.length !== text.length) {
      target.append(text); // letters that change length when lowered cannot be counted off
      return target;
    }
    let done = 0;
    for (let at = low.indexOf(sought); at >= 0; at = low.indexOf(sought, done)) {
      target.append(text.slice(done, at), make("mark", "", text.slice(at, at + sought.length)));
      done = at + sought.length;
    }
    target.append(text.slice(done));
    return target;
  };

  // What is lit: what the pointer is at, else the context or the matches asked for, else everything.
  const paint = (place = -1) => {
    let lit = null;
    if (place >= 0) lit = new Set([place, ...joined(place).map(([edge]) => other(edge, place))]);
    else if (sought) lit = new Set([...nodes.keys()].filter(fits));
    else if (pressed !== null) lit = new Set([...nodes.keys()].filter((at) => nodes[at].context === pressed || at === 0));
    figures.forEach((figure, at) => figure.classList.toggle("dim", lit !== null && !lit.has(at)));
    strands.forEach((strand, at) => {
      const [from, to] = edges[at];
      const isAt = place >= 0 && (from === place || to === place);
      strand.classList.toggle("out", !isShown(edges[at]));
      strand.classList.toggle("lit", isAt);
      strand.classList.toggle("dim", place >= 0 ? !isAt : lit !== null && !(lit.has(from) && lit.has(to)));
    });
  };

  const fits = (place) => {
    const { text, by, members } = nodes[place];
    return [text, by, ...members.map((one) => one.text)].some((one) => one.toLowerCase().includes(sought));
  };

  const signOf = (place) => items.get(place).querySelector(".mark").cloneNode(true);
  const stateOf = ({ state, mark }) => make("span", `state s-${mark}`, state);

  const quote = (place) => {
    const made = make("blockquote");
    made.append(write(make("div"), nodes[place].text, nodes[place].lang), make("p", "by", nodes[place].by));
    return made;
  };
  const clash = (place) => {
    const made = make("div", "clash");
    made.append(make("h3", "", "These contradict each other"));
    for (const pair of conflicts.filter((one) => one.includes(place))) {
      const sides = make("div", "sides");
      sides.append(...pair.map(quote));
      made.append(sides);
    }
    return made;
  };

  const facts = ({ facts: rows, confidence }) => {
    const made = make("dl", "facts");
    const meter = make("meter");
    meter.value = confidence;
    const sure = make("dd");
    sure.append(meter, confidence.toFixed(2));
    for (const [name, value] of rows.slice(0, -1)) made.append(make("dt", "", name), make("dd", "", value));
    made.append(make("dt", "", "Confidence"), sure);
    const [[name, value]] = rows.slice(-1);
    made.append(make("dt", "", name), make("dd", "", value));
    return made;
  };

  const wording = (kind, isOut) => {
    if (kind === "supersedes") return isOut ? "supersedes" : "superseded by";
    if (kind === "sequence") return isOut ? "before" : "after";
    if (kind === "member") return isOut ? "stands for" : "stands in";
    return kinds[kind][0];
  };
  const neighbours = (place) => {
    const ends = new Map();
    for (const [edge] of joined(place)) {
      const end = other(edge, place);
      const weight = kinds[edge[2]][1] ? ` ${edge[3].toFixed(2)}` : "";
      ends.set(end, [...(ends.get(end) ?? []), wording(edge[2], edge[0] === place) + weight]);
    }
    const made = make("ul", "joined");
    for (const [end, why] of ends) {
      const row = make("li");
      const link = write(make("button"), beginning(nodes[end].text, 110), nodes[end].lang);
      link.type = "button";
      link.addEventListener("click", () => choose(end, { focus: true }));
      link.addEventListener("pointerenter", () => paint(end));
      link.addEventListener("pointerleave", () => paint());
      row.append(make("span", "kind", why.join(", ")), link);
      made.append(row);
    }
    return made;
  };
  const members = (said) => {
    const made = make("ul", "members");
    for (const one of said) {
      const row = make("li");
      row.append(write(make("div"), one.text, one.lang), make("p", "by", one.by));
      made.append(row);
    }
    return made;
  };

  const contextName = ({ context }, place) => {
    if (place === 0) return "Centre";
    if (context === null) return "In no context";
    return `Context ${contexts[context]}`;
  };

  const read = (place) => {
    const one = nodes[place];
    const top = make("p", "top");
    top.append(signOf(place), make("span", "", contextName(one, place)), stateOf(one));
    const parts = [top, write(make("p", "text"), one.text, one.lang)];
    if (conflicts.some((pair) => pair.includes(place))) parts.push(clash(place));
    parts.push(facts(one));
    if (one.members.length) parts.push(make("h3", "", `Made of ${format.format(one.members.length)} statements`), members(one.members));
    const rows = neighbours(place);
    if (rows.childElementCount) parts.push(make("h3", "", "Joined to"), rows);
    const more = make("p", "hint", one.further ? `${format.format(one.further)} more beyond what is shown: ` : "Look from here: ");
    more.append(make("code", "", `evolore graph ${one.id}`));
    parts.push(more);
    detail.replaceChildren(...parts);
  };

  const choose = (place, { focus = false, scroll = true } = {}) => {
    if (chosen >= 0) {
      figures[chosen].classList.remove("chosen");
      items.get(chosen).classList.remove("chosen");
    }
    chosen = place;
    figures[place].classList.add("chosen");
    items.get(place).classList.add("chosen");
    graph.querySelector('.node[tabindex="0"]')?.setAttribute("tabindex", "-1");
    figures[place].setAttribute("tabindex", "0");
    if (focus) figures[place].focus({ preventScroll: true });
    read(place);
    paint(focus ? place : -1);
    status.textContent = `${nodes[place].by} is shown.`;
    history.replaceState(null, "", `#${nodes[place].id}`);
    const isNarrow = matchMedia("(max-width: 860px)").matches;
    if (scroll && isNarrow) detail.scrollIntoView();
    else if (scroll) detail.parentElement.scrollTop = 0;
  };

  const view = viewOf(graph, () => {
    tip.hidden = true;
  });
  const centreOf = (figure) => {
    const { e, f } = figure.transform.baseVal.consolidate().matrix;
    return { x: e, y: f };
  };
  const reveal = (place) => view.reveal(centreOf(figures[place]));
  document.getElementById("in").addEventListener("click", () => view.zoom(0.75));
  document.getElementById("out").addEventListener("click", () => view.zoom(1 / 0.75));
  document.getElementById("fit").addEventListener("click", view.fit);

  const tell = (place, event) => {
    const one = nodes[place];
    const by = make("p", "by", `${one.by} `);
    if (one.mark !== "active") by.append(stateOf(one));
    tip.replaceChildren(write(make("div"), beginning(one.text, 280), one.lang), by);
    tip.hidden = false;
    const { width: wide, height: high } = tip.getBoundingClientRect();
    const x = Math.max(8, Math.min(innerWidth - wide - 8, event.clientX + 16));
    const y = event.clientY + 18 + high > innerHeight ? event.clientY - high - 12 : event.clientY + 18;
    // Set through the object model, which the page's policy lets pass.
    tip.style.left = `${x}px`;
    tip.style.top = `${Math.max(8, y)}px`;
  };
  figures.forEach((figure, place) => {
    figure.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "touch" || view.isHeld()) return;
      paint(place);
      tell(place, event);
    });
    figure.addEventListener("pointerleave", () => {
      paint();
      tip.hidden = true;
    });
    figure.addEventListener("click", () => {
      if (!view.wasMoved()) choose(place);
    });
    figure.addEventListener("focus", () => {
      if (!figure.matches(":focus-visible")) return;
      choose(place, { scroll: false });
      paint(place);
      reveal(place);
    });
    figure.addEventListener("blur", () => paint());
  });

  // The nearest node in the direction of an arrow: as far along it as across it at the most.
  const towards = (place, dx, dy) => {
    const from = centreOf(figures[place]);
    let best = place;
    let least = Infinity;
    figures.forEach((figure, at) => {
      const { x, y } = centreOf(figure);
      const along = (x - from.x) * dx + (y - from.y) * dy;
      const across = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx);
      if (at === place || along <= 0 || across > 1.5 * along) return;
      if (along + 2 * across < least) [best, least] = [at, along + 2 * across];
    });
    return best;
  };
  const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  graph.addEventListener("keydown", (event) => {
    const place = figures.indexOf(event.target);
    if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrows[event.key]) figures[towards(place, ...arrows[event.key])].focus();
    else if (event.key === "Home") figures[0].focus();
    else if (event.key === "Enter" || event.key === " ") {
      choose(place);
      detail.focus();
    } else if (event.key === "+" || event.key === "=") view.zoom(0.75);
    else if (event.key === "-") view.zoom(1 / 0.75);
    else if (event.key === "0") view.fit();
    else return;
    event.preventDefault();
  });
  detail.addEventListener("keydown", (event) => {
    if (event.key === "Escape") figures[chosen].focus();
  });

  for (const [place, item] of items) {
    const button = item.querySelector("button");
    button.addEventListener("click", () => {
      choose(place);
      reveal(place);
    });
    button.addEventListener("pointerenter", () => paint(place));
    button.addEventListener("pointerleave", () => paint());
  }
  for (const box of document.querySelectorAll(".kinds input")) {
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(box.dataset.kind);
      else hidden.add(box.dataset.kind);
      paint();
      if (chosen >= 0) read(chosen);
    });
  }
  const swatches = [...document.querySelectorAll(".swatch")];
  for (const swatch of swatches) {
    swatch.addEventListener("click", () => {
      const number = Number(swatch.dataset.context);
      pressed = pressed === number ? null : number;
      for (const one of swatches) one.setAttribute("aria-pressed", String(Number(one.dataset.context) === pressed));
      paint();
    });
  }

  const filter = () => {
    sought = search.value.trim().toLowerCase();
    const found = [...nodes.keys()].filter((place) => !sought || fits(place));
    const stays = new Set(found);
    for (const [place, item] of items) item.classList.toggle("out", !stays.has(place));
    count.textContent = sought ? `${format.format(found.length)} of ${format.format(nodes.length)} episodes` : "";
    paint();
    if (chosen >= 0) read(chosen);
    return found;
  };
  search.addEventListener("input", filter);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") search.value = "";
    if (event.key !== "Enter" && event.key !== "Escape") return;
    const [first] = filter();
    if (event.key === "Enter" && first !== undefined) {
      choose(first);
      reveal(first);
    }
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    search.focus();
    event.preventDefault();
  });
  const follow = () => {
    const place = nodes.findIndex(({ id }) => `#${id}` === location.hash);
    if (place >= 0 && place !== chosen) choose(place);
    return place >= 0;
  };
  addEventListener("hashchange", follow);
  if (!follow()) choose(0, { scroll: false });
})();
