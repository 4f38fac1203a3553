// Who and what stays: people are left out by a click, and what is looked for can be anything that stands out.
import { room, when, tell, edit, set, setting } from "/photos-state.js";
import { ask } from "/state.js";
import { control, toast } from "/controls.js";
import { tools } from "/photos-pointer.js";
import { point } from "/photos-stage.js";

const $ = (id) => document.getElementById(id);
const ink = $("photo-ink");
let hovered = null;

function key(card) { return card.edit.settings.subject ?? "person"; }

// Who is in the photo; asked for once for each kind of subject.
async function find(card) {
  const kind = key(card);
  card.people ??= {};
  if (card.people[kind]) return card.people[kind];
  $("photo-people-about").textContent = "Looking for people";
  try {
    const { people } = await (await ask(`/api/photos/${card.id}/people`)).json();
    for (const person of people) {
      person.mask = new Image();
      person.mask.src = `/api/photos/${card.id}/people/${person.id}.png?of=${kind}`;
    }
    card.people[kind] = people;
    await Promise.all(people.map((person) => person.mask.decode().catch(() => {})));
  } catch (trouble) {
    toast(trouble.message, { hint: trouble.hint });
    return [];
  }
  return card.people[kind];
}

const isOut = (card, person) => card.edit.drop.some(([x, y]) => Math.abs(x - person.x) < 1e-6 && Math.abs(y - person.y) < 1e-6);
function keep(card, person, stays) {
  const others = card.edit.drop.filter(([x, y]) => Math.abs(x - person.x) > 1e-6 || Math.abs(y - person.y) > 1e-6);
  return edit(`person ${person.id} ${stays}`, { drop: stays ? others : [...others, [person.x, person.y]] });
}

async function show() {
  const card = room.photo;
  if (!card || room.tool !== "people") return;
  const subject = room.parameters.find((one) => one.name === "subject");
  $("photo-subject").replaceChildren(control({ ...subject, title: "Looked for" }, setting("subject"), (value) => change(value === "person" ? null : value)));
  const people = await find(card);
  if (room.photo !== card) return;
  $("photo-people-about").textContent = people.length === 0
    ? (card.state.hasSubject ? "Nobody is told apart here: all that was found stays." : "Nobody was found. Look for anything that stands out, or paint it with the brush.")
    : people.length === 1 ? "One person." : `${people.length} people: click one in the picture to leave them out, again to bring them back.`;
  $("photo-people").replaceChildren(...people.map((person, index) => {
    const label = Object.assign(document.createElement("label"), { className: "check" });
    const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: !isOut(card, person) });
    input.onchange = () => keep(card, person, input.checked);
    label.append(input, `Person ${index + 1}`, Object.assign(document.createElement("small"), { textContent: where(person) }));
    label.onpointerenter = label.onfocus = () => highlight(person);
    label.onpointerleave = () => highlight(null);
    input.onfocus = () => highlight(person);
    input.onblur = () => highlight(null);
    return label;
  }));
}
function where(person) { return person.x < 0.36 ? "left" : person.x > 0.64 ? "right" : "middle"; }

// Other people are found for another kind of subject: those that were left out are not among them.
function change(value) {
  const settings = { ...room.photo.edit.settings };
  if (value) settings.subject = value;
  else delete settings.subject;
  $("photo-people-about").textContent = "Looking";
  return edit("subject", { settings, drop: [] });
}

function highlight(person) {
  hovered = person;
  draw();
}
function draw() {
  const pen = ink.getContext("2d");
  if (room.tool !== "people" || !room.photo) return;
  const box = $("photo-paper").getBoundingClientRect();
  [ink.width, ink.height] = [Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height))];
  if (!hovered?.mask?.naturalWidth) return;
  const { x, y, width, height } = tools.frame();
  pen.globalAlpha = 0.55;
  pen.drawImage(hovered.mask, x * ink.width, y * ink.height, width * ink.width, height * ink.height);
  pen.globalCompositeOperation = "source-in";
  pen.globalAlpha = 1;
  pen.fillStyle = isOut(room.photo, hovered) ? "#63d8b5a0" : "#ff7d74a0";
  pen.fillRect(0, 0, ink.width, ink.height);
  pen.globalCompositeOperation = "source-over";
}

// The person whose mask is there; the one in front of several is the smallest.
const reader = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function at(event) {
  const [x, y] = point(event, true);
  const people = room.photo?.people?.[key(room.photo)] ?? [];
  [reader.canvas.width, reader.canvas.height] = [1, 1];
  return people.filter(({ mask, box }) => {
    if (!mask.naturalWidth || x < box[0] || y < box[1] || x > box[0] + box[2] || y > box[1] + box[3]) return false;
    reader.clearRect(0, 0, 1, 1);
    reader.drawImage(mask, -Math.floor(x * mask.naturalWidth), -Math.floor(y * mask.naturalHeight));
    return reader.getImageData(0, 0, 1, 1).data[3] > 100;
  })[0] ?? null;
}

tools.people = {
  async tap(event) {
    await find(room.photo);
    const person = at(event);
    if (!person) { toast("Nobody is there.", { hint: "Click a person, or look for anything that stands out." }); return; }
    const begun = performance.now();
    await keep(room.photo, person, isOut(room.photo, person));
    (globalThis.studio.choices ??= []).push(performance.now() - begun);
  },
  hover(event) {
    const person = event ? at(event) : null;
    if (person !== hovered) highlight(person);
  },
};

when("tool", () => { hovered = null; if (room.tool === "people") { if (!room.look.usesSubject) tell("use", "backdrop"); show(); } });
when("photo", show);
when("state", (card) => { if (card === room.photo) show(); });
when("placed", draw);
