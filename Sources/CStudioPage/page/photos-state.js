// What the photo workspace is about: which photo, look and tool, what is done to the photo, and who wants to know of a
// change.
import { ask, canUndo } from "/state.js";
import { toast } from "/controls.js";

/** @type {PhotoWorkspace} */
export const workspace = {
  photos: [], photo: null, looks: [], look: null, view: "effect", tool: "look", isDrawing: false,
  // What can be set of the engine for a photo, as the server describes it.
  parameters: [],
};

/** @type {Record<string, Function[]>} */
const listeners = {};
// Events: photo, look, tool, view, edit (of a photo), state (of the server), drawn, wanted (a picture, of a size).
/** @type {(event: PhotoEvent, act: (...details: any[]) => void) => void} */
export function when(event, act) { (listeners[event] ??= []).push(act); }
/** @type {(event: PhotoEvent, ...details: any[]) => void} */
export function tell(event, ...details) { for (const act of listeners[event] ?? []) act(...details); }

export const nothing = () => ({ background: "scene:northern", drop: [], settings: {}, touchUp: { version: 1, strokes: [] } });

// What a parameter of the engine is set to for this photo.
export function setting(name) { return workspace.photo?.edit.settings[name] ?? null; }

// Changes what is done to the photo; it can be undone and done again. While something moves only a draft is drawn.
export function edit(what, patch, { isFinal = true, photo = workspace.photo } = {}) {
  const was = photo.edit;
  const next = { ...was, ...patch };
  photo.edit = next;
  const go = (to) => () => { photo.edit = to; tell("edit", photo); send(photo, "fine"); };
  canUndo(`${photo.id} ${what}`, go(was), go(next));
  tell("edit", photo);
  return send(photo, isFinal ? "fine" : "draft");
}

export function set(name, value, isFinal = true) {
  const settings = { ...workspace.photo.edit.settings };
  if (value === null || value === undefined) delete settings[name];
  else settings[name] = value;
  return edit(name, { settings }, { isFinal });
}

// One edit on its way at a time; the last one that was made meanwhile comes next. What the server refuses is taken back.
const sending = new Map();
export async function send(photo, size) {
  const busy = sending.get(photo);
  if (busy) { busy.next = size; return busy.done; }
  const now = { next: null, done: null };
  sending.set(photo, now);
  now.done = (async () => {
    let wanted = size;
    while (wanted) {
      const sent = photo.edit;
      try {
        photo.state = await (await ask(`/api/photos/${photo.id}/edit`, { method: "POST", body: JSON.stringify(sent) })).json();
        photo.accepted = sent;
        photo.revision = (photo.revision ?? 0) + 1;
        tell("state", photo);
        if (workspace.photo === photo) tell("wanted", now.next ? "draft" : wanted);
      } catch (trouble) {
        toast(trouble.message, { hint: trouble.hint, seconds: 8 });
        if (photo.edit === sent) { photo.edit = photo.accepted ?? nothing(); tell("edit", photo); }
      }
      [wanted, now.next] = [now.next, null];
    }
    sending.delete(photo);
  })();
  return now.done;
}
// When nothing of this photo is on its way.
export async function settled(photo) { await sending.get(photo)?.done; }

// What a parameter of a look is set to: chosen, or by default; the focus is on what the photo is about, or where it is locked.
export function value(one, parameter, photo = workspace.photo) {
  const own = photo?.values[one.id]?.[parameter.name];
  if (own != null) return own;
  if (parameter.name === one.focus) return photo?.locked ?? photo?.state.focus ?? parameter.default;
  return parameter.default;
}
// What was chosen; all else has its default, or follows the photo.
export function parameters(one, photo = workspace.photo) {
  const chosen = one.parameters.filter((parameter) => photo?.values[one.id]?.[parameter.name] != null || parameter.name === one.focus && photo?.locked != null);
  return Object.fromEntries(chosen.map((parameter) => [parameter.name, Math.max(parameter.minimum, Math.min(parameter.maximum, value(one, parameter, photo)))]));
}
// Where a picture of the photo is.
export function address(one, view, size, photo = workspace.photo) {
  const query = new URLSearchParams({ view, size, look: one.id, e: String(photo.revision ?? 0) });
  for (const [name, number] of Object.entries(parameters(one, photo))) query.set(`p.${name}`, number);
  return `/api/photos/${photo.id}/view.jpg?${query}`;
}
