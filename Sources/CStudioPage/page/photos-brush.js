// The brush: strokes that keep or erase, shown as paint until the studio has drawn them.
import { words } from "/words.js";
import { workspace, when, tell, edit, send } from "/photos-state.js";
import { control, choose, titled } from "/controls.js";
import { tools } from "/photos-pointer.js";
import { point, frameNow, showLoupe } from "/photos-stage.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const ink = $("photo-ink");
const paper = $("photo-paper");
const brush = { action: "keep", size: 0.025, softness: 0.4, edges: true };
const colors = { keep: "#63d8b5", erase: "#ff7d74" };
/** @type {Stroke} */ let stroke = null;
/** @type {Studio.PhotoEdit} */ let was = null;
let begun = 0;
tools.frame = frameNow;

/** @type {Parameter[]} */
const controls = [
  { name: "size", title: words.brush.size[0], kind: "number", unit: "%", minimum: 0.2, maximum: 20, default: 2.5, bend: 2, summary: words.brush.size[1] },
  { name: "softness", title: words.brush.softness[0], kind: "number", unit: "", minimum: 0, maximum: 1, default: 0.4, summary: words.brush.softness[1] },
  { name: "edges", title: words.brush.edges[0], kind: "toggle", default: true, summary: words.brush.edges[1] },
];
function drawControls() {
  $("photo-brush").replaceChildren(...controls.map((parameter) => control(parameter, parameter.name === "size" ? brush.size * 100 : brush[parameter.name], (value) => {
    brush[parameter.name] = parameter.name === "size" ? value / 100 : value;
  })));
}
drawControls();
const actions = $("photo-action");
const markAction = choose(actions);
function act(name) {
  brush.action = name;
  markAction(actions.querySelector(`[data-action=${name}]`));
}
for (const button of actions.querySelectorAll("button")) button.onclick = () => act(button.dataset.action);

$("photo-clear").onclick = () => edit("all strokes", { touchUp: { version: 1, strokes: [] } });
function tellStrokes() {
  const photo = workspace.photo;
  if (!photo) return;
  const count = photo.edit.touchUp.strokes.length;
  const about = count === 0 ? words.brush.none : words.brush.strokes(count);
  $("photo-strokes").textContent = workspace.look.usesSubject ? about : `${about} ${words.brush.otherLook(titled(workspace.look.id))}`;
  $("photo-clear").disabled = count === 0;
  const link = $("photo-touch-up");
  link.toggleAttribute("inert", count === 0);
  link.classList.toggle("off", count === 0);
  link.href = `/api/photos/${photo.id}/touch-up.json`;
}

// The radius of the brush in CSS pixels.
function radius() {
  const box = paper.getBoundingClientRect();
  const { width, height } = frameNow();
  return brush.size * Math.max(width * box.width, height * box.height);
}
function color(action) { return colors[action]; }

function ready() {
  const box = paper.getBoundingClientRect();
  const [width, height] = [Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height))];
  if (ink.width !== width || ink.height !== height) [ink.width, ink.height] = [width, height];
  return ink.getContext("2d");
}
// Paints the stroke that the picture does not have yet.
function paint() {
  const pen = ready();
  pen.clearRect(0, 0, ink.width, ink.height);
  if (workspace.tool !== "brush" || !stroke) return;
  const { x, y, width, height } = frameNow();
  pen.strokeStyle = pen.fillStyle = color(stroke.does);
  pen.globalAlpha = 0.45;
  pen.lineCap = pen.lineJoin = "round";
  pen.lineWidth = 2 * radius();
  pen.beginPath();
  for (let at = 0; at < stroke.points.length; at += 2) {
    const [u, v] = [(x + stroke.points[at] * width) * ink.width, (y + stroke.points[at + 1] * height) * ink.height];
    if (at === 0) pen.moveTo(u, v);
    pen.lineTo(u + (at === 0 ? 0.01 : 0), v);
  }
  pen.stroke();
}
function circle(event) {
  paint();
  if (!event || workspace.tool !== "brush") return;
  const pen = ink.getContext("2d");
  const box = paper.getBoundingClientRect();
  pen.globalAlpha = 1;
  pen.lineWidth = 1.5;
  for (const [tint, more] of [["#000a", 1], [color(event.altKey ? "erase" : brush.action), 0]]) {
    pen.strokeStyle = tint;
    pen.beginPath();
    pen.arc(event.clientX - box.left, event.clientY - box.top, radius() + more, 0, 7);
    pen.stroke();
  }
}

const limit = (number) => Math.round(Math.min(1, Math.max(0, number)) * 1e5) / 1e5;
function add(event) {
  const [x, y] = point(event, true).map(limit);
  const photo = workspace.photo;
  const longer = Math.max(photo.width, photo.height);
  const [lastX, lastY] = stroke.points.slice(-2);
  const away = stroke.points.length ? Math.hypot((x - lastX) * photo.width, (y - lastY) * photo.height) / longer : Infinity;
  if (away < brush.size / 6 || stroke.points.length >= 7000) return false;
  stroke.points.push(x, y);
  return true;
}
function withStroke() { return { ...was.touchUp, strokes: [...was.touchUp.strokes, { ...stroke, points: [...stroke.points] }] }; }
function seen(event) { requestAnimationFrame(() => (globalThis.studio.strokes ??= []).push(performance.now() - event.timeStamp)); }

tools.brush = {
  down(event) {
    if (workspace.view === "depth") return false;
    if (!workspace.look.usesSubject) tell("use", "backdrop");
    was = workspace.photo.edit;
    begun += 1;
    stroke = { does: event.altKey ? "erase" : brush.action, size: brush.size, softness: brush.softness, edges: brush.edges, points: [] };
    add(event);
    circle(event);
    seen(event);
    showLoupe(event, radius(), color(stroke.does));
    return true;
  },
  move(event) {
    const all = event.getCoalescedEvents?.() ?? [];
    let isNew = false;
    for (const one of all.length ? all : [event]) isNew = add(one) || isNew;
    circle(event);
    if (isNew) seen(event);
    showLoupe(event, radius(), color(stroke.does));
    if (!isNew) return;
    workspace.photo.edit = { ...was, touchUp: withStroke() };
    send(workspace.photo, "draft");
  },
  up() {
    const touchUp = withStroke();
    workspace.photo.edit = was;
    showLoupe(null);
    const own = stroke;
    edit(`stroke ${begun}`, { touchUp }).then(() => { if (stroke === own) stroke = null; });
  },
  cancel() {
    workspace.photo.edit = was;
    stroke = null;
    showLoupe(null);
    paint();
    send(workspace.photo, "fine");
  },
  hover: circle,
};

export function key(event) {
  if (workspace.tool !== "brush") return false;
  if (event.key.toLowerCase() === "x") { act(brush.action === "keep" ? "erase" : "keep"); return true; }
  const grow = { "[": 1 / 1.2, "]": 1.2 }[event.key];
  if (!grow) return false;
  brush.size = Math.min(0.2, Math.max(0.002, brush.size * grow));
  drawControls();
  return true;
}

when("tool", () => {
  stroke = null;
  ready().clearRect(0, 0, ink.width, ink.height);
  tellStrokes();
});
when("photo", () => { stroke = null; tellStrokes(); });
when("look", tellStrokes);
when("edit", tellStrokes);
when("placed", paint);
// The paint goes once the picture has the stroke.
when("drawn", paint);
