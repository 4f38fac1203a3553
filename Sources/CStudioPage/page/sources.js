// The source of the live picture, and the first choice of a camera.
import { words } from "/words.js";
import { on, say } from "/socket.js";
import { canUndo } from "/state.js";
import { upload } from "/backgrounds.js";
import { welcome as hint } from "/swipe.js";
import * as webcam from "/webcam.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
/** @type {Studio.Source[]} */ let sources = [];
/** @type {Studio.LiveState} */ let state = null;
let drawn = null;

on("hello", (hello) => {
  sources = hello.sources;
  const machine = sources.filter((one) => one.kind === "machine");
  const usable = machine.filter((one) => !one.fault);
  $("welcome-machine").disabled = !usable.length;
  $("welcome-machine").querySelector("small").textContent = usable.length === 1 ? usable[0].name : usable.length ? words.cameras.connected(usable.length) : machine[0]?.fault ?? words.cameras.none;
  if (state) drawSources(state);
});

export function drawSources(fresh) {
  state = fresh;
  const wasHidden = $("live-welcome").hidden;
  $("live-welcome").hidden = !state.mustChoose;
  if (!wasHidden && !state.mustChoose) hint();
  const form = JSON.stringify([sources, state.camera, state.title]);
  if (form === drawn) return;
  drawn = form;
  const select = $("live-source");
  select.replaceChildren(...Object.entries(words.cameras.groups).map(([kind, label]) => {
    const group = Object.assign(document.createElement("optgroup"), { label });
    for (const source of sources.filter((one) => one.kind === kind)) {
      const option = new Option(source.name.replace(/^./, (c) => c.toUpperCase()), source.address);
      option.disabled = Boolean(source.fault);
      option.title = source.fault ?? "";
      group.append(option);
    }
    return group;
  }).filter((group) => group.children.length));
  select.append(new Option(words.cameras.file, "file:"));
  if (![...select.querySelectorAll("option")].some((option) => option.value === state.camera)) select.prepend(new Option(state.title || words.cameras.unnamed, state.camera));
  select.value = state.camera;
}

export function chooseCamera(address) {
  const was = state.camera;
  const isFirst = state.mustChoose;
  webcam.choose(address);
  say({ do: "camera", value: address });
  if (!isFirst) canUndo("camera", () => chooseCamera(was));
}
// Moving through the list by keys must not open the file dialog; Return does.
let wantsFile = false;
$("live-source").onchange = (event) => {
  wantsFile = event.target.value === "file:";
  if (!wantsFile) return chooseCamera(event.target.value);
  if (!isByKeys) openFile();
};
let isByKeys = false;
function openFile() {
  wantsFile = false;
  $("live-source").value = state.camera;
  $("camera-file").click();
}
$("live-source").addEventListener("keydown", (event) => {
  isByKeys = event.key.startsWith("Arrow") || event.key.length === 1 || event.key === "End" || event.key === "Home";
  if (wantsFile && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); openFile(); }
});
$("live-source").addEventListener("pointerdown", () => { isByKeys = false; });
$("live-source").addEventListener("blur", () => { if (wantsFile) { wantsFile = false; $("live-source").value = state.camera; } });
$("live-source").onfocus = () => say({ do: "sources" });
$("camera-file").onchange = (event) => { upload(event.target.files[0], "&as=camera"); event.target.value = ""; };
export function simulate() { chooseCamera(sources.find((source) => source.kind === "simulated").address); }

$("welcome-webcam").onclick = () => chooseCamera("browser:");
$("welcome-simulated").onclick = simulate;
$("welcome-machine").onclick = () => {
  const usable = sources.filter((one) => one.kind === "machine" && !one.fault);
  if (usable.length === 1) return chooseCamera(usable[0].address);
  $("live-source").focus();
  try { $("live-source").showPicker(); } catch { /* It has the focus, which suffices. */ }
};
