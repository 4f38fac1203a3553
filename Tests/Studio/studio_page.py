"""A running studio and its page, for the parts of test_studio.py."""

import base64
import contextlib
import io
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

import numpy
from PIL import Image

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# WebGL without a graphics card.
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-gpu-compositing"]
WAIT = 60_000
# A folder with the page's files, for testing a change without a build; see CONTRIBUTING.md.
PAGE = os.environ.get("BACKDROP_STUDIO_PAGE")
if PAGE:
    # Chromium counts a file that a test serves as one of the internet, which may not use this machine.
    FLAGS = [*FLAGS, "--disable-features=LocalNetworkAccessChecks"]


def serve(route):
    """Serves a file of the page from that folder."""
    url, headers = route.request.url, route.request.headers
    own = re.match(r"http://[^/]*", url)[0]
    if not (headers.get("origin") or headers.get("referer") or own).startswith(own):
        # The studio itself must refuse other pages.
        return route.continue_()
    name = url.rsplit("/", 1)[1]
    if re.match(r"enter\?|$", name):
        # The answer has the page's cookie.
        return route.fulfill(response=route.fetch(), body=pathlib.Path(PAGE, "index.html").read_text())
    route.fulfill(path=os.path.join(PAGE, name), content_type={"js": "text/javascript", "css": "text/css"}[name.rsplit(".", 1)[1]])


class Server:
    """A running `backdrop studio`."""

    def __init__(self, backdrop, folder, arguments=("--camera", "sim:talking?size=640x360", "--size", "640x360"), env=os.environ):
        self.backdrop, self.folder, self.arguments, self.env = backdrop, folder, arguments, dict(env)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = None
        self.start()

    def start(self):
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [self.backdrop, "studio", "--no-open", "--port", str(self.port), "--folder", str(out), "--socket", str(self.folder / "ctl.sock"), *self.arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.env | {"XDG_STATE_HOME": str(self.folder / "state")},
        )
        self.first = self.process.stdout.readline().strip()
        assert self.first.startswith(f"http://127.0.0.1:{self.port}/enter?code="), self.process.stderr.read()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=30)

    def link(self):
        """A link that works once, from Return in the terminal."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


@contextlib.contextmanager
def own_server(server, *arguments, env=os.environ):
    """A separate studio with its own state, like a new user's."""
    with tempfile.TemporaryDirectory() as folder:
        own = Server(server.backdrop, pathlib.Path(folder), ["--size", "640x360", *arguments], env)
        try:
            yield own
        finally:
            if own.process.poll() is None:
                own.stop()


class Studio:
    """A page of the studio, with helpers for tests."""

    def __init__(self, browser, server, setup="", **options):
        options.setdefault("viewport", {"width": 1280, "height": 800})
        options.setdefault("color_scheme", "dark")
        self.server = server
        self.context = browser.new_context(accept_downloads=True, **options)
        if PAGE:
            self.context.route(re.compile(rf"^http://127\.0\.0\.1:{server.port}/([\w.-]+\.(js|css)|enter\?.*)?$"), serve)
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.errors, self.hosts = [], set()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.heard)
        self.page.on("request", lambda request: self.hosts.add(re.sub(r"^(\w+://[^/]+).*", r"\1", request.url)))
        self.page.goto(server.link() + setup)

    def heard(self, message):
        """Keeps what the browser says about the page itself; that an answer failed is the page's business."""
        if message.type == "error" and not re.match("Failed to load resource|WebSocket connection", message.text):
            self.errors.append(message.text)

    def first(self):
        self.until_true("the first picture", "window.studio?.live.first != null")
        return self

    def until_true(self, what, expression):
        """Polls an expression in the page, because Playwright's own waiting needs `eval`, which the page forbids."""
        self.until(what, lambda: bool(self.page.evaluate(expression)))

    def watch(self, pictures=8):
        """Waits for a number of pictures. A time would not be enough: on a slow machine there may be none in it."""
        end = self.page.evaluate("studio.live.shown") + pictures
        self.until_true(f"{pictures} more pictures", f"studio.live.shown >= {end}")

    def say(self, **message):
        self.page.evaluate("message => studio.say(message)", message)

    def address(self):
        """The page's address now; Playwright's own `url` changes only while another of its calls waits."""
        return self.page.evaluate("location.href")

    def canvas(self, selector="#live-canvas"):
        """The pixels of a 2D canvas, rows × columns × RGB."""
        data = self.page.evaluate("s => document.querySelector(s).toDataURL('image/png').split(',')[1]", selector)
        return numpy.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)

    def shot(self, selector):
        """The pixels of an element on the screen."""
        data = self.page.locator(selector).screenshot()
        return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)

    def until(self, what, check, seconds=60):
        end = time.monotonic() + seconds
        last = None
        while time.monotonic() < end:
            last = check()
            if last is True or last is numpy.True_:
                return
            # Unlike `time.sleep`, this also handles the page's requests that the test answers.
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{what}: {last}")

    def until_photo_rests(self):
        """Waits until the open photo is drawn at full quality."""
        self.until_true(
            "it is drawn", "document.querySelector('#photo-canvas').ariaBusy !== 'true' && document.querySelector('#photo-busy').hidden")

    def pressed(self, selector, attribute="aria-pressed"):
        return self.page.get_attribute(selector, attribute) == "true"

    def slide(self, selector, part):
        """Drags a slider to a part of its range, like a finger."""
        # Move it away from the bars that cover the page's ends.
        self.page.locator(selector).evaluate("one => one.scrollIntoView({block: 'end'})")
        box = self.page.locator(selector).bounding_box()
        self.page.mouse.click(box["x"] + 9 + (box["width"] - 18) * part, box["y"] + box["height"] / 2)

    def close(self):
        assert not self.errors, self.errors
        assert self.hosts == {f"http://127.0.0.1:{self.server.port}"}, f"other hosts were asked: {self.hosts}"
        self.context.close()


def violations(page):
    """The accessibility violations that axe finds in a page, one a line."""
    from axe_playwright_python.base import AXE_FILE_PATH

    page.evaluate(AXE_FILE_PATH.read_text())
    # Without motion, axe checks elements that fade in or out in their final state.
    page.emulate_media(reduced_motion="reduce")
    results = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    page.emulate_media(reduced_motion="no-preference")
    return [
        f"{one['id']}: {' '.join(map(str, node['target']))}: {' '.join(node['failureSummary'].split())}"
        for one in results for node in one["nodes"]]
