// Fingers and the mouse on the photo: one serves the tool; two zoom and move, unless the tool handles them.
import { workspace } from "/photos-state.js";
import { zoomNow, zoomTo, moveBy } from "/photos-stage.js";

const stage = document.getElementById("photo-stage");
// By tool: down(event) returns whether it takes the finger; then move, up, cancel. Also tap(event), hold(event), pinch({scale, dx,
// dy}).
/** @type {Tools} */
export const tools = {};
const fingers = new Map();
let taken = null;
let start = null;
let holding = null;
let pair = null;

const tool = () => tools[workspace.tool] ?? {};
function span() {
  const [a, b] = [...fingers.values()];
  return { length: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 };
}

stage.addEventListener("pointerdown", (event) => {
  if (!workspace.photo || event.button > 1 || event.target.closest("button, input, .corner, .empty")) return;
  fingers.set(event.pointerId, event);
  try { stage.setPointerCapture(event.pointerId); } catch { /* A test's synthetic finger. */ }
  clearTimeout(holding);
  if (fingers.size === 2) {
    if (taken !== null) tool().cancel?.();
    taken = null;
    start = null;
    pair = span();
    return;
  }
  start = { x: event.clientX, y: event.clientY, at: event.timeStamp, last: event, isMoved: false, isHeld: false };
  if (event.button === 0 && tool().down?.(event)) taken = event.pointerId;
  else holding = setTimeout(() => { if (start && !start.isMoved && tool().hold) { start.isHeld = true; tool().hold(event); } }, 550);
});
stage.addEventListener("pointermove", (event) => {
  if (!fingers.has(event.pointerId)) { tool().hover?.(event); return; }
  fingers.set(event.pointerId, event);
  if (fingers.size === 2 && pair) {
    const now = span();
    const change = { scale: now.length / pair.length, dx: now.x - pair.x, dy: now.y - pair.y, at: [now.x, now.y] };
    pair = now;
    if (tool().pinch) return tool().pinch(change);
    moveBy(change.dx, change.dy);
    return zoomTo(zoomNow() * change.scale, change.at);
  }
  if (taken === event.pointerId) return tool().move?.(event);
  if (!start) return;
  if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > 6) { start.isMoved = true; clearTimeout(holding); }
  if (start.isMoved) moveBy(event.clientX - start.last.clientX, event.clientY - start.last.clientY);
  start.last = event;
});
function end(event) {
  if (!fingers.delete(event.pointerId)) return;
  clearTimeout(holding);
  if (fingers.size < 2) pair = null;
  if (taken === event.pointerId) {
    taken = null;
    if (event.type === "pointerup") tool().up?.(event);
    else tool().cancel?.();
  } else if (start && !start.isMoved && !start.isHeld && event.type === "pointerup" && fingers.size === 0 && event.button !== 1) tool().tap?.(event);
  start = null;
}
stage.addEventListener("pointerup", end);
stage.addEventListener("pointercancel", end);
stage.addEventListener("pointerleave", () => tool().hover?.(null));
// A double click switches between fitted and 100 %.
stage.addEventListener("dblclick", (event) => {
  if (!workspace.photo || tool().down || event.target.closest("button, input, .corner")) return;
  zoomTo(zoomNow() >= 0.999 ? null : 1, [event.clientX, event.clientY]);
});
