// The distance in space between two points, and its error.
import { words } from "/words.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const root = $("depth-line");
const [line, first, second] = ["line", ".first", ".second"].map((name) => root.querySelector(name));
/** @type {Spot[]} */ let ends = [];
// Whether the last touch hit nothing that can be measured.
let isMissed = false;

/** @type {Measure} */
export const measure = {
  isOn: false,
  onChange: () => {},
  clear() { ends = []; isMissed = false; this.show(); },
  // A third point starts a new line; a drag moves the last point. Without a point, the touch hit nothing.
  put(at, isNew) {
    const isFirst = isNew || isMissed || !ends.length;
    isMissed = !at;
    if (!at) return;
    if (!isFirst) ends[ends.length - 1] = at;
    else ends = ends.length === 2 ? [at] : [...ends, at];
  },
  show({ map, points, errorAtOneMetre, isOrder } = {}) {
    const isThere = Boolean(map || points);
    const text = $("depth-measured");
    root.toggleAttribute("hidden", !isThere || !this.isOn || !ends.length);
    text.hidden = !this.isOn || !isThere;
    if (text.hidden) return;
    draw();
    if (isMissed) { text.textContent = words.depth.nothingHere; return; }
    if (ends.length < 2) { text.textContent = ends.length ? words.depth.second : words.depth.first; return; }
    if (isOrder) { text.textContent = words.depth.onlyOrder; return; }
    if (points) {
      const length = Math.hypot(...ends[0].place.map((part, index) => part - ends[1].place[index]));
      text.textContent = points.isInMetres ? `${length.toFixed(3)} m` : words.depth.unknownUnit(Number(length.toPrecision(4)));
      return;
    }
    const found = distance(map, ends, errorAtOneMetre);
    text.textContent = found ? `${found.metres.toFixed(3)} m ± ${(found.error * 1000).toFixed(found.error < 0.01 ? 1 : 0)} mm` : words.depth.pointIsHole;
  },
  // In space, the ends move while the view turns.
  follow(project) {
    if (!this.isOn || !ends.length || !ends[0].place) return;
    for (const end of ends) [end.left, end.top] = project(end.place);
    draw();
  },
};

function draw() {
  for (const [index, dot] of [first, second].entries()) {
    dot.toggleAttribute("hidden", !ends[index]);
    if (ends[index]) { dot.setAttribute("cx", ends[index].left); dot.setAttribute("cy", ends[index].top); }
  }
  line.toggleAttribute("hidden", ends.length < 2);
  if (ends.length === 2) [["x1", ends[0].left], ["y1", ends[0].top], ["x2", ends[1].left], ["y2", ends[1].top]].forEach(([name, value]) => line.setAttribute(name, value));
}

// Each point may be off along its ray, by an error that grows with the square of its distance.
export function distance(map, ends, errorAtOneMetre) {
  const [fx, fy, cx, cy] = map.lens;
  const points = ends.map(({ x, y }) => {
    const [column, row] = [Math.floor(x * map.width), Math.floor(y * map.height)];
    const z = map.values[row * map.width + column] / 1000;
    const ray = [(column + 0.5 - cx) / fx, (row + 0.5 - cy) / fy, 1];
    return { z, ray, at: ray.map((part) => part * z), error: errorAtOneMetre * z * z };
  });
  if (points.some(({ z }) => !z)) return null;
  const between = points[0].at.map((part, index) => part - points[1].at[index]);
  const metres = Math.hypot(...between);
  if (!metres) return { metres: 0, error: Math.hypot(...points.map(({ error }) => error)) };
  const along = points.map(({ ray, error }) => (error * ray.reduce((sum, part, index) => sum + part * between[index], 0)) / metres);
  return { metres, error: Math.hypot(...along) };
}

$("depth-measure").onclick = () => {
  measure.isOn = !measure.isOn;
  measure.clear();
  $("depth-measure").setAttribute("aria-pressed", String(measure.isOn));
  measure.onChange();
};
