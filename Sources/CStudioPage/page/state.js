// The page's setup in the address, which can be bookmarked, undo, and requests.

import { words } from "/words.js";

// Removes the used login link from the address and the history.
if (location.pathname !== "/") history.replaceState(null, "", "/" + location.hash);

// The part of the address after #: room=depth&look=halo&p.radius=12 …
export const setup = new URLSearchParams(location.hash.slice(1));

// A number of the address, if it is within its range.
export function given(name, lowest, highest, usual = null) {
  const number = setup.get(name) ? Number(setup.get(name)) : NaN;
  return number >= lowest && number <= highest ? number : usual;
}

// The entry of a table under a name from outside. What every object has, such as `constructor`, is no entry.
export function entry(table, name) { return Object.hasOwn(table, name) ? table[name] : undefined; }

// Browsers limit how often a page changes its address. Within this time, in milliseconds, changes wait for its end, and not for the last
// of them.
const pause = 300;
let timer = null;
let written = -Infinity;
export function remember(values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "") setup.delete(name);
    else setup.set(name, value);
  }
  const wait = written + pause - performance.now();
  if (wait <= 0) write();
  else timer ??= setTimeout(write, wait);
}

export function forget(prefix) {
  for (const name of [...setup.keys()]) if (name.startsWith(prefix)) setup.delete(name);
}

function write() {
  clearTimeout(timer);
  timer = null;
  const text = setup.toString().replaceAll("%3A", ":").replaceAll("%3F", "?");
  if (location.hash.slice(1) === text) return;
  written = performance.now();
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

// Sends a request; throws the studio's error, or in the page's own words that there was no answer.
/** @type {(path: string, options?: RequestInit) => Promise<Response>} */
export async function ask(path, options = {}) {
  let answer;
  let body;
  try {
    answer = await fetch(path, options);
    body = new Response(await answer.blob());
  } catch (fault) {
    if (options.signal?.aborted) throw fault;
    throw error(...words.common.away);
  }
  if (answer.ok) return body;
  /** @type {{ error: string, hint?: string }} */
  let trouble = { error: answer.status === 413 ? words.common.thisFileTooLarge : words.common.refused };
  try { trouble = await body.json(); } catch { /* No JSON. */ }
  throw Object.assign(error(trouble.error, trouble.hint), { status: answer.status });
}
function error(text, hint) { return Object.assign(new Error(text), { hint }); }

// Asks for a picture.
export async function askPicture(path, options) {
  const data = await (await ask(path, options)).blob();
  try { return await createImageBitmap(data); } catch { throw error(...words.common.noPicture); }
}
