// The room Video: open a clip, choose a part, a look and a background, have it written.
import { icon } from "/icons.js";
import { on } from "/socket.js";
import { setup, remember, canUndo, ask } from "/state.js";
import { control, choose, toast, titled } from "/controls.js";
import { current as live } from "/live.js";
import { Filmstrip, clock } from "/filmstrip.js";
import { startExport, listExports } from "/exports.js";

const $ = (id) => document.getElementById(id);
const canvas = $("video-canvas");
const paint = canvas.getContext("2d", { alpha: false });
const stage = $("video-stage");
const mostBytes = 2 * 1024 ** 3;
let looks = [];
let videos = [];
let video = null;
let seconds = 0;
let isHere = false;
let player = null;
// What is changed where the look moves: its beginning or its end.
let point = 0;
export const stats = { shown: 0, rate: 0, isPlaying: false, get seconds() { return seconds; } };

const strip = new Filmstrip($("video-track"), { seek: (time, isFinal) => { pause(); seek(time, isFinal); }, trim });

on("hello", (hello) => { looks = hello.looks; if (video) drawPanel(); });
on("open", refresh);
on("state", () => { if (video && isHere) drawBackgrounds(); });

export function enter() { isHere = !document.hidden; if (isHere) { refresh(); if (video) seek(seconds, true); } }
export function leave() { isHere = false; pause(); }

async function refresh() {
  if (!isHere) return;
  try {
    const contents = await (await ask("/api/videos")).json();
    const known = video?.card.id;
    // What this page changed and has not told yet counts.
    videos = contents.videos.map((one) => (one.card.id === known ? { ...one, edit: video.edit } : one));
    drawRecordings(contents.recordings);
    const wanted = known ?? Number(setup.get("clip"));
    const next = videos.find((one) => one.card.id === wanted) ?? videos.at(-1);
    if (next?.card.id !== known) select(next ?? null);
    drawList();
    listExports();
  } catch { /* The line says when the studio is away. */ }
}

// MARK: opening

$("video-choose").onclick = () => $("video-file").click();
$("video-open").onclick = () => $("video-file").click();
$("video-file").onchange = (event) => { drop([...event.target.files]); event.target.value = ""; };

export async function drop(files) { for (const file of files) await open(file); }

async function open(file) {
  if (file.size > mostBytes) return toast(`${file.name} is too large.`, { hint: "At most 2 GiB; the command line takes any." });
  busy(`Opening ${file.name}`);
  try {
    const begun = await (await ask("/api/videos/begin", { method: "POST", body: JSON.stringify({ name: file.name, size: file.size }) })).json();
    for (let at = 0; at < file.size; at += begun.piece) {
      await ask(`/api/videos/upload/${begun.upload}?at=${at}`, { method: "POST", body: file.slice(at, at + begun.piece) });
      if (file.size > begun.piece) busy(`Opening ${file.name}: ${Math.round((100 * Math.min(file.size, at + begun.piece)) / file.size)} %`);
    }
    busy(`Opening ${file.name}`);
    add(await (await ask(`/api/videos/upload/${begun.upload}/end`, { method: "POST" })).json());
  } catch (trouble) { toast(trouble.message, { hint: trouble.hint, seconds: 8 }); } finally { busy(null); }
}

function add(entry) { videos.push(entry); select(entry); drawList(); }

function drawRecordings(names) {
  $("video-recordings").hidden = !names.length;
  $("video-recordings").replaceChildren(...names.map((name) => {
    const button = Object.assign(document.createElement("button"), { textContent: name, title: "A recording of this studio" });
    button.onclick = async () => {
      busy(`Opening ${name}`);
      try { add(await (await ask(`/api/videos/recording?name=${encodeURIComponent(name)}`, { method: "POST" })).json()); }
      catch (trouble) { toast(trouble.message, { hint: trouble.hint }); } finally { busy(null); }
    };
    return button;
  }));
}

function busy(text) {
  $("video-busy").hidden = !text;
  if (text) $("video-busy").querySelector("span").textContent = text;
}

function drawList() {
  $("video-which").replaceChildren(...videos.map(({ card }) => new Option(card.name, card.id)));
  if (video) $("video-which").value = video.card.id;
}
$("video-which").onchange = (event) => select(videos.find(({ card }) => card.id === Number(event.target.value)));
$("video-close").onclick = async () => {
  const { id } = video.card;
  pause();
  videos = videos.filter((one) => one.card.id !== id);
  select(videos.at(-1) ?? null);
  drawList();
  try { await ask(`/api/videos/${id}/close`, { method: "POST" }); } catch { /* It is gone already. */ }
};

function select(entry) {
  pause();
  video = entry;
  $("video-empty").hidden = Boolean(video);
  for (const id of ["video-panel", "video-bar", "video-top", "video-canvas", "video-status", "video-inside"]) $(id).hidden = !video;
  stage.classList.toggle("filled", !video);
  remember({ clip: video?.card.id ?? null });
  if (!video) return;
  const { card } = video;
  [canvas.width, canvas.height] = [card.width, card.height].map((side) => Math.round((side * 640) / Math.max(card.width, card.height)));
  $("video-facts").textContent = [`${card.width} × ${card.height}`, `${+card.framesPerSecond.toFixed(2)} fps`, card.codec, card.soundTracks ? "with sound" : "no sound", ...card.notes].join(" · ");
  point = 0;
  strip.open(card, video.edit);
  seek(Math.min(seconds, card.duration) || video.edit.start, true);
  if (looks.length) drawPanel();
}

// MARK: pictures

// One request at a time, and of those that wait the newest.
let isAsking = false;
let wanted = null;
async function picture(address) {
  wanted = address;
  if (isAsking) return;
  isAsking = true;
  while (wanted) {
    const next = wanted;
    wanted = null;
    try { await draw(next); } catch (trouble) { if (!wanted) status(trouble.message); }
  }
  isAsking = false;
}
async function draw(address) {
  const image = await createImageBitmap(await (await ask(address)).blob());
  if (canvas.width !== image.width && Math.abs(canvas.width / canvas.height - image.width / image.height) > 0.02) [canvas.width, canvas.height] = [image.width, image.height];
  if (canvas.width < image.width) [canvas.width, canvas.height] = [image.width, image.height];
  paint.imageSmoothingQuality = "high";
  paint.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  stats.shown += 1;
}
function frameAt(time, size) { return `/api/videos/${video.card.id}/frame.jpg?t=${time.toFixed(4)}&size=${size}&edit=${encodeURIComponent(JSON.stringify(video.edit))}`; }

let resting = null;
function seek(time, isFinal) {
  seconds = Math.max(0, Math.min(time, video.card.duration));
  showTime();
  clearTimeout(resting);
  // While the hand moves a small picture is shown at once; at rest the one with the look.
  if (!isFinal) picture(`/api/videos/${video.card.id}/small.jpg?t=${seconds.toFixed(3)}`);
  resting = setTimeout(async () => {
    if (!video) return;
    await picture(frameAt(seconds, "resting"));
    explain();
  }, isFinal ? 0 : 120);
}
function showTime() {
  strip.head(seconds);
  $("video-time").textContent = `${clock(seconds)} / ${clock(video.card.duration)}`;
}
function status(text) { $("video-status").textContent = text; }

// The clock decides which picture is due: what cannot be drawn in time is left out, and the rate says so.
async function play() {
  const { edit, card } = video;
  const end = edit.end ?? card.duration;
  const begin = seconds < edit.start || seconds >= end - 1 / card.framesPerSecond ? edit.start : seconds;
  const run = (player = { started: performance.now(), times: [] });
  stats.isPlaying = true;
  clearTimeout(resting);
  $("video-play").setAttribute("aria-pressed", "true");
  $("video-play").innerHTML = icon("freeze");
  $("video-play").setAttribute("aria-label", "Pause");
  let isFirst = true;
  while (player === run) {
    const time = begin + (performance.now() - run.started) / 1000;
    if (time >= end) { seconds = end; pause(); break; }
    seconds = time;
    showTime();
    try { await draw(frameAt(time, "playing")); } catch (trouble) { pause(); toast(trouble.message, { hint: trouble.hint }); break; }
    // The first one opens the file and loads networks: the clock starts behind it.
    if (isFirst) { run.started = performance.now(); isFirst = false; }
    const now = performance.now();
    run.times.push(now);
    while (now - run.times[0] > 1500) run.times.shift();
    if (run.times.length > 4) {
      stats.rate = ((run.times.length - 1) * 1000) / (now - run.times[0]);
      const own = card.framesPerSecond;
      status(stats.rate >= own * 0.93 ? `${Math.round(own)} fps, as in the file` : `Preview: ${Math.round(stats.rate)} of ${Math.round(own)} fps`);
    }
    // No faster than the video itself.
    const rest = 1000 / card.framesPerSecond - (performance.now() - now + (now - (run.last ?? now)));
    run.last = now;
    if (rest > 1) await new Promise((done) => setTimeout(done, rest));
  }
}
function pause() {
  if (!player) return;
  player = null;
  stats.isPlaying = false;
  $("video-play").setAttribute("aria-pressed", "false");
  $("video-play").innerHTML = icon("play");
  $("video-play").setAttribute("aria-label", "Play");
  status("");
  if (video) seek(seconds, true);
}
$("video-play").onclick = () => (player ? pause() : play());

// MARK: what is set

let keeping = null;
function changed() {
  const { id } = video.card;
  const body = JSON.stringify(video.edit);
  clearTimeout(keeping);
  keeping = setTimeout(() => ask(`/api/videos/${id}/edit`, { method: "POST", body }).catch(() => {}), 400);
  if (!player) seek(seconds, true);
}
function edit(what, change) {
  const [was, of] = [structuredClone(video.edit), video];
  change(video.edit);
  canUndo(`video ${what}`, () => {
    of.edit = was;
    if (of !== video) return;
    strip.part(was);
    drawPanel();
    changed();
  });
  changed();
}

function length() { return (video.edit.end ?? video.card.duration) - video.edit.start; }
function trim(start, end) {
  edit("trim", (one) => {
    one.start = start;
    one.end = end >= video.card.duration - 1e-3 ? null : end;
    if (one.keys.length) one.keys[1].seconds = length();
  });
  strip.part(video.edit);
  $("video-part").textContent = partText();
}
function partText() {
  const { start, end } = video.edit;
  return start === 0 && end == null ? "The whole clip" : `${clock(start)} to ${clock(end ?? video.card.duration)}: ${clock(length())}`;
}

let chooseLook = () => {};
function drawPanel() {
  const root = $("video-looks");
  root.hidden = false;
  if (root.children.length !== looks.length) {
    root.replaceChildren(...looks.map((look) => {
      const button = Object.assign(document.createElement("button"), { textContent: titled(look.id), title: look.summary });
      button.setAttribute("role", "radio");
      button.dataset.id = look.id;
      button.onclick = () => {
        if (video.edit.look === look.id) return;
        edit("look", (one) => Object.assign(one, { look: look.id, values: {}, keys: [] }));
        drawPanel();
      };
      return button;
    }));
    chooseLook = choose(root);
  }
  const look = looks.find((one) => one.id === video.edit.look) ?? looks[0];
  chooseLook(root.querySelector(`[data-id="${look.id}"]`));
  $("video-about").textContent = look.summary;
  $("video-behind").hidden = !look.hasBackground;
  $("video-part").textContent = partText();
  const moves = video.edit.keys.length > 0;
  $("video-motion").hidden = !look.parameters.length;
  $("video-still").setAttribute("aria-checked", String(!moves));
  $("video-moves").setAttribute("aria-checked", String(moves));
  $("video-point").hidden = !moves;
  $("video-from").setAttribute("aria-checked", String(point === 0));
  $("video-to").setAttribute("aria-checked", String(point === 1));
  $("video-sliders").replaceChildren(...look.parameters.map(slider));
  drawBackgrounds(true);
}
function slider(parameter) {
  const { name } = parameter;
  const value = () => video.edit.keys[point]?.values[name] ?? video.edit.values[name] ?? null;
  const box = control(parameter, value(), (number) => edit(`set ${name}`, (one) => {
    if (!one.keys.length) {
      if (number == null) delete one.values[name];
      else one.values[name] = number;
      return;
    }
    // A value at one end needs one at the other.
    for (const [index, key] of one.keys.entries()) {
      if (number == null) delete key.values[name];
      else if (index === point) key.values[name] = number;
      else key.values[name] ??= one.values[name] ?? parameter.default ?? number;
    }
  }));
  box.dataset.name = name;
  return box;
}

// Why a slider has no effect, once a picture was looked at.
async function explain() {
  const of = video;
  if (!of || isAsking) return;
  try {
    const reasons = await (await ask(`/api/videos/${of.card.id}/inactive?edit=${encodeURIComponent(JSON.stringify({ ...of.edit, keys: [], values: {} }))}`)).json();
    if (of === video) for (const box of $("video-sliders").children) box.explain(reasons[box.dataset.name] ? `No effect on this video: ${reasons[box.dataset.name]}.` : null);
  } catch { /* They stay as they are. */ }
}

function setMoves(isOn) {
  if (video.edit.keys.length > 0 === isOn) return;
  pause();
  point = 0;
  edit("motion", (one) => {
    if (!isOn) Object.assign(one.values, one.keys[0].values);
    one.keys = isOn ? [{ seconds: 0, values: {} }, { seconds: length(), values: {} }] : [];
  });
  if (isOn) seek(video.edit.start, true);
  drawPanel();
}
function setPoint(index) {
  point = index;
  pause();
  // The last picture of the part, not the one behind it.
  seek(index ? Math.max(video.edit.start, (video.edit.end ?? video.card.duration) - 1 / video.card.framesPerSecond) : video.edit.start, true);
  drawPanel();
}
$("video-still").onclick = () => setMoves(false);
$("video-moves").onclick = () => setMoves(true);
$("video-from").onclick = () => setPoint(0);
$("video-to").onclick = () => setPoint(1);

// MARK: backgrounds

let chooseBackground = () => {};
let drawnBackgrounds = "";
function drawBackgrounds(isNew = false) {
  const known = live()?.backgrounds ?? [];
  const names = known.map((one) => one.name).join("\n");
  if (names !== drawnBackgrounds) {
    drawnBackgrounds = names;
    const items = [...known.map((one, index) => ({ ...one, index })), { name: "none", title: "Transparent" }];
    $("video-backgrounds").replaceChildren(...items.map((one) => {
      const button = document.createElement("button");
      button.setAttribute("role", "option");
      Object.assign(button.dataset, { name: one.name });
      button.title = one.title;
      if (one.hasPicture) button.append(Object.assign(document.createElement("img"), { alt: "", src: `/api/backgrounds/${one.index}/small.jpg`, draggable: false }));
      else { button.className = one.name === "none" ? "plain squares" : "plain"; button.insertAdjacentHTML("beforeend", one.name === "none" ? "" : icon("blur")); }
      button.append(Object.assign(document.createElement("span"), { textContent: titled(one.title.replace(/\.[a-z0-9]+$/i, "")) }));
      button.onclick = () => { edit("background", (target) => { target.background = one.name; }); drawBackgrounds(true); };
      return button;
    }));
    chooseBackground = choose($("video-backgrounds"), "aria-selected");
    isNew = true;
  }
  if (!isNew) return;
  chooseBackground([...$("video-backgrounds").children].find((button) => button.dataset.name === video.edit.background) ?? null);
  // Only these two keep what is transparent.
  const look = looks.find((one) => one.id === video.edit.look);
  const isClear = video.edit.background === "none" && look?.hasBackground;
  for (const option of $("video-form").options) option.disabled = isClear && !["webm", "mov"].includes(option.value);
  if ($("video-form").selectedOptions[0].disabled) $("video-form").value = "webm";
}

// MARK: writing

$("video-export").onclick = async () => {
  const side = Number($("video-size").value) || null;
  try {
    await startExport(video.card.id, { edit: video.edit, form: $("video-form").value, side });
    $("video-exports").scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
  catch (trouble) { toast(trouble.message, { hint: trouble.hint, seconds: 8 }); }
};

export function key(event) {
  if (!video || event.target.closest("button, a, select, [role=slider]") && event.key !== "i" && event.key !== "o") return false;
  const step = 1 / video.card.framesPerSecond;
  const jump = { ArrowLeft: -step, ArrowRight: step, Home: -Infinity, End: Infinity }[event.key];
  if (jump) { pause(); seek(seconds + jump, true); return true; }
  if (event.key === " ") { $("video-play").click(); return true; }
  const end = video.edit.end ?? video.card.duration;
  if (event.key === "i" && seconds < end - step) { trim(seconds, end); return true; }
  if (event.key === "o" && seconds > video.edit.start + step) { trim(video.edit.start, seconds); return true; }
  return false;
}
