// The workspace Photos: opening, looks, focus; its tools are in their own files.
import { words } from "/words.js";
import { on, absence } from "/socket.js";
import { setup, remember, given, canUndo, ask, askPicture } from "/state.js";
import { addWorkspace } from "/workspaces.js";
import { control, choose, thumbnail, toast, fail, titled } from "/controls.js";
import { workspace, when, tell, nothing, value, address } from "/photos-state.js";
import { key as stageKey, point } from "/photos-stage.js";
import { tools } from "/photos-pointer.js";
import { begin as beginBackgrounds, add as addBackground } from "/photos-background.js";
import { key as brushKey } from "/photos-brush.js";
import { lookStrip } from "/looks.js";
import "/photos-people.js";
import "/photos-place.js";
import "/photos-save.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const canvas = $("photo-canvas");
const paint = canvas.getContext("2d", { alpha: false });
const stage = $("photo-stage");
// Values from the address, for the first photo.
const first = {};

on("hello", (hello) => {
  [workspace.looks, workspace.parameters] = [hello.looks, hello.photo];
  for (const id of ["photo-file", "photo-behind-file"]) $(id).accept = ["image/*", ...hello.photoExtensions.map((one) => `.${one}`)].join();
  beginBackgrounds(hello.scenes);
  if (workspace.look) { workspace.look = workspace.looks.find((one) => one.id === workspace.look.id); return; }
  const wanted = workspace.looks.find((one) => one.id === setup.get("effect"));
  workspace.look = wanted ?? workspace.looks.find((one) => one.id === "refocus");
  for (const { name, minimum, maximum } of wanted?.parameters ?? []) {
    const value = given(`e.${name}`, minimum, maximum);
    if (value !== null) (first[wanted.id] ??= {})[name] = value;
  }
});

// MARK: opening

$("photo-choose").onclick = $("photo-add").onclick = () => $("photo-file").click();
$("photo-file").onchange = (event) => { drop([...event.target.files]); event.target.value = ""; };
$("photo-sample").onclick = () => open("/api/photos/sample?scene=mug", undefined, "sample");

// With the background tool, a dropped picture is a background.
async function drop(files) {
  if (workspace.photo && workspace.tool === "background") { for (const file of files) await addBackground(file); return; }
  for (const [index, file] of files.entries()) {
    if (file.size > 256 * 1024 * 1024) { toast(words.common.tooLarge(file.name), { hint: words.common.limit }); continue; }
    const text = files.length > 1 ? words.common.openingOf(file.name, index + 1, files.length) : undefined;
    await open(`/api/photos?name=${encodeURIComponent(file.name)}`, file, file.name, text);
  }
}

async function open(path, body, name, text = words.common.opening(name)) {
  busy(text);
  try {
    const photo = await (await ask(path, { method: "POST", body })).json();
    Object.assign(photo, { values: structuredClone(workspace.photo?.values ?? first), edit: nothing(), accepted: nothing(), locked: null });
    if (workspace.look?.focus) delete photo.values[workspace.look.id]?.[workspace.look.focus];
    workspace.photos.push(photo);
    if (workspace.photos.length > 60) workspace.photos.shift();
    addTile(photo);
    choosePhoto(photo);
  } catch (trouble) {
    fail(trouble, name);
  } finally { busy(null); }
}

function busy(text) {
  $("photo-busy").hidden = !text;
  if (text) $("photo-busy").querySelector("span").textContent = text;
}

const tiles = $("photo-strip");
const markTile = choose(tiles, "aria-selected");
function addTile(photo) {
  const button = document.createElement("button");
  button.setAttribute("role", "option");
  button.title = photo.name;
  button.setAttribute("aria-label", photo.name);
  button.append(thumbnail(address(workspace.look, "picture", "tile", photo)));
  button.onclick = () => choosePhoto(photo);
  photo.button = button;
  tiles.append(button);
  while (tiles.children.length > 60) tiles.firstChild.remove();
}

function choosePhoto(photo) {
  workspace.photo = photo;
  $("photo-empty").hidden = true;
  for (const id of ["photo-paper", "photo-views", "photo-corner", "photo-panel", "photo-looks", "photo-strip", "photo-add"]) $(id).hidden = false;
  stage.classList.add("filled");
  $("photo-paper").classList.toggle("loading", !canvas.dataset.size);
  markTile(photo.button);
  canvas.setAttribute("aria-label", words.photos.withLook(photo.name));
  $("photo-inspect").querySelector("dl").replaceChildren(...photo.lines.flatMap(({ name, text }) => [Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: text })]));
  strip.draw(workspace.looks);
  strip.mark(workspace.look.id);
  strip.now();
  keep();
  drawPanel();
  tell("photo", photo);
  tell("look", workspace.look);
  draw("fine");
}

// MARK: tools

const toolbar = $("photo-tools");
const markTool = choose(toolbar);
function setTool(name) {
  workspace.tool = name;
  markTool(toolbar.querySelector(`[data-tool=${name}]`));
  for (const part of $("photo-panel").querySelectorAll(":scope > div[data-tool]")) part.hidden = part.dataset.tool !== name;
  stage.dataset.tool = name;
  stage.setAttribute("aria-label", words.photos.says[name]);
  tell("tool", name);
}
for (const button of toolbar.querySelectorAll("button")) button.onclick = () => setTool(button.dataset.tool);
setTool("look");

// MARK: looks

const strip = lookStrip($("photo-looks"), {
  address: (look) => address(look, "effect", "tile"),
  take: (look) => { setLook(look); setView("effect"); },
  isBusy: () => workspace.isDrawing,
  failed(button, look) {
    button.disabled = Boolean(look);
    button.title = look ? words.photos.needsSubject : workspace.looks.find((one) => one.id === button.dataset.id).summary;
  },
});

let panelLater = null;
when("state", (photo) => {
  if (photo !== workspace.photo) return;
  strip.soon();
  clearTimeout(panelLater);
  panelLater = setTimeout(() => { if (!$("photo-sliders").querySelector("input:active")) drawPanel(); }, 900);
});
when("alike", () => { drawPanel(); draw("fine"); });

function setLook(one) {
  const was = workspace.look;
  if (was === one) return;
  workspace.look = one;
  canUndo("effect", () => setLook(was), () => setLook(one));
  strip.mark(one.id);
  showMark();
  drawPanel();
  tell("look", one);
  draw("fine");
  keep();
}
// What the user does needs another kind of look.
when("use", (id) => {
  const [was, one] = [workspace.look, workspace.looks.find((look) => look.id === id)];
  setLook(one);
  toast(words.photos.changed(titled(one.id), titled(was.id)));
});

function keep() {
  for (const name of [...setup.keys()]) if (name.startsWith("e.")) setup.delete(name);
  const own = workspace.photo?.values[workspace.look.id] ?? {};
  remember({ effect: workspace.look.id, ...Object.fromEntries(Object.entries(own).filter(([name]) => name !== workspace.look.focus).map(([name, number]) => [`e.${name}`, number])) });
}

function drawPanel() {
  const { look, photo } = workspace;
  if (!look || !photo) return;
  $("photo-title").textContent = titled(look.id);
  $("photo-about").textContent = look.summary + (look.focus ? words.photos.focus : "");
  $("photo-sliders").replaceChildren(...look.parameters.map((parameter) => {
    const bend = parameter.name === look.focus ? 1 : parameter.unit === "f" ? 1.8 : undefined;
    const box = control({ ...parameter, bend, automatic: undefined }, value(look, parameter), (number, isFinal) => change(parameter, number, isFinal));
    box.dataset.name = parameter.name;
    const reason = absence(photo.state.inactive?.[look.id]?.[parameter.name]);
    box.explain(reason ? words.photos.inactive(reason) : null);
    return box;
  }));
}

function change(parameter, number, isFinal) {
  const [photo, one] = [workspace.photo, workspace.look];
  const was = photo.values[one.id]?.[parameter.name];
  const go = (to) => () => {
    if (to === undefined) delete photo.values[one.id]?.[parameter.name];
    else (photo.values[one.id] ??= {})[parameter.name] = to;
    if (workspace.photo === photo && workspace.look === one) { drawPanel(); draw("fine"); keep(); }
  };
  canUndo(`${one.id} ${parameter.name}`, go(was), go(number));
  (photo.values[one.id] ??= {})[parameter.name] = number;
  if (workspace.view !== "effect" && workspace.view !== "matte") setView("effect");
  draw(isFinal ? "fine" : "draft");
  if (isFinal) keep();
}

// MARK: drawing

// Sends one request at a time, then the last one made meanwhile. After a pause, the fine picture follows a draft.
let next = null;
let rest = null;
async function draw(size) {
  const { photo, look, view } = workspace;
  if (!photo || !look) return;
  const none = view === "depth" && !photo.hasDepth ? words.photos.noDepth
    : view === "matte" && !photo.state.hasSubject && look.usesSubject ? words.photos.nobody : null;
  $("photo-none").hidden = !none;
  $("photo-none").textContent = none ?? "";
  stage.classList.toggle("nothing", Boolean(none));
  if (none) { canvas.ariaBusy = "false"; return; }
  canvas.ariaBusy = "true";
  clearTimeout(rest);
  rest = size === "draft" ? setTimeout(() => { rest = null; draw("fine"); }, 260) : null;
  if (workspace.isDrawing) { next = size; return; }
  workspace.isDrawing = true;
  const begun = performance.now();
  const slow = setTimeout(() => busy(words.photos.drawing), 700);
  try {
    const picture = await askPicture(address(look, view, size));
    if (workspace.photo === photo && workspace.view === view && !(size === "whole" && next)) {
      [canvas.width, canvas.height] = [picture.width, picture.height];
      paint.drawImage(picture, 0, 0);
      canvas.dataset.size = size;
      $("photo-paper").classList.remove("loading");
      const side = { fine: 1600, whole: Infinity }[size];
      const scale = side ? Math.min(1, side / Math.max(photo.width, photo.height)) : null;
      // Depth and mattes have their own sizes.
      const isPicture = view === "effect" || view === "picture";
      photo.full = isPicture ? (scale ? picture.width / scale : photo.full ?? photo.width) : photo.width;
      if (size === "draft") (globalThis.studio.drafts ??= []).push(performance.now() - begun);
      tell("drawn", size);
    }
    picture.close();
  } catch (trouble) {
    fail(trouble, photo.name);
  } finally {
    clearTimeout(slow);
    busy(null);
    workspace.isDrawing = false;
    if (next) { const size = next; next = null; draw(size); } else canvas.ariaBusy = String(Boolean(rest));
  }
}
when("wanted", draw);

const views = $("photo-views").firstElementChild;
const markView = choose(views);
function setView(name) {
  workspace.view = name;
  markView(views.querySelector(`[data-view=${name}]`));
  draw("fine");
}
when("view", setView);
for (const button of views.querySelectorAll("button")) button.onclick = () => setView(button.dataset.view);

// MARK: the focus: a tap sets it, holding locks it for all looks; without a focus, a tap shows the next photo.

const marker = $("photo-marker");
function showMark() {
  const { photo, look } = workspace;
  const at = photo?.mark;
  marker.hidden = !at || !look?.focus;
  marker.classList.toggle("locked", photo?.locked != null);
  $("photo-unlock").hidden = photo?.locked == null;
  if (at) Object.assign(marker.style, { left: `${at[0] * 100}%`, top: `${at[1] * 100}%` });
}
async function focusAt(event, isLocked) {
  const [photo, one] = [workspace.photo, workspace.look];
  const [x, y] = point(event, true);
  if (!one.focus || x < 0 || y < 0 || x > 1 || y > 1) return;
  const on = point(event);
  try {
    const { focus } = await (await ask(`/api/photos/${photo.id}/focus?x=${x}&y=${y}`)).json();
    Object.assign(photo, { mark: on, locked: isLocked ? focus : null });
    marker.hidden = true;
    requestAnimationFrame(showMark);
    // A locked focus applies to all looks.
    if (isLocked) for (const other of workspace.looks) if (other.focus) delete photo.values[other.id]?.[other.focus];
    change(one.parameters.find((parameter) => parameter.name === one.focus), focus, true);
    drawPanel();
  } catch (trouble) { fail(trouble, photo.name); }
}
$("photo-unlock").onclick = () => { workspace.photo.locked = null; showMark(); };
tools.look = {
  tap(event) {
    if (workspace.look.focus) return focusAt(event, false);
    if (workspace.photos.length > 1) choosePhoto(workspace.photos[(workspace.photos.indexOf(workspace.photo) + 1) % workspace.photos.length]);
  },
  hold(event) { if (workspace.look.focus) focusAt(event, true); },
};
when("photo", showMark);

function key(event) {
  if (!workspace.photo) return false;
  if (brushKey(event) || stageKey(event)) return true;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) { choosePhoto(workspace.photos[(workspace.photos.indexOf(workspace.photo) + step + workspace.photos.length) % workspace.photos.length]); return true; }
  const what = { p: "picture", d: "depth", m: "matte", e: "effect" }[event.key.toLowerCase()];
  if (what) { setView(what); return true; }
  return false;
}

addWorkspace("photos", { key, drop, opens: words.frame.openPhotos });
