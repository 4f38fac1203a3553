// The strip of thumbnails below a video, with the playhead and the clip.
import { thumbnail } from "/controls.js";

const small = 12;

// Seconds as text: 1:02.5
export function clock(seconds) {
  const tenths = Math.round(seconds * 10);
  const [minutes, rest] = [Math.floor(tenths / 600), tenths % 600];
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`;
}

export class Filmstrip {
  root; seek; trim;

  // Calls `seek(seconds, isFinal)` while the playhead is dragged, `trim(start, end)` after an end of the clip was.
  constructor(root, { seek, trim }) {
    Object.assign(this, { root, seek, trim, info: null, start: 0, end: 0, seconds: 0 });
    this.pictures = root.querySelector(".pictures");
    this.shades = [...root.querySelectorAll(".shade")];
    this.handles = { head: root.querySelector(".head"), start: root.querySelector(".handle.start"), end: root.querySelector(".handle.end") };
    for (const [name, handle] of Object.entries(this.handles)) {
      handle.addEventListener("pointerdown", (event) => { event.stopPropagation(); this.drag(name, event); });
      handle.addEventListener("keydown", (event) => this.press(name, event));
    }
    root.addEventListener("pointerdown", (event) => { this.drag("head", event); this.move("head", this.timeAt(event), false); });
  }

  open(info, edit) {
    this.info = info;
    this.part(edit);
    const times = [...Array(small).keys()].map((index) => ((index + 0.5) * info.duration) / small);
    this.pictures.replaceChildren(...times.map((time) => thumbnail(`/api/videos/${info.id}/small.jpg?t=${time.toFixed(3)}`)));
  }

  part({ start, end }) {
    [this.start, this.end] = [start, end ?? this.info.duration];
    this.place();
  }

  head(seconds) { this.seconds = seconds; this.place(); }

  place() {
    if (!this.info) return;
    const at = (time) => `${(100 * time) / this.info.duration}%`;
    const times = { head: this.seconds, start: this.start, end: this.end };
    for (const [name, handle] of Object.entries(this.handles)) {
      handle.style.left = at(times[name]);
      handle.setAttribute("aria-valuemin", "0");
      handle.setAttribute("aria-valuemax", this.info.duration.toFixed(2));
      handle.setAttribute("aria-valuenow", times[name].toFixed(2));
      handle.setAttribute("aria-valuetext", clock(times[name]));
    }
    this.shades[0].style.width = at(this.start);
    this.shades[1].style.left = at(this.end);
  }

  timeAt(event) {
    const box = this.root.getBoundingClientRect();
    return (Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))) * this.info.duration;
  }

  drag(name, down) {
    if (!this.info || down.button) return;
    const target = this.root;
    target.setPointerCapture(down.pointerId);
    const go = (event) => this.move(name, this.timeAt(event), false);
    const stop = (event) => {
      target.removeEventListener("pointermove", go);
      target.removeEventListener("pointerup", stop);
      target.removeEventListener("pointercancel", stop);
      this.move(name, this.timeAt(event), true);
    };
    target.addEventListener("pointermove", go);
    target.addEventListener("pointerup", stop);
    target.addEventListener("pointercancel", stop);
  }

  // The minimum length of a clip: two frames.
  get least() { return Math.min(this.info.duration, 2 / Math.max(1, this.info.framesPerSecond)); }

  move(name, time, isFinal) {
    if (name === "start") this.start = Math.max(0, Math.min(time, this.end - this.least));
    if (name === "end") this.end = Math.min(this.info.duration, Math.max(time, this.start + this.least));
    this.place();
    this.seek({ head: time, start: this.start, end: this.end }[name], isFinal);
    if (isFinal && name !== "head") this.trim(this.start, this.end);
  }

  press(name, event) {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -30, PageUp: 30, Home: -Infinity, End: Infinity }[event.key];
    if (!step || !this.info) return;
    event.preventDefault();
    event.stopPropagation();
    const now = { head: this.seconds, start: this.start, end: this.end }[name];
    const time = Math.max(0, Math.min(this.info.duration, now + step / Math.max(1, this.info.framesPerSecond)));
    this.move(name, time, true);
  }
}
