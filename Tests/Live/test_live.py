"""Tests `backdrop live` with real programs: GStreamer and a headless Chromium, through PipeWire and the camera portal.

    dbus-run-session -- python test_live.py BACKDROP [PART…]

Each part is a function; the script prints the names of failed parts at the end. The tests check pixels: the background is a plain green
that the simulated room does not contain.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import time

import numpy
from PIL import Image

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Bindings"))

import fronts
from common import ServedPage, Skipped, run_parts, wait_for
from desktop import Desktop
from firefox import Firefox
import machine_microphone

WIDTH, HEIGHT = 1280, 720
GREEN = (0, 160, 0)
PAGE = """<!doctype html><title>A call</title><style>body{margin:0;background:#202124;color:#eee;font:20px sans-serif}
video{width:100%;max-width:960px;display:block;margin:24px auto;border-radius:12px}</style>
<video id=v autoplay playsinline muted></video><p style="text-align:center" id=label></p><script>
async function open_() {
  const first = await navigator.mediaDevices.getUserMedia({video: true});
  first.getTracks().forEach(t => t.stop());
  const all = (await navigator.mediaDevices.enumerateDevices()).filter(d => d.kind == 'videoinput');
  const found = all.find(d => d.label == 'Backdrop');
  if (!found) return {labels: all.map(d => d.label)};
  const stream = await navigator.mediaDevices.getUserMedia({video: {deviceId: {exact: found.deviceId}}});
  const v = document.getElementById('v');
  v.srcObject = stream;
  await v.play();
  // Before the first frame Chromium plays one of 2×2.
  for (let i = 0; i < 100 && v.videoWidth < 3; i++) await new Promise(r => setTimeout(r, 50));
  document.getElementById('label').textContent = found.label;
  return {labels: all.map(d => d.label), width: v.videoWidth, height: v.videoHeight};
}
async function watch(count) {
  const v = document.getElementById('v'), c = new OffscreenCanvas(v.videoWidth, v.videoHeight);
  const g = c.getContext('2d', {willReadFrequently: true}), seen = [];
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    await new Promise(r => v.requestVideoFrameCallback ? v.requestVideoFrameCallback(r) : setTimeout(r, 34));
    g.drawImage(v, 0, 0);
    const p = (x, y) => Array.from(g.getImageData(x, y, 1, 1).data.slice(0, 3));
    const middle = g.getImageData(c.width / 2 - 160, c.height / 2 - 160, 320, 320).data;
    let sum = 0;
    for (let k = 0; k < middle.length; k += 4) sum = (sum * 31 + middle[k]) >>> 0;
    seen.push({corners: [p(8, 8), p(c.width - 8, 8)], sum});
  }
  return {seconds: (performance.now() - start) / 1000, frames: seen};
}
async function cameras() { return (await navigator.mediaDevices.enumerateDevices()).filter(d => d.kind === "videoinput").length; }
function close_() { document.getElementById('v').srcObject.getTracks().forEach(t => t.stop()); }
</script>"""


class Controlled:
    """A running session with a control socket."""

    def __init__(self, desktop, backdrop, *arguments, **options):
        self.desktop, self.backdrop = desktop, backdrop
        self.process = desktop.run(backdrop, *arguments, **options)

    def ctl(self, *words, quiet=False):
        result = subprocess.run(
            [self.backdrop, "ctl", *words, "--json"], env=self.desktop.env, capture_output=True, text=True, timeout=60
        )
        if result.returncode != 0:
            if quiet:
                return None
            raise AssertionError(f"ctl {' '.join(words)}: {result.stderr}")
        return json.loads(result.stdout)

    def status(self, quiet=False):
        return self.ctl("status", quiet=quiet)

    def stop(self):
        self.ctl("quit", quiet=True)
        code = self.process.wait(timeout=30)
        assert code == 0, f"the session ended with {code}"


class Live(Controlled):
    """A running `backdrop live`."""

    def __init__(self, desktop, backdrop, *arguments):
        super().__init__(desktop, backdrop, "live", "--no-config", *arguments)
        wait_for("the control socket", lambda: self.status(quiet=True))


class Studio(Controlled):
    """A running `backdrop studio`, with its page in Chromium."""

    def __init__(self, desktop, backdrop, camera):
        from playwright.sync_api import sync_playwright

        super().__init__(
            desktop, backdrop, "studio", "--no-open", "--camera", camera, "--folder", str(desktop.folder),
            stdout=subprocess.PIPE, text=True)
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(executable_path="/usr/bin/chromium", env=desktop.env, args=["--no-sandbox"])
        self.page = self.browser.new_page(viewport={"width": 1280, "height": 800})
        self.page.goto(self.process.stdout.readline().strip())
        wait_for("the first picture", lambda: self.page.evaluate("window.studio?.live.first != null"))

    def press_virtual_camera(self, pressed):
        """Starts or ends the virtual camera."""
        if not self.page.is_visible("#live-virtual"):
            self.page.click("#calls-open")
        self.page.click("#live-virtual")
        wait_for("the button", lambda: self.page.get_attribute("#live-virtual", "aria-pressed") == pressed)

    def stop(self):
        self.browser.close()
        self.playwright.stop()
        super().stop()


def gst(desktop, count, target="backdrop"):
    """Starts a reader of `count` frames; `frames` returns their I420 pictures as an array."""
    return subprocess.Popen(
        [
            "gst-launch-1.0", "-q", "pipewiresrc", f"target-object={target}", f"num-buffers={count}", "!", "videoconvert",
            "!", "video/x-raw,format=I420", "!", "fdsink", "fd=1",
        ],
        env=desktop.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )


def frames(reader, seconds=60):
    try:
        data, errors = reader.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        reader.kill()
        raise AssertionError("the reader got no frames")
    size = WIDTH * HEIGHT * 3 // 2
    assert len(data) % size == 0 and data, f"{len(data)} bytes are no frames: {errors.decode()}"
    return numpy.frombuffer(data, numpy.uint8).reshape(-1, size)


def rgb_corner(frame, x, y):
    """The colour of a pixel by BT.601 in limited range, which call programs assume for cameras."""
    luma = float(frame[y * WIDTH + x]) - 16
    at = (y // 2) * (WIDTH // 2) + x // 2
    cb = float(frame[WIDTH * HEIGHT + at]) - 128
    cr = float(frame[WIDTH * HEIGHT * 5 // 4 + at]) - 128
    luma *= 255 / 219
    red, green, blue = luma + 1.596 * cr, luma - 0.392 * cb - 0.813 * cr, luma + 2.017 * cb
    return tuple(min(255, max(0, round(value))) for value in (red, green, blue))


def is_near(color, wanted, slack=6):
    return all(abs(a - b) <= slack for a, b in zip(color, wanted))


class Browser:
    """A headless Chromium with the page of a call."""

    def __init__(self, desktop):
        from playwright.sync_api import sync_playwright

        self.call = ServedPage(PAGE)
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path="/usr/bin/chromium", env=desktop.env,
            args=["--no-sandbox", "--use-fake-ui-for-media-stream", "--enable-features=WebRtcPipeWireCamera"],
        )
        self.page = self.browser.new_page(viewport={"width": 1008, "height": 660})
        self.page.goto(self.call.url)

    def open(self):
        # Chromium asks PipeWire for its cameras when it starts, and learns of them later.
        wait_for("Chromium to list the camera", lambda: self.page.evaluate("cameras()") > 0)
        opened = self.page.evaluate("open_()")
        assert "Backdrop" in opened["labels"], f"Chromium lists {opened['labels']}"
        assert (opened["width"], opened["height"]) == (WIDTH, HEIGHT), opened
        return opened

    def watch(self, count):
        return self.page.evaluate(f"watch({count})")

    def close(self):
        self.browser.close()
        self.playwright.stop()
        self.call.close()


def check_green(seen):
    """Checks that all frames after the first standby frames have the background in their corners, and that the person moves."""
    for frame in seen["frames"]:
        for corner in frame["corners"]:
            assert is_near(corner, GREEN), f"a corner is {corner}, not {GREEN}"
    distinct = len({frame["sum"] for frame in seen["frames"]})
    assert distinct >= 0.8 * len(seen["frames"]), f"{distinct} of {len(seen['frames'])} frames are distinct"


def arguments(*more):
    return ["sim:talking", "--background", "#00A000", "--quiet", *more]


def camera_sleeps_until_watched(desktop, backdrop):
    live = Live(desktop, backdrop, *arguments())
    try:
        time.sleep(0.5)
        status = live.status()
        assert not status["isCameraOn"] and status["watchers"] == 0, status
        reader = gst(desktop, 60)
        wait_for("the camera to go on", lambda: live.status()["isCameraOn"])
        frames(reader)
        wait_for("the camera to go off", lambda: not live.status()["isCameraOn"])
    finally:
        live.stop()


def gstreamer_reads(desktop, backdrop):
    live = Live(desktop, backdrop, *arguments("--always-on"))
    try:
        # Until the first matte the camera shows the standby frame, which does not move.
        wait_for("a matte", lambda: live.status()["showing"] == "scene")
        got = frames(gst(desktop, 90))
        assert len(got) == 90, len(got)
        for frame in got:
            for x, y in ((8, 8), (WIDTH - 8, 8)):
                assert is_near(rgb_corner(frame, x, y), GREEN), rgb_corner(frame, x, y)
        distinct = len({frame.tobytes() for frame in got})
        print(f"  {distinct} of {len(got)} frames distinct")
        assert distinct >= 70, distinct
    finally:
        live.stop()


def two_readers_come_and_go(desktop, backdrop):
    live = Live(desktop, backdrop, *arguments())
    try:
        long = gst(desktop, 300)
        got = []
        # Read in a thread: a reader with a full pipe would keep all of PipeWire's buffers, and block the others.
        thread = threading.Thread(target=lambda: got.append(frames(long)))
        thread.start()
        wait_for("one watcher", lambda: live.status()["watchers"] == 1)
        for _ in range(3):
            assert len(frames(gst(desktop, 20))) == 20
        thread.join()
        assert got and len(got[0]) == 300
        wait_for("nobody", lambda: live.status()["watchers"] == 0)
    finally:
        live.stop()


def chromium_sees_it(desktop, backdrop):
    live = Live(desktop, backdrop, *arguments())
    browser = Browser(desktop)
    try:
        browser.open()
        wait_for("a matte", lambda: live.status()["showing"] == "scene")
        browser.watch(5)
        seen = browser.watch(60)
        check_green(seen)
        print(f"  60 frames in {seen['seconds']:.2f} s")
        # Another reader at the same time.
        assert len(frames(gst(desktop, 30))) == 30
        check_green(browser.watch(20))
        live.ctl("background", "scene:dunes")
        wait_for("the other background", lambda: not is_near(browser.watch(1)["frames"][0]["corners"][0], GREEN))
        folder = pathlib.Path(__file__).resolve().parents[2] / "demo"
        folder.mkdir(exist_ok=True)
        time.sleep(0.5)
        browser.page.screenshot(path=folder / "call.png")
        live.ctl("background", "#00A000")
        live.ctl("standby", "on")
        wait_for("the standby frame", lambda: live.status()["showing"] == "standby")
        browser.watch(5)
        still = browser.watch(10)
        assert len({frame["sum"] for frame in still["frames"]}) == 1, "the standby frame moves"
        for frame in still["frames"]:
            assert is_near(frame["corners"][0], GREEN)
        live.ctl("standby", "off")
        wait_for("the person", lambda: live.status()["showing"] == "scene")
        browser.watch(3)
        check_green(browser.watch(10))
    finally:
        browser.close()
        live.stop()


def firefox_sees_it(desktop, backdrop):
    if not shutil.which("firefox-esr"):
        raise Skipped("there is no firefox-esr")
    live = Live(desktop, backdrop, *arguments())
    call = ServedPage(PAGE)
    firefox = Firefox(desktop, call.url)
    try:
        opened = firefox.evaluate("open_()")
        assert "Backdrop" in opened["labels"], f"Firefox lists {opened['labels']}"
        assert (opened["width"], opened["height"]) == (WIDTH, HEIGHT), opened
        wait_for("a matte", lambda: live.status()["showing"] == "scene")
        firefox.evaluate("watch(5)")
        check_green(firefox.evaluate("watch(30)"))
    finally:
        firefox.close()
        call.close()
        live.stop()


def service_restarts(desktop, backdrop):
    live = Live(desktop, backdrop, *arguments())
    try:
        assert len(frames(gst(desktop, 10))) == 10
        desktop.stop_pipewire()
        time.sleep(1)
        desktop.start_pipewire()

        def reads():
            try:
                return len(frames(gst(desktop, 10), seconds=5)) == 10
            except AssertionError:
                return False

        wait_for("the camera to come back", reads, 60)
    finally:
        live.stop()


def latency(desktop, backdrop):
    """Measures the time from a time code in the simulated camera's frames to a reader; the median must be below one frame."""
    live = Live(desktop, backdrop, *(["sim:talking?timecode=1"] + arguments("--always-on")[1:]))
    try:
        wait_for("a matte", lambda: live.status()["showing"] == "scene")
        count, size = 150, WIDTH * HEIGHT * 3 // 2
        reader = gst(desktop, count)
        delays, order = [], []
        for _ in range(count):
            data = b""
            while len(data) < size:
                part = reader.stdout.read(size - len(data))
                assert part, "the reader ended early"
                data += part
            now = time.monotonic()
            code = read_code(numpy.frombuffer(data, numpy.uint8, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH))
            if code is not None:
                order.append(code)
                delays.append(now - code / 1000)
        reader.wait(timeout=20)
        assert len(delays) > 80, f"{len(delays)} of {count} frames have a code that can be read"
        assert order == sorted(order), "frames came out of order"
        assert len(set(order)) >= 0.95 * len(order), "frames came twice"
        steady = sorted(delays[30:])
        half, most = statistics.median(steady), steady[int(len(steady) * 0.95)]
        print(f"  {len(delays)} codes; latency p50 {half * 1000:.1f} ms, p95 {most * 1000:.1f} ms (a frame is 33.3 ms)")
    finally:
        live.stop()


def read_code(luma):
    """Reads milliseconds of the monotonic clock from 32 squares of 16 pixels and a checksum of 8 squares; see TimeCode.swift."""
    top, left = HEIGHT - 64, WIDTH // 2 - 160
    bits = [luma[top + 16 * (i // 20) + 8, left + 16 * (i % 20) + 8] > 126 for i in range(40)]
    value = sum(bit << i for i, bit in enumerate(bits[:32]))
    check = sum(bit << i for i, bit in enumerate(bits[32:]))
    if check != (value ^ value >> 8 ^ value >> 16 ^ value >> 24 ^ 0x5A) & 255:
        return None
    return value


def studio_button(desktop, backdrop):
    """The studio's button starts and ends the same camera."""
    studio = Studio(desktop, backdrop, "sim:talking")
    try:
        studio.ctl("background", "#00A000")
        studio.press_virtual_camera("true")
        assert "Backdrop" in studio.page.inner_text("#live-virtual-text")
        wait_for(
            "the person", lambda: len({frame.tobytes() for frame in frames(gst(desktop, 10))}) > 3)
        got = frames(gst(desktop, 30))
        for frame in got:
            assert is_near(rgb_corner(frame, 8, 8), GREEN), rgb_corner(frame, 8, 8)
        studio.press_virtual_camera("false")
        nodes = subprocess.run(["pw-cli", "ls", "Node"], env=desktop.env, capture_output=True, text=True, timeout=20)
        assert '"backdrop"' not in nodes.stdout, nodes.stdout
    finally:
        studio.stop()


def verdicts(desktop, backdrop):
    """The command and the studio show and hide the pictures of fronts.json like the other fronts, while others may watch."""
    files = {}
    for name, picture in fronts.pictures().items():
        files[name] = str(desktop.folder / f"{name}.png")
        Image.fromarray(picture).save(files[name])

    def reason(session, case):
        """Why the session shows the standby frame for a case; None if it shows the picture."""
        # So that no picture drawn before "standby off" counts.
        session.ctl("standby", "on")
        session.ctl("background", "#00A000")
        for name in ("matte", "quality"):
            session.ctl("reset", name)
        session.ctl("camera", files[case["picture"]])
        options = dict(case["options"])
        try:
            session.ctl("look", options.pop("look", "backdrop"))
            session.ctl("background", options.pop("background", "#00A000"))
            for name, value in options.items():
                session.ctl("set", name, value)
        except AssertionError as error:
            return str(error)
        session.ctl("standby", "off")

        def answer():
            status = session.status()
            if status["showing"] != "standby":
                return (None,)
            return None if status["reason"] == "the first picture is not ready yet" else (status["reason"],)

        return wait_for(case["name"], answer)[0]

    def try_all(session):
        for case in fronts.CASES:
            # A camera has no transparency.
            word, told = case.get("camera", fronts.stream_refusal(case)), reason(session, case)
            assert told is None if word is None else told is not None and word in told, (case["name"], told)

    live = Live(desktop, backdrop, files["screen"], "--always-on", "--quiet")
    try_all(live)
    live.stop()
    studio = Studio(desktop, backdrop, files["screen"])
    studio.press_virtual_camera("true")
    try_all(studio)
    studio.stop()


def preview_window(desktop, backdrop):
    """The preview window, on a virtual screen."""
    read, write = os.pipe()
    screen = desktop.run(
        "Xvfb", "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-displayfd", str(write), pass_fds=[write])
    os.close(write)
    with os.fdopen(read) as lines:
        display = ":" + lines.readline().strip()
    desktop.env["DISPLAY"] = display
    live = None
    try:
        live = Live(desktop, backdrop, *arguments("--output", "window", "--always-on"))

        def green():
            """The share of the screen that has the background's colour."""
            shot = subprocess.run(
                ["ffmpeg", "-v", "error", "-f", "x11grab", "-video_size", "1400x900", "-i", display, "-frames:v", "1",
                 "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], env=desktop.env, capture_output=True, timeout=30).stdout
            picture = numpy.frombuffer(shot, numpy.uint8).reshape(900, 1400, 3).astype(int)
            return float((abs(picture - GREEN).max(axis=2) < 24).mean())

        wait_for("a matte", lambda: live.status()["showing"] == "scene")
        wait_for("the window", lambda: 0.2 < green() < 0.7)
        live.ctl("standby", "on")
        wait_for("the standby frame", lambda: green() > 0.7)
    finally:
        if live:
            live.stop()
        del desktop.env["DISPLAY"]
        screen.terminate()
        screen.wait(timeout=20)


def starts_and_stops(desktop, backdrop):
    for _ in range(10):
        live = Live(desktop, backdrop, *arguments())
        assert len(frames(gst(desktop, 3))) == 3
        live.stop()


def soak(desktop, backdrop, minutes=float(os.environ.get("BACKDROP_SOAK_MINUTES", "1.5"))):
    """Memory and descriptors must not grow while readers come and go and backgrounds change."""
    live = Live(desktop, backdrop, *arguments("--always-on"))
    folder = pathlib.Path("/proc") / str(live.process.pid)

    def memory():
        fields = (folder / "status").read_text().split("VmRSS:")[1].split()
        return int(fields[0])

    def descriptors():
        return len(list((folder / "fd").iterdir()))

    try:
        end = time.monotonic() + minutes * 60
        first = None
        round_ = 0
        while time.monotonic() < end:
            frames(gst(desktop, 15))
            for name in ("scene:dunes", "blur", "#00A000"):
                live.ctl("background", name)
            round_ += 1
            if round_ == 5:
                first = (memory(), descriptors())
        last = (memory(), descriptors())
        status = live.status()
        print(f"  {round_} readers; memory {first[0]} → {last[0]} kB, descriptors {first[1]} → {last[1]}; {status['dropped']} dropped")
        assert last[0] < first[0] * 1.1 + 8192, "memory grows"
        assert last[1] <= first[1] + 4, "descriptors grow"
    finally:
        live.stop()


PARTS = [
    camera_sleeps_until_watched, gstreamer_reads, two_readers_come_and_go, chromium_sees_it, firefox_sees_it, latency,
    studio_button, verdicts, preview_window, service_restarts, starts_and_stops, soak, *machine_microphone.PARTS,
]


def main():
    backdrop = str(pathlib.Path(sys.argv[1]).resolve())
    desktop = Desktop()
    try:
        desktop.start()
        return run_parts(PARTS, sys.argv[2:], desktop, backdrop)
    finally:
        desktop.stop()


if __name__ == "__main__":
    sys.exit(main())
