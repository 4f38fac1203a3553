// The frame of the workspaces: the open one, theme, undo, keys, dropped files and the login.
import { words } from "/words.js";
import { workspaces } from "/workspaces.js";
import { drawIcons } from "/icons.js";
import { setup, remember, entry, undo, redo, onUndo, ask } from "/state.js";
import { connect, on, onPictures, line, say } from "/socket.js";
import { toast, fail } from "/controls.js";
import * as webcam from "/webcam.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const names = Object.keys(workspaces);
let current = null;

drawIcons(document);

function openWorkspace(name) {
  if (name === current) return;
  workspaces[current]?.leave?.();
  current = name;
  for (const other of names) {
    $(other).hidden = other !== name;
    const tab = $(`tab-${other}`);
    tab.setAttribute("aria-selected", String(other === name));
    tab.tabIndex = other === name ? 0 : -1;
  }
  remember({ room: name === names[0] ? null : name });
  document.title = `Backdrop · ${$(`tab-${name}`).textContent}`;
  workspaces[name].enter?.();
}
for (const name of names) $(`tab-${name}`).onclick = () => openWorkspace(name);
document.querySelector(".workspaces").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = names[(names.indexOf(current) + step + names.length) % names.length];
  openWorkspace(next);
  $(`tab-${next}`).focus();
});

// Pictures go to the open workspace.
onPictures((bundle) => workspaces[current]?.show?.(bundle));
document.addEventListener("visibilitychange", () => workspaces[current]?.[document.hidden ? "leave" : "enter"]?.());

// The theme follows the system until the button is pressed.
const prefersLight = matchMedia("(prefers-color-scheme: light)");
function applyTheme() {
  const chosen = localStorage.getItem("backdrop-theme");
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : prefersLight.matches ? "light" : "dark";
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
  const workspace = names[Number(event.key) - 1];
  if (workspace) return openWorkspace(workspace);
  if (event.key === "?") return $("keys").showModal();
  if (event.target.matches("input") && event.key.startsWith("Arrow")) return;
  if (workspaces[current]?.key?.(event)) event.preventDefault();
});

// Files can be dropped anywhere; workspaces have their own uses for them.
let depthOfDrag = 0;
const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragenter", (event) => {
  if (!hasFiles(event) || !workspaces[current].drop) return;
  depthOfDrag += 1;
  $("drop").firstElementChild.textContent = workspaces[current].opens;
  $("drop").hidden = false;
});
addEventListener("dragleave", (event) => { if (hasFiles(event) && --depthOfDrag <= 0) { depthOfDrag = 0; $("drop").hidden = true; } });
addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  depthOfDrag = 0;
  $("drop").hidden = true;
  workspaces[current].drop?.([...event.dataTransfer.files]);
});
addEventListener("paste", (event) => {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length) workspaces[current].drop?.(files);
});

// Without a session, the login asks for the password or a new link.
on("refused", (kind) => {
  const isPassword = kind === "password";
  $("login-title").textContent = isPassword ? words.frame.password : words.frame.needsLink;
  $("login-text").hidden = isPassword;
  $("login-label").firstChild.textContent = `${isPassword ? words.frame.password : words.frame.link} `;
  if (!$("login").open) $("login").showModal();
  $("login-secret").value = "";
  $("login-secret").focus();
  $("login").onclose = async () => {
    const given = $("login-secret").value.trim();
    const key = isPassword ? { password: given } : { code: given.replace(/^.*code=/, "") };
    try {
      if (given) await ask("/api/enter", { method: "POST", body: JSON.stringify(key) });
    } catch (trouble) { fail(trouble); }
    connect();
  };
});
// While the studio is away, the page marks its picture as outdated.
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

openWorkspace(entry(workspaces, setup.get("room")) ? setup.get("room") : names[0]);
connect();

// For tests and debugging.
/** @type {Record<string, any>} */
globalThis.studio = { line, say, get webcam() { return webcam.isOn(); } };
for (const name of names) globalThis.studio[name] = workspaces[name].stats;
