// The microphone of recordings, off until its switch is pressed: with a camera of the studio's machine, the microphone of that machine;
// otherwise the browser's.
import { words } from "/words.js";
import { sendSound, line, on, say } from "/socket.js";
import { toast } from "/controls.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const button = $("live-microphone");
const chosen = "backdrop-microphone";
let stream = null;
let context = null;
let starting = null;

export const stats = { chunks: 0, level: 0 };
export const isOn = () => Boolean(stream);

// Whether the machine's microphone is on, and whether it is the one to use.
let machine = { isOn: false, isMeant: false };
/** @type {Studio.Hello} */ let hello = null;
on("hello", (fresh) => { hello = fresh; });
on("state", ({ camera, status }) => {
  const isThere = hello?.hasMicrophone && hello.sources.some((one) => one.address === camera && one.kind === "machine");
  const fresh = { isOn: status.settings.microphone === true, isMeant: Boolean(isThere) };
  if (fresh.isOn === machine.isOn && fresh.isMeant === machine.isMeant) return;
  machine = fresh;
  draw();
});
// Whether the user switched it on before; then it starts when needed, if the browser still allows it.
export const isChosen = () => localStorage.getItem(chosen) === "1";

export function start() { return (starting ??= open().finally(() => { starting = null; })); }

async function open() {
  if (stream) return true;
  if (!navigator.mediaDevices?.getUserMedia) return fail(...words.microphone.refused);
  try {
    // Unprocessed sound, because noise suppression adds delay and removes more than noise.
    stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
    context = new AudioContext({ latencyHint: "interactive" });
    await context.audioWorklet.addModule("/microphone-worklet.js");
    const node = new AudioWorkletNode(context, "chunks", { numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) => take(data);
    context.createMediaStreamSource(stream).connect(node);
    await context.resume();
  } catch (error) {
    stop();
    if (error.name === "NotAllowedError") return fail(...words.microphone.notAllowed);
    if (error.name === "NotFoundError") return fail(...words.microphone.missing);
    return fail(words.microphone.broken, error.message);
  }
  delays = [];
  stream.getAudioTracks()[0].onended = () => { stop(); fail(...words.microphone.unplugged); };
  draw();
  return true;
}

function fail(text, hint) { toast(text, { hint, seconds: 9 }); draw(); return false; }

export function stop() {
  for (const track of stream?.getTracks() ?? []) { track.onended = null; track.stop(); }
  context?.close();
  [stream, context, stats.level] = [null, null, 0];
  draw();
}

// Chunks may come late but never early, so the minimum delay of the last second tells when samples were heard. The minimum of all time
// would drift: the microphone has its own clock, and a busy browser drops samples.
let delays = [];
function take({ first, samples }) {
  if (!context) return;
  const now = performance.now();
  const [begin, length] = [(first / context.sampleRate) * 1000, (samples.byteLength / 2 / context.sampleRate) * 1000];
  delays.push(now - begin - length);
  if (delays.length > 50) delays.shift();
  const latency = (stream?.getAudioTracks()[0].getSettings().latency ?? 0.01) * 1000;
  const heard = begin + Math.min(...delays) - Math.min(latency, 100);
  const whole = new Int16Array(samples);
  let loudest = 0;
  for (const sample of whole) loudest = Math.max(loudest, Math.abs(sample));
  stats.level = Math.max(loudest / 32768, stats.level * 0.9);
  stats.chunks += 1;
  if (stats.chunks % 4 === 0) button.style.setProperty("--level", `${Math.min(100, Math.round(Math.sqrt(stats.level) * 100))}%`);
  if (line.isOpen) sendSound(samples, context.sampleRate, Math.max(0, now - heard));
}

function draw() {
  const isAny = isOn() || machine.isOn;
  button.setAttribute("aria-pressed", String(isAny));
  button.title = isAny ? words.microphone.isOn : machine.isMeant ? words.microphone.machine : words.microphone.browser;
  if (!isOn()) button.style.removeProperty("--level");
}

button.onclick = async () => {
  if (machine.isOn) return say({ do: "set", name: "microphone", value: false });
  if (machine.isMeant && !stream) return say({ do: "set", name: "microphone", value: true });
  if (stream) {
    localStorage.removeItem(chosen);
    return stop();
  }
  localStorage.setItem(chosen, "1");
  if (!(await start())) localStorage.removeItem(chosen);
};

// Starts only with a permanent permission; otherwise the browser asks when it is needed.
if (isChosen()) navigator.permissions?.query({ name: "microphone" }).then((permission) => { if (permission.state === "granted") start(); }).catch(() => {});
