// Recording: its button with the time, the sound if the microphone is on, and the saved files.
import { words } from "/words.js";
import { on, say } from "/socket.js";
import { toast } from "/controls.js";
import * as microphone from "/microphone.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const stage = $("live-stage");
const button = $("live-record");
/** @type {Studio.LiveStatus} */ let status = null;

$("live-snapshot").onclick = () => {
  say({ do: "snapshot" });
  stage.animate([{ filter: "brightness(2)" }, { filter: "none" }], { duration: 260 });
};

button.onclick = async () => {
  if (status?.recording) return say({ do: "stop-recording" });
  // The user chose it before, but the browser may ask again.
  if (microphone.isChosen() && !microphone.isOn() && (await microphone.start())) await heard();
  say({ do: "record" });
};
// Waits until the studio has the first chunks of sound.
function heard() {
  const before = microphone.stats.chunks;
  return new Promise((done) => {
    const end = performance.now() + 2000;
    const look = () => (microphone.stats.chunks > before + 3 || performance.now() > end ? done() : setTimeout(look, 30));
    look();
  });
}

export function drawRecording(fresh) {
  status = fresh;
  const isOn = Boolean(status.recording);
  button.setAttribute("aria-pressed", String(isOn));
  button.querySelector("span").textContent = isOn ? words.recording.stop(clock(status.recordingSeconds ?? 0)) : words.recording.record;
  button.title = !isOn ? words.recording.start : status.recordsSound ? words.recording.endWithSound : words.recording.endWithoutSound;
  // A recording that began without sound stays silent.
  if (isOn && !status.recordsSound && microphone.isOn() && !hasTold) toast(words.recording.silent[0], { hint: words.recording.silent[1] });
  hasTold = isOn && (hasTold || microphone.isOn());
}
let hasTold = false;

function clock(seconds) { return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`; }

on("saved", ({ name }) => {
  if (/^backdrop-\d/.test(name)) toast(words.recording.saved(name), { link: `/api/saved/${encodeURIComponent(name)}`, name, seconds: 10 });
});
