// The workspace Depth: distances as colours, or as points in space.
import { words } from "/words.js";
import { on, say, watch, bitmap } from "/socket.js";
import { setup, remember, canUndo } from "/state.js";
import { addWorkspace } from "/workspaces.js";
import { slider } from "/controls.js";
import { Cloud } from "/cloud.js";
import { current } from "/live.js";
import { simulate } from "/sources.js";
import { file, chooseFile, follow as followFile, drop } from "/depth-files.js";
import { measure } from "/measure.js";
import { options, view } from "/depth-state.js";
import { drawFlat, drawLegend, tally, clearFlat, connect } from "/depth-flat.js";
import { read, touchSpace } from "/depth-read.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
let times = [];
// Counts the changes of what is shown.
let changes = 0;

function enter() {
  view.isHere = !document.hidden;
  update();
  if (view.isHere) requestAnimationFrame(turn);
}
function leave() { view.isHere = false; update(); }
export function update() {
  followFile(view.isHere, options.filtered);
  watch(view.isHere && !file() ? { views: ["input"], thumbnails: false, cloud: true, filtered: options.filtered, width: 640 } : { views: [], thumbnails: false, cloud: false, filtered: true, width: 1280 });
}
let cameraError = view.errorAtOneMetre;
on("hello", (hello) => { view.errorAtOneMetre = cameraError = hello.errorAtOneMetre; });

// Removes everything shown before, with its numbers, colours and legend.
export function clear() {
  changes += 1;
  view.map = null;
  view.spot = null;
  view.picture?.close();
  view.picture = null;
  view.points = null;
  times = [];
  measure.clear();
  view.errorAtOneMetre = file()?.errorAtOneMetre ?? cameraError;
  clearFlat();
  view.cloud?.clear();
  present(true);
  read();
}
function present(isThere) {
  view.hasDepth = isThere;
  const hasMap = isThere && Boolean(view.map);
  const isSpace = Boolean(file()?.points);
  for (const box of document.querySelectorAll("#depth .legend, #depth-histogram")) box.hidden = !hasMap;
  $("depth-notice").hidden = isThere;
  $("depth-notice").querySelector("p").textContent = file() ? words.depth.noDepthNow : words.depth.noDepth;
  if (!hasMap && !view.points) $("depth-status").textContent = "";
  $("depth-status").hidden = !$("depth-status").textContent;
  $("depth-measure").disabled = !hasMap && !view.points;
  // The points of a file have no picture, and no depth map to filter.
  $("depth-2d").disabled = isSpace;
  for (const id of ["depth-title", "depth-cleaning", "depth-range", "depth-keep"]) $(id).hidden = isSpace;
  boxes.tint.hidden = isSpace;
}

// Shows a picture of the camera, unless a file was chosen meanwhile.
async function show(bundle) { if (!file()) await draw(bundle); }
export async function draw(bundle) {
  const part = bundle.parts.get(20);
  const video = bundle.parts.get(2);
  if (!bundle.isStandby) $("depth-busy").hidden = true;
  if (!part) {
    if (view.map || (view.hasDepth && !bundle.isStandby)) { clear(); present(bundle.isStandby); }
    return;
  }
  const before = changes;
  const numbers = new DataView(part.bytes.buffer, part.bytes.byteOffset, 16);
  view.map = {
    width: part.width, height: part.height,
    lens: [0, 4, 8, 12].map((at) => numbers.getFloat32(at, true)),
    values: new Uint16Array(part.bytes.buffer, part.bytes.byteOffset + 16, part.width * part.height),
  };
  // A file is sent only once, so its picture is always decoded.
  const needsPicture = file() || options.is3D || options.mix < 1;
  if (needsPicture && video) {
    const picture = await bitmap(video);
    if (changes !== before) { picture.close(); return; }
    view.picture?.close();
    view.picture = picture;
  }
  present(true);
  tally();
  if (options.is3D) view.cloud?.take(view.map, view.picture);
  else drawFlat();
  read();
  const now = performance.now();
  times.push(now);
  while (now - times[0] > 2000) times.shift();
  $("depth-status").hidden = Boolean(file());
  if (!file()) $("depth-status").textContent = words.common.rate(Math.round((Math.max(1, times.length) - 1) * 1000 / Math.max(1, now - times[0])));
}

// The points of a file.
export function showPoints(points) {
  view.points = points;
  $("depth-busy").hidden = true;
  if (!options.is3D) setView(true, false);
  view.cloud?.takePoints(points);
  present(true);
  const count = points.total.toLocaleString("en");
  $("depth-status").textContent = points.count < points.total ? words.depth.pointsOf(points.count.toLocaleString("en"), count) : words.depth.points(count);
  $("depth-status").hidden = false;
  read();
}

// MARK: switches

function setView(is3D, isKept = true) {
  options.is3D = is3D;
  if (is3D && !view.cloud) {
    view.cloud = new Cloud($("depth-cloud"));
    view.cloud.onTouch = () => $("depth-orbit").setAttribute("aria-pressed", "false");
    view.cloud.onHome = () => { view.cloud.options.isTurning = false; };
    view.cloud.onTap = touchSpace;
    if (!view.cloud.isPossible) { options.is3D = false; view.cloud = null; $("depth-3d").disabled = true; $("depth-3d").title = words.depth.noWebGL; return; }
  }
  $("depth-flat").hidden = is3D;
  $("depth-cloud").hidden = !is3D;
  $("depth-2d").setAttribute("aria-checked", String(!is3D));
  $("depth-3d").setAttribute("aria-checked", String(is3D));
  for (const box of document.querySelectorAll(".for3d")) box.hidden = !is3D;
  for (const box of document.querySelectorAll(".forflat")) box.hidden = is3D;
  if (isKept) remember({ view: is3D ? "3d" : null });
  measure.clear();
  present(view.hasDepth);
  if (view.map && view.cloud && is3D) view.cloud.take(view.map, view.picture);
  read();
}
export function restoreView() { setView(setup.get("view") === "3d", false); }
$("depth-2d").onclick = () => setView(false);
$("depth-3d").onclick = () => setView(true);

function setFiltered(isOn) {
  options.filtered = isOn;
  $("depth-raw").setAttribute("aria-checked", String(!isOn));
  $("depth-filtered").setAttribute("aria-checked", String(isOn));
  remember({ raw: isOn ? null : 1 });
  update();
}
for (const [id, isOn] of Object.entries({ "depth-raw": false, "depth-filtered": true })) $(id).onclick = () => { const was = options.filtered; if (was !== isOn) { setFiltered(isOn); canUndo("filter", () => setFiltered(was)); } };

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
  mix: control("depth-sliders", { name: "mix", title: words.depth.mix[0], summary: words.depth.mix[1], unit: "", minimum: 0, maximum: 1, default: 1, bend: 1 }, "mix"),
  near: control("depth-range", { name: "near", title: words.depth.near[0], summary: words.depth.near[1], unit: "m", minimum: 0.1, maximum: 5, default: 0.5, bend: 1.6 }, "near"),
  far: control("depth-range", { name: "far", title: words.depth.far[0], summary: words.depth.far[1], unit: "m", minimum: 0.5, maximum: 10, default: 4, bend: 1.6 }, "far"),
  tint: control("depth-points", { name: "tint", title: words.depth.tint[0], summary: words.depth.tint[1], unit: "", minimum: 0, maximum: 1, default: 0, bend: 1 }, "tint"),
  size: control("depth-points", { name: "size", title: words.depth.size[0], summary: words.depth.size[1], unit: "times", minimum: 0.3, maximum: 4, default: 1, bend: 1.6 }, "size"),
};
function changed() {
  for (const [name, box] of Object.entries(boxes)) box.show(options[name]);
  remember({ near: options.isAuto ? null : options.near, far: options.isAuto ? null : options.far, tint: options.tint || null, mix: options.mix === 1 ? null : options.mix, size: options.size === 1 ? null : options.size });
  drawLegend();
  if (view.map && !options.is3D) drawFlat();
}

$("depth-orbit").onclick = () => {
  if (!view.cloud) return;
  view.cloud.options.isTurning = !view.cloud.options.isTurning;
  $("depth-orbit").setAttribute("aria-pressed", String(view.cloud.options.isTurning));
};
$("depth-home").onclick = () => { view.cloud?.home(); if (view.cloud) view.cloud.options.isTurning = false; $("depth-orbit").setAttribute("aria-pressed", "false"); };
$("depth-freeze").onclick = () => { const was = current()?.status.showing === "frozen"; say({ do: "freeze", value: !was }); canUndo("freeze", () => say({ do: "freeze", value: was })); };
let shownCamera = null;
on("state", ({ status, camera }) => {
  // Another camera shows another scene.
  if (camera !== shownCamera && !file()) clear();
  shownCamera = camera;
  $("depth-freeze").setAttribute("aria-pressed", String(status.showing === "frozen"));
  if (!view.isHere || file()) return;
  const isAway = status.showing === "standby" && !view.map && !status.isOnStandby && status.hint;
  $("depth-notice").hidden = !isAway && (view.hasDepth || status.showing === "standby");
  $("depth-notice").querySelector("p").textContent = isAway ? `${status.reason.replace(/^./, (letter) => letter.toUpperCase())}.` : words.depth.noDepth;
  if (isAway) $("depth-busy").hidden = true;
});
$("depth-simulate").onclick = () => { chooseFile(null); simulate(); };

function turn(now) {
  if (!view.isHere) return;
  requestAnimationFrame(turn);
  if (!options.is3D || !view.cloud) return;
  Object.assign(view.cloud.options, { size: options.size, mixing: options.tint, range: [options.isAuto ? 0.1 : options.near, options.isAuto ? options.far * 1.2 : options.far], colors: [options.near, options.far] });
  view.cloud.draw(now);
  measure.follow((at) => view.cloud.project(at));
}

connect(() => { boxes.near.show(options.near); boxes.far.show(options.far); });
$("depth-flip").onclick = () => view.cloud?.flip();

function key(event) {
  if (event.key.toLowerCase() === "f") { $("depth-freeze").click(); return true; }
  const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
  if (step && options.is3D && view.cloud) { view.cloud.touch(); view.cloud.turn(...step); return true; }
  if (options.is3D && view.cloud && (event.key === "+" || event.key === "-")) { view.cloud.touch(); view.cloud.scale(event.key === "+" ? 1.15 : 0.87); return true; }
  return false;
}

setView(options.is3D);
setFiltered(options.filtered);
drawLegend();

addWorkspace("depth", { enter, leave, show, key, drop, opens: words.frame.openFile, stats: { get cloud() { return view.cloud; } } });
