// The people or things to keep: a click removes one, and the subject can be anything that stands out.
import { words } from "/words.js";
import { workspace, when, tell, edit, setting } from "/photos-state.js";
import { ask } from "/state.js";
import { control, toast, fail, titled } from "/controls.js";
import { tools } from "/photos-pointer.js";
import { point } from "/photos-stage.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const ink = $("photo-ink");
/** @type {Person} */ let hovered = null;

function key(photo) { return photo.edit.settings.subject ?? "person"; }

// Finds the people in the photo, once for each kind of subject; `isAhead` if before they are needed.
const searches = new WeakMap();
async function find(photo, isAhead = false) {
  const kind = key(photo);
  photo.people ??= {};
  if (photo.people[kind]) return photo.people[kind];
  if (!isAhead) $("photo-people-about").textContent = kind === "person" ? words.people.lookingForPeople : words.people.looking;
  const running = searches.get(photo);
  const search = running?.kind === kind ? running.found : searchPeople(photo, kind);
  searches.set(photo, { kind, found: search });
  try {
    photo.people[kind] = await search;
    return photo.people[kind];
  } catch (trouble) {
    searches.delete(photo);
    if (!isAhead) fail(trouble, photo.name);
    return [];
  }
}
async function searchPeople(photo, kind) {
  const { people } = await (await ask(`/api/photos/${photo.id}/people`)).json();
  for (const person of people) {
    person.mask = new Image();
    person.mask.src = `/api/photos/${photo.id}/people/${person.id}.png?of=${kind}`;
  }
  await Promise.all(people.map((person) => person.mask.decode().catch(() => {})));
  return people;
}
// Searches while the page is idle, so that the tool has them at once.
let idle;
when("drawn", (size) => {
  clearTimeout(idle);
  if (size === "fine") idle = setTimeout(() => { if (workspace.photo && !document.hidden) find(workspace.photo, true); }, 1500);
});

const isOut = (photo, person) => photo.edit.drop.some(([x, y]) => Math.abs(x - person.x) < 1e-6 && Math.abs(y - person.y) < 1e-6);
function keep(photo, person, stays) {
  if (!workspace.look.usesSubject) tell("use", "backdrop");
  const others = photo.edit.drop.filter(([x, y]) => Math.abs(x - person.x) > 1e-6 || Math.abs(y - person.y) > 1e-6);
  // A draft shows it at once; the fine picture follows.
  return edit(`person ${person.id} ${stays}`, { drop: stays ? others : [...others, [person.x, person.y]] }, { isFinal: false });
}

async function show() {
  const photo = workspace.photo;
  if (!photo || workspace.tool !== "people") return;
  const subject = workspace.parameters.find((one) => one.name === "subject");
  $("photo-subject").replaceChildren(control({ ...subject, title: words.people.subject }, setting("subject"), (value) => change(value === "person" ? null : value)));
  const people = await find(photo);
  if (workspace.photo !== photo || workspace.tool !== "people") return;
  const isAny = key(photo) !== "person";
  $("photo-people-about").textContent = people.length === 0
    ? photo.state.hasSubject ? isAny ? words.people.cannotTellThings : words.people.cannotTellPeople : isAny ? words.people.noThings : words.people.nobody
    : people.length === 1 ? isAny ? words.people.oneThing : words.people.onePerson
      : isAny ? words.people.things(people.length) : words.people.persons(people.length);
  if (!workspace.look.usesSubject) $("photo-people-about").append(` ${words.people.otherLook(titled(workspace.look.id))}`);
  $("photo-people").replaceChildren(...people.map((person, index) => {
    const label = Object.assign(document.createElement("label"), { className: "check" });
    const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: !isOut(photo, person) });
    input.onchange = () => keep(photo, person, input.checked);
    label.append(input, isAny ? words.people.thing(index + 1) : words.people.person(index + 1), Object.assign(document.createElement("small"), { textContent: where(person) }));
    label.onpointerenter = label.onfocus = () => highlight(person);
    label.onpointerleave = () => highlight(null);
    input.onfocus = () => highlight(person);
    input.onblur = () => highlight(null);
    return label;
  }));
}
function where(person) { return person.x < 0.36 ? words.people.left : person.x > 0.64 ? words.people.right : words.people.middle; }

// Another kind of subject finds other people, so the removed ones are forgotten.
function change(value) {
  const settings = { ...workspace.photo.edit.settings };
  if (value) settings.subject = value;
  else delete settings.subject;
  $("photo-people-about").textContent = value ? words.people.looking : words.people.lookingForPeople;
  return edit("subject", { settings, drop: [] });
}

function highlight(person) {
  hovered = person;
  draw();
}
function draw() {
  const pen = ink.getContext("2d");
  if (workspace.tool !== "people" || !workspace.photo) return;
  const box = $("photo-paper").getBoundingClientRect();
  [ink.width, ink.height] = [Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height))];
  if (!hovered?.mask?.naturalWidth) return;
  const { x, y, width, height } = tools.frame();
  pen.globalAlpha = 0.55;
  pen.drawImage(hovered.mask, x * ink.width, y * ink.height, width * ink.width, height * ink.height);
  pen.globalCompositeOperation = "source-in";
  pen.globalAlpha = 1;
  pen.fillStyle = isOut(workspace.photo, hovered) ? "#63d8b5a0" : "#ff7d74a0";
  pen.fillRect(0, 0, ink.width, ink.height);
  pen.globalCompositeOperation = "source-over";
}

// The person at a point, by the masks.
const reader = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function at(event) {
  const [x, y] = point(event, true);
  const people = workspace.photo?.people?.[key(workspace.photo)] ?? [];
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
    await find(workspace.photo);
    const person = at(event);
    if (!person) {
      const isAny = key(workspace.photo) !== "person";
      const [text, hint] = isAny ? words.people.nothingThere : words.people.nobodyThere;
      toast(text, { hint });
      return;
    }
    const begun = performance.now();
    await keep(workspace.photo, person, isOut(workspace.photo, person));
    (globalThis.studio.choices ??= []).push(performance.now() - begun);
  },
  hover(event) {
    const person = event ? at(event) : null;
    if (person !== hovered) highlight(person);
  },
};

when("tool", () => { hovered = null; show(); });
when("look", show);
when("photo", show);
when("state", (photo) => { if (photo === workspace.photo) show(); });
when("placed", draw);
