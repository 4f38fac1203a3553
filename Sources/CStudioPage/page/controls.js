// Sliders, chips and messages.
let numbers = 0;

// A slider of a parameter { name, summary, unit, minimum, maximum, default }. `change(value, isFinal)`.
export function slider(parameter, value, change) {
  const box = document.createElement("div");
  box.className = "slider";
  const id = `slider-${++numbers}`;
  const label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = parameter.title ?? titled(parameter.name);
  const output = document.createElement("output");
  output.htmlFor = id;
  const input = document.createElement("input");
  Object.assign(input, { type: "range", id, min: 0, max: 1000, step: 1 });
  input.dataset.name = parameter.name;
  box.title = `${parameter.summary}${parameter.unit ? `, in ${parameter.unit}` : ""}. Double click: ${format(parameter.default)}`;
  box.append(label, output, input);
  const { minimum: low, maximum: high } = parameter;
  // Wide ranges that begin at 0 are finer at their beginning.
  const bend = parameter.bend ?? (low >= 0 && high / Math.max(parameter.default, 1e-6) > 8 ? 2.2 : 1);
  const toValue = (place) => low + (high - low) * Math.pow(place / 1000, bend);
  const toPlace = (number) => 1000 * Math.pow((number - low) / (high - low), 1 / bend);
  const show = (number) => {
    input.value = toPlace(number);
    input.style.setProperty("--at", `${input.value / 10}%`);
    const text = format(number) + (parameter.short ?? shorten(parameter.unit));
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
    box.classList.toggle("changed", Math.abs(number - parameter.default) > (high - low) * 1e-3);
    box.value = number;
  };
  const set = (number, isFinal) => { show(number); change(number, isFinal); };
  const read = () => { const number = toValue(input.valueAsNumber); return Number(number.toPrecision(3)) < low ? low : Math.min(high, Number(number.toPrecision(3))); };
  input.addEventListener("input", () => set(read(), false));
  input.addEventListener("change", () => set(read(), true));
  input.addEventListener("dblclick", () => set(parameter.default, true));
  let tapped = 0;
  input.addEventListener("pointerup", (event) => {
    if (event.pointerType === "touch" && event.timeStamp - tapped < 320) set(parameter.default, true);
    tapped = event.timeStamp;
  });
  box.show = (number) => { if (document.activeElement !== input || !input.matches(":active")) show(number); };
  show(value);
  return box;
}

// A name as people write it.
export function titled(name) { return name.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase()); }

function shorten(unit) {
  if (!unit) return "";
  if (unit.startsWith("px") || unit === "depth pixels") return " px";
  if (unit === "picture widths") return "";
  return unit === "times" ? "×" : unit === "%" ? "%" : ` ${unit}`;
}

export function format(number) {
  const size = Math.abs(number);
  return (size >= 100 ? number.toFixed(0) : size >= 10 ? number.toFixed(1) : number.toFixed(2)).replace(/\.0+$/, "").replace("-", "−");
}

// Several buttons of which one is on; arrow keys go through them.
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
    for (const other of root.querySelectorAll(":scope > button")) {
      other.setAttribute(attribute, String(other === button));
      other.tabIndex = other === button ? 0 : -1;
    }
    if (button && !button.matches(":hover")) {
      const [inner, outer] = [button.getBoundingClientRect(), root.getBoundingClientRect()];
      const hidden = inner.left < outer.left || inner.right > outer.right;
      if (hidden) root.scrollBy({ left: inner.left + inner.width / 2 - outer.left - outer.width / 2, behavior: "smooth" });
    }
  };
}

export function toast(text, { hint, link, name, seconds = 5 } = {}) {
  const place = document.getElementById("toasts");
  for (const old of place.children) if (old.dataset.text === text) old.remove();
  const box = document.createElement("div");
  box.className = "toast";
  box.dataset.text = text;
  box.append(text);
  if (link) {
    const anchor = document.createElement("a");
    Object.assign(anchor, { href: link, download: name ?? "", textContent: "Get it" });
    box.append(" ", anchor);
  }
  if (hint) box.append(Object.assign(document.createElement("small"), { textContent: hint }));
  place.append(box);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => box.remove(), seconds * 1000);
}
