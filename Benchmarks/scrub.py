"""Measures the time for an exact frame of a video in the studio, after jumps and after small steps.

    scripts/test-python.sh Benchmarks/scrub.py .build/release/backdrop CLIP... [--page] [--background scene:northern]

A CLIP `long` is a generated clip of a minute with a key frame every ten seconds, 1920×1080. Prints milliseconds, the median and the 95th
percentile of requests: for jumps while the server still creates pictures of the clip, for later jumps, for jumps after a request for the
small picture of the same place (as while the pointer moves), and for steps near the last place. `--page` uses the page in Chromium: the
time from the pointer's press on the strip until the canvas has the exact frame.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time
import urllib.parse

from studio import Server


def make_long(folder):
    """Creates a clip of a talking person, enlarged to 1080p and repeated to a minute, with few key frames."""
    target = pathlib.Path(folder) / "long.mp4"
    source = pathlib.Path(os.environ["BACKDROP_DATA"]) / "video/talking_head_720p.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-stream_loop", "12", "-i", str(source), "-t", "60", "-vf", "scale=1920:1080", "-r", "25",
         "-c:v", "libx264", "-preset", "fast", "-crf", "21", "-g", "250", "-keyint_min", "250", "-sc_threshold", "0",
         "-pix_fmt", "yuv420p", str(target)], check=True)
    return target


class Client:
    """A connection with the session of a link."""

    def __init__(self, link):
        address = urllib.parse.urlsplit(link)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=120)
        self.connection.request("GET", f"{address.path}?{address.query}")
        answer = self.connection.getresponse()
        answer.read()
        self.headers = {"Cookie": answer.getheader("Set-Cookie").split(";")[0], "Origin": f"http://{address.netloc}"}

    def ask(self, path, body=None):
        self.connection.request("POST" if body is not None else "GET", path, body, self.headers)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status == 200, (answer.status, content[:300])
        return content

    def upload(self, clip):
        content = clip.read_bytes()
        begun = json.loads(self.ask("/api/videos/begin", json.dumps({"name": clip.name, "size": len(content)})))
        for at in range(0, len(content), begun["piece"]):
            self.ask(f"/api/videos/upload/{begun['upload']}?at={at}", content[at:at + begun["piece"]])
        return json.loads(self.ask(f"/api/videos/upload/{begun['upload']}/end", b""))


def told(name, times):
    times = sorted(times)
    print(f"  {name}: median {statistics.median(times):.0f} ms, 95 % {times[int(len(times) * 0.95)]:.0f} ms, most {times[-1]:.0f} ms, {len(times)} times", flush=True)


def by_server(client, server, entry, background, seed=7):
    info, chance = entry["info"], random.Random(seed)
    edit = urllib.parse.quote(json.dumps({"look": "backdrop", "values": {}, "keys": [], "background": background, "start": 0}))

    def frame(seconds):
        begun = time.perf_counter()
        client.ask(f"/api/videos/{info['id']}/frame.jpg?t={seconds:.4f}&size=resting&edit={edit}")
        return 1000 * (time.perf_counter() - begun)

    def place():
        return chance.uniform(0, info["duration"])

    print(f"  the first: {frame(0.5):.0f} ms")
    told("jumps right after opening", [frame(place()) for _ in range(15)])
    # Wait until the server has created the pictures of the whole clip.
    end = time.monotonic() + 60 + 2 * info["duration"]
    while time.monotonic() < end:
        used = server.processor()
        time.sleep(2)
        if server.processor() - used < 1:
            break
    used = server.processor()
    told("jumps", [frame(place()) for _ in range(40)])
    print(f"  processor: {25 * (server.processor() - used):.0f} ms a jump, the camera's own included", flush=True)
    times, near = [], []
    for _ in range(20):
        seconds = place()
        client.ask(f"/api/videos/{info['id']}/small.jpg?t={seconds:.4f}")
        time.sleep(0.12)
        times.append(frame(seconds))
        for _ in range(4):
            time.sleep(0.05)
            seconds = max(0, min(info["duration"], seconds + chance.uniform(-0.4, 0.4)))
            near.append(frame(seconds))
    told("jumps after the small picture", times)
    told("steps nearby", near)


# The exact frame is the first one drawn after the last request for a small picture.
PRESS = """(part) => new Promise(done => {
  const track = document.querySelector('#video-track'), box = track.getBoundingClientRect();
  const place = {bubbles: true, button: 0, pointerId: 1, isPrimary: true, clientX: box.left + box.width * part, clientY: box.top + box.height / 2};
  const before = studio.video.exact, begun = performance.now();
  track.dispatchEvent(new PointerEvent('pointerdown', place));
  setTimeout(() => track.dispatchEvent(new PointerEvent('pointerup', place)), 40);
  const look = () => studio.video.exact > before ? done(performance.now() - begun) : requestAnimationFrame(look);
  requestAnimationFrame(look);
})"""


def by_page(server, entry, seed=7):
    from playwright.sync_api import sync_playwright

    chance = random.Random(seed)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), headless=True, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(server.link() + "#room=video")
        page.wait_for_selector("#video-panel:visible")
        page.wait_for_timeout(4000)
        times = []
        for _ in range(25):
            times.append(page.evaluate(PRESS, chance.uniform(0.02, 0.98)))
            page.wait_for_timeout(300)
        told("in the page, press until the exact frame", times)
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backdrop")
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--background", default="scene:northern")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # Before the studio starts, because it ends idle connections.
        clips = [make_long(folder) if name == "long" else pathlib.Path(name) for name in options.clips]
        server = Server(str(pathlib.Path(options.backdrop).resolve()), folder, "sim:talking?size=320x180")
        try:
            client = Client(server.link())
            for clip in clips:
                entry = client.upload(clip)
                info = entry["info"]
                print(f"{clip.name}: {info['width']} × {info['height']}, {info['duration']:.1f} s", flush=True)
                by_server(client, server, entry, options.background)
                if options.page:
                    by_page(server, entry)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
