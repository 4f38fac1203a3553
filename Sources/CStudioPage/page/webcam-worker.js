// Encodes the webcam's frames as JPEG files in a worker, because browsers slow down hidden pages but not workers.
const canvas = new OffscreenCanvas(16, 16);
const paint = canvas.getContext("2d", { alpha: false });
let isBusy = false;

onmessage = async ({ data: frames }) => {
  const reader = frames.getReader();
  // Frames may come late but never early, so the minimum delay of the last seconds tells when each was taken.
  let delays = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const [frame, stamp] = [next.value, next.value.timestamp / 1000];
    const delay = performance.now() - stamp;
    if (delays.length && Math.abs(delay - delays.at(-1)) > 1000) delays = [];
    delays.push(delay);
    if (delays.length > 90) delays.shift();
    if (isBusy) frame.close();
    else send(frame, performance.timeOrigin + stamp + Math.min(...delays));
  }
};

// `taken` is on the clock that pages and workers share.
async function send(frame, taken) {
  isBusy = true;
  [canvas.width, canvas.height] = [frame.displayWidth, frame.displayHeight];
  paint.drawImage(frame, 0, 0);
  frame.close();
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
  isBusy = false;
  postMessage({ blob, taken });
}
