"""Creates the README's pictures of the studio with the simulated camera: a clip (studio.webp), and the workspaces (studio.jpg).

    scripts/test-python.sh Tests/Studio/pictures.py .build/release/backdrop docs/pictures
"""

import base64
import io
import math
import pathlib
import subprocess
import sys
import tempfile
import time

from PIL import Image
from playwright.sync_api import sync_playwright

from studio_page import CHROMIUM, Server

WIDTH, HEIGHT = 1120, 700
# WebGL without a graphics card: this draws points several times faster, but pictures more slowly.
POINTS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


class Studio(Server):
    """A running studio, and browsers that display it."""

    def __init__(self, backdrop, folder, playwright):
        self.playwright = playwright
        super().__init__(backdrop, folder, ("--camera", "sim:talking"))

    def page(self, *flags, workspace="", scheme="dark", width=WIDTH, height=HEIGHT):
        browser = self.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *flags])
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.set_default_timeout(60_000)
        page.goto(self.link() + workspace)
        if not workspace:
            until(lambda: page.evaluate("window.studio?.live.first != null"))
        return page


def until(isTrue, seconds=60):
    end = time.monotonic() + seconds
    while not isTrue():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def show_points(page):
    page.click("#tab-depth")
    page.click("#depth-3d")
    until(lambda: page.evaluate("(window.studio?.depth?.cloud?.count ?? 0) > 0"))
    time.sleep(5)


class Film:
    """Records the pictures of pages."""

    def __init__(self, folder):
        self.folder, self.shots, self.is_on, self.client = folder, [], False, None

    def watch(self, page):
        client = page.context.new_cdp_session(page)

        def take(frame):
            if self.is_on:
                path = self.folder / f"{len(self.shots):04}.jpg"
                path.write_bytes(base64.b64decode(frame["data"]))
                self.shots.append((time.monotonic(), path))
            client.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

        client.on("Page.screencastFrame", take)
        client.send("Page.startScreencast", {"format": "jpeg", "quality": 92})
        self.client = client

    def leave(self, page):
        self.client.send("Page.stopScreencast")
        page.wait_for_timeout(300)
        page.context.browser.close()

    def shoot(self, page, seconds, step=lambda part: None):
        start = time.monotonic()
        self.is_on = True
        while (part := (time.monotonic() - start) / seconds) < 1:
            step(part)
            page.wait_for_timeout(30)
        step(1)
        self.is_on = False

    def save(self, output):
        lines = []
        for (at, path), (following, _) in zip(self.shots, self.shots[1:] + [(self.shots[-1][0] + 0.3, None)]):
            lines += [f"file '{path}'", f"duration {min(following - at, 0.4):.3f}"]
        (self.folder / "list.txt").write_text("\n".join(lines))
        subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "concat", "-safe", "0", "-i", self.folder / "list.txt",
             "-vf", "fps=10,scale=840:-2:flags=lanczos", "-c:v", "libwebp_anim", "-quality", "55",
             "-compression_level", "6", "-loop", "0", output], check=True)


def clip(studio, folder, output):
    """The clip: another background by a swipe, a halo, then turning points in space."""
    film = Film(folder)
    page = studio.page()
    film.watch(page)
    # Wait until the first visit's hint is gone and the background's noise is known.
    time.sleep(12)
    box = page.locator("#live-stage").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.3)
    film.shoot(page, 0.6)
    page.mouse.move(*middle)
    page.mouse.down()
    film.shoot(page, 0.7, lambda part: page.mouse.move(middle[0], middle[1] + box["height"] * 0.45 * part))
    page.mouse.up()
    film.shoot(page, 1.2)
    page.click("#live-looks [data-id=halo]")
    film.shoot(page, 1.0)
    page.click("#live-looks [data-id=backdrop]")
    film.leave(page)
    page = studio.page(*POINTS)
    film.watch(page)
    show_points(page)
    box = page.locator("#depth-cloud").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    turn = 2 * math.pi
    film.shoot(
        page, 2.5,
        lambda part: page.mouse.move(x + 220 * math.sin(turn * part), y + 30 * math.sin(2 * turn * part)))
    page.mouse.up()
    film.leave(page)
    film.save(output)


def workspaces(studio, output):
    """The workspaces: live, points in space, a photo in the light theme, and the studio on a phone."""
    shots = []

    def take(page):
        shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        page.context.browser.close()

    page = studio.page()
    page.click("#live-looks [data-id=backdrop]")
    time.sleep(8)
    take(page)
    page = studio.page(*POINTS)
    show_points(page)
    take(page)
    page = studio.page(workspace="#room=photos", scheme="light")
    page.click("#photo-sample")
    page.wait_for_selector("#photo-panel:not([hidden])")
    until(lambda: page.evaluate(
        "[...document.querySelectorAll('#photo-looks img')].filter(i => i.complete && i.naturalWidth).length >= 12"))
    page.click("#photo-looks [data-id=refocus]")
    time.sleep(3)
    take(page)
    page = studio.page(scheme="light", width=390, height=HEIGHT)
    time.sleep(8)
    take(page)
    gap = 16
    sheet = Image.new("RGB", (2 * WIDTH + 3 * gap, 2 * HEIGHT + 3 * gap), (30, 31, 34))
    for index, shot in enumerate(shots):
        column, row = index % 2, index // 2
        left = gap + column * (WIDTH + gap) + (WIDTH - shot.width) // 2
        sheet.paste(shot, (left, gap + row * (HEIGHT + gap)))
    sheet.resize((sheet.width * 5 // 8, sheet.height * 5 // 8), Image.LANCZOS).save(output, quality=88)


def main():
    backdrop, pictures = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        studio = Studio(backdrop, folder, playwright)
        try:
            for path, make in [
                (pictures / "studio.webp", lambda path: clip(studio, folder, path)),
                (pictures / "studio.jpg", lambda path: workspaces(studio, path)),
            ]:
                make(path)
                print(f"{path}: {path.stat().st_size // 1024} kB", flush=True)
        finally:
            studio.stop()


if __name__ == "__main__":
    main()
