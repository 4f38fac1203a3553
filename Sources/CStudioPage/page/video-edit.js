// The edit of a video: its clip, look, values and background; constant, or changing from start to end.
import { words } from "/words.js";
import { icon } from "/icons.js";
import { canUndo, ask, entry } from "/state.js";
import { absence } from "/socket.js";
import { control, choose, thumbnail, titled, toast } from "/controls.js";
import { lookStrip } from "/looks.js";
import { current as live } from "/live.js";
import { clock } from "/filmstrip.js";
import { workspace } from "/video-state.js";
import { seek, pause, isPlaying, isAsking, isBusy } from "/video-player.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
/** @type {import("/filmstrip.js").Filmstrip} */ let film = null;
export function connect(filmstrip) { film = filmstrip; }

let keeping = null;
function changed() {
  const { id } = workspace.video.info;
  const body = JSON.stringify(workspace.video.edit);
  clearTimeout(keeping);
  keeping = setTimeout(() => ask(`/api/videos/${id}/edit`, { method: "POST", body }).catch(() => {}), 400);
  if (!isPlaying()) seek(workspace.seconds, true);
}
function edit(what, change) {
  const [was, of] = [structuredClone(workspace.video.edit), workspace.video];
  change(workspace.video.edit);
  canUndo(`video ${what}`, () => {
    of.edit = was;
    if (of !== workspace.video) return;
    film.part(was);
    drawPanel();
    changed();
  });
  changed();
}

function length() { return (workspace.video.edit.end ?? workspace.video.info.duration) - workspace.video.edit.start; }
export function trim(start, end) {
  edit("trim", (one) => {
    one.start = start;
    one.end = end >= workspace.video.info.duration - 1e-3 ? null : end;
    if (one.keys.length) one.keys[1].seconds = length();
  });
  film.part(workspace.video.edit);
  $("video-part").textContent = partText();
}
function partText() {
  const { start, end } = workspace.video.edit;
  return start === 0 && end == null ? words.video.whole : words.video.part(clock(start), clock(end ?? workspace.video.info.duration), clock(length()));
}

// The pictures of the looks show the time and the background that the page shows.
const strip = lookStrip($("video-looks"), {
  address(look) {
    const edit = { ...workspace.video.edit, look: look.id, background: background(), values: {}, keys: [] };
    return `/api/videos/${workspace.video.info.id}/look.jpg?t=${workspace.seconds.toFixed(4)}&edit=${encodeURIComponent(JSON.stringify(edit))}`;
  },
  isBusy: () => !workspace.video || !workspace.isHere || isPlaying() || isAsking(),
  take(look) {
    if (workspace.video.edit.look === look.id) return;
    edit("look", (one) => Object.assign(one, { look: look.id, values: {}, keys: one.keys.map((key) => ({ ...key, values: {} })) }));
    drawPanel();
  },
});
let pictured = "";
function drawPictures() {
  if (!workspace.video) return;
  const form = JSON.stringify([workspace.video.info.id, workspace.seconds, background()]);
  if (form !== pictured) strip.soon();
  pictured = form;
}
function background() { return workspace.video.edit.keys[workspace.point]?.background ?? workspace.video.edit.background; }

export function drawPanel() {
  if (!$("video-looks").children.length) strip.draw(workspace.looks);
  const look = workspace.looks.find((one) => one.id === workspace.video.edit.look) ?? workspace.looks[0];
  strip.mark(look.id);
  $("video-look").textContent = titled(look.id);
  $("video-about").textContent = look.summary;
  $("video-behind").hidden = !look.hasBackground;
  $("video-part").textContent = partText();
  const moves = workspace.video.edit.keys.length > 0;
  $("video-motion").hidden = !look.parameters.length && !look.hasBackground;
  $("video-still").setAttribute("aria-checked", String(!moves));
  $("video-moves").setAttribute("aria-checked", String(moves));
  $("video-point").hidden = !moves;
  $("video-from").setAttribute("aria-checked", String(workspace.point === 0));
  $("video-to").setAttribute("aria-checked", String(workspace.point === 1));
  $("video-sliders").replaceChildren(...look.parameters.map(slider));
  drawBackgrounds(true);
}
function slider(parameter) {
  const { name } = parameter;
  const value = () => workspace.video.edit.keys[workspace.point]?.values[name] ?? workspace.video.edit.values[name] ?? null;
  const box = control(parameter, value(), (number) => edit(`set ${name}`, (one) => {
    if (!one.keys.length) {
      if (number == null) delete one.values[name];
      else one.values[name] = number;
      return;
    }
    // A value at one end needs one at the other.
    for (const [index, key] of one.keys.entries()) {
      if (number == null) delete key.values[name];
      else if (index === workspace.point) key.values[name] = number;
      else key.values[name] ??= one.values[name] ?? parameter.default ?? number;
    }
  }));
  box.dataset.name = name;
  return box;
}

// Explains why sliders have no effect, after a picture was analyzed.
export async function explain() {
  const of = workspace.video;
  if (!of || isBusy()) return;
  drawPictures();
  try {
    const reasons = await (await ask(`/api/videos/${of.info.id}/inactive?edit=${encodeURIComponent(JSON.stringify({ ...of.edit, keys: [], values: {} }))}`)).json();
    if (of === workspace.video) for (const box of $("video-sliders").children) {
      const reason = absence(entry(reasons, box.dataset.name));
      box.explain(reason ? words.video.inactive(reason) : null);
    }
  } catch { /* They stay unchanged. */ }
}

function setMoves(isOn) {
  if (workspace.video.edit.keys.length > 0 === isOn) return;
  pause();
  workspace.point = 0;
  edit("motion", (one) => {
    if (!isOn) { Object.assign(one.values, one.keys[0].values); one.background = one.keys[0].background ?? one.background; }
    one.keys = isOn ? [{ seconds: 0, values: {} }, { seconds: length(), values: {} }] : [];
  });
  if (isOn) seek(workspace.video.edit.start, true);
  drawPanel();
}
function setPoint(index) {
  workspace.point = index;
  pause();
  // The last frame of the clip, not the one after it.
  seek(index ? Math.max(workspace.video.edit.start, (workspace.video.edit.end ?? workspace.video.info.duration) - 1 / workspace.video.info.framesPerSecond) : workspace.video.edit.start, true);
  drawPanel();
}
$("video-still").onclick = () => setMoves(false);
$("video-moves").onclick = () => setMoves(true);
$("video-from").onclick = () => setPoint(0);
$("video-to").onclick = () => setPoint(1);

// MARK: backgrounds

// A background at one end needs one at the other that it can fade to: a blurred real one fades only to another blur.
function kind(name) { return name === "none" ? "none" : name.match(/^(blur|bokeh)(:|$)/)?.[1] ?? "own"; }
function setBackground(name) {
  let isAlone = false;
  edit("background", (one) => {
    const [here, other] = [one.keys[workspace.point], one.keys[1 - workspace.point]];
    const others = other?.background ?? one.background;
    isAlone = Boolean(here) && (name === "none" || kind(name) !== kind(others));
    if (here && !isAlone) { [here.background, other.background] = [name, others]; return; }
    one.background = name;
    for (const key of one.keys) delete key.background;
  });
  if (isAlone) toast(words.backgrounds.alone, { hint: name === "none" ? words.backgrounds.noFade : words.backgrounds.noMix });
  drawBackgrounds(true);
}

/** @type {Mark} */ let chooseBackground = () => {};
let drawnBackgrounds = "";
export function drawBackgrounds(isNew = false) {
  const known = live()?.backgrounds ?? [];
  const names = known.map((one) => one.name).join("\n");
  if (names !== drawnBackgrounds) {
    drawnBackgrounds = names;
    const items = [...known.map((one, index) => ({ ...one, index })), { name: "none", title: words.backgrounds.transparent, hasPicture: false, index: -1 }];
    $("video-backgrounds").replaceChildren(...items.map((one) => {
      const button = document.createElement("button");
      button.setAttribute("role", "option");
      Object.assign(button.dataset, { name: one.name });
      button.title = one.title;
      if (one.hasPicture) button.append(thumbnail(`/api/backgrounds/${one.index}/small.jpg`));
      else { button.className = one.name === "none" ? "plain squares" : "plain"; button.insertAdjacentHTML("beforeend", one.name === "none" ? "" : icon("blur")); }
      button.append(Object.assign(document.createElement("span"), { textContent: titled(one.title.replace(/\.[a-z0-9]+$/i, "")) }));
      button.onclick = () => setBackground(one.name);
      return button;
    }));
    chooseBackground = choose($("video-backgrounds"), "aria-selected");
    isNew = true;
  }
  if (!isNew) return;
  chooseBackground([...$("video-backgrounds").children].find((button) => button.dataset.name === background()) ?? null);
  drawPictures();
  drawForms();
}

// Disables the file formats that cannot keep transparency.
function drawForms() {
  const { edit, info } = workspace.video;
  const isClear = edit.background === "none" && workspace.looks.find((one) => one.id === edit.look)?.hasBackground;
  $("video-sound").parentElement.hidden = !info.soundTracks;
  for (const option of $("video-form").options) {
    const isOpaque = isClear && option.value === "mp4";
    option.disabled = isOpaque;
    option.title = isOpaque ? words.backgrounds.opaque : "";
  }
  const form = $("video-form");
  if (form.selectedOptions[0].disabled) form.value = [...form.options].find((option) => !option.disabled).value;
}

