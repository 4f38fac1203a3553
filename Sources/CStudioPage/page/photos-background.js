// The background: a scene, an own picture, a colour, the blurred real one or none; and its light and shadow.
import { words } from "/words.js";
import { workspace, when, tell, edit, set, setting } from "/photos-state.js";
import { ask } from "/state.js";
import { control, choose, thumbnail, fail, titled } from "/controls.js";
import { icon } from "/icons.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const list = $("photo-backgrounds");
const own = [];
let scenes = [];
let color = "#3A5A78";
const size = { blur: 60, bokeh: 45 };

const kindOf = (name) => (name.startsWith("#") ? "color" : name.replace(/:.*/, ""));

export function begin(names) {
  scenes = names;
  drawTiles();
}

function tile(name, title, picture, act) {
  const button = document.createElement("button");
  button.setAttribute("role", "radio");
  button.dataset.name = name;
  button.title = title;
  if (picture instanceof Node) button.append(picture);
  else {
    const place = document.createElement("i");
    place.append(thumbnail(picture));
    button.append(place);
  }
  button.append(Object.assign(document.createElement("span"), { textContent: title }));
  button.onclick = act;
  return button;
}
function sign(name) { return Object.assign(document.createElement("i"), { innerHTML: icon(name) }); }

/** @type {Mark} */ let mark = () => {};
function drawTiles() {
  const swatch = Object.assign(document.createElement("i"), { className: "swatch" });
  swatch.style.background = color;
  list.replaceChildren(
    ...scenes.map((name) => tile(name, titled(name.slice(6)), `/api/photos/backgrounds/${name}/small.jpg`, () => take(name))),
    ...own.map(({ name, title }) => tile(name, title, `/api/photos/backgrounds/${name}/small.jpg`, () => take(name))),
    tile("color", words.backgrounds.color, swatch, () => take(color)),
    tile("blur", words.backgrounds.blur, sign("blur"), () => take(`blur:${size.blur}`)),
    tile("bokeh", words.backgrounds.lensBlur, sign("snapshot"), () => take(`bokeh:${size.bokeh}`)),
    tile("none", words.backgrounds.transparent, Object.assign(document.createElement("i"), { className: "checks-ground" }), () => take("none")));
  mark = choose(list);
  show();
}
const adder = Object.assign(document.createElement("button"), { id: "photo-own", className: "full", innerHTML: `${icon("add")}<span>${words.backgrounds.own}</span>` });
adder.title = words.backgrounds.ownTitle;
adder.onclick = () => $("photo-behind-file").click();
list.after(adder);

function take(name, isFinal = true) {
  if (!workspace.photo) return;
  if (!workspace.look.hasBackground) tell("use", "backdrop");
  if (workspace.view !== "effect") tell("view", "effect");
  // All steps of a slider are one undo step; each tile is one.
  return edit(`background ${["scene", "own"].includes(kindOf(name)) ? name : kindOf(name)}`, { background: name }, { isFinal });
}

$("photo-behind-file").onchange = async (event) => {
  const files = [...event.target.files];
  event.target.value = "";
  for (const file of files) await add(file);
};
// Adds an own picture and chooses it.
export async function add(file) {
  try {
    const added = await (await ask(`/api/photos/backgrounds?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file })).json();
    own.push(added);
    drawTiles();
    await take(added.name);
  } catch (trouble) { fail(trouble, file.name); }
}

// Shows the controls of the chosen background.
function show() {
  const name = workspace.photo?.edit.background ?? "";
  const kind = kindOf(name);
  // A look that shows the real background uses none of them.
  mark(workspace.look?.hasBackground === false ? null : list.querySelector(`[data-name="${CSS.escape(["scene", "own"].includes(kind) ? name : kind)}"]`));
  const boxes = [];
  if (kind === "color") {
    boxes.push(control({ name: "color", title: words.backgrounds.color, kind: "color", summary: words.backgrounds.colorTitle, default: color }, name, (value, isFinal) => { color = value; list.querySelector(".swatch").style.background = value; take(value, isFinal); }));
  }
  if (kind === "blur" || kind === "bokeh") {
    /** @type {Parameter} */ const parameter = { name: "radius", title: words.backgrounds.strengthTitle, kind: "number", unit: "px at 12 MP", minimum: 1, maximum: 200, default: kind === "blur" ? 60 : 45, summary: words.backgrounds.radius };
    boxes.push(control(parameter, Number(name.split(":")[1]), (value, isFinal) => { size[kind] = value; take(`${kind}:${value}`, isFinal); }));
  }
  const isOwn = ["scene", "own", "color"].includes(kind);
  for (const parameter of workspace.parameters.filter((one) => one.places?.includes("photo-background"))) {
    const box = control(parameter, setting(parameter.name), (value, isFinal) => set(parameter.name, value, isFinal));
    box.dataset.name = parameter.name;
    if (parameter.name !== "shift-edge") box.explain(isOwn ? null : words.backgrounds.noEffect);
    boxes.push(box);
  }
  const held = $("photo-behind").contains(document.activeElement) && document.activeElement.matches(":active");
  if (!held) $("photo-behind").replaceChildren(...boxes);
}
when("edit", (photo) => { if (photo === workspace.photo && !isMoving()) show(); });
when("photo", show);
when("look", show);
// A control in use must not be replaced.
function isMoving() { return $("photo-behind").querySelector("input:active") !== null; }
