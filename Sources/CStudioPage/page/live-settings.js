// The looks of the live picture, and the controls of the look and the session.
import { words } from "/words.js";
import { on, say, sayLast, isAhead, absence } from "/socket.js";
import { canUndo } from "/state.js";
import { control, titled } from "/controls.js";
import { lookStrip } from "/looks.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
/** @type {Studio.LookInfo[]} */ let looks = [];
// The session's parameters.
/** @type {Parameter[]} */ let own = [];
/** @type {Studio.LiveState} */ let state = null;

on("hello", (hello) => {
  own = hello.own;
  if (looks.length) return;
  looks = hello.looks;
  strip.draw(looks);
  $("live-looks").hidden = false;
  // The state may have come before this message.
  if (state) { drawSliders(); drawSettings(); strip.now(); }
});

export function showSettings(fresh) {
  const old = state;
  state = fresh;
  const { status } = state;
  if (old?.status.look !== status.look) { drawSliders(); drawSettings(); }
  for (const box of $("live-sliders").children) box.follow(status.parameters);
  for (const box of document.querySelectorAll("#live-light > *, #live-edges > *, #live-more > *")) box.follow(status.settings);
  // Another scene, another background or the first matte changes the pictures of the looks.
  const form = JSON.stringify([state.camera, status.background, status.showing === "standby", Boolean(status.subjectFrom)]);
  if (form !== pictured) strip.soon();
  pictured = form;
}

let pictured = "";
let pictures = 0;
const strip = lookStrip($("live-looks"), {
  address: (look) => `/api/looks/${look.id}?e=${++pictures}`,
  // While the workspace is hidden, nobody sees them.
  isBusy: () => Boolean($("live").hidden) || document.hidden,
  take(look) {
    const { look: was, parameters } = state.status;
    if (was === look.id) return;
    say({ do: "look", value: look.id });
    canUndo("look", () => {
      say({ do: "look", value: was });
      for (const [name, value] of Object.entries(parameters)) say({ do: "set", name, value: value });
    });
  },
});
function drawSliders() {
  const look = looks.find((one) => one.id === state.status.look);
  if (!look) return;
  strip.mark(look.id);
  $("live-look").textContent = titled(look.id);
  $("live-about").textContent = look.summary;
  $("live-sliders").replaceChildren(...look.parameters.map((parameter) => {
    return following(parameter, () => state.status.parameters);
  }));
}

// Makes a control that sends its value, follows the session, and explains why it has no effect.
function following(parameter, values) {
  const value = () => values()[parameter.name] ?? null;
  const box = control(parameter, value(), sender(parameter.name, value));
  box.dataset.name = parameter.name;
  box.follow = (all) => {
    if (!isAhead(parameter.name)) box.show(all[parameter.name] ?? null);
    const reason = absence(state.status.inactive[parameter.name]);
    box.explain(reason ? words.common.inactive(reason) : null);
  };
  box.follow(values());
  return box;
}

function sender(name, value) {
  /** @type {(number: any) => { do: Studio.Command, [more: string]: any }} */
  const message = (number) => (number == null ? { do: "reset", name } : { do: "set", name, value: number });
  return (number) => {
    const was = value();
    canUndo(`set ${name}`, () => say(message(was)));
    sayLast(name, message(number));
  };
}

// All parameters of a running session, except files, which a page may not name, and those with a button.
function drawSettings() {
  const look = looks.find((one) => one.id === state.status.look);
  const inLook = new Set(look?.parameters.map((parameter) => parameter.name));
  const shown = own.filter((parameter) => !parameter.fixedAtStart && parameter.kind !== "file" && parameter.name !== "mirror" && !inLook.has(parameter.name));
  const place = (parameter) => (parameter.group === "light" ? "live-light" : parameter.group === "edges" || parameter.name === "smooth" ? "live-edges" : "live-more");
  for (const id of ["live-light", "live-edges", "live-more"]) {
    $(id).replaceChildren(...shown.filter((parameter) => place(parameter) === id).map((parameter) => following(parameter, () => state.status.settings)));
  }
}
