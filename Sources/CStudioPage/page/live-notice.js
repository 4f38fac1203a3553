// The notice over the live picture: why the camera is not shown, and a hint.
import { words } from "/words.js";
import { say } from "/socket.js";
import { simulate } from "/sources.js";
import * as webcam from "/webcam.js";

const box = document.getElementById("live-notice");

// When the camera began to start, and the milliseconds that this may take.
let since = null;
const timeout = 5000;

export function notice(state, { isHere, hasPicture }) {
  const { status } = state;
  // A reason without a hint: nothing is wrong yet.
  const isStarting = status.showing === "standby" && !status.hint && !status.isOnStandby && !status.isPaused && /^(the camera is off|the first picture)/.test(status.reason ?? "");
  since = isStarting ? (since ?? performance.now()) : null;
  const isEarly = isStarting && performance.now() - since < timeout;
  const isBrowser = state.camera === "browser:";
  const isStandby = status.showing === "standby" && status.reason && isHere && !state.mustChoose;
  const trouble = isBrowser ? webcam.trouble() : null;
  // A camera that is opening needs no notice.
  const found = trouble || (isStandby && hasPicture && !isEarly) ? what(status, isBrowser, trouble) : null;
  box.hidden = !found;
  document.getElementById("live-busy").hidden = Boolean(found) || hasPicture && !(isEarly && isHere && !state.mustChoose);
  if (!found) return;
  const [text, hint] = box.querySelectorAll("p");
  const button = box.querySelector("button");
  [text.textContent, hint.textContent, button.textContent, button.onclick] = found;
}

function what(status, isBrowser, trouble) {
  if (status.isOnStandby) return [...words.live.hidden, () => say({ do: "standby", value: false })];
  if (status.isPaused) return [...words.live.paused, () => say({ do: "pause", value: false })];
  if (trouble) return [trouble[0], trouble[1], words.live.tryAgain, webcam.again];
  const [text, hint] = [status.reason.replace(/^./, (c) => c.toUpperCase()) + ".", status.hint ?? ""];
  // This page does not send the webcam; its button starts it.
  if (isBrowser && !webcam.isOn()) return [...words.live.elsewhere, webcam.again];
  if (isBrowser) return [text, hint, words.live.tryAgain, webcam.again];
  // The machine's cameras come back by themselves.
  if (!status.isCameraOn) return [text, hint || words.live.goesOn, words.live.chooseCamera, choose];
  return [text, hint, words.live.simulated, simulate];
}

function choose() {
  const select = document.getElementById("live-source");
  select.focus();
  try { select.showPicker(); } catch { /* It has the focus, which suffices. */ }
}
