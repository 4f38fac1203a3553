// Files in the workspace Depth: photos with depth, depth maps, clouds, and recordings with playback.
import { words } from "/words.js";
import { ask } from "/state.js";
import { on, parse } from "/socket.js";
import { toast, fail } from "/controls.js";
import { clock } from "/filmstrip.js";
import { clear, draw, showPoints, restoreView, update } from "/depth.js";
import { parsePoints } from "/cloud-points.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const scrub = $("depth-scrub");
/** @type {Studio.DepthFile[]} */ let files = [];
/** @type {Studio.DepthFile} */ let chosen = null;
let camera = words.depth.camera;
let isHere = false;
let isFiltered = true;
let frame = 0;
let run = null;

export function file() { return chosen; }

on("state", ({ title }) => { if (title !== camera) { camera = title || words.depth.camera; drawList(); } });

function drawList() {
  $("depth-source").replaceChildren(new Option(camera, ""), ...files.map((one) => new Option(one.name, String(one.id))));
  $("depth-source").value = String(chosen?.id ?? "");
}
$("depth-source").onchange = (event) => chooseFile(files.find((one) => one.id === Number(event.target.value)) ?? null);
$("depth-open").onclick = () => $("depth-file").click();
$("depth-other").onclick = () => $("depth-file").click();
$("depth-file").onchange = (event) => { drop([...event.target.files]); event.target.value = ""; };

export async function drop(dropped) {
  for (const one of dropped) {
    if (one.size > 256 * 1024 * 1024) { toast(words.common.tooLarge(one.name), { hint: words.common.limit }); continue; }
    $("depth-busy").hidden = false;
    $("depth-busy").querySelector("span").textContent = words.common.opening(one.name);
    try {
      const info = await (await ask(`/api/depth?name=${encodeURIComponent(one.name)}`, { method: "POST", body: one })).json();
      files = [...files, info].slice(-4);
      chooseFile(info);
    } catch (trouble) { fail(trouble, one.name); } finally { $("depth-busy").hidden = true; }
  }
}

export function chooseFile(info) {
  stop();
  // A cloud is always shown in space.
  if (chosen?.points && !info?.points) { chosen = info; restoreView(); }
  chosen = info;
  frame = 0;
  clear();
  drawList();
  if (info?.points) loadPoints(info);
  const moves = info && !info.isStill && (info.frames ?? 0) > 1;
  $("depth-film").hidden = !moves;
  if (moves) { scrub.max = String(info.frames - 1); scrub.value = "0"; }
  $("depth-freeze").hidden = Boolean(info);
  drawLinks();
  update();
}

// Links to the points shown; a cloud's file has them already.
function drawLinks() {
  for (const kind of ["ply", "glb"]) {
    $(`depth-${kind}`).hidden = Boolean(chosen?.points);
    $(`depth-${kind}`).href = chosen ? `/api/depth/${chosen.id}/${kind}?i=${frame}` : `/api/cloud/${kind}`;
  }
}

// Follows whether the workspace is open and filters its maps.
export function follow(isOpen, filtered) {
  const isNew = isOpen !== isHere || filtered !== isFiltered;
  [isHere, isFiltered] = [isOpen, filtered];
  if (!isHere) stop();
  if (chosen && !chosen.points && isHere && (isNew || !run)) load();
}

async function loadPoints(of) {
  try {
    const points = parsePoints(await (await ask(`/api/depth/${of.id}/points`)).arrayBuffer());
    if (of === chosen) showPoints(points);
  } catch (trouble) { fail(trouble, of.name); }
}

let isLoading = false;
let isWanted = false;
async function load() {
  isWanted = true;
  if (isLoading) return;
  isLoading = true;
  while (isWanted && chosen) {
    isWanted = false;
    try { await fetchFrame(); } catch (trouble) { fail(trouble, chosen?.name); stop(); }
  }
  isLoading = false;
}
async function fetchFrame() {
  const of = chosen;
  place();
  const bundle = parse(await (await ask(`/api/depth/${of.id}/frame?i=${frame}&filtered=${isFiltered ? 1 : 0}`)).arrayBuffer());
  if (of === chosen && isHere) await draw(bundle);
}
function place() {
  scrub.value = String(frame);
  scrub.style.setProperty("--at", `${(100 * frame) / Math.max(1, Number(scrub.max))}%`);
  drawLinks();
  const time = frame / chosen.framesPerSecond;
  scrub.setAttribute("aria-valuetext", clock(time));
  $("depth-time").textContent = `${clock(time)} / ${clock((chosen.frames ?? 1) / chosen.framesPerSecond)}`;
}
scrub.addEventListener("input", () => { stop(); frame = scrub.valueAsNumber; load(); });

async function play() {
  const mine = (run = {});
  $("depth-play").setAttribute("aria-pressed", "true");
  const [from, start] = [frame >= chosen.frames - 1 ? 0 : frame, performance.now()];
  while (run === mine) {
    const next = from + Math.floor(((performance.now() - start) / 1000) * chosen.framesPerSecond);
    if (next >= chosen.frames) { frame = chosen.frames - 1; stop(); load(); break; }
    if (next === frame) { await new Promise((done) => setTimeout(done, 8)); continue; }
    frame = next;
    try { await fetchFrame(); } catch (trouble) { stop(); fail(trouble, chosen?.name); }
  }
}
function stop() {
  run = null;
  $("depth-play").setAttribute("aria-pressed", "false");
}
$("depth-play").onclick = () => (run ? stop() : play());

drawLinks();
