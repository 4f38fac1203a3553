// What the photo room is about: which photo, look and tool, what is done to the photo, and who wants to know of a change.
import { ask, canUndo } from "/state.js";
import { toast } from "/controls.js";

export const room = {
  photos: [], photo: null, looks: [], look: null, view: "effect", tool: "look",
  // What can be set of the engine for a photo, as the server describes it.
  parameters: [],
};

const listeners = {};
// Events: photo, look, tool, view, edit (of a photo), state (of the server), drawn, wanted (a picture, of a size).
export function when(event, act) { (listeners[event] ??= []).push(act); }
export function tell(event, ...details) { for (const act of listeners[event] ?? []) act(...details); }

export const nothing = () => ({ background: "scene:northern", drop: [], settings: {}, touchUp: { version: 1, strokes: [] } });

// What a parameter of the engine is set to for this photo.
export function setting(name) { return room.photo?.edit.settings[name] ?? null; }

// Changes what is done to the photo; it can be undone and done again. While something moves only a draft is drawn.
export function edit(what, patch, { isFinal = true, card = room.photo } = {}) {
  const was = card.edit;
  const next = { ...was, ...patch };
  card.edit = next;
  const go = (to) => () => { card.edit = to; tell("edit", card); send(card, "fine"); };
  canUndo(`${card.id} ${what}`, go(was), go(next));
  tell("edit", card);
  return send(card, isFinal ? "fine" : "draft");
}

export function set(name, value, isFinal = true) {
  const settings = { ...room.photo.edit.settings };
  if (value === null || value === undefined) delete settings[name];
  else settings[name] = value;
  return edit(name, { settings }, { isFinal });
}

// One edit on its way at a time; the last one that was made meanwhile comes next. What the server refuses is taken back.
const sending = new Map();
export async function send(card, size) {
  const busy = sending.get(card);
  if (busy) { busy.next = size; return busy.done; }
  const now = { next: null };
  sending.set(card, now);
  now.done = (async () => {
    let wanted = size;
    while (wanted) {
      const sent = card.edit;
      try {
        card.state = await (await ask(`/api/photos/${card.id}/edit`, { method: "POST", body: JSON.stringify(sent) })).json();
        card.accepted = sent;
        card.revision = (card.revision ?? 0) + 1;
        tell("state", card);
        if (room.photo === card) tell("wanted", now.next ? "draft" : wanted);
      } catch (trouble) {
        toast(trouble.message, { hint: trouble.hint, seconds: 8 });
        if (card.edit === sent) { card.edit = card.accepted ?? nothing(); tell("edit", card); }
      }
      [wanted, now.next] = [now.next, null];
    }
    sending.delete(card);
  })();
  return now.done;
}
// When nothing of this photo is on its way.
export async function settled(card) { await sending.get(card)?.done; }

// What a parameter of a look is set to: chosen, or by default; the focus is on what the photo is about, or where it is locked.
export function value(one, parameter, card = room.photo) {
  const own = card?.values[one.id]?.[parameter.name];
  if (own != null) return own;
  if (parameter.name === one.focus) return card?.locked ?? card?.state.focus ?? parameter.default;
  return parameter.default;
}
// What was chosen; all else has its default, or follows the photo.
export function parameters(one, card = room.photo) {
  const chosen = one.parameters.filter((parameter) => card?.values[one.id]?.[parameter.name] != null || parameter.name === one.focus && card?.locked != null);
  return Object.fromEntries(chosen.map((parameter) => [parameter.name, Math.max(parameter.minimum, Math.min(parameter.maximum, value(one, parameter, card)))]));
}
// Where a picture of the photo is.
export function address(one, view, size, card = room.photo) {
  const query = new URLSearchParams({ view, size, look: one.id, e: card.revision ?? 0 });
  for (const [name, number] of Object.entries(parameters(one, card))) query.set(`p.${name}`, number);
  return `/api/photos/${card.id}/view.jpg?${query}`;
}
