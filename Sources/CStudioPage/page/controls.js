// Sliders, other controls, chips and messages.
let numbers = 0;

import { words } from "/words.js";
import { entry } from "/state.js";

// Makes the control of a parameter that the server describes: a slider, a switch, a choice, a colour or a text. `value`
// is null while the parameter is not set. Calls `change(value, isFinal)`, with null for automatic. The element has
// `show(value)`, and `explain(reason)` for a parameter without effect; explain(null) if it has one.
/** @type {Maker} */
export function control(parameter, value, change) {
  const box = (entry(makers, parameter.kind) ?? slider)(parameter, value, change);
  const about = box.title;
  // For screen readers; the tooltip shows the same.
  const why = Object.assign(document.createElement("small"), { hidden: true, id: `why-${++numbers}` });
  box.append(why);
  box.explain = (reason) => {
    if (why.textContent === (reason ?? "")) return;
    box.classList.toggle("inactive", Boolean(reason));
    box.title = reason ?? about;
    why.textContent = reason ?? "";
    for (const input of box.querySelectorAll("input, select")) {
      input.disabled = Boolean(reason);
      if (reason) input.setAttribute("aria-describedby", why.id);
      else input.removeAttribute("aria-describedby");
    }
  };
  return box;
}

// Makes a slider of { name, summary, unit, minimum, maximum, default }. Calls `change(value, isFinal)`.
/** @type {Maker} */
export function slider(parameter, value, change) {
  const { minimum: low, maximum: high } = parameter;
  const steps = parameter.whole ? high - low : 1000;
  const input = document.createElement("input");
  Object.assign(input, { type: "range", min: 0, max: steps, step: 1 });
  const output = document.createElement("output");
  const { box } = labelled(parameter, "slider", input, output);
  output.htmlFor.value = input.id;
  // Wide ranges are finer at their beginning.
  const isWide = low >= 0 && !parameter.whole && high / Math.max(parameter.default ?? low, 1e-6) > 8;
  const bend = parameter.bend ?? (isWide ? 2.2 : 1);
  const toValue = (place) => low + (high - low) * Math.pow(place / steps, bend);
  const toPlace = (number) => steps * Math.pow((number - low) / (high - low), 1 / bend);
  const show = (number) => {
    const isAutomatic = number == null && Boolean(parameter.automatic);
    const shown = number ?? parameter.default ?? low;
    input.value = String(toPlace(shown));
    input.style.setProperty("--at", `${(100 * Number(input.value)) / steps}%`);
    const written = parameter.unit === "f" ? `ƒ/${Number(shown.toPrecision(2))}` : format(shown) + (parameter.short ?? shorten(parameter.unit));
    const text = isAutomatic ? parameter.automatic : written;
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
    const isUsual = parameter.automatic ? isAutomatic : Math.abs(shown - parameter.default) <= (high - low) * 1e-3;
    box.classList.toggle("changed", !isUsual);
    box.value = number;
  };
  const set = (number, isFinal) => { show(number); change(number, isFinal); };
  const read = () => Math.min(high, Math.max(low, Number(toValue(input.valueAsNumber).toPrecision(3))));
  const reset = () => set(unset(parameter), true);
  input.addEventListener("input", () => set(read(), false));
  input.addEventListener("change", () => set(read(), true));
  input.addEventListener("dblclick", reset);
  let tapped = 0;
  input.addEventListener("pointerup", (event) => {
    if (event.pointerType === "touch" && event.timeStamp - tapped < 320) reset();
    tapped = event.timeStamp;
  });
  box.show = (number) => { if (document.activeElement !== input || !input.matches(":active")) show(number); };
  show(value);
  return box;
}

/** @type {Record<string, Maker>} */
const makers = {
  toggle(parameter, value, change) {
    // On, off and automatic are three states.
    if (parameter.automatic) {
      const choices = [{ name: "on", summary: "" }, { name: "off", summary: "" }];
      const name = (isOn) => (isOn == null ? null : isOn ? "on" : "off");
      const box = makers.choice({ ...parameter, choices }, name(value), (one, isFinal) => change(one && one === "on", isFinal));
      const show = box.show;
      box.show = (isOn) => show(name(isOn));
      return box;
    }
    const input = document.createElement("input");
    input.type = "checkbox";
    input.setAttribute("role", "switch");
    return field(parameter, value, change, input, { read: () => input.checked, write: (isOn) => { input.checked = isOn; } });
  },
  choice(parameter, value, change) {
    const input = document.createElement("select");
    if (parameter.automatic) input.append(new Option(words.common.automatic(parameter.automatic), ""));
    for (const { name, summary } of parameter.choices) {
      const option = new Option(titled(name), name);
      option.title = summary;
      input.append(option);
    }
    return field(parameter, value, change, input, { read: () => input.value || null, write: (name) => { input.value = name ?? ""; } });
  },
  color(parameter, value, change) {
    const input = document.createElement("input");
    input.type = "color";
    const write = (color) => { input.value = (color ?? "#808080").toLowerCase(); };
    const box = field(parameter, value, change, input, { read: () => input.value.toUpperCase(), write });
    // While the colour dialog is open.
    input.addEventListener("input", () => change(input.value.toUpperCase(), false));
    return box;
  },
  text(parameter, value, change) {
    const input = document.createElement("input");
    input.type = "text";
    input.placeholder = parameter.automatic ?? parameter.of ?? "";
    return field(parameter, value, change, input, { read: () => input.value, write: (text) => { input.value = text ?? ""; } });
  },
};

// A row with the name on the left and an element on the right.
/** @type {(parameter: Parameter, value: any, change: Change, input: HTMLInputElement | HTMLSelectElement, access: { read(): any, write(value: any): void }) => Control} */
function field(parameter, value, change, input, { read, write }) {
  const { box, label } = labelled(parameter, "setting", input);
  const show = (value) => {
    write(value ?? parameter.default ?? null);
    box.classList.toggle("changed", value != null && value !== unset(parameter));
    box.value = value;
  };
  const set = (value) => { show(value); change(value, true); };
  input.addEventListener("change", () => set(read()));
  label.addEventListener("dblclick", () => set(unset(parameter)));
  box.show = (value) => { if (document.activeElement !== input || input.type !== "text") show(value); };
  show(value);
  return box;
}

/** @type {(parameter: Parameter, className: string, input: HTMLElement, ...others: HTMLElement[]) => { box: Control, label: HTMLLabelElement }} */
function labelled(parameter, className, input, ...others) {
  const box = Object.assign(document.createElement("div"), { className });
  const label = document.createElement("label");
  input.id = `control-${++numbers}`;
  input.dataset.name = parameter.name;
  label.htmlFor = input.id;
  label.textContent = parameter.title;
  box.title = words.common.tooltip(parameter.summary, parameter.unit, usual(parameter));
  box.append(label, ...others, input);
  return { box, label };
}

// The value of a parameter that is not set, and its text.
/** @type {(parameter: Parameter) => any} */
function unset(parameter) { return parameter.automatic ? null : parameter.default; }
/** @type {(parameter: Parameter) => string} */
function usual(parameter) {
  const value = parameter.default;
  if (parameter.automatic) return parameter.automatic;
  return typeof value === "number" ? format(value) : typeof value === "boolean" ? (value ? words.common.on : words.common.off) : value;
}

// A name for display.
export function titled(name) { return name.replaceAll("-", " ").replace(/\bcolor\b/g, "colour").replace(/^./, (letter) => letter.toUpperCase()); }

function shorten(unit) {
  if (!unit) return "";
  if (unit.startsWith("px") || unit === "depth pixels") return " px";
  if (unit === "picture widths") return "";
  return unit === "times" ? "×" : unit === "%" ? " %" : ` ${unit}`;
}

export function format(number) {
  const size = Math.abs(number);
  return (size >= 100 ? number.toFixed(0) : size >= 10 ? number.toFixed(1) : number.toFixed(2)).replace(/\.0+$/, "").replace("-", "−");
}

// A group of buttons of which one is on; arrow keys move through them.
export function choose(root, attribute = "aria-checked") {
  root.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = [...root.querySelectorAll(":scope > button:not(:disabled)")];
    const at = all.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = all[(at + step + all.length) % all.length];
    next.focus();
    next.click();
  });
  return (button) => {
    const all = [...root.querySelectorAll(":scope > button")];
    // Without a choice, the first takes the focus.
    for (const other of all) {
      other.setAttribute(attribute, String(other === button));
      other.tabIndex = other === (button ?? all[0]) ? 0 : -1;
    }
    if (button && !button.matches(":hover")) {
      const [inner, outer] = [button.getBoundingClientRect(), root.getBoundingClientRect()];
      const hidden = inner.left < outer.left || inner.right > outer.right;
      if (hidden) root.scrollBy({ left: inner.left + inner.width / 2 - outer.left - outer.width / 2, behavior: "smooth" });
    }
  };
}

// A small picture. Its place is marked until it has arrived.
export function thumbnail(src = null) {
  const image = Object.assign(document.createElement("img"), { alt: "", draggable: false, className: "loading" });
  image.addEventListener("load", () => { image.className = ""; });
  image.addEventListener("error", () => { image.className = "missing"; });
  if (src) image.src = src;
  return image;
}

// Says what went wrong, and with which file.
export function fail(trouble, file = "") {
  const text = trouble.message.includes(file) ? trouble.message : `${file}: ${trouble.message}`;
  toast(text, { hint: trouble.hint, seconds: 8 });
}

/** @param {string} text @param {{ hint?: string, link?: string, name?: string, seconds?: number }} more */
export function toast(text, { hint, link, name, seconds = 5 } = {}) {
  const place = document.getElementById("toasts");
  for (const old of place.children) if (old.dataset.text === text) old.remove();
  const box = document.createElement("div");
  box.className = "toast";
  box.dataset.text = text;
  box.append(text);
  if (link) {
    const anchor = document.createElement("a");
    Object.assign(anchor, { href: link, download: name ?? "", textContent: words.common.get });
    box.append(" ", anchor);
  }
  if (hint) box.append(Object.assign(document.createElement("small"), { textContent: hint }));
  place.append(box);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => box.remove(), seconds * 1000);
}
