// The backgrounds of the live picture: choosing, adding, removing, and the strength of a blur.
import { words } from "/words.js";
import { icon } from "/icons.js";
import { on, say, sayLast, isAhead } from "/socket.js";
import { canUndo, ask } from "/state.js";
import { choose, slider, thumbnail, toast, fail, titled } from "/controls.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
/** @type {Studio.LiveState} */ let state = null;
/** @type {Record<string, number>} */ let least = { blur: 10, bokeh: 16 };
on("hello", (hello) => { least = hello.minimumBlur; });
const kindOf = (name) => /^(blur|bokeh)(:|$)/.exec(name)?.[1];

let drawn = null;
export function drawBackgrounds(fresh) {
  state = fresh;
  const names = state.backgrounds.map((background) => background.name).join("\n");
  if (names !== drawn) { drawn = names; drawStrip(); }
  chosen();
}

/** @type {Mark} */ let chooseBackground = () => {};
function drawStrip() {
  const strip = $("live-backgrounds");
  const items = state.backgrounds.map((background, index) => {
    const button = document.createElement("button");
    button.setAttribute("role", "option");
    button.dataset.name = background.name;
    button.title = background.title;
    if (background.hasPicture) {
      button.append(thumbnail(`/api/backgrounds/${index}/small.jpg`));
    } else {
      button.className = "plain";
      button.insertAdjacentHTML("beforeend", icon("blur"));
    }
    button.append(Object.assign(document.createElement("span"), { textContent: titled(background.title.replace(/\.[a-z0-9]+$/i, "")) }));
    button.onclick = () => setBackground(background.name);
    return button;
  });
  strip.replaceChildren(...items);
  chooseBackground = choose(strip, "aria-selected");
}
function chosen() {
  const name = state.status.background;
  const all = [...$("live-backgrounds").children];
  // A blur of any strength belongs to the tile of its kind.
  const now = all.find((button) => button.dataset.name === name) ?? all.find((button) => button.dataset.name && button.dataset.name === kindOf(name));
  if (now?.getAttribute("aria-selected") !== "true") chooseBackground(now ?? null);
  const kind = kindOf(name);
  drawStrength(kind, name);
  const known = state.backgrounds.find((one) => one.name === (now?.dataset.name ?? name));
  $("live-remove").hidden = !known || state.backgrounds.length < 2;
  $("live-remove").title = known ? words.backgrounds.remove(known.title) : "";
}

let strength = null;
function drawStrength(kind, name) {
  const root = $("live-strength");
  root.hidden = !kind;
  if (!kind) return;
  const lowest = Math.ceil(least[kind]);
  const size = Number(name.split(":")[1]) || Math.max(20, lowest);
  if (root.dataset.kind !== kind) {
    root.dataset.kind = kind;
    const parameter = { name: "strength", title: kind === "blur" ? words.backgrounds.blur : words.backgrounds.bokeh, summary: words.backgrounds.strength, unit: "px", minimum: lowest, maximum: 100, default: Math.max(20, lowest), bend: 1.6 };
    strength = slider(parameter, size, (value) => {
      const was = state.status.background;
      canUndo("blur", () => say({ do: "background", value: was }));
      sayLast("strength", { do: "background", value: `${kind}:${Math.max(lowest, Math.round(value * 10) / 10)}` });
    });
    root.replaceChildren(strength);
  }
  if (!isAhead("strength")) strength.show(size);
}

$("live-remove").onclick = () => {
  const now = $("live-backgrounds").querySelector("[aria-selected=true]")?.dataset.name;
  if (!now) return;
  say({ do: "remove-background", value: now });
  // Removing a file cannot be undone.
  if (/^(scene:|#|blur|bokeh)/.test(now)) canUndo("remove", () => say({ do: "add-background", value: now }));
};

export function setBackground(name) {
  const was = state.status.background;
  if (was === name) return;
  say({ do: "background", value: name });
  canUndo("background", () => say({ do: "background", value: was }));
}
export function step(direction) {
  const names = state.backgrounds.map((background) => background.name);
  const now = state.status.background;
  const at = names.indexOf(names.includes(now) ? now : kindOf(now));
  return names[(at + direction + names.length) % names.length];
}
$("live-add").onclick = () => $("background-file").click();
$("background-file").onchange = (event) => { upload(event.target.files[0]); event.target.value = ""; };
export async function upload(file, more = "") {
  if (!file) return;
  if (file.size > 256 * 1024 * 1024) return toast(words.common.tooLarge(file.name), { hint: words.common.limit });
  const was = state.status.background;
  try {
    await ask(`/api/backgrounds?name=${encodeURIComponent(file.name)}${more}`, { method: "POST", body: file });
    if (!more) canUndo("background", () => say({ do: "background", value: was }));
  } catch (trouble) { fail(trouble, file.name); }
}
export function drop(files) { upload(files.find((file) => /^(image|video)\//.test(file.type)) ?? files[0]); }
export function known() { return state?.backgrounds ?? []; }
