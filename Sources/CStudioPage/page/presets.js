// Presets: named looks, backgrounds and settings.
import { words } from "/words.js";
import { say } from "/socket.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
let drawn = null;

export function drawPresets({ presets }) {
  const form = presets.join("\n");
  if (form === drawn) return;
  drawn = form;
  $("live-preset").replaceChildren(new Option(presets.length ? words.presets.choose : words.presets.none, ""), ...presets.map((name) => new Option(name, name)));
  $("live-preset").disabled = !presets.length;
  $("preset-remove").hidden = true;
}
$("live-preset").onchange = (event) => {
  const name = event.target.value;
  $("preset-remove").hidden = !name;
  $("preset-remove").title = words.presets.remove(name);
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
