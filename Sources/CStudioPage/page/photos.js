// The room Photos: drop, tap, slide, save.
import { icon } from "/icons.js";
import { on } from "/socket.js";
import { setup, remember, canUndo, ask } from "/state.js";
import { control, choose, toast, titled } from "/controls.js";

const $ = (id) => document.getElementById(id);
const canvas = $("photo-canvas");
const paint = canvas.getContext("2d", { alpha: false });
const stage = $("photo-stage");
let looks = [];
const photos = [];
let photo = null;
let view = "effect";
let look = null;
const values = {};
let isHere = false;

export function enter() { isHere = true; }
export function leave() { isHere = false; }

on("hello", (hello) => {
  looks = hello.looks;
  if (!look) {
    look = looks.find((one) => one.id === setup.get("effect")) ?? looks.find((one) => one.id === "refocus");
    if (setup.has("effect")) for (const parameter of look.parameters) if (setup.has(`e.${parameter.name}`)) (values[look.id] ??= {})[parameter.name] = Number(setup.get(`e.${parameter.name}`));
    drawPanel();
  }
});

// MARK: opening

$("photo-choose").onclick = () => $("photo-file").click();
$("photo-file").onchange = (event) => { drop([...event.target.files]); event.target.value = ""; };
$("photo-sample").onclick = () => open("/api/photos/sample?scene=mug", undefined, "sample");

export async function drop(files) {
  for (const file of files) {
    if (file.size > 256 * 1024 * 1024) { toast(`${file.name} is too large.`, { hint: "At most 256 MiB." }); continue; }
    await open(`/api/photos?name=${encodeURIComponent(file.name)}`, file, file.name);
  }
}

async function open(path, body, name) {
  busy(`Opening ${name}`);
  try {
    const card = await (await ask(path, { method: "POST", body })).json();
    card.values = structuredClone(values);
    photos.push(card);
    if (photos.length > 12) photos.shift();
    addTile(card);
    choosePhoto(card);
  } catch (trouble) {
    toast(trouble.message, { hint: trouble.hint, seconds: 8 });
  } finally { busy(null); }
}

function busy(text) {
  $("photo-busy").hidden = !text;
  if (text) $("photo-busy").querySelector("span").textContent = text;
}

let chooseTile = () => {};
function addTile(card) {
  const strip = $("photo-strip");
  const button = document.createElement("button");
  button.setAttribute("role", "option");
  button.title = card.name;
  button.setAttribute("aria-label", card.name);
  button.append(Object.assign(document.createElement("img"), { alt: "", src: `/api/photos/${card.id}/view.jpg?view=picture&size=tile` }));
  button.onclick = () => choosePhoto(card);
  card.button = button;
  strip.querySelector(".add")?.remove();
  strip.append(button);
  const add = Object.assign(document.createElement("button"), { className: "plain add", title: "Another photo", innerHTML: icon("add") });
  add.setAttribute("aria-label", "Another photo");
  add.onclick = () => $("photo-file").click();
  strip.append(add);
  while (strip.children.length > 13) strip.firstChild.remove();
  chooseTile = choose(strip, "aria-selected");
}

function choosePhoto(card) {
  photo = card;
  $("photo-empty").hidden = true;
  canvas.hidden = $("photo-views").hidden = $("photo-panel").hidden = $("photo-looks").hidden = false;
  stage.classList.add("filled");
  chooseTile(card.button);
  canvas.setAttribute("aria-label", `${card.name} with the look`);
  $("photo-inspect").querySelector("dl").replaceChildren(...card.lines.flatMap(({ name, text }) => [Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: text })]));
  $("photo-keep").closest("label").hidden = !card.hasDepth;
  $("photo-saved").textContent = "";
  $("photo-marker").hidden = true;
  drawLooks();
  drawPanel();
  draw("fine");
}

// MARK: looks

let chooseLook = () => {};
function drawLooks() {
  const root = $("photo-looks");
  root.replaceChildren(...looks.map((one) => {
    const button = document.createElement("button");
    button.setAttribute("role", "radio");
    button.dataset.id = one.id;
    button.title = one.summary;
    const picture = Object.assign(document.createElement("img"), { alt: "", loading: "lazy" });
    picture.onerror = () => { button.disabled = true; button.title = "This look needs a person or depth in the picture"; };
    picture.src = address(one, "effect", "tile");
    button.append(picture, titled(one.id));
    button.onclick = () => setLook(one);
    return button;
  }));
  chooseLook = choose(root);
  chooseLook(root.querySelector(`[data-id="${look.id}"]`));
}

function setLook(one) {
  const was = look;
  if (was === one) return setView("effect");
  look = one;
  canUndo("effect", () => setLook(was));
  chooseLook($("photo-looks").querySelector(`[data-id="${one.id}"]`));
  $("photo-marker").hidden = true;
  setView("effect");
  drawPanel();
  keep();
}

// What a parameter is set to: chosen, or by default; the focus is on what the photo is about.
function value(one, parameter) {
  return photo?.values[one.id]?.[parameter.name] ?? (parameter.name === one.focus ? photo?.focus ?? parameter.default : parameter.default);
}
// What was chosen; all else has its default, or follows the photo.
function parameters(one) { return Object.fromEntries(one.parameters.filter((parameter) => photo?.values[one.id]?.[parameter.name] != null).map((parameter) => [parameter.name, Math.max(parameter.minimum, Math.min(parameter.maximum, value(one, parameter)))])); }
function keep() {
  for (const name of [...setup.keys()]) if (name.startsWith("e.")) setup.delete(name);
  const own = photo?.values[look.id] ?? {};
  remember({ effect: look.id, ...Object.fromEntries(Object.entries(own).filter(([name]) => name !== look.focus).map(([name, number]) => [`e.${name}`, number])) });
}

function drawPanel() {
  if (!look) return;
  $("photo-title").textContent = titled(look.id);
  $("photo-about").textContent = look.summary + (look.focus ? " Tap the picture to focus there." : "");
  if (!photo) return;
  $("photo-sliders").replaceChildren(...look.parameters.map((parameter) => {
    const box = control({ ...parameter, bend: parameter.name === look.focus ? 1 : undefined }, value(look, parameter), (number, isFinal) => change(parameter, number, isFinal));
    box.dataset.name = parameter.name;
    const reason = photo.inactive?.[look.id]?.[parameter.name];
    box.explain(reason ? `No effect on this photo: ${reason}.` : null);
    return box;
  }));
  const form = $("photo-form");
  form.querySelector('[value="mp4"]')?.remove();
  if (look.motion) form.append(new Option("Video", "mp4"));
}

function change(parameter, number, isFinal) {
  const [card, one] = [photo, look];
  const was = card.values[one.id]?.[parameter.name];
  canUndo(`${one.id} ${parameter.name}`, () => {
    if (was === undefined) delete card.values[one.id]?.[parameter.name];
    else card.values[one.id][parameter.name] = was;
    if (photo === card && look === one) { drawPanel(); draw("fine"); }
  });
  (card.values[one.id] ??= {})[parameter.name] = number;
  if (view !== "effect" && view !== "matte") setView("effect");
  draw(isFinal ? "fine" : "draft");
  if (isFinal) keep();
}

// MARK: drawing

function address(one, what, size) {
  const query = new URLSearchParams({ view: what, size, look: one.id });
  for (const [name, number] of Object.entries(parameters(one))) query.set(`p.${name}`, number);
  return `/api/photos/${photo.id}/view.jpg?${query}`;
}

// One request at a time; what was asked for meanwhile, and last, comes next. At rest the fine one follows.
let isDrawing = false;
let next = null;
let rest = null;
async function draw(size) {
  if (!photo || !look) return;
  clearTimeout(rest);
  if (size === "draft") rest = setTimeout(() => draw("fine"), 260);
  if (isDrawing) { next = size; return; }
  isDrawing = true;
  const card = photo;
  const begun = performance.now();
  const slow = setTimeout(() => busy("Drawing"), 700);
  try {
    const blob = await (await ask(address(look, view, size))).blob();
    const picture = await createImageBitmap(blob);
    if (photo === card) {
      [canvas.width, canvas.height] = [picture.width, picture.height];
      paint.drawImage(picture, 0, 0);
      canvas.dataset.size = size;
      if (size === "draft") (globalThis.studio.drafts ??= []).push(performance.now() - begun);
    }
    picture.close();
  } catch (trouble) {
    toast(trouble.message, { hint: trouble.hint });
  } finally {
    clearTimeout(slow);
    busy(null);
    isDrawing = false;
    if (next) { const size = next; next = null; draw(size); }
  }
}

function setView(name) {
  view = name;
  for (const button of $("photo-views").querySelectorAll("button")) button.setAttribute("aria-checked", String(button.dataset.view === name));
  draw("fine");
}
for (const button of $("photo-views").querySelectorAll("button")) button.onclick = () => setView(button.dataset.view);

// MARK: tapping: the focus goes there; without a focus the next photo comes.

stage.addEventListener("click", async (event) => {
  if (!photo || event.target !== canvas) return;
  if (!look.focus) { if (photos.length > 1) choosePhoto(photos[(photos.indexOf(photo) + 1) % photos.length]); return; }
  const box = canvas.getBoundingClientRect();
  const ratio = canvas.width / canvas.height;
  const [width, height] = box.width / box.height > ratio ? [box.height * ratio, box.height] : [box.width, box.width / ratio];
  const x = (event.clientX - box.left - (box.width - width) / 2) / width;
  const y = (event.clientY - box.top - (box.height - height) / 2) / height;
  if (x < 0 || y < 0 || x > 1 || y > 1) return;
  const marker = $("photo-marker");
  Object.assign(marker.style, { left: `${event.clientX - box.left}px`, top: `${event.clientY - box.top}px` });
  marker.hidden = true;
  requestAnimationFrame(() => { marker.hidden = false; });
  try {
    const { focus } = await (await ask(`/api/photos/${photo.id}/focus?x=${x}&y=${y}`)).json();
    const parameter = look.parameters.find((one) => one.name === look.focus);
    change(parameter, focus, true);
    [...$("photo-sliders").children].find((one) => one.dataset.name === look.focus)?.show(focus);
  } catch (trouble) { toast(trouble.message, { hint: trouble.hint }); }
});

// MARK: saving

let saving = null;
$("photo-save").onclick = async () => {
  const form = $("photo-form").value;
  const progress = $("photo-progress");
  $("photo-saved").textContent = "";
  try {
    $("photo-save").disabled = true;
    progress.hidden = false;
    progress.value = 0.02;
    const wanted = { look: look.id, parameters: parameters(look), form, depth: $("photo-keep").checked };
    saving = (await (await ask(`/api/photos/${photo.id}/save`, { method: "POST", body: JSON.stringify(wanted) })).json()).save;
  } catch (trouble) {
    end();
    toast(trouble.message, { hint: trouble.hint });
  }
};
function end() { saving = null; $("photo-save").disabled = false; $("photo-progress").hidden = true; }
on("saving", ({ save, part, step, name, error, hint }) => {
  if (save !== saving) return;
  $("photo-progress").value = part;
  if (step === "failed") { end(); return toast(error, { hint, seconds: 8 }); }
  if (step !== "done") return;
  end();
  const link = Object.assign(document.createElement("a"), { href: `/api/photos/saves/${save}/file`, download: name, textContent: name });
  $("photo-saved").replaceChildren("Saved: ", link);
  link.click();
});
on("closed", (wasOpen) => { if (wasOpen && saving !== null) { end(); toast("The studio went away while it was saving."); } });

export function key(event) {
  if (!photo) return false;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) { choosePhoto(photos[(photos.indexOf(photo) + step + photos.length) % photos.length]); return true; }
  const what = { p: "picture", d: "depth", m: "matte", e: "effect" }[event.key.toLowerCase()];
  if (what) { setView(what); return true; }
  return false;
}
