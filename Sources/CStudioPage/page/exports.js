// Running and finished exports; they run even while no page is open.
import { words } from "/words.js";
import { icon } from "/icons.js";
import { on } from "/socket.js";
import { ask } from "/state.js";
import { toast, fail } from "/controls.js";

const root = document.getElementById("video-exports");
/** @type {Studio.Export[]} */ let exports = [];
const told = new Set();

on("exports", (message) => show(message.exports));
export async function listExports() {
  try { show(await (await ask("/api/exports")).json()); } catch { /* The next message has them. */ }
}
export async function startExport(video, request) {
  await ask(`/api/videos/${video}/export`, { method: "POST", body: JSON.stringify(request) });
  await listExports();
}

function show(fresh) {
  for (const one of fresh) {
    const before = exports.find((other) => other.id === one.id);
    if (before?.state === "running" && one.state === "done" && !told.has(one.id)) {
      told.add(one.id);
      toast(words.exports.ready(one.name), { link: address(one), name: one.name, seconds: 10 });
    }
  }
  exports = fresh;
  root.parentElement.hidden = !exports.length;
  // Existing entries change in place, so that a button under a finger stays.
  const old = new Map([...root.children].map((box) => [box.dataset.id, box]));
  const boxes = exports.map((one) => {
    const box = old.get(String(one.id)) ?? Object.assign(document.createElement("li"));
    box.dataset.id = one.id;
    const form = JSON.stringify([one.state, one.name]);
    if (box.dataset.form !== form) { box.dataset.form = form; build(box, one); }
    update(box, one);
    return box;
  });
  if (boxes.length !== root.children.length || boxes.some((box, index) => root.children[index] !== box)) root.replaceChildren(...boxes);
}

function address(one) { return `/api/exports/${one.id}/file`; }
function size(bytes) { return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`; }
function time(seconds) { return seconds >= 90 ? words.exports.minutesLeft(Math.round(seconds / 60)) : words.exports.secondsLeft(Math.max(1, Math.round(seconds))); }

function build(box, one) {
  box.className = one.state;
  const name = Object.assign(document.createElement("b"), { textContent: one.name });
  const text = Object.assign(document.createElement("small"));
  const buttons = document.createElement("span");
  const button = (label, picture, act, className = "quiet") => {
    const made = Object.assign(document.createElement("button"), { className, title: label });
    made.setAttribute("aria-label", `${label}: ${one.name}`);
    made.innerHTML = icon(picture);
    made.onclick = async () => {
      try { await ask(`/api/exports/${one.id}/${act}`, { method: "POST" }); } catch (trouble) { fail(trouble, one.name); }
    };
    buttons.append(made);
  };
  if (one.state === "done") {
    const link = Object.assign(document.createElement("a"), { href: address(one), download: one.name, className: "button", title: words.exports.keep });
    link.setAttribute("aria-label", words.exports.get(one.name));
    link.innerHTML = `${icon("down")}<span>${words.common.get}</span>`;
    buttons.append(link);
  }
  if (["failed", "interrupted", "cancelled"].includes(one.state)) button(words.exports.again, "reset", "again");
  if (["waiting", "running"].includes(one.state)) button(words.exports.cancel, "close", "cancel");
  else button(words.exports.remove, "close", "remove");
  const bar = Object.assign(document.createElement("progress"), { max: 1 });
  bar.setAttribute("aria-label", words.exports.progress(one.name));
  bar.hidden = one.state !== "running" && one.state !== "waiting";
  box.replaceChildren(name, buttons, bar, text);
}

function update(box, one) {
  box.querySelector("progress").value = one.part;
  box.querySelector("small").textContent = {
    waiting: words.exports.waiting,
    running: [`${Math.round(one.part * 100)} %`, one.left == null ? "" : time(one.left), one.rate ? words.common.rate(Math.round(one.rate)) : ""].filter(Boolean).join(" · "),
    done: [one.bytes ? size(one.bytes) : "", words.exports.frames(one.frames), ...one.notes].filter(Boolean).join(" · "),
    failed: [one.error, one.hint].filter(Boolean).join(": "),
    cancelled: words.exports.cancelled,
    interrupted: words.exports.interrupted,
  }[one.state];
}
