// Looks, backgrounds and settings under names.
import { say } from "/socket.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
let drawn = null;

export function drawPresets({ presets }) {
  const form = presets.join("\n");
  if (form === drawn) return;
  drawn = form;
  $("live-preset").replaceChildren(new Option(presets.length ? "Choose a preset" : "None yet", ""), ...presets.map((name) => new Option(name, name)));
  $("live-preset").disabled = !presets.length;
  $("preset-remove").hidden = true;
}
$("live-preset").onchange = (event) => {
  const name = event.target.value;
  $("preset-remove").hidden = !name;
  $("preset-remove").title = `Remove the preset ${name}`;
  if (name) say({ do: "preset", name });
};
$("preset-remove").onclick = () => { say({ do: "remove-preset", name: $("live-preset").value }); };
$("preset-form").onsubmit = (event) => {
  event.preventDefault();
  const name = $("preset-name").value.trim();
  if (!name) return $("preset-name").focus();
  say({ do: "save-preset", name });
  $("preset-name").value = "";
};
