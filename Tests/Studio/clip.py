"""Makes the clip of the README from the simulated camera: backgrounds, looks, depth, points in space.

    scripts/test-python.sh Tests/Studio/clip.py .build/release/backdrop docs/pictures/studio.webp
"""

import base64
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1120, 700


def main():
    backdrop, output = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        studio = subprocess.Popen(
            [backdrop, "studio", "--no-open", "--camera", "sim:talking", "--folder", name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        studio.stdout.readline()

        def link():
            """A link that is good once, as after Return in the terminal."""
            studio.stdin.write("\n")
            studio.stdin.flush()
            return studio.stdout.readline().strip()

        shots = []
        is_on = [False]

        def opened(*flags):
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox", *flags])
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark")
            page.goto(link())
            while not page.evaluate("window.studio?.live.first != null"):
                time.sleep(0.1)
            client = page.context.new_cdp_session(page)

            def take(frame):
                if is_on[0]:
                    path = folder / f"{len(shots):04}.jpg"
                    path.write_bytes(base64.b64decode(frame["data"]))
                    shots.append((time.monotonic(), path))
                client.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

            client.on("Page.screencastFrame", take)
            client.send("Page.startScreencast", {"format": "jpeg", "quality": 92})
            return browser, page

        def shoot(page, seconds, step=lambda part: None):
            start = time.monotonic()
            is_on[0] = True
            while (part := (time.monotonic() - start) / seconds) < 1:
                step(part)
                page.wait_for_timeout(30)
            step(1)
            is_on[0] = False

        browser, page = opened()
        # The hint of the first visit has been seen, and the room is known.
        time.sleep(12)
        box = page.locator("#live-stage").bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.3)
        shoot(page, 1.5)
        page.mouse.move(*middle)
        page.mouse.down()
        shoot(page, 0.9, lambda part: page.mouse.move(middle[0], middle[1] + box["height"] * 0.45 * part))
        page.mouse.up()
        shoot(page, 1.8)
        page.click("#live-looks [data-id=halo]")
        shoot(page, 1.5)
        page.click("#live-looks [data-id=backdrop]")
        shoot(page, 0.6)
        page.click("#tab-depth")
        shoot(page, 1.8)
        browser.close()
        # Without a graphics card this draws points several times faster, and pictures slower.
        browser, page = opened("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
        page.click("#tab-depth")
        page.click("#depth-3d")
        while not page.evaluate("(window.studio?.cloud?.count ?? 0) > 0"):
            time.sleep(0.1)
        time.sleep(5)
        box = page.locator("#depth-cloud").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        shoot(
            page, 3.5,
            lambda part: page.mouse.move(x + 220 * math.sin(2 * math.pi * part), y + 30 * math.sin(4 * math.pi * part)))
        page.mouse.up()
        browser.close()
        studio.terminate()
        studio.wait(timeout=30)
        lines = []
        for (at, path), (following, _) in zip(shots, shots[1:] + [(shots[-1][0] + 0.3, None)]):
            lines += [f"file '{path}'", f"duration {min(following - at, 0.4):.3f}"]
        (folder / "list.txt").write_text("\n".join(lines))
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "concat", "-safe", "0", "-i", str(folder / "list.txt"), "-vf",
             "fps=10,scale=840:-2:flags=lanczos", "-c:v", "libwebp_anim", "-quality", "55", "-compression_level", "6",
             "-loop", "0", output], check=True)
        print(f"{output}: {len(shots)} pictures, {pathlib.Path(output).stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
