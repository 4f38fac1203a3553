// The workspace Live: the picture, its views, and the session's state.
import { words } from "/words.js";
import { on, say, watch, bitmap } from "/socket.js";
import { setup, remember, forget, given, canUndo } from "/state.js";
import { addWorkspace } from "/workspaces.js";
import { drawBackgrounds, drop } from "/backgrounds.js";
import { drawSources } from "/sources.js";
import { showSettings } from "/live-settings.js";
import { notice } from "/live-notice.js";
import { drawRecording } from "/recording.js";
import { landed, slide, welcome as welcomeHint } from "/swipe.js";
import { showCalls } from "/calls.js";
import { drawPresets } from "/presets.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const canvas = $("live-canvas");
const paint = canvas.getContext("2d", { alpha: false });
const stage = $("live-stage");
const kinds = { result: 1, input: 2, matte: 3, depth: 4 };

const stats = { shown: 0, rate: 0, first: null, latency: [] };
/** @type {Studio.LiveState} */ let state = null;
let main = "result";
let isComparing = false;
let isHere = false;
let shownTimes = [];
let hasApplied = false;

function enter() { isHere = !document.hidden; update(); }
function leave() { isHere = false; update(); }

function update() {
  if (!isHere) return watch({ views: [], thumbnails: false, cloud: false, filtered: true, width: 1280 });
  const views = isComparing ? ["result", "input"] : [main];
  const width = Math.min(1280, Math.max(480, Math.ceil((stage.clientWidth * devicePixelRatio) / 160) * 160));
  watch({ views, thumbnails: true, cloud: false, filtered: true, width });
}
new ResizeObserver(() => { if (isHere) update(); }).observe(stage);

// MARK: pictures

async function show(bundle) {
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
      welcomeHint();
    }
    const now = performance.now();
    shownTimes.push(now);
    while (now - shownTimes[0] > 2000) shownTimes.shift();
    stats.rate = now - shownTimes[0] > 500 ? ((shownTimes.length - 1) * 1000) / (now - shownTimes[0]) : 0;
    stats.latency.push(bundle.age);
    if (stats.latency.length > 600) stats.latency.shift();
    landed();
  }
  const hasSmall = [...bundle.parts.keys()].some((kind) => kind > 10 && kind < 20);
  for (const button of document.querySelectorAll("#live .views button")) {
    const view = button.dataset.view === main ? "result" : button.dataset.view;
    const part = bundle.parts.get(kinds[view] + 10);
    // Behind the standby frame, none is on its way.
    button.classList.toggle("still", bundle.isStandby);
    // A missing view must not keep its old picture.
    if (hasSmall) absent(button, !part && view !== "result" && !bundle.isStandby, view);
    if (!part) continue;
    const small = await bitmap(part);
    button.classList.remove("loading");
    const target = button.querySelector("canvas");
    target.getContext("2d").drawImage(small, 0, 0, target.width, target.height);
    small.close();
  }
}

function absent(button, isAbsent, view) {
  if (button.classList.contains("absent") === isAbsent) return;
  button.classList.toggle("absent", isAbsent);
  button.classList.remove("loading");
  button.disabled = isAbsent && button.getAttribute("aria-pressed") !== "true";
  button.title = isAbsent ? words.live.noViewTitle[view] : views[view].title;
  button.querySelector("span").textContent = isAbsent ? words.live.noView[view] : views[view].name;
  const target = button.querySelector("canvas");
  if (isAbsent) target.getContext("2d").clearRect(0, 0, target.width, target.height);
}

// MARK: what can be seen

const { views } = words.live;

for (const button of document.querySelectorAll("#live .views button")) {
  button.onclick = () => {
    main = main === button.dataset.view ? "result" : button.dataset.view;
    if (isComparing) compare(false);
    for (const other of document.querySelectorAll("#live .views button")) {
      const isMain = other.dataset.view === main;
      other.setAttribute("aria-pressed", String(isMain));
      other.querySelector("span").textContent = isMain ? views.result.name : views[other.dataset.view].name;
      other.classList.remove("absent");
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

// MARK: state

function rate() { return performance.now() - (shownTimes.at(-1) ?? -Infinity) < 2000 ? stats.rate : 0; }
on("closed", () => { shownTimes = []; $("live-status").textContent = ""; });
on("state", (fresh) => {
  state = fresh;
  const { status } = state;
  if (!hasApplied && looks.length) applySetup();
  showSettings(state);
  showCalls(state);
  drawPresets(state);
  drawBackgrounds(state);
  drawSources(state);
  $("live-mirror").setAttribute("aria-pressed", String(status.isMirrored));
  $("live-freeze").setAttribute("aria-pressed", String(status.showing === "frozen"));
  $("live-standby").setAttribute("aria-pressed", String(status.isOnStandby));
  drawRecording(status);
  $("live-dot").className = `dot ${status.isCameraOn ? "on" : status.reason ? "bad" : ""}`;
  $("live-status").textContent = [
    rate() ? words.common.rate(Math.round(rate())) : "", rate() && status.latency95 ? `${Math.round(status.latency95)} ms` : "", stage.clientWidth > 700 ? status.loadSummary ?? "" : "",
  ].filter(Boolean).join(" · ");
  $("live-status").title = words.live.status(status.cameraMode, status.framesIn.toFixed(0), status.framesOut.toFixed(0), status.mattes.toFixed(0), status.loadSummary);
  notice(state, { isHere, hasPicture: stats.first !== null });
});

// The setup in the address overrides the studio's state. What does not exist there has no effect.
/** @type {Studio.LookInfo[]} */ let looks = [];
/** @type {string[]} */ let scenes = [];
on("hello", (hello) => { ({ looks, scenes } = hello); });
function isBackground(name) { return scenes.includes(name) || state.backgrounds.some((one) => one.name === name) || /^(#[0-9a-f]{6}|(blur|bokeh)(:\d+(\.\d+)?)?)$/i.test(name); }
function applySetup() {
  hasApplied = true;
  const { status } = state;
  const look = looks.find((one) => one.id === (setup.get("look") ?? status.look));
  if (look && look.id !== status.look) say({ do: "look", value: look.id });
  for (const { name, minimum, maximum } of look?.parameters ?? []) {
    const value = given(`p.${name}`, minimum, maximum);
    if (value !== null) say({ do: "set", name, value });
  }
  const background = setup.get("background");
  if (background !== status.background && isBackground(background)) say({ do: "background", value: background });
  if (setup.get("mirror") === "1") say({ do: "mirror", value: true });
  // The answer comes after all of this.
  say({ do: "ping", name: "setup" });
}
let isApplied = false;
on("pong", ({ name }) => { if (name === "setup") { isApplied = true; keepSetup(); } });
on("closed", () => { hasApplied = isApplied; });
function keepSetup() {
  const { status } = state;
  forget("p.");
  const values = Object.fromEntries(Object.entries(status.parameters).map(([name, value]) => [`p.${name}`, value]));
  // A dropped file may not exist later.
  const isKept = /^(scene:|#|blur|bokeh)/.test(status.background);
  remember({ look: status.look === "backdrop" ? null : status.look, background: isKept ? status.background : null, mirror: status.isMirrored ? 1 : null, ...values });
}
on("state", () => { if (isApplied) keepSetup(); });

// MARK: keys

function key(event) {
  const press = { b: "live-compare", m: "live-mirror", f: "live-freeze", s: "live-snapshot", r: "live-record", a: "live-microphone", p: "live-standby" }[event.key.toLowerCase()];
  if (press) { $(press).click(); return true; }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") { slide(event.key === "ArrowDown" ? 1 : -1); return true; }
  return false;
}
export function current() { return state; }

addWorkspace("live", { enter, leave, show, key, drop, opens: words.frame.useAsBackground, stats });
