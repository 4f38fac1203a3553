// Strips of looks, each with a small picture: of the photo, of the video at its time, of the camera.
import { choose, thumbnail, titled } from "/controls.js";

// Strips draw one picture at a time, visible ones first, and none while `isBusy`, so that nothing else waits for more than one.
/** @type {MakeLooks} */
export function lookStrip(list, { address, take, isBusy, failed }) {
  const choice = choose(list);
  let looks = [];
  let run = 0;
  let later = null;

  async function drawPictures() {
    const mine = ++run;
    const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    await pause(60);
    const inSight = (button) => button.offsetLeft + button.offsetWidth > list.scrollLeft && button.offsetLeft < list.scrollLeft + list.clientWidth;
    const buttons = [...list.children].sort((one, other) => Number(inSight(other)) - Number(inSight(one)));
    for (const button of buttons) {
      while (isBusy() && mine === run) await pause(100);
      if (mine !== run) return;
      const picture = button.querySelector("img");
      picture.src = address(looks.find((look) => look.id === button.dataset.id));
      await picture.decode().catch(() => {});
    }
  }

  return {
    draw(fresh) {
      looks = fresh;
      list.replaceChildren(...looks.map((look) => {
        const button = Object.assign(document.createElement("button"), { title: look.summary });
        button.setAttribute("role", "radio");
        button.dataset.id = look.id;
        const place = document.createElement("i");
        place.append(thumbnail());
        place.firstElementChild.addEventListener("load", () => failed?.(button, null));
        place.firstElementChild.addEventListener("error", () => failed?.(button, look));
        button.append(place, titled(look.id));
        button.onclick = () => take(look);
        return button;
      }));
    },
    mark(id) { choice([...list.children].find((button) => button.dataset.id === id) ?? null); },
    now: drawPictures,
    // The pictures follow a change after a pause.
    soon() {
      run += 1;
      clearTimeout(later);
      later = setTimeout(drawPictures, 900);
    },
  };
}
