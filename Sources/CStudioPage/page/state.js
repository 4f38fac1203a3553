// What the page remembers: the secret, the theme, and a setup in the address, which can be bookmarked.
const keyName = "backdrop-token";

export function token() { return localStorage.getItem(keyName) ?? ""; }
export function keepToken(value) { localStorage.setItem(keyName, value); }

// The address after #: room=depth&look=halo&p.radius=12 … The secret is taken out of it, so that nobody copies it along.
export const setup = new URLSearchParams(location.hash.slice(1));
if (setup.has("t")) {
  keepToken(setup.get("t"));
  setup.delete("t");
  write();
}

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
const watchers = [];
export function canUndo(what, back) {
  const last = done.at(-1);
  // One drag of a slider is one step.
  if (last && last.what === what && performance.now() - last.at < 900) last.at = performance.now();
  else done.push({ what, back, at: performance.now() });
  if (done.length > 100) done.shift();
  for (const tell of watchers) tell(done.length);
}
export function undo() {
  done.pop()?.back();
  for (const tell of watchers) tell(done.length);
}
export function onUndo(tell) { watchers.push(tell); }

// A request that carries the secret; errors are those that the studio explains.
export async function ask(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { "X-Studio-Token": token(), ...(options.headers ?? {}) } });
  if (answer.ok) return answer;
  let trouble = { error: answer.status === 413 ? "This file is too large." : "The studio refuses." };
  try { trouble = await answer.json(); } catch { /* Said by the number. */ }
  throw Object.assign(new Error(trouble.error), { hint: trouble.hint, status: answer.status });
}
export function withToken(path) { return path + (path.includes("?") ? "&" : "?") + "t=" + encodeURIComponent(token()); }
