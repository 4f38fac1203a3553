// The pictures of the workspace Video: at a time, and during playback.
import { words } from "/words.js";
import { icon } from "/icons.js";
import { askPicture } from "/state.js";
import { fail } from "/controls.js";
import { clock } from "/filmstrip.js";
import { workspace, stats } from "/video-state.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const canvas = $("video-canvas");
const paint = canvas.getContext("2d", { alpha: false });
let player = null;
/** @type {import("/filmstrip.js").Filmstrip} */ let strip = null;
let explain = () => {};
// Lets the studio drop requests that this page has replaced.
const viewer = crypto.randomUUID().slice(0, 8);

export function connect(filmstrip, onPicture) { [strip, explain] = [filmstrip, onPicture]; }

// Sends one request at a time, then only the newest; a replaced request for an exact picture is aborted.
let asking = null;
let wanted = null;
async function picture(address, isExact) {
  wanted = { address, isExact };
  if (asking) { if (asking.isExact) asking.stop.abort(); return; }
  while (wanted) {
    const next = (asking = { ...wanted, stop: new AbortController() });
    wanted = null;
    try {
      await draw(next.address, next.stop.signal);
      if (isCurrent(next)) { stats.exact += 1; explain(); }
    } catch (trouble) { if (!wanted) status(trouble.message); }
  }
  asking = null;
}
function isCurrent(next) { return next.isExact && !wanted; }
export function isAsking() { return Boolean(asking); }
export function isBusy() { return Boolean(asking && wanted); }
async function draw(address, signal) {
  const image = await askPicture(address, { signal });
  if (canvas.width !== image.width && Math.abs(canvas.width / canvas.height - image.width / image.height) > 0.02) [canvas.width, canvas.height] = [image.width, image.height];
  if (canvas.width < image.width) [canvas.width, canvas.height] = [image.width, image.height];
  paint.imageSmoothingQuality = "high";
  paint.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  $("video-stage").classList.remove("loading");
  stats.shown += 1;
}
// Gives the canvas the video's aspect before its first picture.
export function shape({ width, height }) {
  $("video-stage").classList.add("loading");
  [canvas.width, canvas.height] = [width, height].map((side) => Math.round((side * 640) / Math.max(width, height)));
}
function frameAt(time, size) { return `/api/videos/${workspace.video.info.id}/frame.jpg?t=${time.toFixed(4)}&size=${size}&viewer=${viewer}&edit=${encodeURIComponent(JSON.stringify(workspace.video.edit))}`; }

let resting = null;
export function seek(time, isFinal) {
  const { video } = workspace;
  workspace.seconds = Math.max(0, Math.min(time, video.info.duration));
  showTime();
  clearTimeout(resting);
  // A drag shows a thumbnail at once; after a pause, the picture with the look follows.
  if (!isFinal) picture(`/api/videos/${video.info.id}/small.jpg?t=${workspace.seconds.toFixed(3)}`, false);
  resting = setTimeout(() => { if (workspace.video) picture(frameAt(workspace.seconds, "resting"), true); }, isFinal ? 0 : 60);
}
function showTime() {
  strip.head(workspace.seconds);
  $("video-time").textContent = `${clock(workspace.seconds)} / ${clock(workspace.video.info.duration)}`;
}
function status(text) { $("video-status").textContent = text; $("video-status").hidden = !text; }
export function isPlaying() { return Boolean(player); }

// The clock decides which frame is due; frames that cannot be drawn in time are skipped.
export async function play() {
  const { edit, info } = workspace.video;
  const end = edit.end ?? info.duration;
  const begin = workspace.seconds < edit.start || workspace.seconds >= end - 1 / info.framesPerSecond ? edit.start : workspace.seconds;
  const run = (player = { started: performance.now(), times: [], last: null });
  stats.isPlaying = true;
  clearTimeout(resting);
  $("video-play").setAttribute("aria-pressed", "true");
  $("video-play").innerHTML = icon("freeze");
  $("video-play").setAttribute("aria-label", words.video.pause);
  let isFirst = true;
  while (player === run) {
    const time = begin + (performance.now() - run.started) / 1000;
    if (time >= end) { workspace.seconds = end; pause(); break; }
    workspace.seconds = time;
    showTime();
    try { await draw(frameAt(time, "playing")); } catch (trouble) { pause(); fail(trouble, info.name); break; }
    // The first one opens the file and loads networks, so the clock starts after it.
    if (isFirst) { run.started = performance.now(); isFirst = false; }
    const now = performance.now();
    run.times.push(now);
    while (now - run.times[0] > 1500) run.times.shift();
    if (run.times.length > 4) {
      stats.rate = ((run.times.length - 1) * 1000) / (now - run.times[0]);
      const own = info.framesPerSecond;
      status(stats.rate >= own * 0.93 ? words.video.fullRate(Math.round(own)) : words.video.slower(Math.round(stats.rate), Math.round(own)));
    }
    // Not faster than the video itself.
    const rest = 1000 / info.framesPerSecond - (performance.now() - now + (now - (run.last ?? now)));
    run.last = now;
    if (rest > 1) await new Promise((done) => setTimeout(done, rest));
  }
}
export function pause() {
  if (!player) return;
  player = null;
  stats.isPlaying = false;
  $("video-play").setAttribute("aria-pressed", "false");
  $("video-play").innerHTML = icon("play");
  $("video-play").setAttribute("aria-label", words.video.play);
  status("");
  if (workspace.video) seek(workspace.seconds, true);
}
$("video-play").onclick = () => (player ? pause() : play());
