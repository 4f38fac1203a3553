// Saving: one photo, or several with one look, with the progress and the names of those that failed.
import { words } from "/words.js";
import { workspace, when, tell, parameters, settled, send } from "/photos-state.js";
import { on } from "/socket.js";
import { ask } from "/state.js";
import { toast, fail } from "/controls.js";

/** @type {Find} */ const $ = (id) => document.getElementById(id);
const form = $("photo-form");
const progress = $("photo-progress");
let saving = null;
// The name of the only photo that is being saved.
let only = "";

const isTransparent = (photo) => photo?.edit.background === "none" && workspace.look?.hasBackground;
const holdsAlpha = (fileExtension) => workspace.formats.some((one) => one.fileExtension === fileExtension && one.holdsAlpha);

export function showForms() {
  const isThere = form.querySelector('[value="mp4"]');
  if (!workspace.look?.motion) isThere?.remove();
  else if (!isThere) form.append(new Option(words.save.video, "mp4"));
  const needsAlpha = isTransparent(workspace.photo);
  for (const option of form.options) option.disabled = needsAlpha && !holdsAlpha(option.value);
  if (form.selectedOptions[0]?.disabled || !form.value) form.value = needsAlpha ? "png" : "jpg";
  $("photo-keep").closest("label").hidden = !workspace.photo?.hasDepth || form.value === "mp4";
}
form.onchange = showForms;
on("hello", ({ formats }) => {
  if (workspace.formats.length) return;
  workspace.formats = formats;
  form.append(...formats.map((one) => new Option(one.title, one.fileExtension)));
  showForms();
});
when("edit", showForms);
when("look", showForms);
when("photo", (photo) => {
  if (saving === null) $("photo-saved").textContent = "";
  showForms();
  drawList();
});

function wanted(photo) {
  const kind = isTransparent(photo) && !holdsAlpha(form.value) ? "png" : form.value;
  return { look: workspace.look.id, parameters: parameters(workspace.look, photo), form: kind, depth: $("photo-keep").checked };
}
function begin() {
  $("photo-saved").textContent = "";
  $("photo-failures").replaceChildren();
  for (const id of ["photo-save", "photo-zip", "photo-folder"]) $(id).disabled = true;
  progress.hidden = false;
  progress.value = 0.02;
}
function end() {
  saving = null;
  for (const id of ["photo-save", "photo-zip", "photo-folder"]) $(id).disabled = false;
  progress.hidden = true;
  countChosen();
}
async function start(path, body) {
  begin();
  try {
    saving = (await (await ask(path, { method: "POST", body: JSON.stringify(await body()) })).json()).save;
  } catch (trouble) {
    end();
    fail(trouble, only);
  }
}
$("photo-save").onclick = () => {
  const photo = workspace.photo;
  only = photo.name;
  start(`/api/photos/${photo.id}/save`, async () => { await settled(photo); return wanted(photo); });
};

on("saving", ({ save, part, step, name, error, hint, done, of, failures }) => {
  if (save !== saving) return;
  progress.value = part;
  if (of) $("photo-saved").textContent = words.save.count(done, of);
  if (failures) $("photo-failures").replaceChildren(...failures.map((one) => Object.assign(document.createElement("li"), { textContent: `${one.name}: ${one.error}`, title: one.hint ?? "" })));
  if (step === "failed") { end(); return fail({ message: error, hint }, only); }
  if (step !== "done") return;
  end();
  const count = of ? words.save.count(done, of) : "";
  if (!name) { $("photo-saved").textContent = words.save.inFolder(count); return; }
  const link = Object.assign(document.createElement("a"), { href: `/api/photos/saves/${save}/file`, download: name, textContent: name });
  $("photo-saved").replaceChildren(words.save.saved, link, count && ` (${count})`);
  link.click();
});
on("closed", (wasOpen) => { if (wasOpen && saving !== null) { end(); toast(words.save.lost); } });

// MARK: several

const chosen = new Set();
function drawList() {
  for (const photo of [...chosen]) if (!workspace.photos.includes(photo)) chosen.delete(photo);
  $("photo-several").hidden = workspace.photos.length < 2;
  $("photo-list").replaceChildren(...workspace.photos.map((photo) => {
    const label = Object.assign(document.createElement("label"), { className: "check", title: photo.name });
    const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: chosen.has(photo) });
    input.onchange = () => { if (input.checked) chosen.add(photo); else chosen.delete(photo); countChosen(); };
    label.append(input, Object.assign(document.createElement("span"), { textContent: photo.name }));
    return label;
  }));
  countChosen();
}
function countChosen() {
  const count = chosen.size;
  $("photo-all").textContent = count === workspace.photos.length && count ? words.save.none : words.save.all;
  for (const id of ["photo-alike", "photo-zip", "photo-folder"]) $(id).disabled = count === 0 || saving !== null;
  $("photo-zip").textContent = count ? words.save.zipOf(count) : words.save.zip;
}
$("photo-all").onclick = () => {
  const isAll = chosen.size === workspace.photos.length;
  chosen.clear();
  if (!isAll) for (const photo of workspace.photos) chosen.add(photo);
  drawList();
};
// Does not copy what belongs to one photo: people, strokes, position, focus.
$("photo-alike").onclick = async () => {
  const from = workspace.photo;
  const shared = workspace.parameters.filter((one) => one.places?.includes("alike-photos")).map((one) => one.name);
  for (const photo of chosen) {
    if (photo === from) continue;
    const values = { ...from.values[workspace.look.id] };
    if (workspace.look.focus) delete values[workspace.look.focus];
    photo.values = { ...photo.values, [workspace.look.id]: values };
    const settings = { ...photo.edit.settings };
    for (const name of shared) {
      if (from.edit.settings[name] == null) delete settings[name];
      else settings[name] = from.edit.settings[name];
    }
    photo.edit = { ...photo.edit, background: from.edit.background, settings };
    await send(photo, "fine");
  }
  tell("alike");
  toast(words.save.alike(chosen.size));
};
async function saveAll(to) {
  const photos = workspace.photos.filter((photo) => chosen.has(photo));
  only = "";
  await start("/api/photos/batch", async () => {
    for (const photo of photos) await settled(photo);
    return { to, photos: photos.map((photo) => ({ id: photo.id, save: wanted(photo) })) };
  });
}
$("photo-zip").onclick = () => saveAll("zip");
$("photo-folder").onclick = () => saveAll("folder");
