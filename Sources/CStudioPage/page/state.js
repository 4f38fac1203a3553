// The page's setup in the address, which can be bookmarked, undo, and requests.

import { words } from "/words.js";

// Removes the used login link from the address and the history.
if (location.pathname !== "/") history.replaceState(null, "", "/" + location.hash);

// The part of the address after #: room=depth&look=halo&p.radius=12 …
export const setup = new URLSearchParams(location.hash.slice(1));

let timer;
export function remember(values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "") setup.delete(name);
    else setup.set(name, value);
  }
  clearTimeout(timer);
  timer = setTimeout(write, 150);
}

export function forget(prefix) {
  for (const name of [...setup.keys()]) if (name.startsWith(prefix)) setup.delete(name);
}

function write() {
  const text = setup.toString().replaceAll("%3A", ":").replaceAll("%3F", "?");
  if (location.hash.slice(1) === text) return;
  history.replaceState(null, "", text ? "#" + text : location.pathname);
}

// The steps that can be undone, newest last.
const done = [];
// The undone steps that can be redone, by `again`.
const undone = [];
const watchers = [];
export function canUndo(what, back, again) {
  const last = done.at(-1);
  undone.length = 0;
  // One drag of a slider is one step.
  if (last && last.what === what && performance.now() - last.at < 900) Object.assign(last, { at: performance.now(), again });
  else done.push({ what, back, again, at: performance.now() });
  if (done.length > 100) done.shift();
  for (const tell of watchers) tell(done.length, undone.length);
}
export function undo() {
  const last = done.pop();
  last?.back();
  if (last?.again) undone.push(last);
  for (const tell of watchers) tell(done.length, undone.length);
}
export function redo() {
  const next = undone.pop();
  if (!next) return;
  next.again();
  done.push({ ...next, at: -Infinity });
  for (const tell of watchers) tell(done.length, undone.length);
}
export function onUndo(tell) { watchers.push(tell); }

// Sends a request; throws the studio's error.
export async function ask(path, options = {}) {
  const answer = await fetch(path, options);
  if (answer.ok) return answer;
  /** @type {{ error: string, hint?: string }} */
  let trouble = { error: answer.status === 413 ? words.common.thisFileTooLarge : words.common.refused };
  try { trouble = await answer.json(); } catch { /* No JSON. */ }
  throw Object.assign(new Error(trouble.error), { hint: trouble.hint, status: answer.status });
}
