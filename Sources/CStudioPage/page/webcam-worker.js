// The webcam's frames as JPEG files, away from the page: a browser slows down what a hidden page draws, and not what a worker does.
const canvas = new OffscreenCanvas(16, 16);
const paint = canvas.getContext("2d", { alpha: false });
let isBusy = false;

onmessage = async ({ data: frames }) => {
  const reader = frames.getReader();
  // Frames come now and then late, never early: the least that one of the last seconds took says when each was taken.
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

// `taken` is by the clock that pages and workers share.
async function send(frame, taken) {
  isBusy = true;
  [canvas.width, canvas.height] = [frame.displayWidth, frame.displayHeight];
  paint.drawImage(frame, 0, 0);
  frame.close();
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
  isBusy = false;
  postMessage({ blob, taken });
}
