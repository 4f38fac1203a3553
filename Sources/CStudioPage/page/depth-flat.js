// Distances as colours: the picture, the histogram, the legend.
import { words } from "/words.js";
import { format } from "/controls.js";
import { colors } from "/palette.js";
import { options, view } from "/depth-state.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const flat = $("depth-flat");
const paint = flat.getContext("2d", { alpha: false });
const small = document.createElement("canvas");
let lastHistogram = 0;
let ranged = () => {};
// Calls `changed()` when the range has followed the scene.
export function connect(changed) { ranged = changed; }
export function clearFlat() { isFollowing = false; lastHistogram = 0; paint.fillRect(0, 0, flat.width, flat.height); }

let pixels = null;
export function drawFlat() {
  const { width, height, values } = view.map;
  if (small.width !== width || small.height !== height || !pixels) {
    [small.width, small.height] = [width, height];
    pixels = new ImageData(width, height);
  }
  const { data } = pixels;
  const [near, far] = [options.near * 1000, options.far * 1000];
  const scale = 1023 / (far - near);
  for (let i = 0, j = 0; i < values.length; i += 1, j += 4) {
    const value = values[i];
    if (value === 0) { data[j] = data[j + 1] = data[j + 2] = 0; data[j + 3] = 255; continue; }
    const at = 3 * Math.max(0, Math.min(1023, ((value - near) * scale) | 0));
    data[j] = colors[at]; data[j + 1] = colors[at + 1]; data[j + 2] = colors[at + 2]; data[j + 3] = 255;
  }
  small.getContext("2d").putImageData(pixels, 0, 0);
  const ratio = view.picture ? view.picture.width / view.picture.height : width / height;
  const wanted = [960, Math.round(960 / ratio)];
  if (flat.width !== wanted[0] || flat.height !== wanted[1]) [flat.width, flat.height] = wanted;
  paint.globalAlpha = 1;
  if (options.mix < 1 && view.picture) paint.drawImage(view.picture, 0, 0, flat.width, flat.height);
  paint.globalAlpha = options.mix < 1 && view.picture ? options.mix : 1;
  paint.imageSmoothingEnabled = options.filtered;
  paint.drawImage(small, 0, 0, flat.width, flat.height);
  paint.globalAlpha = 1;
}

// Counts points by distance; the median of the nearer half is the pivot of the points.
const bins = new Uint32Array(1200);
export function tally() {
  bins.fill(0);
  let holes = 0;
  for (const value of view.map.values) {
    if (value === 0) holes += 1;
    else bins[Math.min(1199, (value / 10) | 0)] += 1;
  }
  const valid = view.map.values.length - holes;
  const at = (part) => { let left = valid * part; return (bins.findIndex((count) => (left -= count) <= 0) + 0.5) * 0.01; };
  view.map.nearMedian = valid ? at(0.25) : 0;
  if (options.isAuto && valid) follow(at(0.01) * 0.94, at(0.99) * 1.04);
  view.map.holes = holes / view.map.values.length;
  const now = performance.now();
  if (now - lastHistogram > 120) { lastHistogram = now; drawHistogram(); }
}

let isFollowing = false;
function follow(near, far) {
  const pace = isFollowing ? 0.08 : 1;
  isFollowing = true;
  options.near += (near - options.near) * pace;
  options.far += (Math.max(far, near + 0.3) - options.far) * pace;
  if (performance.now() - lastHistogram > 120) { ranged(); drawLegend(); }
}

function drawHistogram() {
  const canvas = $("depth-histogram");
  const scale = Math.min(2, devicePixelRatio);
  const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
  if (!width) return;
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  // No bar may be narrower than a bin.
  const count = Math.max(8, Math.min(Math.floor(width / (5 * scale)), Math.floor((options.far - options.near) / 0.01)));
  const heights = new Float32Array(count);
  for (let i = 0; i < bins.length; i += 1) {
    const at = Math.floor((((i + 0.5) * 0.01 - options.near) / (options.far - options.near)) * count);
    if (at >= 0 && at < count) heights[at] += bins[i];
  }
  const most = Math.max(1, ...heights);
  const step = width / count;
  const space = height - 12 * scale;
  for (let i = 0; i < count; i += 1) {
    const tall = Math.sqrt(heights[i] / most) * (space - 10 * scale);
    if (tall < 0.5) continue;
    const at = 3 * Math.floor(((i + 0.5) / count) * 1023);
    context.fillStyle = `rgb(${colors[at]} ${colors[at + 1]} ${colors[at + 2]})`;
    context.beginPath();
    context.roundRect(i * step + 0.5 * scale, height - 8 * scale - tall, step - scale, tall, 1.5 * scale);
    context.fill();
  }
  const style = getComputedStyle(document.documentElement);
  context.fillStyle = style.getPropertyValue("--soft");
  context.font = `${11.5 * scale}px system-ui, sans-serif`;
  context.textAlign = "right";
  context.fillText(words.depth.holes((view.map.holes * 100).toFixed(1)), width - 12 * scale, 20 * scale);
}

export function drawLegend() {
  const canvas = $("depth-legend");
  const context = canvas.getContext("2d");
  for (let x = 0; x < canvas.width; x += 1) {
    const at = 3 * Math.floor((x / (canvas.width - 1)) * 1023);
    context.fillStyle = `rgb(${colors[at]} ${colors[at + 1]} ${colors[at + 2]})`;
    context.fillRect(x, 0, 1, canvas.height);
  }
  $("depth-ticks").replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((part) => Object.assign(document.createElement("span"), { textContent: `${format(options.near + (options.far - options.near) * part)} m` })));
}

