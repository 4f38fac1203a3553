// The aspect of the result, and the subject's position in it: by drag, pinch or sliders.
import { words } from "/words.js";
import { workspace, when, tell, edit, set, setting, parameters } from "/photos-state.js";
import { ask } from "/state.js";
import { control, choose } from "/controls.js";
import { tools } from "/photos-pointer.js";
import { frameNow, setFrame } from "/photos-stage.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const paper = $("photo-paper");
const names = ["place-x", "place-y", "place-scale"];

function describe(name) { return workspace.parameters.find((one) => one.name === name); }

/** @type {Mark} */ let mark = () => {};
function show() {
  if (!workspace.photo || !workspace.parameters.length) return;
  const aspects = $("photo-aspect");
  if (!aspects.children.length) {
    const all = [{ name: "", title: words.place.original, summary: words.place.asTaken }, ...describe("aspect").choices.map((one) => ({ ...one, title: one.name }))];
    aspects.append(...all.map(({ name, title, summary }) => {
      const button = Object.assign(document.createElement("button"), { textContent: title, title: summary });
      button.setAttribute("role", "radio");
      button.dataset.aspect = name;
      // Another aspect resets the position.
      button.onclick = () => {
        const settings = { ...workspace.photo.edit.settings };
        for (const one of ["place-x", "place-y"]) delete settings[one];
        if (name) settings.aspect = name;
        else delete settings.aspect;
        edit("aspect", { settings });
      };
      return button;
    }));
    mark = choose(aspects);
  }
  mark(aspects.querySelector(`[data-aspect="${setting("aspect") ?? ""}"]`));
  if (!$("photo-place").querySelector("input:active")) {
    $("photo-place").replaceChildren(...names.map((name) => {
      return control({ ...describe(name), default: describe(name).default ?? 0, automatic: describe(name).automatic && words.place.automatic, title: words.place.titles[name], bend: 1 }, setting(name), (value, isFinal) => set(name, value, isFinal));
    }));
  }
  $("photo-replace").disabled = ![...names, "aspect"].some((name) => setting(name) !== null);
}
$("photo-replace").onclick = () => {
  const settings = { ...workspace.photo.edit.settings };
  for (const name of [...names, "aspect"]) delete settings[name];
  edit("place", { settings });
};

// The frame's position, as settings.
function current() {
  const frame = frameNow();
  return { x: frame.x + frame.width / 2 - 0.5, y: frame.y + frame.height / 2 - 0.5, scale: setting("place-scale") ?? 1 };
}
const round = (number, low, high) => Math.round(Math.min(high, Math.max(low, number)) * 1e4) / 1e4;
let begin = null;
let counter = 0;
function move(to, isFinal) {
  const settings = { ...workspace.photo.edit.settings, "place-x": round(to.x, -1, 1), "place-y": round(to.y, -1, 1), "place-scale": round(to.scale, 0.1, 4) };
  return edit(`place ${counter}`, { settings }, { isFinal });
}

tools.place = {
  down(event) {
    if (workspace.view !== "effect") tell("view", "effect");
    counter += 1;
    begin = { ...current(), clientX: event.clientX, clientY: event.clientY, last: null };
    return true;
  },
  move(event) {
    const box = paper.getBoundingClientRect();
    begin.last = { x: begin.x + (event.clientX - begin.clientX) / box.width, y: begin.y + (event.clientY - begin.clientY) / box.height, scale: begin.scale };
    move(begin.last, false);
  },
  up() { if (begin?.last) move(begin.last, true); begin = null; },
  cancel() { begin = null; },
  pinch({ scale, dx, dy }) {
    const box = paper.getBoundingClientRect();
    const now = tools.place.pinched ??= current();
    Object.assign(now, { x: now.x + dx / box.width, y: now.y + dy / box.height, scale: Math.min(4, Math.max(0.1, now.scale * scale)) });
    move(now, false);
    clearTimeout(tools.place.timer);
    tools.place.timer = setTimeout(() => { tools.place.pinched = null; move(now, true); }, 300);
  },
};

// Tells the stage the frame, so that strokes and clicks hit the photo.
let asked = "";
async function follow() {
  const photo = workspace.photo;
  if (!photo || !workspace.look) return;
  if (![...names, "aspect"].some((name) => photo.edit.settings[name] != null)) { asked = ""; return setFrame({ x: 0, y: 0, width: 1, height: 1 }); }
  const query = new URLSearchParams({ look: workspace.look.id });
  for (const [name, number] of Object.entries(parameters(workspace.look))) query.set(`p.${name}`, number);
  const wanted = `/api/photos/${photo.id}/frame?${query}&e=${photo.revision}`;
  if (wanted === asked) return;
  asked = wanted;
  try {
    const frame = await (await ask(wanted)).json();
    if (workspace.photo === photo) setFrame(frame);
  } catch { /* Drawing reports the error. */ }
}
when("tool", () => {
  if (workspace.tool !== "place") return;
  if (!workspace.look.hasBackground) $("photo-place-about").textContent = words.place.crops;
  else $("photo-place-about").textContent = words.place.moves;
  show();
});
when("photo", () => { asked = ""; show(); follow(); });
when("edit", (photo) => { if (photo === workspace.photo) show(); });
when("drawn", follow);
