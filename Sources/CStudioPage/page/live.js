// The room Live: the picture, what is behind it, and how its edges are.
import { icon } from "/icons.js";
import { on, say, watch, bitmap } from "/socket.js";
import { setup, remember, forget, canUndo, ask } from "/state.js";
import { control, choose, toast, titled } from "/controls.js";
import * as webcam from "/webcam.js";

const $ = (id) => document.getElementById(id);
const canvas = $("live-canvas");
const paint = canvas.getContext("2d", { alpha: false });
const stage = $("live-stage");
const kinds = { result: 1, input: 2, matte: 3, depth: 4 };

export const stats = { shown: 0, rate: 0, first: null, latency: [] };
let state = null;
let looks = [];
let sources = [];
let main = "result";
let isComparing = false;
let isHere = false;
let shownTimes = [];
let hasApplied = false;

export function enter() { isHere = !document.hidden; update(); }
export function leave() { isHere = false; update(); }

function update() {
  if (!isHere) return watch({ views: [], thumbnails: false, cloud: false, filtered: true, width: 1280 });
  const views = isComparing ? ["result", "input"] : [main];
  const width = Math.min(1280, Math.max(480, Math.ceil((stage.clientWidth * devicePixelRatio) / 160) * 160));
  watch({ views, thumbnails: true, cloud: false, filtered: true, width });
}
new ResizeObserver(() => { if (isHere) update(); }).observe(stage);

// MARK: pictures

export async function show(bundle) {
  const wanted = isComparing ? ["result", "input"] : [main];
  const pictures = await Promise.all(wanted.map((view) => (bundle.parts.has(kinds[view]) ? bitmap(bundle.parts.get(kinds[view])) : null)));
  const first = pictures[0] ?? (bundle.parts.has(1) ? await bitmap(bundle.parts.get(1)) : null);
  if (first) {
    if (canvas.width !== first.width || canvas.height !== first.height) [canvas.width, canvas.height] = [first.width, first.height];
    paint.drawImage(first, 0, 0);
    const before = isComparing ? pictures[1] : null;
    if (before) {
      const edge = (canvas.width * $("live-divider").valueAsNumber) / 100;
      paint.drawImage(before, 0, 0, (edge / canvas.width) * before.width, before.height, 0, 0, edge, canvas.height);
      before.close();
    }
    first.close();
    stats.shown += 1;
    if (stats.first === null) {
      stats.first = performance.now();
      $("live-busy").hidden = true;
      if (matchMedia("(pointer: coarse)").matches) $("live-hint").textContent = "Swipe the picture for another background.";
    }
    const now = performance.now();
    shownTimes.push(now);
    while (now - shownTimes[0] > 2000) shownTimes.shift();
    stats.rate = shownTimes.length > 1 ? ((shownTimes.length - 1) * 1000) / (now - shownTimes[0]) : 0;
    stats.latency.push(bundle.age);
    if (stats.latency.length > 600) stats.latency.shift();
    landed();
  }
  for (const button of document.querySelectorAll("#live .views button")) {
    const part = bundle.parts.get(kinds[button.dataset.view === main ? "result" : button.dataset.view] + 10);
    if (!part) continue;
    const small = await bitmap(part);
    const target = button.querySelector("canvas");
    target.getContext("2d").drawImage(small, 0, 0, target.width, target.height);
    small.close();
  }
}

// MARK: what can be seen

for (const button of document.querySelectorAll("#live .views button")) {
  button.onclick = () => {
    main = main === button.dataset.view ? "result" : button.dataset.view;
    if (isComparing) compare(false);
    for (const other of document.querySelectorAll("#live .views button")) {
      const isMain = other.dataset.view === main;
      other.setAttribute("aria-pressed", String(isMain));
      other.querySelector("span").textContent = isMain ? "Result" : { input: "Camera", matte: "Matte", depth: "Depth" }[other.dataset.view];
    }
    update();
  };
}

function compare(isOn) {
  isComparing = isOn;
  $("live-compare").setAttribute("aria-pressed", String(isOn));
  $("live-divider").hidden = !isOn;
  if (isOn && main !== "result") document.querySelector(`#live .views button[data-view="${main}"]`).click();
  isComparing = isOn;
  update();
}
$("live-compare").onclick = () => compare(!isComparing);

function toggle(id, command, get) {
  $(id).onclick = () => {
    const was = get();
    say({ do: command, value: !was });
    if (command !== "standby") canUndo(command, () => say({ do: command, value: was }));
  };
}
toggle("live-mirror", "mirror", () => state?.status.isMirrored ?? false);
toggle("live-freeze", "freeze", () => state?.status.showing === "frozen");
toggle("live-standby", "standby", () => state?.status.isOnStandby ?? false);
$("live-snapshot").onclick = () => {
  say({ do: "snapshot" });
  stage.animate([{ filter: "brightness(2)" }, { filter: "none" }], { duration: 260 });
};
$("live-record").onclick = () => say({ do: state?.status.recording ? "stop-recording" : "record" });
on("saved", ({ name }) => {
  if (/^backdrop-\d/.test(name)) toast(`${name} is saved.`, { link: `/api/saved/${encodeURIComponent(name)}`, name, seconds: 10 });
});

// MARK: state

on("hello", (hello) => {
  own = hello.own;
  const list = (all) => all.map((one) => one.address + one.fault).join("\n");
  if (list(sources) !== list(hello.sources)) {
    sources = hello.sources;
    drawSources();
  }
  if (looks.length) return;
  looks = hello.looks;
  drawLooks();
});

// What can be set of the session.
let own = [];
on("state", (fresh) => {
  const old = state;
  state = fresh;
  const { status } = state;
  if (!hasApplied) applySetup();
  if (old?.status.look !== status.look) drawSliders();
  if (own.length && (!old || old.status.look !== status.look)) drawSettings();
  for (const box of $("live-sliders").children) box.follow(status.parameters);
  for (const box of document.querySelectorAll("#live-edges > *, #live-more > *")) box.follow(status.settings);
  showVirtual();
  const names = (one) => one?.backgrounds.map((background) => background.name).join("\n");
  if (names(old) !== names(state)) drawBackgrounds();
  chosen();
  if (old?.camera !== state.camera) drawSources();
  $("live-mirror").setAttribute("aria-pressed", String(status.isMirrored));
  $("live-freeze").setAttribute("aria-pressed", String(status.showing === "frozen"));
  $("live-standby").setAttribute("aria-pressed", String(status.isOnStandby));
  $("live-record").setAttribute("aria-pressed", String(Boolean(status.recording)));
  $("live-record").querySelector("span").textContent = status.recording ? "Stop" : "Record";
  $("live-dot").className = `dot ${status.isCameraOn ? "on" : status.reason ? "bad" : ""}`;
  $("live-status").textContent = [
    stats.rate ? `${Math.round(stats.rate)} fps` : "", status.latency95 ? `${Math.round(status.latency95)} ms` : "", stage.clientWidth > 700 ? status.loadSummary ?? "" : "",
  ].filter(Boolean).join(" · ");
  $("live-status").title = `${status.cameraMode}; ${status.framesIn.toFixed(0)} in, ${status.framesOut.toFixed(0)} out, ${status.mattes.toFixed(0)} mattes a second${status.loadSummary ? `; ${status.loadSummary}` : ""}`;
  notice(status);
});

// Why there is no person, and what to do.
function notice(status) {
  const box = $("live-notice");
  const isStandby = status.showing === "standby" && status.reason && isHere;
  const trouble = state.camera === "browser:" ? webcam.trouble() : null;
  if (!isStandby && !trouble) { box.hidden = true; return; }
  // A camera that is being opened is no trouble.
  if (!trouble && stats.first === null) return;
  const [text, hint] = box.querySelectorAll("p");
  const button = box.querySelector("button");
  if (trouble) [text.textContent, hint.textContent] = trouble;
  else if (status.isOnStandby) [text.textContent, hint.textContent] = ["You are hidden.", "Everyone sees the standby frame."];
  else if (status.isPaused) [text.textContent, hint.textContent] = ["The camera is paused.", ""];
  else [text.textContent, hint.textContent] = [status.reason.replace(/^./, (c) => c.toUpperCase()) + ".", status.hint ?? ""];
  button.textContent = status.isOnStandby ? "Show me" : status.isPaused ? "Resume" : trouble ? "Try again" : "Simulated camera";
  button.onclick = () => {
    if (trouble) webcam.start();
    else if (status.isOnStandby) say({ do: "standby", value: false });
    else if (status.isPaused) say({ do: "pause", value: false });
    else choose1(sources.find((source) => source.kind === "simulated").address);
  };
  box.hidden = false;
}

// The setup in the address goes before what the studio has.
function applySetup() {
  hasApplied = true;
  const { status } = state;
  if (setup.has("look") && setup.get("look") !== status.look) say({ do: "look", value: setup.get("look") });
  for (const [name, value] of setup) if (name.startsWith("p.")) say({ do: "set", name: name.slice(2), value: Number(value) });
  if (setup.has("background") && setup.get("background") !== status.background) say({ do: "background", value: setup.get("background") });
  if (setup.has("mirror")) say({ do: "mirror", value: true });
}
function keepSetup() {
  const { status } = state;
  forget("p.");
  const values = Object.fromEntries(Object.entries(status.parameters).map(([name, value]) => [`p.${name}`, value]));
  // A file that was dropped is not there tomorrow.
  const isKept = /^(scene:|#|blur|bokeh)/.test(status.background);
  remember({ look: status.look === "backdrop" ? null : status.look, background: isKept ? status.background : null, mirror: status.isMirrored ? 1 : null, ...values });
}
on("state", () => { if (hasApplied && performance.now() > 2500) keepSetup(); });

// MARK: looks and sliders

let chooseLook = () => {};
function drawLooks() {
  const root = $("live-looks");
  root.replaceChildren(...looks.map((look) => {
    const button = document.createElement("button");
    Object.assign(button, { textContent: titled(look.id), title: look.summary });
    button.setAttribute("role", "radio");
    button.dataset.id = look.id;
    button.onclick = () => {
      const { look: was, parameters } = state.status;
      if (was === look.id) return;
      say({ do: "look", value: look.id });
      canUndo("look", () => {
        say({ do: "look", value: was });
        for (const [name, value] of Object.entries(parameters)) say({ do: "set", name, value: value });
      });
    };
    return button;
  }));
  chooseLook = choose(root);
  if (state) drawSliders();
}

function drawSliders() {
  const look = looks.find((one) => one.id === state.status.look);
  if (!look) return;
  chooseLook($("live-looks").querySelector(`[data-id="${look.id}"]`));
  $("live-about").textContent = look.summary;
  $("live-sliders").replaceChildren(...look.parameters.map((parameter) => {
    return following(parameter, () => state.status.parameters);
  }));
}

// A control that sends what it is set to, shows what the session has, and says why it has no effect.
function following(parameter, values) {
  const value = () => values()[parameter.name] ?? null;
  const box = control(parameter, value(), sender(parameter.name, value));
  box.dataset.name = parameter.name;
  box.follow = (all) => {
    box.show(all[parameter.name] ?? null);
    const reason = state.status.inactive[parameter.name];
    box.explain(reason ? `No effect now: ${reason}.` : null);
  };
  box.follow(values());
  return box;
}

// Sends at most one value each 30 ms, and the last one always.
function sender(name, value) {
  let timer = null;
  let newest = null;
  const tell = (number) => say(number == null ? { do: "reset", name } : { do: "set", name, value: number });
  return (number) => {
    const was = value();
    canUndo(`set ${name}`, () => tell(was));
    newest = number;
    timer ??= setTimeout(() => { timer = null; tell(newest); }, 30);
  };
}

// All that can be set while a session runs, but for files, which a page does not name, and what has a button of its own.
function drawSettings() {
  const look = looks.find((one) => one.id === state.status.look);
  const inLook = new Set(look?.parameters.map((parameter) => parameter.name));
  const shown = own.filter((parameter) => !parameter.fixedAtStart && parameter.kind !== "file" && parameter.name !== "mirror" && !inLook.has(parameter.name));
  const isEdge = (parameter) => parameter.group === "edges" || parameter.name === "smooth";
  const draw = (id, list) => $(id).replaceChildren(...list.map((parameter) => following(parameter, () => state.status.settings)));
  draw("live-edges", shown.filter(isEdge));
  draw("live-more", shown.filter((parameter) => !isEdge(parameter)));
}

// The camera that call programs see.
$("live-virtual").onclick = () => say({ do: "virtual-camera", value: !state?.virtualCamera });
function showVirtual() {
  const name = state.virtualCamera;
  $("live-virtual").setAttribute("aria-pressed", String(Boolean(name)));
  $("live-virtual").querySelector("span").textContent = name ? "End the virtual camera" : "Start the virtual camera";
  $("live-virtual-text").textContent = name ? `In the call program, choose the camera “${name}”. In Chromium, turn on chrome://flags/#enable-webrtc-pipewire-camera first.` : "Call programs then see this picture as a camera.";
}

// MARK: the camera

function drawSources() {
  const select = $("live-source");
  const groups = { simulated: "Simulated camera", browser: "This browser", machine: "Cameras of this machine" };
  select.replaceChildren(...Object.entries(groups).map(([kind, label]) => {
    const group = Object.assign(document.createElement("optgroup"), { label });
    for (const source of sources.filter((one) => one.kind === kind)) {
      const option = new Option(source.name.replace(/^./, (c) => c.toUpperCase()), source.address);
      option.disabled = Boolean(source.fault);
      option.title = source.fault ?? "";
      group.append(option);
    }
    return group;
  }).filter((group) => group.children.length));
  select.append(new Option("A video or picture …", "file:"));
  if (!state) return;
  if (![...select.querySelectorAll("option")].some((option) => option.value === state.camera)) select.prepend(new Option(state.status.camera || state.camera, state.camera));
  select.value = state.camera;
  if (state.camera !== "browser:") webcam.stop();
}
function choose1(address) {
  const was = state.camera;
  if (address === "browser:") webcam.start();
  say({ do: "camera", value: address });
  canUndo("camera", () => choose1(was));
}
$("live-source").onchange = (event) => {
  if (event.target.value !== "file:") return choose1(event.target.value);
  event.target.value = state.camera;
  $("camera-file").click();
};
$("live-source").onfocus = () => say({ do: "sources" });
$("camera-file").onchange = (event) => { upload(event.target.files[0], "&as=camera"); event.target.value = ""; };
export function simulate() { choose1(sources.find((source) => source.kind === "simulated").address); }

// MARK: backgrounds

let chooseBackground = () => {};
function drawBackgrounds() {
  const strip = $("live-backgrounds");
  const items = state.backgrounds.map((background, index) => {
    const button = document.createElement("button");
    button.setAttribute("role", "option");
    button.dataset.name = background.name;
    button.title = background.title;
    if (background.hasPicture) {
      const picture = Object.assign(document.createElement("img"), { alt: "", src: `/api/backgrounds/${index}/small.jpg`, draggable: false });
      button.append(picture);
    } else {
      button.className = "plain";
      button.insertAdjacentHTML("beforeend", icon("blur"));
    }
    button.append(Object.assign(document.createElement("span"), { textContent: titled(background.title.replace(/\.[a-z0-9]+$/i, "")) }));
    button.onclick = () => setBackground(background.name);
    return button;
  });
  const add = document.createElement("button");
  add.className = "plain";
  add.title = "Another picture or video; it can be dropped anywhere on the page";
  add.innerHTML = `${icon("add")}<span>Add</span>`;
  add.onclick = () => $("background-file").click();
  strip.replaceChildren(...items, add);
  chooseBackground = choose(strip, "aria-selected");
}
function chosen() {
  const name = state.status.background;
  const now = [...$("live-backgrounds").children].find((button) => button.dataset.name === name);
  if (now?.getAttribute("aria-selected") !== "true") chooseBackground(now ?? null);
}
function setBackground(name) {
  const was = state.status.background;
  if (was === name) return;
  say({ do: "background", value: name });
  canUndo("background", () => say({ do: "background", value: was }));
}
function step(direction) {
  const names = state.backgrounds.map((background) => background.name);
  const at = names.indexOf(state.status.background);
  return names[(at + direction + names.length) % names.length];
}
$("background-file").onchange = (event) => { upload(event.target.files[0]); event.target.value = ""; };
async function upload(file, more = "") {
  if (!file) return;
  if (file.size > 256 * 1024 * 1024) return toast("This file is too large.", { hint: "At most 256 MiB." });
  const was = state.status.background;
  try {
    await ask(`/api/backgrounds?name=${encodeURIComponent(file.name)}${more}`, { method: "POST", body: file });
    if (!more) canUndo("background", () => say({ do: "background", value: was }));
  } catch (trouble) { toast(trouble.message, { hint: trouble.hint }); }
}
export function drop(files) { upload(files.find((file) => /^(image|video)\//.test(file.type)) ?? files[0]); }

// MARK: swiping

let drag = null;
let isLanding = false;
stage.addEventListener("pointerdown", (event) => {
  if (event.target.closest("select, button, input, .notice") || !state || !isHere) return;
  drag = { y: event.clientY, x: event.clientX, moved: 0, at: performance.now() };
  stage.setPointerCapture(event.pointerId);
});
stage.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const y = event.clientY - drag.y;
  if (Math.abs(y) < 6 && !drag.moved) return;
  if (!drag.moved || Math.sign(y) !== Math.sign(drag.moved)) peek(y > 0 ? 1 : -1);
  drag.moved = y;
  canvas.style.transform = `translateY(${y}px)`;
  $("live-peek").style.opacity = Math.min(1, 0.25 + Math.abs(y) / (stage.clientHeight * 0.5));
});
function finish(event) {
  if (!drag) return;
  const { moved, at } = drag;
  drag = null;
  const isFlick = Math.abs(moved) > 40 && performance.now() - at < 260;
  if (Math.abs(moved) > stage.clientHeight * 0.2 || isFlick) slide(Math.sign(moved), moved);
  else canvas.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 160, easing: "ease-out" }).onfinish = () => home();
  canvas.style.transform = "";
  if (event?.type === "pointercancel") home();
}
stage.addEventListener("pointerup", finish);
stage.addEventListener("pointercancel", finish);

function peek(direction) {
  const index = state.backgrounds.findIndex((background) => background.name === step(direction));
  const picture = $("live-peek");
  if (state.backgrounds[index]?.hasPicture) picture.src = `/api/backgrounds/${index}/small.jpg`;
  else picture.removeAttribute("src");
}
function home() { $("live-peek").style.opacity = 0; canvas.style.opacity = ""; }
// The picture leaves in the direction of the finger; the next one, with the new background, fades in.
function slide(direction, from = 0) {
  if (!state) return;
  if (!from) peek(direction);
  $("live-peek").style.opacity = 1;
  $("live-hint").hidden = true;
  localStorage.setItem("backdrop-hinted", "1");
  setBackground(step(direction));
  const out = canvas.animate([{ transform: `translateY(${from}px)` }, { transform: `translateY(${direction * 100}%)` }], { duration: 210, easing: "ease-in", fill: "forwards" });
  out.onfinish = () => { canvas.style.opacity = 0; out.cancel(); isLanding = true; setTimeout(landed, 400); };
}
function landed() {
  if (!isLanding) return;
  isLanding = false;
  canvas.style.opacity = "";
  canvas.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 180 }).onfinish = home;
}
if (matchMedia("(pointer: coarse)").matches) $("live-hint").textContent = "Swipe the picture for another background.";

// MARK: keys

export function key(event) {
  const press = { b: "live-compare", m: "live-mirror", f: "live-freeze", s: "live-snapshot", r: "live-record", p: "live-standby" }[event.key.toLowerCase()];
  if (press) { $(press).click(); return true; }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") { slide(event.key === "ArrowDown" ? 1 : -1); return true; }
  return false;
}
export function current() { return state; }
