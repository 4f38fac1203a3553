"""Measures the speed of the studio: a headless Chromium on the same machine shows the simulated camera.

    scripts/test-python.sh Benchmarks/studio.py .build/release/backdrop [--photo PHOTO] [--minutes 30]

Prints the displayed pictures a second, the server's processor time in percent of one core, the time until the first picture, the
latency from capture to the page's canvas (by a time code that the simulated camera draws), four pages at once, previews of a photo
while a slider moves, the time until a brush stroke and a click on a person are visible (in a photo of 12 megapixels with a person:
iphonex_person_depth_matte.jpg of the development data), and memory over some minutes.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from playwright.sync_api import sync_playwright

TICKS = os.sysconf("SC_CLK_TCK")
# Reads the 40 squares of TimeCode.swift after each picture.
CODES = """(seconds) => new Promise(done => {
  const canvas = document.querySelector('#live-canvas'), g = canvas.getContext('2d', {willReadFrequently: true}), got = [];
  const end = performance.now() + 1000 * seconds;
  let last = studio.live.shown;
  function look() {
    if (studio.live.shown !== last) {
      last = studio.live.shown;
      const scale = canvas.width / 1280, now = performance.timeOrigin + performance.now();
      const data = g.getImageData((640 - 160) * scale, canvas.height - 64 * scale, 320 * scale, 32 * scale);
      let value = 0, check = 0;
      for (let i = 0; i < 40; i++) {
        const x = Math.floor((16 * (i % 20) + 8) * scale), y = Math.floor((16 * Math.floor(i / 20) + 8) * scale);
        const bit = data.data[4 * (y * data.width + x) + 1] > 126 ? 1 : 0;
        if (i < 32) value = (value | bit << i) >>> 0; else check |= bit << (i - 32);
      }
      if (check === ((value ^ value >>> 8 ^ value >>> 16 ^ value >>> 24 ^ 0x5A) & 255)) got.push([value, now]);
    }
    if (performance.now() < end) requestAnimationFrame(look); else done(got);
  }
  look();
})"""


# From the click until the picture has changed, checked before each frame of the browser at 16×16 pixels.
CLICK = """([x, y]) => new Promise((done) => {
  const canvas = document.querySelector('#photo-canvas'), paper = document.querySelector('#photo-paper');
  const eye = Object.assign(document.createElement('canvas'), { width: 16, height: 16 }).getContext('2d', { willReadFrequently: true });
  const look = () => { eye.drawImage(canvas, 0, 0, 16, 16); return eye.getImageData(0, 0, 16, 16).data; };
  const before = look(), box = paper.getBoundingClientRect(), start = performance.now();
  const at = { clientX: box.left + x * box.width, clientY: box.top + y * box.height, pointerId: 1, bubbles: true, button: 0, buttons: 1, isPrimary: true, pointerType: 'mouse' };
  paper.dispatchEvent(new PointerEvent('pointerdown', at));
  paper.dispatchEvent(new PointerEvent('pointerup', { ...at, buttons: 0 }));
  const wait = () => {
    const now = look();
    if (now.some((value, index) => Math.abs(value - before[index]) > 24)) return done(performance.now() - start);
    if (performance.now() - start > 10000) return done(null);
    requestAnimationFrame(wait);
  };
  requestAnimationFrame(wait);
})"""


def spread(what, times):
    times = sorted(time for time in times if time is not None)
    if not times:
        return print(f"{what}: nothing was seen")
    print(f"{what}: {len(times)} times, median {statistics.median(times):.0f} ms, p95 {times[int(len(times) * 0.95)]:.0f} ms, most {times[-1]:.0f} ms")


def touch(page):
    """Measures the time until brush strokes and clicks on the person are visible."""
    rest = "document.querySelector('#photo-canvas').dataset.size === 'fine' && document.querySelector('#photo-busy').hidden"
    page.click("#photo-looks [data-id=backdrop]")
    page.click("#photo-tools [data-tool=people]")
    wait(page, "document.querySelectorAll('#photo-people label').length > 0", 120)
    page.wait_for_timeout(2500)
    place = page.evaluate("(async () => { const { workspace } = await import('/photos-state.js'), [one] = Object.values(workspace.photo.people)[0]; return [one.x, one.y]; })()")
    times = []
    for _ in range(20):
        times.append(page.evaluate(CLICK, place))
        page.wait_for_timeout(700)
        wait(page, rest)
    spread("a person left out or brought back, click until the picture has it", times)
    page.click("#photo-tools [data-tool=brush]")
    page.wait_for_timeout(1000)
    page.evaluate("studio.strokes = []")
    box = page.locator("#photo-paper").bounding_box()
    for stroke in range(5):
        y = box["y"] + box["height"] * (0.3 + 0.1 * stroke)
        page.mouse.move(box["x"] + box["width"] * 0.2, y)
        page.mouse.down()
        for step in range(30):
            page.mouse.move(box["x"] + box["width"] * (0.2 + 0.02 * step), y)
            page.wait_for_timeout(20)
        page.mouse.up()
        page.wait_for_timeout(800)
        wait(page, rest)
    # Until the frame that paints it begins; it appears on the screen with the display's next frame.
    spread("a stroke, finger until it is painted", page.evaluate("studio.strokes"))


class Server:
    def __init__(self, backdrop, folder, camera):
        self.process = subprocess.Popen(
            [backdrop, "studio", "--no-open", "--camera", camera, "--folder", str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | {"XDG_STATE_HOME": str(folder)})
        self.process.stdout.readline()

    def link(self):
        """A link that works once, from Return in the terminal."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def processor(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/status").read_text().split("VmRSS:")[1].split()[0]) // 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def wait(page, expression, seconds=60):
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        time.sleep(0.05)


def shown(pages, server, seconds):
    """The pictures a second that each page shows, and the server's processor time in percent of a core."""
    before = [page.evaluate("studio.live.shown") for page in pages]
    start, used = time.monotonic(), server.processor()
    time.sleep(seconds)
    passed = time.monotonic() - start
    share = 100 * (server.processor() - used) / passed
    return [(page.evaluate("studio.live.shown") - old) / passed for page, old in zip(pages, before)], share


def status(page):
    """The page's status: fps, latency, load; the camera's own rates."""
    return page.inner_text("#live-status") + "; " + page.get_attribute("#live-status", "title")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("backdrop")
    parser.add_argument("--photo")
    parser.add_argument("--touch", action="store_true", help="with --photo: strokes and clicks alone")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    backdrop = str(pathlib.Path(options.backdrop).resolve())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), headless=True,
            args=["--no-sandbox", *os.environ.get("CHROMIUM_FLAGS", "").split()])
        view = {"viewport": {"width": 1700, "height": 1000}}
        server = Server(backdrop, pathlib.Path(folder), "sim:talking?timecode=1")
        page = browser.new_page(**view)
        page.goto(server.link())
        if options.touch:
            page.click("#tab-photos")
            page.set_input_files("#photo-file", options.photo)
            wait(page, "document.querySelector('#photo-canvas').dataset.size === 'fine'", 120)
            touch(page)
            browser.close()
            return server.stop()
        wait(page, "window.studio?.live.first != null")
        print(f"first picture of a cold server: {page.evaluate('studio.live.first'):.0f} ms after the page was asked for")
        time.sleep(8)
        again = browser.new_page(**view)
        again.goto(server.link())
        wait(again, "window.studio?.live.first != null")
        print(f"first picture of another page: {again.evaluate('studio.live.first'):.0f} ms")
        again.close()
        time.sleep(2)
        rates, share = shown([page], server, options.seconds)
        print(f"one page: {rates[0]:.1f} shown a second, server {share:.1f} % of a core; {status(page)}")

        offset = time.time() - time.monotonic()
        codes = page.evaluate(CODES, options.seconds)
        delays = sorted(now - offset * 1000 - value for value, now in codes)
        if delays:
            print(
                f"latency by {len(delays)} time codes: p50 {statistics.median(delays):.0f} ms, "
                f"p95 {delays[int(len(delays) * 0.95)]:.0f} ms")

        pages = [page] + [browser.new_page(**view) for _ in range(3)]
        for other in pages[1:]:
            other.goto(server.link())
            wait(other, "window.studio?.live.first != null")
        time.sleep(3)
        rates, share = shown(pages, server, options.seconds)
        print(f"four pages: {', '.join(f'{rate:.1f}' for rate in rates)} shown a second, server {share:.1f} %; {status(page)}")
        for other in pages[1:]:
            other.close()

        if options.photo:
            page.click("#tab-photos")
            page.set_input_files("#photo-file", options.photo)
            wait(page, "document.querySelector('#photo-canvas').dataset.size === 'fine'")
            for look in ("spotlight", "noir", "refocus", "bokeh"):
                page.click(f"#photo-looks [data-id={look}]")
                page.wait_for_timeout(1500)
                page.evaluate("studio.drafts = []")
                box = page.locator("#photo-sliders input").first.bounding_box()
                page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
                page.mouse.down()
                for step in range(40):
                    page.mouse.move(box["x"] + 20 + step * 3, box["y"] + box["height"] / 2)
                    page.wait_for_timeout(40)
                page.mouse.up()
                times = sorted(page.evaluate("studio.drafts"))
                print(f"preview, {look}: {len(times)} drawn, median {statistics.median(times):.0f} ms, most {times[-1]:.0f} ms")
            touch(page)
            page.click("#tab-live")

        if options.minutes:
            client = page.context.new_cdp_session(page)
            end = time.monotonic() + 60 * options.minutes
            time.sleep(20)
            while time.monotonic() < end:
                client.send("HeapProfiler.collectGarbage")
                heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
                print(f"memory: server {server.memory()} MB, page's heap {heap:.1f} MB", flush=True)
                time.sleep(min(300, max(1, 60 * options.minutes / 6)))
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
