// The connection to the studio: messages both ways, pictures from it. It reconnects by itself.
import { ask, entry } from "/state.js";

/** @type {Map<string, Function[]>} */
const handlers = new Map();
let socket = null;
let wait = 250;
let subscription = null;
/** @type {(bundle: Bundle) => Promise<void>} */
let takePictures = async () => {};
export const line = { isOpen: false, bundles: 0 };

/** @type {On} */
export function on(kind, handle) { handlers.set(kind, [...(handlers.get(kind) ?? []), handle]); }
function tell(kind, value) { for (const handle of handlers.get(kind) ?? []) handle(value); }

// Why a parameter has no effect, by the code of the missing fact; null for none.
/** @type {Record<string, string>} */
let absences = {};
on("hello", (hello) => { absences = hello.absences; });
/** @type {(code: string | undefined) => string | null} */
export function absence(code) { return code ? entry(absences, code) ?? code : null; }

/** @type {(message: { do: Studio.Command, [more: string]: any }) => boolean} */
export function say(message) {
  sayNewest();
  return write(message);
}
function write(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

// A moving control sends at most one value every 30 ms, and the last one before any other message. Until the studio
// answers the ping after it, a state may have an older value: see `isAhead`.
/** @type {Map<string, { do: Studio.Command, [more: string]: any }>} */
const newest = new Map();
/** @type {Map<string, number>} */
const awaited = new Map();
let timer = null;
let pings = 0;
/** @type {(control: string, message: { do: Studio.Command, [more: string]: any }) => void} */
export function sayLast(control, message) {
  newest.set(control, message);
  timer ??= setTimeout(sayNewest, 30);
}
function sayNewest() {
  clearTimeout(timer);
  timer = null;
  if (!newest.size) return;
  for (const message of newest.values()) write(message);
  pings += 1;
  if (write({ do: "ping", name: String(pings) })) for (const control of newest.keys()) awaited.set(control, pings);
  newest.clear();
}
/** @type {(control: string) => boolean} */
export function isAhead(control) { return newest.has(control) || awaited.has(control); }
on("pong", ({ name }) => { for (const [control, ping] of awaited) if (ping <= Number(name)) awaited.delete(control); });
on("open", () => awaited.clear());

// Subscribes to pictures, again after each reconnection.
export function watch(newSubscription) {
  if (JSON.stringify(subscription) === JSON.stringify(newSubscription)) return;
  subscription = newSubscription;
  say({ do: "watch", subscription });
}

/** @type {(take: (bundle: Bundle) => Promise<void>) => void} */
export function onPictures(take) { takePictures = take; }

// Sends a picture of the webcam or sound of the microphone after a header with its age: see DeviceMessage.swift. False
// if earlier data still waits.
function send(kind, body, age, rate, most) {
  if (socket?.readyState !== WebSocket.OPEN || socket.bufferedAmount > most) return false;
  const head = new DataView(new ArrayBuffer(16));
  for (let place = 0; place < 4; place += 1) head.setUint8(place, kind.charCodeAt(place));
  head.setFloat32(4, Math.min(Math.max(age, 0) / 1000, 5), true);
  head.setUint32(8, rate, true);
  socket.send(new Blob([head, body]));
  return true;
}
export function sendPicture(blob, age) { return send("BDPC", blob, age, 0, 200_000); }
export function sendSound(samples, rate, age) { return send("BDSN", samples, age, rate, 400_000); }

export function connect() {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`;
  const opened = (socket = new WebSocket(address));
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    wait = 250;
    line.isOpen = true;
    tell("open");
    if (subscription) say({ do: "watch", subscription });
  };
  socket.onmessage = async (event) => {
    if (typeof event.data === "string") {
      const message = JSON.parse(event.data);
      return tell(message.is, message);
    }
    line.bundles += 1;
    try {
      await takePictures(parse(event.data));
    } finally {
      // The studio sends the next one after this.
      if (opened.readyState === WebSocket.OPEN) opened.send("ack");
    }
  };
  socket.onclose = async () => {
    const wasOpen = line.isOpen;
    line.isOpen = false;
    tell("closed", wasOpen);
    if (!wasOpen && !(await isWelcome())) return;
    setTimeout(connect, wait);
    wait = Math.min(wait * 1.6, 3000);
  };
}

// Whether this page has a session; a studio that is away may come back.
async function isWelcome() {
  try {
    await ask("/api/nothing");
  } catch (trouble) {
    if (trouble.status === 401) { tell("refused", trouble.message); return false; }
  }
  return true;
}

// See PictureBundle.swift for the layout.
/** @type {(buffer: ArrayBuffer) => Bundle} */
export function parse(buffer) {
  const view = new DataView(buffer);
  const bundle = { isStandby: view.getUint8(1) === 1, number: view.getUint32(4, true), seconds: view.getFloat64(8, true), age: view.getFloat32(16, true), parts: new Map() };
  let at = 24;
  for (let left = view.getUint16(2, true); left > 0; left -= 1) {
    const [kind, width, height, count] = [view.getUint8(at), view.getUint16(at + 2, true), view.getUint16(at + 4, true), view.getUint32(at + 8, true)];
    bundle.parts.set(kind, { width, height, bytes: new Uint8Array(buffer, at + 16, count) });
    at += 16 + Math.ceil(count / 8) * 8;
  }
  return bundle;
}

export function bitmap(part) { return createImageBitmap(new Blob([part.bytes], { type: "image/jpeg" })); }
