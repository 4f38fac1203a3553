// The frame round the rooms: which one is open, theme, undo, keys, files that are dropped, the door.
import { drawIcons } from "/icons.js";
import { setup, remember, undo, redo, onUndo, ask } from "/state.js";
import { connect, on, onPictures, line, say } from "/socket.js";
import { toast } from "/controls.js";
import * as live from "/live.js";
import * as depth from "/depth.js";
import * as depthFiles from "/depth-files.js";
import * as photos from "/photos.js";
import * as video from "/video.js";
import * as webcam from "/webcam.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const rooms = { live, depth: { ...depth, drop: depthFiles.drop }, photos, video };
let current = null;

drawIcons(document);

export function openRoom(name) {
  if (name === current) return;
  rooms[current]?.leave();
  current = name;
  for (const other of Object.keys(rooms)) {
    $(other).hidden = other !== name;
    const tab = $(`tab-${other}`);
    tab.setAttribute("aria-selected", String(other === name));
    tab.tabIndex = other === name ? 0 : -1;
  }
  remember({ room: name === "live" ? null : name });
  document.title = `Backdrop · ${$(`tab-${name}`).textContent}`;
  rooms[name].enter();
}
for (const name of Object.keys(rooms)) $(`tab-${name}`).onclick = () => openRoom(name);
document.querySelector(".rooms").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const names = Object.keys(rooms);
  const next = names[(names.indexOf(current) + step + names.length) % names.length];
  openRoom(next);
  $(`tab-${next}`).focus();
});

// Pictures go to the room that is open.
onPictures((bundle) => rooms[current]?.show?.(bundle));
document.addEventListener("visibilitychange", () => rooms[current]?.[document.hidden ? "leave" : "enter"]?.());

// Theme: what the system says, until the button says otherwise.
const prefersLight = matchMedia("(prefers-color-scheme: light)");
function applyTheme() {
  document.documentElement.dataset.theme = localStorage.getItem("backdrop-theme") ?? (prefersLight.matches ? "light" : "dark");
  dispatchEvent(new Event("themechange"));
}
prefersLight.addEventListener("change", applyTheme);
$("theme").onclick = () => {
  localStorage.setItem("backdrop-theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  applyTheme();
};
applyTheme();

onUndo((count, again) => { $("undo").disabled = count === 0; $("redo").disabled = !again; });
$("undo").onclick = undo;
$("redo").onclick = redo;
$("help").onclick = () => $("keys").showModal();

addEventListener("keydown", (event) => {
  if (event.target.closest("dialog, select, input[type=password]")) return;
  if ((event.ctrlKey || event.metaKey) && "zy".includes(event.key.toLowerCase())) { event.preventDefault(); return event.shiftKey || event.key.toLowerCase() === "y" ? redo() : undo(); }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const room = { 1: "live", 2: "depth", 3: "photos", 4: "video" }[event.key];
  if (room) return openRoom(room);
  if (event.key === "?") return $("keys").showModal();
  if (event.target.matches("input") && event.key.startsWith("Arrow")) return;
  if (rooms[current]?.key?.(event)) event.preventDefault();
});

// Files can be dropped anywhere; each room says what it makes of them.
let depthOfDrag = 0;
const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragenter", (event) => {
  if (!hasFiles(event)) return;
  depthOfDrag += 1;
  $("drop").firstElementChild.textContent = { photos: "Open these photos", video: "Open this video", depth: "Open this file" }[current] ?? "Use it as the background";
  $("drop").hidden = false;
});
addEventListener("dragleave", (event) => { if (hasFiles(event) && --depthOfDrag <= 0) { depthOfDrag = 0; $("drop").hidden = true; } });
addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  depthOfDrag = 0;
  $("drop").hidden = true;
  (rooms[current].drop ? rooms[current] : live).drop([...event.dataTransfer.files]);
});
addEventListener("paste", (event) => {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length) (rooms[current].drop ? rooms[current] : live).drop(files);
});

// The door: who has no session is asked for the password, or for a new link.
on("refused", (kind) => {
  const isPassword = kind === "password";
  $("door-title").textContent = isPassword ? "Password" : "This page needs a new link";
  $("door-text").hidden = isPassword;
  $("door-label").firstChild.textContent = isPassword ? "Password " : "Link ";
  if (!$("door").open) $("door").showModal();
  $("door-secret").value = "";
  $("door-secret").focus();
  $("door").onclose = async () => {
    const given = $("door-secret").value.trim();
    const key = isPassword ? { password: given } : { code: given.replace(/^.*code=/, "") };
    try {
      if (given) await ask("/api/enter", { method: "POST", body: JSON.stringify(key) });
    } catch (trouble) { toast(trouble.message, { hint: trouble.hint }); }
    connect();
  };
});
// The studio is away: what is seen is not of now, and says so until it comes back.
let lost = null;
on("closed", () => {
  lost ??= setTimeout(() => {
    document.body.classList.add("away");
    $("reconnecting").hidden = false;
  }, 500);
});
on("open", () => {
  clearTimeout(lost);
  lost = null;
  document.body.classList.remove("away");
  $("reconnecting").hidden = true;
});
on("trouble", ({ error, hint }) => toast(error, { hint }));
on("note", ({ text }) => toast(text));

openRoom(rooms[setup.get("room")] ? setup.get("room") : "live");
connect();

// For tests and the curious.
/** @type {Record<string, any>} */
globalThis.studio = { line, say, live: live.stats, video: video.stats, get cloud() { return depth.points(); }, get webcam() { return webcam.isOn(); } };
