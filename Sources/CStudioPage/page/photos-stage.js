// The photo on its stage: fitted, zoomed to 400 %, moved; before and after; the loupe.
import { workspace, when, tell, address } from "/photos-state.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const stage = $("photo-stage");
const canvas = $("photo-canvas");
const paper = $("photo-paper");
const before = $("photo-before");
const divider = $("photo-divider");
// CSS pixels per pixel of the photo (null fits it), and the point in the middle, as fractions of the sides.
const seen = { zoom: null, x: 0.5, y: 0.5 };
let frame = { x: 0, y: 0, width: 1, height: 1 };
let isHeld = false;
const largest = 4;

// The full size of the picture in pixels; the canvas is smaller while something moves.
export function whole() {
  const photo = workspace.photo;
  const ratio = canvas.width / canvas.height;
  if (!photo) return { width: 4, height: 3 };
  const width = photo.full ?? photo.width;
  return { width, height: width / ratio };
}
// On phones the view switch covers the upper edge of the stage, so a fitted photo begins below it.
function headroom() { return stage.clientWidth < 600 ? $("photo-views").offsetHeight + 20 : 0; }
function fit() {
  const box = stage.getBoundingClientRect();
  const size = whole();
  return Math.min(box.width / size.width, (box.height - headroom()) / size.height);
}
export function zoomNow() { return seen.zoom ?? fit(); }

export function place() {
  const box = stage.getBoundingClientRect();
  if (!workspace.photo || !box.width) return;
  const size = whole();
  const zoom = zoomNow();
  const [width, height] = [size.width * zoom, size.height * zoom];
  // A smaller picture is centred on the stage; a larger one covers it.
  const edge = (length, outer, at) => (length <= outer ? (outer - length) / 2 : Math.min(0, Math.max(outer - length, outer / 2 - at * length)));
  const above = seen.zoom === null ? headroom() : 0;
  const [left, top] = [edge(width, box.width, seen.x), above + edge(height, box.height - above, seen.y)];
  Object.assign(paper.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  if (width > box.width) seen.x = (box.width / 2 - left) / width;
  if (height > box.height) seen.y = (box.height / 2 - top) / height;
  paper.classList.toggle("pixels", zoom >= 2);
  $("photo-zoom").textContent = `${Math.round(zoom * 100)} %`;
  $("photo-fit").setAttribute("aria-pressed", String(seen.zoom === null));
  $("photo-full").setAttribute("aria-pressed", String(seen.zoom === 1));
  clip();
  tell("placed");
}

// Zooms about a point of the stage.
export function zoomTo(zoom, at) {
  const box = stage.getBoundingClientRect();
  const old = paper.getBoundingClientRect();
  const [px, py] = at ?? [box.left + box.width / 2, box.top + box.height / 2];
  const [u, v] = [(px - old.left) / old.width, (py - old.top) / old.height];
  // Fitting may enlarge a small picture; its own size is then less.
  const least = Math.min(1, fit());
  const isFit = zoom === null || Math.abs(zoom - fit()) < 1e-3 * fit() || zoom < least * 0.999 && fit() <= 1;
  seen.zoom = isFit ? null : Math.min(largest, Math.max(least, zoom));
  const size = whole();
  const now = zoomNow();
  seen.x = u - (px - box.left - box.width / 2) / (size.width * now);
  seen.y = v - (py - box.top - box.height / 2) / (size.height * now);
  place();
  sharpen();
}
export function moveBy(dx, dy) {
  const size = whole();
  const zoom = zoomNow();
  seen.x -= dx / (size.width * zoom);
  seen.y -= dy / (size.height * zoom);
  place();
}
// If the screen shows more pixels than the canvas has, the full size is requested after a pause.
let rest = null;
function sharpen() {
  clearTimeout(rest);
  const size = whole();
  if (!workspace.photo || canvas.dataset.size === "whole" || size.width * zoomNow() <= canvas.width * 1.15) return;
  if (workspace.view === "effect" || workspace.view === "picture") rest = setTimeout(() => tell("wanted", "whole"), 500);
}

// The point of the picture under an event, as fractions of its sides; with `ofFrame`, of the photo itself.
export function point(event, ofFrame = false) {
  const box = paper.getBoundingClientRect();
  let [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  if (ofFrame && workspace.view === "effect") [x, y] = [(x - frame.x) / frame.width, (y - frame.y) / frame.height];
  return [x, y];
}
export function frameNow() { return workspace.view === "effect" ? frame : { x: 0, y: 0, width: 1, height: 1 }; }
export function setFrame(next) { frame = next; tell("placed"); }

// Before and after: while held, or split by a line.
const original = new Image();
export async function loadOriginal() {
  if (!workspace.photo) return;
  const wanted = address(workspace.look, "picture", "fine");
  if (original.dataset.of !== `${workspace.photo.id}`) {
    original.src = wanted;
    await original.decode().catch(() => {});
    original.dataset.of = `${workspace.photo.id}`;
  }
  [before.width, before.height] = [canvas.width, canvas.height];
  const pen = before.getContext("2d");
  pen.fillStyle = "#000";
  pen.fillRect(0, 0, before.width, before.height);
  const { x, y, width, height } = frameNow();
  pen.drawImage(original, x * before.width, y * before.height, width * before.width, height * before.height);
}
function clip() {
  const isSplit = !divider.hidden;
  before.hidden = !(isHeld || isSplit);
  if (!isSplit || isHeld) { before.style.clipPath = "none"; return; }
  const [outer, inner] = [stage.getBoundingClientRect(), paper.getBoundingClientRect()];
  const at = outer.left + outer.width * Number(divider.value) / 100;
  before.style.clipPath = `inset(0 ${Math.max(0, inner.right - at)}px 0 0)`;
}
export async function hold(on) {
  if (on === isHeld || !workspace.photo) return;
  isHeld = on;
  if (on) await loadOriginal();
  $("photo-stage").classList.toggle("held", isHeld);
  clip();
}
export async function split(on = divider.hidden) {
  if (on) { await loadOriginal(); if (workspace.view !== "effect") tell("view", "effect"); }
  divider.hidden = !on;
  $("photo-compare").setAttribute("aria-pressed", String(on));
  clip();
}
divider.addEventListener("input", clip);
// A click splits the picture; holding the button shows the original.
let pressed = null;
let wasLong = false;
$("photo-compare").addEventListener("pointerdown", () => { wasLong = false; pressed = setTimeout(() => { wasLong = true; hold(true); }, 260); });
for (const end of ["pointerup", "pointercancel", "pointerleave"]) $("photo-compare").addEventListener(end, () => { clearTimeout(pressed); hold(false); });
$("photo-compare").addEventListener("click", () => { if (!wasLong) split(); wasLong = false; });

$("photo-fit").onclick = () => zoomTo(null);
$("photo-full").onclick = () => zoomTo(1);
stage.addEventListener("wheel", (event) => {
  if (!workspace.photo || event.target.closest(".corner")) return;
  event.preventDefault();
  if (event.ctrlKey || !event.shiftKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) zoomTo(zoomNow() * Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), [event.clientX, event.clientY]);
  else moveBy(-(event.shiftKey ? event.deltaY : event.deltaX), 0);
}, { passive: false });

// Handles the keys of the stage; true if the key was one.
export function key(event) {
  const step = 60;
  const acts = {
    "+": () => zoomTo(zoomNow() * 1.25), "=": () => zoomTo(zoomNow() * 1.25), "-": () => zoomTo(zoomNow() / 1.25), 0: () => zoomTo(null), f: () => zoomTo(null),
    b: () => split(), o: () => { hold(true); addEventListener("keyup", () => hold(false), { once: true }); },
  };
  const act = acts[event.key.toLowerCase()];
  if (act) { act(); return true; }
  const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (way && seen.zoom !== null) { moveBy(way[0] * step, way[1] * step); return true; }
  return false;
}

// The loupe: the picture under the finger, enlarged, away from the finger.
const loupe = $("photo-loupe");
export function showLoupe(event, radius, color) {
  loupe.hidden = !event;
  if (!event) return;
  const box = stage.getBoundingClientRect();
  const isNear = event.clientX - box.left < 190 && event.clientY - box.top < 240;
  loupe.classList.toggle("right", isNear);
  const pen = loupe.getContext("2d");
  const inner = paper.getBoundingClientRect();
  const scale = canvas.width / inner.width;
  const span = loupe.width / 3;
  const [x, y] = [(event.clientX - inner.left) * scale, (event.clientY - inner.top) * scale];
  pen.fillStyle = "#000";
  pen.fillRect(0, 0, loupe.width, loupe.height);
  const half = span / 2 * scale;
  pen.drawImage(canvas, x - half, y - half, 2 * half, 2 * half, 0, 0, loupe.width, loupe.height);
  pen.lineWidth = 2;
  pen.strokeStyle = color;
  pen.beginPath();
  pen.arc(loupe.width / 2, loupe.height / 2, Math.max(2, radius * 3), 0, 7);
  pen.stroke();
}

new ResizeObserver(place).observe(stage);
when("drawn", () => { place(); sharpen(); if (!before.hidden) loadOriginal(); });
when("photo", () => { Object.assign(seen, { zoom: null, x: 0.5, y: 0.5 }); split(false); });
