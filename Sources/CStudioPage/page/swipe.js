// Changes the background by a swipe over the picture.
import { words } from "/words.js";
import { setBackground, step, known } from "/backgrounds.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const stage = $("live-stage");
const canvas = $("live-canvas");

// Explains the swipe for some seconds, once in each browser.
export function welcome() {
  if (localStorage.getItem("backdrop-hinted") || !$("live-welcome").hidden) return;
  localStorage.setItem("backdrop-hinted", "1");
  if (matchMedia("(pointer: coarse)").matches) $("live-hint").textContent = words.live.swipe;
  $("live-hint").hidden = false;
  setTimeout(() => { $("live-hint").hidden = true; }, 8000);
}

let drag = null;
let isLanding = false;
stage.addEventListener("pointerdown", (event) => {
  if (event.target.closest("select, button, input, .notice, .welcome") || !known().length) return;
  drag = { y: event.clientY, x: event.clientX, moved: 0, at: performance.now() };
  stage.setPointerCapture(event.pointerId);
});
stage.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const y = event.clientY - drag.y;
  if (Math.abs(y) < 6 && !drag.moved) return;
  if (!drag.moved || Math.sign(y) !== Math.sign(drag.moved)) peek(y > 0 ? 1 : -1);
  drag.moved = y;
  canvas.style.transform = `translateY(${y}px)`;
  $("live-peek").style.opacity = String(Math.min(1, 0.25 + Math.abs(y) / (stage.clientHeight * 0.5)));
});
function finish(event) {
  if (!drag) return;
  const { moved, at } = drag;
  drag = null;
  const isFlick = Math.abs(moved) > 40 && performance.now() - at < 260;
  if (Math.abs(moved) > stage.clientHeight * 0.2 || isFlick) slide(Math.sign(moved), moved);
  else canvas.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 160, easing: "ease-out" }).onfinish = () => home();
  canvas.style.transform = "";
  if (event?.type === "pointercancel") home();
}
stage.addEventListener("pointerup", finish);
stage.addEventListener("pointercancel", finish);

function peek(direction) {
  const index = known().findIndex((background) => background.name === step(direction));
  const picture = $("live-peek");
  if (known()[index]?.hasPicture) picture.src = `/api/backgrounds/${index}/small.jpg`;
  else picture.removeAttribute("src");
}
function home() { $("live-peek").style.opacity = "0"; canvas.style.opacity = ""; }
// The picture leaves in the direction of the finger; the next one, with the new background, fades in.
export function slide(direction, from = 0) {
  if (!known().length) return;
  if (!from) peek(direction);
  $("live-peek").style.opacity = "1";
  $("live-hint").hidden = true;
  setBackground(step(direction));
  const out = canvas.animate([{ transform: `translateY(${from}px)` }, { transform: `translateY(${direction * 100}%)` }], { duration: 210, easing: "ease-in", fill: "forwards" });
  out.onfinish = () => { canvas.style.opacity = "0"; out.cancel(); isLanding = true; setTimeout(landed, 400); };
}
export function landed() {
  if (!isLanding) return;
  isLanding = false;
  canvas.style.opacity = "";
  canvas.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 180 }).onfinish = home;
}

