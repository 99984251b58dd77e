"use strict";
// What is seen of a drawing: a stretch of it, moved and zoomed by wheel, mouse and fingers.
const viewOf = (graph, onMove) => {
  const [left, top, width, height] = graph.getAttribute("viewBox").split(" ").map(Number);
  let view = { x: left, y: top, w: width, h: height };
  const look = (next) => {
    const w = Math.min(width * 2, Math.max(width / 12, next.w));
    const h = (w * height) / width;
    const x = Math.min(left + width - w * 0.2, Math.max(left - w * 0.8, next.x));
    const y = Math.min(top + height - h * 0.2, Math.max(top - h * 0.8, next.y));
    view = { x, y, w, h };
    graph.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
  };
  const inDrawing = (x, y) => new DOMPoint(x, y).matrixTransform(graph.getScreenCTM().inverse());
  const zoom = (by, at = { x: view.x + view.w / 2, y: view.y + view.h / 2 }) => {
    const w = Math.min(width * 2, Math.max(width / 12, view.w * by));
    const share = w / view.w;
    look({ x: at.x - (at.x - view.x) * share, y: at.y - (at.y - view.y) * share, w });
  };
  const fit = () => look({ x: left, y: top, w: width });
  const reveal = ({ x, y }) => {
    const isIn = x > view.x && x < view.x + view.w && y > view.y && y < view.y + view.h;
    if (!isIn) look({ x: x - view.w / 2, y: y - view.h / 2, w: view.w });
  };
  graph.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 240), inDrawing(event.clientX, event.clientY));
  }, { passive: false });

  const held = new Map();
  let moved = 0;
  graph.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, event);
    moved = 0;
  });
  addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const others = [...held.values()].filter((one) => one.pointerId !== event.pointerId);
    const scale = graph.getScreenCTM().a;
    if (others.length) {
      const apart = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY) || 1;
      zoom(apart(before) / apart(event), inDrawing((event.clientX + others[0].clientX) / 2, (event.clientY + others[0].clientY) / 2));
    } else if (event.pointerType !== "touch" || moved > 0 || !matchMedia("(max-width: 860px)").matches) {
      look({ x: view.x - (event.clientX - before.clientX) / scale, y: view.y - (event.clientY - before.clientY) / scale, w: view.w });
    }
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (moved > 4) {
      graph.classList.add("held");
      onMove();
    }
    held.set(event.pointerId, event);
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    addEventListener(kind, (event) => {
      held.delete(event.pointerId);
      graph.classList.remove("held");
    });
  }
  return { zoom, fit, reveal, isHeld: () => held.size > 0, wasMoved: () => moved > 4 };
};
