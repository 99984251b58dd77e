// Draws a graph that a list beside it says in words. Its layout is the same each time: nodes begin on a circle, a context side
// by side, and are pulled by what joins them.
import Graph from "graphology";
import Sigma from "sigma";

const HEADED = new Set(["supersedes", "member", "sequence"]);
const PULLS = { contradicts: 0.6, sequence: 0.3, hierarchy: 0.1 };
const ROUNDS = 220;

function places(nodes, edges) {
  const order = nodes.map((node, place) => [node[1], place]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const at = new Array(nodes.length);
  order.forEach(([, place], turn) => {
    const angle = (2 * Math.PI * turn) / nodes.length;
    at[place] = nodes[place][5] ? [0, 0] : [Math.cos(angle), Math.sin(angle)];
  });
  const ideal = 1.6 / Math.sqrt(nodes.length);
  const joined = new Array(nodes.length).fill(0);
  for (const [one, two] of edges) { joined[one] += 1; joined[two] += 1; }
  for (let round = 0; round < ROUNDS; round += 1) {
    const most = 0.1 * (1 - round / ROUNDS);
    const push = at.map(([x, y]) => [-0.8 * x, -0.8 * y]);
    const middles = new Map();
    nodes.forEach(([, context], number) => {
      const middle = middles.get(context) ?? middles.set(context, [0, 0, 0]).get(context);
      middle[0] += at[number][0]; middle[1] += at[number][1]; middle[2] += 1;
    });
    nodes.forEach(([, context], number) => {
      const [x, y, count] = middles.get(context);
      if (context < 0) return;
      push[number][0] += 2 * (x / count - at[number][0]); push[number][1] += 2 * (y / count - at[number][1]);
    });
    for (let one = 0; one < at.length; one += 1) {
      for (let two = one + 1; two < at.length; two += 1) {
        const [x, y] = [at[one][0] - at[two][0], at[one][1] - at[two][1]];
        const force = (ideal * ideal) / Math.max(x * x + y * y, 1e-4);
        push[one][0] += x * force; push[one][1] += y * force;
        push[two][0] -= x * force; push[two][1] -= y * force;
      }
    }
    for (const [one, two, kind, weight] of edges) {
      const [x, y] = [at[one][0] - at[two][0], at[one][1] - at[two][1]];
      const force = ((PULLS[kind] ?? 1) * weight * Math.hypot(x, y)) / ideal / Math.max(1, Math.min(joined[one], joined[two]) / 2);
      push[one][0] -= x * force; push[one][1] -= y * force;
      push[two][0] += x * force; push[two][1] += y * force;
    }
    at.forEach((place, number) => {
      const long = Math.hypot(...push[number]) || 1;
      const step = Math.min(long, most) / long;
      place[0] += push[number][0] * step;
      place[1] += push[number][1] * step;
    });
  }
  return at;
}

// Sigma adds colours that let others through up to white: what is to be pale is mixed with what lies behind. Browsers write
// colours in many ways, so a pixel is painted and read.
const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

function paler(colour, behind, share) {
  pixel.globalAlpha = 1;
  pixel.fillStyle = behind;
  pixel.fillRect(0, 0, 1, 1);
  pixel.globalAlpha = share;
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  return `rgb(${[...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3)})`;
}

function draw(frame) {
  const { nodes, edges } = JSON.parse(frame.dataset.graph);
  const canvas = frame.querySelector(".graph-canvas");
  const items = [...frame.querySelectorAll("[data-node][tabindex]")].sort((a, b) => a.dataset.node - b.dataset.node);
  // Canvases know no style sheets: colours are asked of what the list and the legend are drawn with.
  const probe = frame.appendChild(document.createElement("span"));
  const colour = (name) => {
    probe.className = name;
    return paler(getComputedStyle(probe).color, "#000", 1);
  };
  const look = { of: {}, text: getComputedStyle(frame).color, faint: "" };
  let behind = "";
  function readColours() {
    for (const name of ["c0", "c1", "c2", "c3", "c4", "c5", "c-none", ...edges.map(([, , kind]) => `k-${kind}`)]) look.of[name] = colour(name);
    look.text = getComputedStyle(frame).color;
    behind = getComputedStyle(canvas).backgroundColor;
    look.faint = paler(look.text, behind, 0.12);
    if (edges.length > 150) for (const kind of ["semantic", "sequence", "hierarchy"]) if (look.of[`k-${kind}`]) look.of[`k-${kind}`] = paler(look.of[`k-${kind}`], behind, 0.45);
    probe.className = "";
  }
  readColours();

  const graph = new Graph({ multi: true });
  places(nodes, edges).forEach(([x, y], number) => {
    const [text, context, letter, kind, state, isCentre] = nodes[number];
    const label = `${state === "conflict_pending" ? "⚠ " : ""}${letter ? `${letter} · ` : ""}${text}`;
    const size = (isCentre ? 12 : kind === "chunk" ? 5 : 8) * (nodes.length > 60 ? 0.8 : 1);
    graph.addNode(number, { x, y, size, label, kind, context, forceLabel: nodes.length <= 24 || Boolean(isCentre) });
  });
  for (const [one, two, kind, weight] of edges) {
    const type = HEADED.has(kind) ? "arrow" : "line";
    const size = kind === "contradicts" ? 4 : kind === "hierarchy" ? 0.6 : (1 + 1.5 * weight) * (edges.length > 150 ? 0.5 : 1);
    graph.addEdge(one, two, { kind, type, size });
  }

  const hidden = { node: new Set(), edge: new Set() };
  let near = null; // who is chosen or found, with their neighbours; null for everybody
  let chosen = null;
  const drawing = new Sigma(graph, canvas, {
    labelColor: { color: look.text },
    labelFont: getComputedStyle(frame).fontFamily,
    labelSize: 12,
    labelRenderedSizeThreshold: 3,
    labelDensity: canvas.clientWidth < 500 ? 0.12 : 0.35,
    labelGridCellSize: 110,
    zIndex: true,
    stagePadding: 56,
    allowInvalidContainer: true,
    nodeReducer: (node, data) => ({
      ...data,
      color: near && !near.has(node) ? look.faint : look.of[data.context < 0 ? "c-none" : `c${data.context}`],
      label: near && !near.has(node) ? "" : data.label,
      forceLabel: data.forceLabel || (near !== null && near.size <= 16 && near.has(node)),
      highlighted: Number(node) === chosen,
      hidden: hidden.node.has(data.kind),
    }),
    edgeReducer: (edge, data) => {
      const isNear = !near || graph.extremities(edge).every((end) => near.has(end));
      return { ...data, color: isNear ? look.of[`k-${data.kind}`] : look.faint, hidden: hidden.edge.has(data.kind) };
    },
    // Labels have room around them, and stand on the side where there is some.
    defaultDrawNodeLabel: (context, data, settings) => {
      if (!data.label) return;
      context.font = `${settings.labelSize}px ${settings.labelFont}`;
      const wide = context.measureText(data.label).width;
      const right = data.x + data.size + 4;
      const x = right + wide < canvas.clientWidth ? right : data.x - data.size - 4 - wide;
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.strokeStyle = behind;
      context.strokeText(data.label, x, data.y + settings.labelSize / 3);
      context.fillStyle = look.text;
      context.fillText(data.label, x, data.y + settings.labelSize / 3);
    },
    // Sigma's own draws its label on white, whatever the page's colours are.
    defaultDrawNodeHover: (context, data, settings) => {
      context.beginPath();
      context.arc(data.x, data.y, data.size + 4, 0, 2 * Math.PI);
      context.lineWidth = 3;
      context.strokeStyle = look.text;
      context.stroke();
      settings.defaultDrawNodeLabel(context, data, settings);
    },
  });

  function choose(number, { scrolls }) {
    chosen = number;
    near = number === null ? null : new Set([String(number), ...graph.neighbors(number)]);
    for (const item of items) item.classList.toggle("chosen", Number(item.dataset.node) === number);
    if (number !== null && scrolls) items[number].scrollIntoView({ block: "nearest" });
    drawing.refresh({ skipIndexation: true });
  }
  drawing.on("clickNode", ({ node }) => choose(Number(node), { scrolls: true }));
  drawing.on("clickStage", () => choose(null, { scrolls: false }));
  frame.addEventListener("click", ({ target }) => {
    const item = target.closest("a, summary") ? null : target.closest("li[data-node]");
    if (item) choose(Number(item.dataset.node), { scrolls: false });
  });
  frame.addEventListener("focusin", ({ target }) => {
    const item = target.closest("li[data-node]");
    if (item) choose(Number(item.dataset.node), { scrolls: false });
  });
  for (const box of frame.querySelectorAll(".graph-legend input")) {
    box.disabled = false;
    const [of, kind] = box.dataset.node ? ["node", box.dataset.node] : ["edge", box.dataset.edge];
    box.addEventListener("change", () => {
      hidden[of][box.checked ? "delete" : "add"](kind);
      if (of === "node") for (const item of items) item.hidden = hidden.node.has(nodes[item.dataset.node][3]);
      drawing.refresh();
    });
  }
  const find = frame.querySelector(".graph-find input");
  find.closest(".graph-find").hidden = false;
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    chosen = null;
    near = wanted ? new Set() : null;
    for (const item of items) {
      const isFound = !wanted || item.textContent.toLowerCase().includes(wanted);
      item.hidden = !isFound;
      if (isFound) near?.add(item.dataset.node);
    }
    drawing.refresh({ skipIndexation: true });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    drawing.setSetting("labelColor", { color: look.text });
  });
}

for (const frame of document.querySelectorAll("[data-graph]")) {
  frame.querySelector(".graph-canvas").hidden = false;
  try {
    draw(frame);
  } catch (error) {
    // No WebGL: the list is what there is.
    frame.querySelector(".graph-canvas").hidden = true;
    frame.querySelector(".graph-none").hidden = false;
    console.warn(error);
  }
}
