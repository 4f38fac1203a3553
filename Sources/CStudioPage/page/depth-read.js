// The distance of a touched point, and between two, in the picture and in space.
import { words } from "/words.js";
import { measure } from "/measure.js";
import { file } from "/depth-files.js";
import { options, view } from "/depth-state.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const flat = $("depth-flat");
const stage = $("depth-stage");

function place(event) {
  const box = flat.getBoundingClientRect();
  // The picture is centred on the canvas, with bars beside it.
  const ratio = flat.width / flat.height;
  const [width, height] = box.width / box.height > ratio ? [box.height * ratio, box.height] : [box.width, box.width / ratio];
  const x = (event.clientX - box.left - (box.width - width) / 2) / width;
  const y = (event.clientY - box.top - (box.height - height) / 2) / height;
  if (x < 0 || y < 0 || x >= 1 || y >= 1) return null;
  return { x, y, left: event.clientX - box.left, top: event.clientY - box.top };
}
function point(event, isNew) {
  const at = place(event);
  if (!view.map) return;
  // A drag beyond the edge keeps the last point.
  if (measure.isOn && (at || isNew)) measure.put(at, isNew);
  else if (at) view.spot = at;
  read();
}
flat.addEventListener("pointerdown", (event) => { flat.setPointerCapture(event.pointerId); point(event, true); });
flat.addEventListener("pointermove", (event) => { if (event.buttons) point(event, false); });
measure.onChange = () => { view.spot = null; read(); };

export function read() {
  const isOrder = file()?.isAbsolute === false;
  measure.show({ map: view.map, points: view.points, errorAtOneMetre: view.errorAtOneMetre, isOrder });
  $("depth-marker").hidden = $("depth-reading").hidden = !view.spot || !view.map || options.is3D;
  if (!view.spot || !view.map || options.is3D) return;
  const value = view.map.values[Math.floor(view.spot.y * view.map.height) * view.map.width + Math.floor(view.spot.x * view.map.width)] / 1000;
  const error = view.errorAtOneMetre * value * value * 1000;
  const reading = $("depth-reading");
  reading.innerHTML = isOrder && value ? `${value.toFixed(3)} <small>${words.depth.orderOnly}</small>` : value ? `${value.toFixed(3)} m <small>± ${error < 10 ? error.toFixed(1) : error.toFixed(0)} mm</small>` : words.depth.hole;
  for (const box of [$("depth-marker"), reading]) Object.assign(box.style, { left: `${view.spot.left}px`, top: `${view.spot.top}px` });
  const half = reading.offsetWidth / 2 + 8;
  reading.style.left = `${Math.min(stage.clientWidth - half, Math.max(half, view.spot.left))}px`;
  if (view.spot.top < 64) reading.style.top = `${view.spot.top + reading.offsetHeight + 40}px`;
}

// Measures the point in space under a tap; true while measuring is on.
export function touchSpace(event) {
  if (!measure.isOn) return false;
  const box = $("depth-cloud").getBoundingClientRect();
  const found = view.cloud.pick(event.clientX - box.left, event.clientY - box.top);
  const [left, top] = found ? view.cloud.project(found.place) : [];
  measure.put(found && { ...found, left, top }, true);
  read();
  return true;
}
