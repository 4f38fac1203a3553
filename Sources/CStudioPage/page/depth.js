// The room Depth: distances as colours, or as points in space.
import { on, say, watch, bitmap } from "/socket.js";
import { setup, remember, canUndo } from "/state.js";
import { slider, format } from "/controls.js";
import { colors } from "/palette.js";
import { Cloud } from "/cloud.js";
import { current } from "/live.js";
import { simulate } from "/sources.js";
import { file, chooseFile, follow as followFile } from "/depth-files.js";
import { measure } from "/measure.js";

const $ = (id) => document.getElementById(id);
const flat = $("depth-flat");
const paint = flat.getContext("2d", { alpha: false });
const small = document.createElement("canvas");
const stage = $("depth-stage");
const options = {
  is3D: setup.get("view") === "3d", filtered: setup.get("raw") !== "1",
  // Without a choice the range follows the scene.
  near: Number(setup.get("near")) || 0.5, far: Number(setup.get("far")) || 4, isAuto: !setup.has("near") && !setup.has("far"), tint: Number(setup.get("tint")) || 0, mix: setup.has("mix") ? Number(setup.get("mix")) : 1,
  size: Number(setup.get("size")) || 1,
};
let isHere = false;
let map = null;
let picture = null;
let spot = null;
let errorAtOneMetre = 0.001425;
let cloud = null;
let hasDepth = true;
let times = [];
let lastHistogram = 0;

export function enter() {
  isHere = !document.hidden;
  update();
  if (isHere) requestAnimationFrame(turn);
}
export function leave() { isHere = false; update(); }
export function update() {
  followFile(isHere, options.filtered);
  watch(isHere && !file() ? { views: ["input"], thumbnails: false, cloud: true, filtered: options.filtered, width: 640 } : { views: [], thumbnails: false, cloud: false, filtered: true, width: 1280 });
}
let cameraError = errorAtOneMetre;
on("hello", (hello) => { errorAtOneMetre = cameraError = hello.errorAtOneMetre; });

// Nothing of what was shown before is left: numbers, colours and legend belong to what is shown now.
export function clear() {
  map = null;
  spot = null;
  picture?.close();
  picture = null;
  times = [];
  isFollowing = false;
  measure.clear();
  errorAtOneMetre = file()?.errorAtOneMetre ?? cameraError;
  paint.fillRect(0, 0, flat.width, flat.height);
  present(true);
  read();
}
function present(isThere) {
  hasDepth = isThere;
  const hasMap = isThere && Boolean(map);
  for (const box of document.querySelectorAll("#depth .legend, #depth-histogram")) box.hidden = !hasMap;
  $("depth-notice").hidden = isThere;
  $("depth-notice").querySelector("p").textContent = file() ? "This moment has no depth." : "This camera has no depth.";
  if (!hasMap) $("depth-status").textContent = "";
  $("depth-measure").disabled = !hasMap || options.is3D;
}

export async function show(bundle) {
  const part = bundle.parts.get(20);
  const video = bundle.parts.get(2);
  if (!bundle.isStandby) $("depth-busy").hidden = true;
  if (!part) {
    if (map || (hasDepth && !bundle.isStandby)) { clear(); present(bundle.isStandby); }
    return;
  }
  const numbers = new DataView(part.bytes.buffer, part.bytes.byteOffset, 16);
  map = {
    width: part.width, height: part.height,
    lens: [0, 4, 8, 12].map((at) => numbers.getFloat32(at, true)),
    values: new Uint16Array(part.bytes.buffer, part.bytes.byteOffset + 16, part.width * part.height),
  };
  const needsPicture = options.is3D || options.mix < 1;
  if (needsPicture && video) { picture?.close(); picture = await bitmap(video); }
  present(true);
  tally();
  if (options.is3D) cloud?.take(map, picture);
  else drawFlat();
  read();
  const now = performance.now();
  times.push(now);
  while (now - times[0] > 2000) times.shift();
  if (!file()) $("depth-status").textContent = `${Math.round((Math.max(1, times.length) - 1) * 1000 / Math.max(1, now - times[0]))} fps`;
}

// MARK: flat

let pixels = null;
function drawFlat() {
  const { width, height, values } = map;
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
  const ratio = picture ? picture.width / picture.height : width / height;
  const wanted = [960, Math.round(960 / ratio)];
  if (flat.width !== wanted[0] || flat.height !== wanted[1]) [flat.width, flat.height] = wanted;
  paint.globalAlpha = 1;
  if (options.mix < 1 && picture) paint.drawImage(picture, 0, 0, flat.width, flat.height);
  paint.globalAlpha = options.mix < 1 && picture ? options.mix : 1;
  paint.imageSmoothingEnabled = options.filtered;
  paint.drawImage(small, 0, 0, flat.width, flat.height);
  paint.globalAlpha = 1;
}

// How many points are where; the middle of the nearer half is what the points turn round.
const bins = new Uint32Array(1200);
function tally() {
  bins.fill(0);
  let holes = 0;
  for (const value of map.values) {
    if (value === 0) holes += 1;
    else bins[Math.min(1199, (value / 10) | 0)] += 1;
  }
  const valid = map.values.length - holes;
  const at = (part) => { let left = valid * part; return (bins.findIndex((count) => (left -= count) <= 0) + 0.5) * 0.01; };
  map.nearMedian = valid ? at(0.25) : 0;
  if (options.isAuto && valid) follow(at(0.01) * 0.94, at(0.99) * 1.04);
  map.holes = holes / map.values.length;
  const now = performance.now();
  if (now - lastHistogram > 120) { lastHistogram = now; drawHistogram(); }
}

let isFollowing = false;
function follow(near, far) {
  const pace = isFollowing ? 0.08 : 1;
  isFollowing = true;
  options.near += (near - options.near) * pace;
  options.far += (Math.max(far, near + 0.3) - options.far) * pace;
  if (performance.now() - lastHistogram > 120) { boxes.near.show(options.near); boxes.far.show(options.far); drawLegend(); }
}

function drawHistogram() {
  const canvas = $("depth-histogram");
  const scale = Math.min(2, devicePixelRatio);
  const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
  if (!width) return;
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  // No bar is narrower than a bin.
  const count = Math.max(8, Math.min(Math.floor(width / (5 * scale)), Math.floor((options.far - options.near) / 0.01)));
  const heights = new Float32Array(count);
  for (let i = 0; i < bins.length; i += 1) {
    const at = Math.floor((((i + 0.5) * 0.01 - options.near) / (options.far - options.near)) * count);
    if (at >= 0 && at < count) heights[at] += bins[i];
  }
  const most = Math.max(1, ...heights);
  const step = width / count;
  const room = height - 12 * scale;
  for (let i = 0; i < count; i += 1) {
    const tall = Math.sqrt(heights[i] / most) * (room - 10 * scale);
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
  context.fillText(`${(map.holes * 100).toFixed(1)} % holes`, width - 12 * scale, 20 * scale);
}

function drawLegend() {
  const canvas = $("depth-legend");
  const context = canvas.getContext("2d");
  for (let x = 0; x < canvas.width; x += 1) {
    const at = 3 * Math.floor((x / (canvas.width - 1)) * 1023);
    context.fillStyle = `rgb(${colors[at]} ${colors[at + 1]} ${colors[at + 2]})`;
    context.fillRect(x, 0, 1, canvas.height);
  }
  $("depth-ticks").replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((part) => Object.assign(document.createElement("span"), { textContent: `${format(options.near + (options.far - options.near) * part)} m` })));
}

// MARK: a point's distance

function place(event) {
  const box = flat.getBoundingClientRect();
  // The picture lies in the middle of the canvas, with bars beside it.
  const ratio = flat.width / flat.height;
  const [width, height] = box.width / box.height > ratio ? [box.height * ratio, box.height] : [box.width, box.width / ratio];
  const x = (event.clientX - box.left - (box.width - width) / 2) / width;
  const y = (event.clientY - box.top - (box.height - height) / 2) / height;
  if (x < 0 || y < 0 || x >= 1 || y >= 1) return;
  return { x, y, left: event.clientX - box.left, top: event.clientY - box.top };
}
function point(event, isNew) {
  const at = place(event);
  if (!at || !map) return;
  if (measure.isOn) measure.put(at, isNew);
  else spot = at;
  read();
}
flat.addEventListener("pointerdown", (event) => { flat.setPointerCapture(event.pointerId); point(event, true); });
flat.addEventListener("pointermove", (event) => { if (event.buttons) point(event, false); });
measure.onChange = () => { spot = null; read(); };

function read() {
  const isOrder = file()?.isAbsolute === false;
  measure.show(options.is3D ? null : map, errorAtOneMetre, isOrder);
  $("depth-marker").hidden = $("depth-reading").hidden = !spot || !map || options.is3D;
  if (!spot || !map || options.is3D) return;
  const value = map.values[Math.floor(spot.y * map.height) * map.width + Math.floor(spot.x * map.width)] / 1000;
  const error = errorAtOneMetre * value * value * 1000;
  const reading = $("depth-reading");
  reading.innerHTML = isOrder && value ? `${value.toFixed(3)} <small>its order only: this file has no metres</small>` : value ? `${value.toFixed(3)} m <small>± ${error < 10 ? error.toFixed(1) : error.toFixed(0)} mm</small>` : "a hole";
  for (const box of [$("depth-marker"), reading]) Object.assign(box.style, { left: `${spot.left}px`, top: `${spot.top}px` });
  const half = reading.offsetWidth / 2 + 8;
  reading.style.left = `${Math.min(stage.clientWidth - half, Math.max(half, spot.left))}px`;
  if (spot.top < 64) reading.style.top = `${spot.top + reading.offsetHeight + 40}px`;
}

// MARK: switches

function setView(is3D) {
  options.is3D = is3D;
  if (is3D && !cloud) {
    cloud = new Cloud($("depth-cloud"));
    cloud.onTouch = () => $("depth-orbit").setAttribute("aria-pressed", "false");
    cloud.onHome = () => { cloud.options.isTurning = false; };
    if (!cloud.isPossible) { options.is3D = false; cloud = null; $("depth-3d").disabled = true; $("depth-3d").title = "This browser has no WebGL 2"; return; }
  }
  flat.hidden = is3D;
  $("depth-cloud").hidden = !is3D;
  $("depth-2d").setAttribute("aria-checked", String(!is3D));
  $("depth-3d").setAttribute("aria-checked", String(is3D));
  for (const box of document.querySelectorAll(".for3d")) box.hidden = !is3D;
  for (const box of document.querySelectorAll(".forflat")) box.hidden = is3D;
  remember({ view: is3D ? "3d" : null });
  present(hasDepth);
  if (map && cloud && is3D) cloud.take(map, picture);
  read();
}
$("depth-2d").onclick = () => setView(false);
$("depth-3d").onclick = () => setView(true);

function setFiltered(isOn) {
  options.filtered = isOn;
  $("depth-raw").setAttribute("aria-checked", String(!isOn));
  $("depth-filtered").setAttribute("aria-checked", String(isOn));
  remember({ raw: isOn ? null : 1 });
  update();
}
for (const [id, isOn] of [["depth-raw", false], ["depth-filtered", true]]) $(id).onclick = () => { const was = options.filtered; if (was !== isOn) { setFiltered(isOn); canUndo("filter", () => setFiltered(was)); } };

function control(root, parameter, name) {
  const box = slider(parameter, options[name], (value) => {
    const was = options[name];
    canUndo(`depth ${name}`, () => { options[name] = was; box.show(was); changed(); });
    options[name] = value;
    if (name === "near" || name === "far") options.isAuto = false;
    if (name === "near" && options.far < value + 0.2) options.far = value + 0.2;
    if (name === "far" && options.near > value - 0.2) options.near = Math.max(0.1, value - 0.2);
    changed();
  });
  $(root).append(box);
  return box;
}
const boxes = {
  mix: control("depth-sliders", { name: "mix", title: "Video … depth", summary: "0 is the video, 1 the colours of distances", unit: "", minimum: 0, maximum: 1, default: 1, bend: 1 }, "mix"),
  near: control("depth-range", { name: "near", title: "Near", summary: "Where the colours begin; by itself it follows the scene", unit: "m", minimum: 0.1, maximum: 5, default: 0.5, bend: 1.6 }, "near"),
  far: control("depth-range", { name: "far", title: "Far", summary: "Where the colours end; by itself it follows the scene", unit: "m", minimum: 0.5, maximum: 10, default: 4, bend: 1.6 }, "far"),
  tint: control("depth-points", { name: "tint", title: "Video … depth", summary: "0 is the video's colours, 1 those of distances", unit: "", minimum: 0, maximum: 1, default: 0, bend: 1 }, "tint"),
  size: control("depth-points", { name: "size", title: "Point size", summary: "How large the points are, in widths of a pixel", unit: "times", minimum: 0.3, maximum: 4, default: 1, bend: 1.6 }, "size"),
};
function changed() {
  for (const [name, box] of Object.entries(boxes)) box.show(options[name]);
  remember({ near: options.isAuto ? null : options.near, far: options.isAuto ? null : options.far, tint: options.tint || null, mix: options.mix === 1 ? null : options.mix, size: options.size === 1 ? null : options.size });
  drawLegend();
  if (map && !options.is3D) drawFlat();
}

$("depth-orbit").onclick = () => {
  if (!cloud) return;
  cloud.options.isTurning = !cloud.options.isTurning;
  $("depth-orbit").setAttribute("aria-pressed", String(cloud.options.isTurning));
};
$("depth-home").onclick = () => { cloud?.home(); if (cloud) cloud.options.isTurning = false; $("depth-orbit").setAttribute("aria-pressed", "false"); };
$("depth-freeze").onclick = () => { const was = current()?.status.showing === "frozen"; say({ do: "freeze", value: !was }); canUndo("freeze", () => say({ do: "freeze", value: was })); };
let shownCamera = null;
on("state", ({ status, camera }) => {
  // What the camera before saw is not what this one sees.
  if (camera !== shownCamera && !file()) clear();
  shownCamera = camera;
  $("depth-freeze").setAttribute("aria-pressed", String(status.showing === "frozen"));
  if (!isHere || file()) return;
  const isAway = status.showing === "standby" && !map && !status.isOnStandby && status.hint;
  $("depth-notice").hidden = !isAway && (hasDepth || status.showing === "standby");
  $("depth-notice").querySelector("p").textContent = isAway ? `${status.reason.replace(/^./, (letter) => letter.toUpperCase())}.` : "This camera has no depth.";
  if (isAway) $("depth-busy").hidden = true;
});
for (const kind of ["ply", "glb"]) $(`depth-${kind}`).onclick = (event) => { event.currentTarget.href = `/api/cloud/${kind}`; };
$("depth-simulate").onclick = () => { chooseFile(null); simulate(); };

function turn(now) {
  if (!isHere) return;
  requestAnimationFrame(turn);
  if (!options.is3D || !cloud) return;
  Object.assign(cloud.options, { size: options.size, mixing: options.tint, range: [options.isAuto ? 0.1 : options.near, options.isAuto ? options.far * 1.2 : options.far], colors: [options.near, options.far] });
  cloud.draw(now);
}

export function points() { return cloud; }

export function key(event) {
  if (event.key.toLowerCase() === "f") { $("depth-freeze").click(); return true; }
  const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
  if (step && options.is3D && cloud) { cloud.touch(); cloud.turn(...step); return true; }
  if (options.is3D && cloud && (event.key === "+" || event.key === "-")) { cloud.touch(); cloud.scale(event.key === "+" ? 1.15 : 0.87); return true; }
  return false;
}

setView(options.is3D);
setFiltered(options.filtered);
drawLegend();
