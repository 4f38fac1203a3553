// The workspace Video: opening and choosing videos, and exporting them.
import { words } from "/words.js";
import { on } from "/socket.js";
import { given, remember, ask } from "/state.js";
import { addWorkspace } from "/workspaces.js";
import { toast, fail } from "/controls.js";
import { Filmstrip } from "/filmstrip.js";
import { startExport, listExports } from "/exports.js";
import { workspace, stats } from "/video-state.js";
import { connect as connectPlayer, seek, pause, shape } from "/video-player.js";
import { connect as connectEdit, trim, drawPanel, drawBackgrounds, explain } from "/video-edit.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const stage = $("video-stage");
const maximumBytes = 2 * 1024 ** 3;

const strip = new Filmstrip($("video-track"), { seek: (time, isFinal) => { pause(); seek(time, isFinal); }, trim });
connectPlayer(strip, explain);
connectEdit(strip);

on("hello", (hello) => { workspace.looks = hello.looks; if (workspace.video) drawPanel(); });
on("open", refresh);
on("state", () => { if (workspace.video && workspace.isHere) drawBackgrounds(); });

function enter() { workspace.isHere = !document.hidden; if (workspace.isHere) { refresh(); if (workspace.video) seek(workspace.seconds, true); } }
function leave() { workspace.isHere = false; pause(); }

async function refresh() {
  if (!workspace.isHere) return;
  try {
    const contents = await (await ask("/api/videos")).json();
    const known = workspace.video?.info.id;
    // This page's unsent changes take precedence.
    workspace.videos = contents.videos.map((one) => (one.info.id === known ? { ...one, edit: workspace.video.edit } : one));
    drawRecordings(contents.recordings);
    const wanted = known ?? given("clip", 0, Infinity);
    const next = workspace.videos.find((one) => one.info.id === wanted) ?? workspace.videos.at(-1);
    if (next?.info.id !== known) select(next ?? null);
    drawList();
    listExports();
  } catch { /* The page shows when the studio is away. */ }
}

// MARK: opening

$("video-choose").onclick = () => $("video-file").click();
$("video-open").onclick = () => $("video-file").click();
$("video-file").onchange = (event) => { drop([...event.target.files]); event.target.value = ""; };

async function drop(files) { for (const file of files) await open(file); }

async function open(file) {
  if (file.size > maximumBytes) return toast(words.common.tooLarge(file.name), { hint: words.video.limit });
  busy(words.common.opening(file.name));
  try {
    const begun = await (await ask("/api/videos/begin", { method: "POST", body: JSON.stringify({ name: file.name, size: file.size }) })).json();
    for (let at = 0; at < file.size; at += begun.piece) {
      await ask(`/api/videos/upload/${begun.upload}?at=${at}`, { method: "POST", body: file.slice(at, at + begun.piece) });
      if (file.size > begun.piece) busy(words.common.openingPart(file.name, Math.round((100 * Math.min(file.size, at + begun.piece)) / file.size)));
    }
    busy(words.common.opening(file.name));
    add(await (await ask(`/api/videos/upload/${begun.upload}/end`, { method: "POST" })).json());
  } catch (trouble) { fail(trouble, file.name); } finally { busy(null); }
}

function add(entry) { workspace.videos.push(entry); select(entry); drawList(); }

function drawRecordings(names) {
  $("video-recordings").hidden = !names.length;
  $("video-recordings").replaceChildren(...names.map((name) => {
    const button = Object.assign(document.createElement("button"), { textContent: name, title: words.video.recording });
    button.onclick = async () => {
      busy(words.common.opening(name));
      try { add(await (await ask(`/api/videos/recording?name=${encodeURIComponent(name)}`, { method: "POST" })).json()); }
      catch (trouble) { fail(trouble, name); } finally { busy(null); }
    };
    return button;
  }));
}

function busy(text) {
  $("video-busy").hidden = !text;
  if (text) $("video-busy").querySelector("span").textContent = text;
}

function drawList() {
  $("video-which").replaceChildren(...workspace.videos.map(({ info }) => new Option(info.name, String(info.id))));
  if (workspace.video) $("video-which").value = String(workspace.video.info.id);
}
$("video-which").onchange = (event) => select(workspace.videos.find(({ info }) => info.id === Number(event.target.value)));
$("video-close").onclick = async () => {
  const { id } = workspace.video.info;
  pause();
  workspace.videos = workspace.videos.filter((one) => one.info.id !== id);
  select(workspace.videos.at(-1) ?? null);
  drawList();
  try { await ask(`/api/videos/${id}/close`, { method: "POST" }); } catch { /* It is gone already. */ }
};

function select(entry) {
  pause();
  workspace.video = entry;
  for (const id of ["video-empty", "video-blank"]) $(id).hidden = Boolean(workspace.video);
  for (const id of ["video-panel", "video-bar", "video-looks", "video-top", "video-canvas", "video-inside"]) $(id).hidden = !workspace.video;
  stage.classList.toggle("filled", !workspace.video);
  remember({ clip: workspace.video?.info.id ?? null });
  if (!workspace.video) return;
  const { info } = workspace.video;
  shape(info);
  $("video-facts").textContent = [`${info.width} × ${info.height}`, words.common.rate(+info.framesPerSecond.toFixed(2)), info.codec, info.soundTracks ? words.video.withSound : words.video.noSound, ...info.notes].join(" · ");
  workspace.point = 0;
  strip.open(info, workspace.video.edit);
  seek(Math.min(workspace.seconds, info.duration) || workspace.video.edit.start, true);
  if (workspace.looks.length) drawPanel();
}

// MARK: writing

$("video-export").onclick = async () => {
  const side = Number($("video-size").value) || null;
  try {
    await startExport(workspace.video.info.id, { edit: workspace.video.edit, form: $("video-form").value, side, sound: $("video-sound").checked });
    $("video-exports").scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
  catch (trouble) { fail(trouble, workspace.video.info.name); }
};

function key(event) {
  if (!workspace.video || event.target.closest("button, a, select, [role=slider]") && event.key !== "i" && event.key !== "o") return false;
  const step = 1 / workspace.video.info.framesPerSecond;
  const jump = { ArrowLeft: -step, ArrowRight: step, Home: -Infinity, End: Infinity }[event.key];
  if (jump) { pause(); seek(workspace.seconds + jump, true); return true; }
  if (event.key === " ") { $("video-play").click(); return true; }
  const end = workspace.video.edit.end ?? workspace.video.info.duration;
  if (event.key === "i" && workspace.seconds < end - step) { trim(workspace.seconds, end); return true; }
  if (event.key === "o" && workspace.seconds > workspace.video.edit.start + step) { trim(workspace.video.edit.start, workspace.seconds); return true; }
  return false;
}

addWorkspace("video", { enter, leave, key, drop, opens: words.frame.openVideo, stats });
