// Recording: its button with the time, with sound where the microphone is on, and the files that come of it.
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
  // Asked for once: the browser may ask again.
  if (microphone.isChosen() && !microphone.isOn() && (await microphone.start())) await heard();
  say({ do: "record" });
};
// The studio has the microphone with its first chunks.
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
  button.querySelector("span").textContent = isOn ? `Stop ${clock(status.recordingSeconds ?? 0)}` : "Record";
  button.title = !isOn ? "Record a video (R)" : status.recordsSound ? "End the recording, which has sound (R)" : "End the recording, which has no sound (R)";
  // Sound that is switched on now is not in what began without it.
  if (isOn && !status.recordsSound && microphone.isOn() && !hasTold) toast("This recording has no sound.", { hint: "It began before the microphone was on. The next one has it." });
  hasTold = isOn && (hasTold || microphone.isOn());
}
let hasTold = false;

function clock(seconds) { return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`; }

on("saved", ({ name }) => {
  if (/^backdrop-\d/.test(name)) toast(`${name} is saved.`, { link: `/api/saved/${encodeURIComponent(name)}`, name, seconds: 10 });
});
