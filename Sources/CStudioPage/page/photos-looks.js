// The strip of looks, each as a thumbnail of the photo.
import { words } from "/words.js";
import { workspace, when, address } from "/photos-state.js";
import { choose, titled } from "/controls.js";

const list = document.getElementById("photo-looks");
const choice = choose(list);

export function markLook() { choice(list.querySelector(`[data-id="${workspace.look.id}"]`)); }

// Calls `take(look)` when one is pressed.
export function drawLooks(take) {
  list.replaceChildren(...workspace.looks.map((look) => {
    const button = document.createElement("button");
    button.setAttribute("role", "radio");
    button.dataset.id = look.id;
    button.title = look.summary;
    const picture = Object.assign(document.createElement("img"), { alt: "" });
    picture.onerror = () => { button.disabled = true; button.title = words.photos.needsSubject; };
    picture.onload = () => { button.disabled = false; button.title = look.summary; };
    button.append(picture, titled(look.id));
    button.onclick = () => take(look);
    return button;
  }));
  markLook();
  drawTiles();
}

// Draws one thumbnail at a time, visible ones first, and none while the large picture is drawn, so that an edit waits for at most
// one.
let run = 0;
async function drawTiles() {
  const mine = ++run;
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  await pause(60);
  const inSight = (button) => button.offsetLeft + button.offsetWidth > list.scrollLeft && button.offsetLeft < list.scrollLeft + list.clientWidth;
  const buttons = [...list.children].sort((one, other) => Number(inSight(other)) - Number(inSight(one)));
  for (const button of buttons) {
    while (workspace.isDrawing && mine === run) await pause(40);
    if (mine !== run) return;
    const picture = button.querySelector("img");
    picture.src = address(workspace.looks.find((look) => look.id === button.dataset.id), "effect", "tile");
    await picture.decode().catch(() => {});
  }
}
// The tiles follow an edit after a pause.
let later = null;
when("state", (photo) => {
  if (photo !== workspace.photo) return;
  run += 1;
  clearTimeout(later);
  later = setTimeout(drawTiles, 900);
});
