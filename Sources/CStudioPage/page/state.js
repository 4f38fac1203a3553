// What the page remembers: the theme, and a setup in the address, which can be bookmarked.

import { words } from "/words.js";

// The link that let this page in is spent: neither the address nor the history keeps it.
if (location.pathname !== "/") history.replaceState(null, "", "/" + location.hash);

// The address after #: room=depth&look=halo&p.radius=12 …
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

// Things that can be undone, newest last.
const done = [];
// And those that were undone and can be done again: what says how (`again`) comes back here.
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

// A request; errors are those that the studio explains.
export async function ask(path, options = {}) {
  const answer = await fetch(path, options);
  if (answer.ok) return answer;
  /** @type {{ error: string, hint?: string }} */
  let trouble = { error: answer.status === 413 ? words.common.thisFileTooLarge : words.common.refused };
  try { trouble = await answer.json(); } catch { /* Said by the number. */ }
  throw Object.assign(new Error(trouble.error), { hint: trouble.hint, status: answer.status });
}
