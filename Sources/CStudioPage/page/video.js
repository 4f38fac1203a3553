// The room Video: open a clip, choose a part, a look and a background, have it written.
import { on } from "/socket.js";
import { setup, remember, ask } from "/state.js";
import { toast } from "/controls.js";
import { Filmstrip } from "/filmstrip.js";
import { startExport, listExports } from "/exports.js";
import { room } from "/video-state.js";
import { connect as connectPlayer, seek, pause, shape } from "/video-player.js";
import { connect as connectEdit, trim, drawPanel, drawBackgrounds, explain } from "/video-edit.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const stage = $("video-stage");
const mostBytes = 2 * 1024 ** 3;
export { stats } from "/video-state.js";

const strip = new Filmstrip($("video-track"), { seek: (time, isFinal) => { pause(); seek(time, isFinal); }, trim });
connectPlayer(strip, explain);
connectEdit(strip);

on("hello", (hello) => { room.looks = hello.looks; if (room.video) drawPanel(); });
on("open", refresh);
on("state", () => { if (room.video && room.isHere) drawBackgrounds(); });

export function enter() { room.isHere = !document.hidden; if (room.isHere) { refresh(); if (room.video) seek(room.seconds, true); } }
export function leave() { room.isHere = false; pause(); }

async function refresh() {
  if (!room.isHere) return;
  try {
    const contents = await (await ask("/api/videos")).json();
    const known = room.video?.info.id;
    // What this page changed and has not told yet counts.
    room.videos = contents.videos.map((one) => (one.info.id === known ? { ...one, edit: room.video.edit } : one));
    drawRecordings(contents.recordings);
    const wanted = known ?? Number(setup.get("clip"));
    const next = room.videos.find((one) => one.info.id === wanted) ?? room.videos.at(-1);
    if (next?.info.id !== known) select(next ?? null);
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

function add(entry) { room.videos.push(entry); select(entry); drawList(); }

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
  $("video-which").replaceChildren(...room.videos.map(({ info }) => new Option(info.name, String(info.id))));
  if (room.video) $("video-which").value = String(room.video.info.id);
}
$("video-which").onchange = (event) => select(room.videos.find(({ info }) => info.id === Number(event.target.value)));
$("video-close").onclick = async () => {
  const { id } = room.video.info;
  pause();
  room.videos = room.videos.filter((one) => one.info.id !== id);
  select(room.videos.at(-1) ?? null);
  drawList();
  try { await ask(`/api/videos/${id}/close`, { method: "POST" }); } catch { /* It is gone already. */ }
};

function select(entry) {
  pause();
  room.video = entry;
  $("video-empty").hidden = Boolean(room.video);
  for (const id of ["video-panel", "video-bar", "video-top", "video-canvas", "video-inside"]) $(id).hidden = !room.video;
  stage.classList.toggle("filled", !room.video);
  remember({ clip: room.video?.info.id ?? null });
  if (!room.video) return;
  const { info } = room.video;
  shape(info);
  $("video-facts").textContent = [`${info.width} × ${info.height}`, `${+info.framesPerSecond.toFixed(2)} fps`, info.codec, info.soundTracks ? "with sound" : "no sound", ...info.notes].join(" · ");
  room.point = 0;
  strip.open(info, room.video.edit);
  seek(Math.min(room.seconds, info.duration) || room.video.edit.start, true);
  if (room.looks.length) drawPanel();
}

// MARK: writing

$("video-export").onclick = async () => {
  const side = Number($("video-size").value) || null;
  try {
    await startExport(room.video.info.id, { edit: room.video.edit, form: $("video-form").value, side, sound: $("video-sound").checked });
    $("video-exports").scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
  catch (trouble) { toast(trouble.message, { hint: trouble.hint, seconds: 8 }); }
};

export function key(event) {
  if (!room.video || event.target.closest("button, a, select, [role=slider]") && event.key !== "i" && event.key !== "o") return false;
  const step = 1 / room.video.info.framesPerSecond;
  const jump = { ArrowLeft: -step, ArrowRight: step, Home: -Infinity, End: Infinity }[event.key];
  if (jump) { pause(); seek(room.seconds + jump, true); return true; }
  if (event.key === " ") { $("video-play").click(); return true; }
  const end = room.video.edit.end ?? room.video.info.duration;
  if (event.key === "i" && room.seconds < end - step) { trim(room.seconds, end); return true; }
  if (event.key === "o" && room.seconds > room.video.edit.start + step) { trim(room.video.edit.start, room.seconds); return true; }
  return false;
}
