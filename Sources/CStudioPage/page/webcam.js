// This browser's webcam: its pictures go to the studio as JPEG files, and come back with another background.
import { sendPicture, on } from "/socket.js";

let stream = null;
let fault = null;
let isWanted = false;
const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true });
const canvas = document.createElement("canvas");

export async function start() {
  isWanted = true;
  fault = null;
  if (stream) return;
  if (!navigator.mediaDevices?.getUserMedia) {
    fault = ["This browser gives no camera to this page.", "Open it at 127.0.0.1 or localhost."];
    return;
  }
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } }, audio: false });
  } catch (error) {
    fault = error.name === "NotAllowedError"
      ? ["The browser does not allow the camera.", "Allow it in the address bar, then try again."]
      : error.name === "NotFoundError" ? ["This browser has no camera.", "Plug one in, or take another source."]
      : ["The camera cannot be used.", error.message];
    return;
  }
  if (!isWanted) return stop();
  stream.getVideoTracks()[0].onended = () => { stream = null; fault = ["The camera is gone.", "Plug it in again, then try again."]; };
  video.srcObject = stream;
  await video.play();
  video.requestVideoFrameCallback(take);
}

export function stop() {
  isWanted = false;
  fault = null;
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  video.srcObject = null;
}

export function trouble() { return fault; }

let isBusy = false;
function take() {
  if (!stream) return;
  video.requestVideoFrameCallback(take);
  if (isBusy || !video.videoWidth) return;
  isBusy = true;
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0);
  canvas.toBlob((blob) => { isBusy = false; if (blob) sendPicture(blob); }, "image/jpeg", 0.85);
}

// A page that was loaded anew, or a studio that was started anew, goes on with it.
on("state", ({ camera }) => { if (camera === "browser:" && !stream && !fault && !isWanted && document.visibilityState === "visible" && sessionStorage.getItem("webcam")) start(); });
on("state", ({ camera }) => { if (camera === "browser:" && stream) sessionStorage.setItem("webcam", "1"); else if (camera !== "browser:") sessionStorage.removeItem("webcam"); });
