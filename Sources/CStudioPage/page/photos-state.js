// The state of the photo workspace: photo, look, tool, edits, and the listeners to its changes.
import { ask, canUndo } from "/state.js";
import { fail } from "/controls.js";

/** @type {PhotoWorkspace} */
export const workspace = {
  photos: [], photo: null, looks: [], look: null, view: "effect", tool: "look", isDrawing: false,
  // The engine's parameters for a photo, from the server.
  parameters: [],
  // The file formats for saving, from the server.
  formats: [],
};

/** @type {Record<string, Function[]>} */
const listeners = {};
// Events: photo, look, tool, view, edit (of a photo), state (from the server), drawn, wanted (a picture of a size).
/** @type {(event: PhotoEvent, act: (...details: any[]) => void) => void} */
export function when(event, act) { (listeners[event] ??= []).push(act); }
/** @type {(event: PhotoEvent, ...details: any[]) => void} */
export function tell(event, ...details) { for (const act of listeners[event] ?? []) act(...details); }

export const nothing = () => ({ background: "scene:northern", drop: [], settings: {}, touchUp: { version: 1, strokes: [] } });

// The value of an engine parameter for this photo.
export function setting(name) { return workspace.photo?.edit.settings[name] ?? null; }

// Changes the edit, with undo and redo; draws only a draft unless `isFinal`.
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

// Sends one edit at a time, then the last one made meanwhile. An edit that the server refuses is reverted.
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
        fail(trouble, photo.name);
        if (photo.edit === sent) { photo.edit = photo.accepted ?? nothing(); tell("edit", photo); }
      }
      [wanted, now.next] = [now.next, null];
    }
    sending.delete(photo);
  })();
  return now.done;
}
// Waits until all edits of a photo are sent.
export async function settled(photo) { await sending.get(photo)?.done; }

// The value of a look's parameter: chosen or default; the focus defaults to the locked one or the subject.
export function value(one, parameter, photo = workspace.photo) {
  const own = photo?.values[one.id]?.[parameter.name];
  if (own != null) return own;
  if (parameter.name === one.focus) return photo?.locked ?? photo?.state.focus ?? parameter.default;
  return parameter.default;
}
// The chosen values; the server fills in the others.
export function parameters(one, photo = workspace.photo) {
  const chosen = one.parameters.filter((parameter) => photo?.values[one.id]?.[parameter.name] != null || parameter.name === one.focus && photo?.locked != null);
  return Object.fromEntries(chosen.map((parameter) => [parameter.name, Math.max(parameter.minimum, Math.min(parameter.maximum, value(one, parameter, photo)))]));
}
// The address of a picture of the photo.
export function address(one, view, size, photo = workspace.photo) {
  const query = new URLSearchParams({ view, size, look: one.id, e: String(photo.revision ?? 0) });
  for (const [name, number] of Object.entries(parameters(one, photo))) query.set(`p.${name}`, number);
  return `/api/photos/${photo.id}/view.jpg?${query}`;
}
