// This browser's webcam, whose pictures go to the studio as JPEG files.
import { words } from "/words.js";
import { sendPicture, on } from "/socket.js";

let stream = null;
let fault = null;
let isWanted = false;
let isOpening = false;
let worker = null;
const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true });
const canvas = document.createElement("canvas");

async function start() {
  isWanted = true;
  fault = null;
  if (stream || isOpening) return;
  if (!navigator.mediaDevices?.getUserMedia) {
    fault = words.webcam.refused;
    return;
  }
  isOpening = true;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } }, audio: false });
  } catch (error) {
    fault = error.name === "NotAllowedError"
      ? words.webcam.notAllowed
      : error.name === "NotFoundError" ? words.webcam.missing
      : error.name === "NotReadableError" ? words.webcam.busy
      : [words.webcam.broken, error.message];
    return;
  } finally { isOpening = false; }
  if (!isWanted) return stop();
  const track = stream.getVideoTracks()[0];
  // It was unplugged, or its permission was revoked.
  track.onended = async () => {
    release();
    const isDenied = await navigator.permissions?.query({ name: "camera" }).then((permission) => permission.state === "denied").catch(() => false);
    fault = isDenied ? words.webcam.revoked : words.webcam.unplugged;
  };
  // A closed lid or another program may mute it; it can come back by itself.
  track.onmute = () => { fault = words.webcam.silent; };
  track.onunmute = () => { fault = null; };
  if (globalThis.MediaStreamTrackProcessor) return takeAway(track);
  video.srcObject = stream;
  await video.play();
  video.requestVideoFrameCallback(take);
}

// A worker reads the frames even while the page is hidden. Browsers without this freeze the picture meanwhile.
function takeAway(track) {
  const { readable } = new MediaStreamTrackProcessor({ track, maxBufferSize: 1 });
  worker = new Worker("/webcam-worker.js");
  worker.onmessage = ({ data: { blob, taken } }) => sendPicture(blob, performance.timeOrigin + performance.now() - taken);
  worker.postMessage(readable, [readable]);
}

function release() {
  for (const track of stream?.getTracks() ?? []) { track.onended = track.onmute = track.onunmute = null; track.stop(); }
  worker?.terminate();
  [stream, worker, video.srcObject] = [null, null, null];
}

function stop() {
  isWanted = false;
  fault = null;
  release();
}

export function again() { release(); return start(); }
export function trouble() { return fault; }
export function isOn() { return Boolean(stream); }

// A replugged webcam starts again, unless its permission was denied.
navigator.mediaDevices?.addEventListener?.("devicechange", async () => {
  if (!isWanted || stream || !fault) return;
  const permission = await navigator.permissions?.query({ name: "camera" }).catch(() => null);
  const cameras = (await navigator.mediaDevices.enumerateDevices()).filter((one) => one.kind === "videoinput");
  if (cameras.length && permission?.state !== "denied") again();
});

let isBusy = false;
/** @type {VideoFrameRequestCallback} */
function take(now, { captureTime }) {
  if (!stream) return;
  video.requestVideoFrameCallback(take);
  if (isBusy || !video.videoWidth) return;
  isBusy = true;
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0);
  canvas.toBlob((blob) => { isBusy = false; if (blob) sendPicture(blob, performance.now() - (captureTime ?? now)); }, "image/jpeg", 0.85);
}

// When this page chose its webcam; null if it chose another camera since, or none.
let chosen = null;
export function choose(address) {
  chosen = address === "browser:" ? performance.now() : null;
  if (chosen !== null) start();
}

on("state", ({ camera }) => {
  if (camera === "browser:") {
    // The webcam goes on after a reload of the page or a restart of the studio.
    const isKept = document.visibilityState === "visible" && sessionStorage.getItem("webcam");
    if (!isWanted && (chosen !== null || isKept)) start();
    if (stream) sessionStorage.setItem("webcam", "1");
  } else if (chosen === null || performance.now() - chosen > 2000) {
    // Earlier, the studio may not know the choice yet.
    chosen = null;
    sessionStorage.removeItem("webcam");
    stop();
  }
});
