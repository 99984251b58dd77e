// Draws trends by week; a table below each says the same.
import uPlot from "uplot";

const HEIGHT = 180;
const WEEK_SECONDS = 7 * 24 * 3600;

function draw(frame) {
  const { weeks, good, bad, names } = JSON.parse(frame.dataset.trend);
  // Canvases know no style sheets: colours are asked of elements that have them.
  const probe = frame.appendChild(document.createElement("span"));
  const colour = (name) => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const [goodColour, badColour, text, line] = ["trend-good", "trend-bad", "trend-text", "trend-line"].map(colour);
  probe.remove();
  const bars = uPlot.paths.bars({ size: [0.7, 40] });
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const day = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 10);
  const begins = weeks.map((one) => Date.parse(one) / 1000);
  const shown = ({ width }) => begins.filter((_, at) => (begins.length - 1 - at) % Math.ceil((begins.length * 95) / Math.max(width - 60, 95)) === 0);
  const options = {
    width: frame.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
    scales: { y: { range: (_, __, most) => [0, Math.max(most ?? 0, 4)] }, x: { range: (_, least, most) => [least - WEEK_SECONDS / 2, most + WEEK_SECONDS / 2] } },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    axes: [
      { ...axis, grid: { show: false }, splits: shown, values: (_, splits) => splits.map(day) },
      { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000] },
    ],
    series: [
      { label: names[0], value: (_, seconds) => (seconds === null ? "–" : day(seconds)) },
      { label: names[1], fill: goodColour, stroke: goodColour, width: 0, paths: bars, points: { show: false }, value: (_, __, ___, at) => (at === null ? "–" : good[at]) },
      { label: names[2], fill: badColour, stroke: badColour, width: 0, paths: bars, points: { show: false }, value: (_, __, ___, at) => (at === null ? "–" : bad[at]) },
    ],
  };
  // The higher bar is drawn first and the lower one over it: together they are stacked.
  const plot = new uPlot(options, [begins, bad.map((count, at) => count + good[at]), bad], frame);
  new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height: HEIGHT })).observe(frame);
}

for (const frame of document.querySelectorAll("[data-trend]")) draw(frame);
