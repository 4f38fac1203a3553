"""Tests `backdrop studio` in a headless Chromium: every control must have its effect on the displayed pixels.

    python test_studio.py BACKDROP [PART…]

Each part is a function with its own page; the script prints the names of failed parts at the end. The tests wait for results, so they do
not depend on the machine's speed.
"""

import contextlib
import io
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Live"))

from common import run_parts
import depth_workspace
import first_minute
import layout
import microphone
import photo_workspace
import stored_files
import video_workspace
import webcam as webcams
from studio_page import CHROMIUM, FLAGS, WAIT, Server, Studio

GREEN = "#00a000"


def is_green(pixel):
    return bool(abs(pixel[0]) < 40 and abs(pixel[1] - 160) < 40 and abs(pixel[2]) < 40)


def green(studio):
    studio.first().say(do="background", value=GREEN)
    studio.until("the corner is green", lambda: is_green(studio.canvas()[6, 6]))


def live_backgrounds(browser, server):
    studio = Studio(browser, server).first()
    green(studio)
    # Until the first matte the studio shows only the background.
    studio.until("the person is there", lambda: not is_green(studio.canvas()[200, 320]))
    studio.page.click("#live-backgrounds [data-name='scene:dunes']")
    studio.until("dunes are behind", lambda: not is_green(studio.canvas()[6, 6]))
    dunes = studio.canvas()[6, 6]
    # A swipe down selects the next background, like the arrow keys; a short swipe does nothing.
    box = studio.page.locator("#live-stage").bounding_box()
    def name():
        return studio.page.get_attribute("#live-backgrounds [aria-selected=true]", "data-name")
    def swipe(length):
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        studio.page.mouse.move(x, y)
        studio.page.mouse.down()
        for step in range(1, 6):
            studio.page.mouse.move(x, y + length * step / 5)
            studio.page.wait_for_timeout(80)
        studio.page.mouse.up()
    studio.until("dunes are chosen", lambda: name() == "scene:dunes")
    swipe(box["height"] * 0.08)
    studio.page.wait_for_timeout(700)
    assert name() == "scene:dunes", f"a short swipe took {name()}"
    swipe(box["height"] * 0.4)
    studio.until("the swipe took the next", lambda: name() == "scene:loft")
    studio.until("the picture changed", lambda: bool(abs(studio.canvas()[6, 6] - dunes).max() > 12))
    studio.page.wait_for_timeout(900)
    studio.page.keyboard.press("ArrowUp")
    studio.until("arrow up went back", lambda: name() == "scene:dunes")
    studio.page.click("#undo")
    studio.until("undo", lambda: name() == "scene:loft")
    studio.close()


def live_upload(browser, server):
    studio = Studio(browser, server).first()
    picture = io.BytesIO()
    Image.new("RGB", (320, 180), (200, 0, 0)).save(picture, "PNG")
    studio.page.set_input_files("#background-file", {"name": "red.png", "mimeType": "image/png", "buffer": picture.getvalue()})
    studio.until("the corner is red", lambda: bool((abs(studio.canvas()[6, 6] - [200, 0, 0]) < 40).all()))
    studio.page.wait_for_selector("#live-backgrounds [title='red.png']")
    studio.page.set_input_files("#background-file", {"name": "x.png", "mimeType": "image/png", "buffer": b"no picture"})
    studio.page.wait_for_selector(".toast")
    studio.close()


def live_looks(browser, server):
    studio = Studio(browser, server).first()
    green(studio)
    before = None
    for look in ["sharp", "soft", "hologram", "halo", "backdrop"]:
        studio.page.click(f"#live-looks [data-id={look}]")
        studio.until(look, lambda: studio.pressed(f"#live-looks [data-id={look}]", "aria-checked"))
        if before is not None:
            studio.until(f"{look} changes something", lambda: bool(abs(studio.canvas()[200] - before).mean() > 0.2))
        before = studio.canvas()[200]
    def keeps():
        """The share of the picture that is not background."""
        picture = studio.canvas()
        return float((abs(picture - [0, 160, 0]).max(axis=2) > 60).mean())
    # With a wide edge, the exponent determines how much of it is visible.
    studio.page.click("#live-looks [data-id=hologram]")
    studio.until("hologram", lambda: studio.pressed("#live-looks [data-id=hologram]", "aria-checked"))
    studio.watch(30)
    usual = keeps()
    studio.slide("#live-sliders input[data-name=gamma]", 0.1)
    studio.until("a low gamma keeps more", lambda: keeps() > usual + 0.02 or (keeps(), usual))
    studio.page.keyboard.press("Control+z")
    studio.until("undo", lambda: abs(keeps() - usual) < 0.02 or (keeps(), usual))
    studio.slide("#live-sliders input[data-name=margin]", 0.95)
    studio.until("a wide margin keeps more, or all and so the standby frame", lambda: abs(keeps() - usual) > 0.02 or keeps())
    studio.page.dblclick("#live-sliders input[data-name=margin]")
    studio.until("a double click puts it back", lambda: abs(keeps() - usual) < 0.02 or keeps())
    assert studio.page.locator(".toast").count() == 0, studio.page.inner_text(".toast")
    studio.close()


def live_edges(browser, server):
    """The sliders for edge refinement, temporal smoothing and the background's light change the picture."""
    recording = server.folder / "still"
    subprocess.run(
        [server.backdrop, "record", "sim:talking?size=640x360", "--frames", "1", "-o", str(recording)], check=True,
        stderr=subprocess.DEVNULL)
    picture = next((recording / "rgb").iterdir())
    studio = Studio(browser, server).first()
    studio.say(do="look", value="backdrop")
    green(studio)
    # A picture as the camera: only a slider can cause a change.
    studio.page.set_input_files("#camera-file", str(picture))
    def change(before, after):
        return float(abs(after - before).mean())
    def still():
        """Waits until the picture stops changing; returns it."""
        pictures = [studio.canvas()]
        def is_still():
            studio.watch(12)
            pictures.append(studio.canvas())
            moved = change(*pictures[-2:])
            return not is_green(pictures[-1][200, 320]) and moved < 0.01 or moved
        studio.until("nothing moves", is_still)
        return pictures[-1]
    def moves(what, name, part):
        before = still()
        studio.slide(f"#live-edges input[data-name={name}]", part)
        studio.until(what, lambda: change(before, studio.canvas()) > 0.1 or change(before, studio.canvas()))
    moves("edges as the network sees them", "refine", 0)
    moves("edges as the picture has them", "refine", 1)
    moves("light of the background", "light-wrap", 0.6)
    # The same picture with noise makes the network's mattes flicker, and smoothing reduces the flicker.
    random = numpy.random.default_rng(7)
    still = numpy.asarray(Image.open(picture).convert("RGB")).astype(float)
    def noisy():
        blocks = random.normal(0, 8, (still.shape[0] // 4, still.shape[1] // 4, 1))
        return numpy.clip(still + numpy.kron(blocks, numpy.ones((4, 4, 1))), 0, 255).astype("uint8").tobytes()
    clip = server.folder / "noise.mkv"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{still.shape[1]}x{still.shape[0]}", "-r", "15",
         "-i", "-", "-c:v", "ffv1", "-pix_fmt", "yuv420p", str(clip)], input=b"".join(noisy() for _ in range(16)), check=True)
    studio.page.set_input_files("#camera-file", str(clip))
    studio.slide("#live-edges input[data-name=refine]", 0)
    studio.page.click("#live .views [data-view=matte]")
    def flicker():
        """The mean standard deviation of the matte's pixels over 16 different pictures."""
        pictures = [studio.canvas()]
        def has_moved():
            picture = studio.canvas()
            if (picture != pictures[-1]).any():
                pictures.append(picture)
            return len(pictures) >= 16 or len(pictures)
        studio.until("the matte moves", has_moved)
        return float(numpy.stack(pictures).std(axis=0).mean())
    studio.slide("#live-edges input[data-name=smooth]", 0)
    studio.watch(30)
    rough = flicker()
    studio.slide("#live-edges input[data-name=smooth]", 1)
    studio.until("smoothing makes it calm", lambda: flicker() < rough * 0.6 or (flicker(), rough))
    studio.slide("#live-edges input[data-name=smooth]", 0)
    studio.until("without it flickers again", lambda: flicker() > rough * 0.7 or (flicker(), rough))
    for name in ["refine", "smooth", "light-wrap"]:
        studio.page.dblclick(f"#live-edges input[data-name={name}]")
    studio.page.select_option("#live-source", label="Someone talks in a living room")
    assert studio.page.locator(".toast").count() == 0, studio.page.inner_text(".toast")
    studio.close()


def live_parameters(browser, server):
    """Each slider of each look sets its parameter and resets it, or is disabled and gives the reason. Each
    enabled one changes the picture."""
    recording = server.folder / "still-parameters"
    subprocess.run(
        [server.backdrop, "record", "sim:talking?size=640x360", "--frames", "1", "-o", str(recording)], check=True,
        stderr=subprocess.DEVNULL)
    picture = next((recording / "rgb").iterdir())
    studio = Studio(browser, server).first()
    green(studio)
    studio.page.set_input_files("#camera-file", str(picture))
    studio.page.evaluate("""async () => {
      const { on } = await import("/socket.js");
      on("state", ({ status }) => { globalThis.parameters = status.parameters; });
    }""")
    for look in studio.page.eval_on_selector_all("#live-looks button", "all => all.map(one => one.dataset.id)"):
        studio.page.click(f"#live-looks button[data-id={look}]")
        studio.until(look, lambda: studio.pressed(f"#live-looks button[data-id={look}]", "aria-checked"))
        studio.watch(12)
        for name in studio.page.eval_on_selector_all("#live-sliders input", "all => all.map(one => one.dataset.name)"):
            slider = f"#live-sliders input[data-name={name}]"
            if studio.page.is_disabled(slider):
                reason = studio.page.get_attribute(f"#live-sliders .slider:has(input[data-name={name}])", "title")
                assert reason.startswith("No effect at the moment: "), (look, name, reason)
                continue
            def value():
                return studio.page.evaluate("name => parameters[name] ?? null", name)
            unset, usual, tries = value(), studio.canvas(), itertools.cycle([0, 1, 0.5])
            def is_changed():
                return studio.page.locator(f"#live-sliders .slider.changed:has(input[data-name={name}])").count() > 0
            def is_set():
                studio.slide(slider, next(tries))
                studio.watch(4)
                # Still areas move by at most 2.
                return bool(abs(studio.canvas() - usual).max() > 4)
            studio.until(f"{name} of {look}", is_set)
            # The state comes later than the picture.
            studio.until(f"the state has the {name} of {look}", lambda: value() != unset)
            last = value()
            studio.page.dblclick(slider)
            studio.until(f"{name} of {look} is reset", lambda: value() != last and not is_changed())
            studio.watch(6)
    studio.say(do="look", value="backdrop")
    studio.page.select_option("#live-source", label="Someone talks in a living room")
    studio.close()


def controls(browser, server):
    """Each kind of parameter has its control, which shows the value, and the reason if it has no effect."""
    studio = Studio(browser, server).first()
    number = {"kind": "number", "summary": "How much", "unit": "m", "minimum": 0, "maximum": 2, "default": 1}
    ways = {"kind": "choice", "summary": "Which", "choices": [{"name": "one-way", "summary": "a"}, {"name": "both", "summary": "b"}]}
    parameters = [
        dict(number, name="plain"), dict(number, name="found", automatic="subject"),
        dict(number, name="turns", unit="", minimum=-1, maximum=2, default=0, whole=True),
        {"name": "lit", "kind": "toggle", "summary": "Whether", "default": True},
        {"name": "flicker", "kind": "toggle", "summary": "Whether", "automatic": "in storms"},
        dict(ways, name="way", default="both"), dict(ways, name="other-way", automatic="as it comes"),
        {"name": "tint", "kind": "color", "summary": "Which", "default": "#00FF00"},
        {"name": "label", "kind": "text", "summary": "What", "default": "lamp"},
    ]
    parameters = [dict(one, title=one["name"].replace("-", " ").capitalize()) for one in parameters]
    studio.page.evaluate(
        """async (parameters) => {
          const { control } = await import("/controls.js");
          globalThis.tried = { values: {}, boxes: {} };
          const group = Object.assign(document.createElement("div"), { id: "tried" });
          document.querySelector("#live .panel").prepend(group);
          group.append(...parameters.map((one) => tried.boxes[one.name] = control(one, null, (value) => { tried.values[one.name] = value; })));
        }""", parameters)
    page, group = studio.page, "#tried"
    def said(name):
        value = page.evaluate("name => tried.values[name] === undefined ? 'nothing' : tried.values[name]", name)
        page.evaluate("name => { delete tried.values[name]; }", name)
        return value
    def is_changed(name):
        return page.evaluate("name => tried.boxes[name].classList.contains('changed')", name)
    def named(name):
        return f"{group} [data-name={name}]"
    assert page.locator(f"{group} .changed").count() == 0, "what is not set looks changed"
    assert page.inner_text(f"{group} label >> nth=6") == "Other way"
    # Numbers: a click edits them, a double click resets them, to the engine's automatic value if there is one.
    assert page.evaluate("tried.boxes.plain.querySelector('output').textContent") == "1 m"
    for name, usual in [("plain", 1), ("found", None)]:
        studio.slide(named(name), 1)
        assert said(name) == 2 and is_changed(name)
        page.dblclick(named(name))
        assert said(name) == usual and not is_changed(name), name
    assert page.evaluate("tried.boxes.found.querySelector('output').textContent") == "subject"
    page.focus(named("turns"))
    for expected in [1, 2, 2]:
        page.keyboard.press("ArrowRight")
        assert page.evaluate("tried.values.turns") == expected, "whole numbers go one by one"
    # Switches with two or three states.
    assert page.is_checked(named("lit"))
    page.uncheck(named("lit"))
    assert said("lit") is False and is_changed("lit")
    for option, value in [("on", True), ("off", False), ("", None)]:
        page.select_option(named("flicker"), option)
        assert said("flicker") is value and is_changed("flicker") == (value is not None)
    # Choices.
    assert page.input_value(named("way")) == "both"
    page.select_option(named("way"), "one-way")
    assert said("way") == "one-way" and is_changed("way")
    page.dblclick(f"{group} .setting:has([data-name=way]) label")
    assert said("way") == "both" and page.input_value(named("way")) == "both" and not is_changed("way")
    assert page.inner_text(f"{named('other-way')} option:first-child") == "Automatic: as it comes"
    # Colours and texts.
    assert page.input_value(named("tint")) == "#00ff00"
    page.fill(named("tint"), "#ff0000")
    assert said("tint") == "#FF0000" and is_changed("tint")
    page.fill(named("label"), "shade")
    page.keyboard.press("Enter")
    assert said("label") == "shade"
    # The control shows another page's change without sending it.
    for name, value in [("plain", 0.5), ("flicker", False), ("way", "one-way"), ("tint", "#0000FF")]:
        page.evaluate("([name, value]) => tried.boxes[name].show(value)", [name, value])
        assert said(name) == "nothing" and is_changed(name), name
    assert page.input_value(named("flicker")) == "off" and page.input_value(named("tint")) == "#0000ff"
    # A setting without effect gives the reason.
    why = "there is no depth"
    def explained(name):
        """The description that screen readers read for the control."""
        return page.evaluate("s => document.getElementById(document.querySelector(s).getAttribute('aria-describedby'))?.textContent ?? null", named(name))
    for one in parameters:
        name = one["name"]
        page.evaluate("([name, why]) => tried.boxes[name].explain(why)", [name, why])
        assert page.is_disabled(named(name)) and explained(name) == why, name
        assert page.evaluate("name => tried.boxes[name].title", name) == why
        page.evaluate("name => tried.boxes[name].explain(null)", name)
        assert page.is_enabled(named(name)) and explained(name) is None
        assert page.evaluate("name => tried.boxes[name].title", name).startswith(one["summary"])
    studio.close()


def live_tools(browser, server):
    studio = Studio(browser, server).first()
    green(studio)
    # Compare: the real background left of the line, the background right of it.
    studio.page.click("#live-compare")
    studio.until("before and after", lambda: not is_green(studio.canvas()[6, 6]) and is_green(studio.canvas()[6, -6]))
    studio.page.evaluate("() => { const d = document.querySelector('#live-divider'); d.value = 0; }")
    studio.until("the line is at the left", lambda: is_green(studio.canvas()[6, 20]))
    studio.page.keyboard.press("b")
    studio.until("compare is off", lambda: not studio.pressed("#live-compare"))
    # Freeze: the picture does not change.
    studio.page.click("#live-freeze")
    studio.until("frozen", lambda: studio.pressed("#live-freeze"))
    studio.page.wait_for_timeout(500)
    held = studio.canvas()
    studio.page.wait_for_timeout(800)
    assert (studio.canvas() == held).all(), "a frozen picture moves"
    studio.page.keyboard.press("f")
    studio.until("it moves again", lambda: not (studio.canvas() == held).all())
    # Mirror: the camera's picture is closer to the old picture mirrored than to the old picture.
    def camera():
        return studio.canvas("#live .views [data-view=input] canvas")
    old = camera()
    studio.page.click("#live-mirror")
    def is_mirrored():
        new = camera()
        return bool(abs(new - old[:, ::-1]).mean() < abs(new - old).mean() * 0.7)
    studio.until("mirrored", is_mirrored)
    studio.page.click("#undo")
    studio.until("undo", lambda: not studio.pressed("#live-mirror"))
    # Hide me: the person disappears at once.
    studio.page.click("#live-standby")
    studio.until("nobody is there", lambda: is_green(studio.canvas()[200, 320]))
    studio.until("it says so", lambda: "hidden" in studio.page.inner_text("#live-notice"))
    studio.page.click("#live-notice button")
    studio.until("somebody is there", lambda: not is_green(studio.canvas()[200, 320]))
    # The small pictures swap places with the large one.
    studio.page.click("#live .views [data-view=matte]")
    def is_gray():
        picture = studio.canvas()
        return bool(abs(picture - picture.mean(axis=2, keepdims=True)).max() < 12)
    studio.until("the matte is large", is_gray)
    studio.page.click("#live .views [data-view=depth]")
    def is_red():
        picture = studio.canvas()
        red, _, blue = picture[-20, picture.shape[1] // 2]
        return bool(red > 180 and red - blue > 100)
    studio.until("depth is large: a red person", is_red)
    studio.page.click("#live .views [data-view=depth]")
    studio.until("the result is large", lambda: is_green(studio.canvas()[6, 6]))
    studio.close()


def live_files(browser, server):
    studio = Studio(browser, server).first()
    # The studio takes no photo of the standby frame, which it shows first.
    green(studio)
    studio.until("the person is there", lambda: not is_green(studio.canvas()[200, 320]))
    with studio.page.expect_download() as download:
        studio.page.click("#live-snapshot")
        studio.page.click(".toast a")
    data = pathlib.Path(download.value.path()).read_bytes()
    assert data[:3] == b"\xff\xd8\xff" and download.value.suggested_filename.startswith("backdrop-")
    studio.page.keyboard.press("r")
    studio.until("recording", lambda: studio.pressed("#live-record"))
    shown = studio.page.evaluate("studio.live.shown")
    studio.until_true("some pictures are recorded", f"studio.live.shown > {shown + 15}")
    with studio.page.expect_download() as download:
        studio.page.click("#live-record")
        studio.page.click(".toast a[download$=mp4]")
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=width,nb_read_frames", "-of", "csv=p=0",
         download.value.path()], capture_output=True, text=True)
    width, frames = probe.stdout.strip().split("\n")[0].split(",")
    assert int(width) == 640 and int(frames) > 10, probe.stdout + probe.stderr
    studio.close()


def setup_in_the_address(browser, server):
    studio = Studio(browser, server, "#look=halo&p.radius=12&background=scene:dunes").first()
    studio.until("the look", lambda: studio.pressed("#live-looks [data-id=halo]", "aria-checked"))
    studio.until("the parameter", lambda: studio.page.inner_text("#live-sliders [data-name=radius] output") == "12 px")
    studio.until("the background", lambda: studio.pressed("#live-backgrounds [data-name='scene:dunes']", "aria-selected"))
    studio.until("the address has it all", lambda: all(word in studio.address() for word in ["look=halo", "p.radius=12", "scene:dunes"]) or studio.address())
    # The browser stays signed in, so the bookmark works without a link.
    studio.page.goto(studio.address())
    studio.page.reload()
    studio.first()
    studio.until("still there", lambda: studio.pressed("#live-looks [data-id=halo]", "aria-checked"))
    studio.say(do="look", value="backdrop")
    studio.close()


def the_address_follows(browser, server):
    """The address names the present choice, however often the studio reports its state, and even if the page is left at once."""
    studio = Studio(browser, server).first()
    studio.page.evaluate("() => { globalThis.changing = setInterval(() => studio.say({ do: 'mirror' }), 50); }")
    for look in ["sharp", "halo"]:
        studio.page.click(f"#live-looks [data-id={look}]")
        studio.until("the address has it", lambda: f"look={look}" in studio.address() or studio.address(), seconds=20)
    studio.page.evaluate("clearInterval(changing)")
    studio.say(do="mirror", value=False)
    studio.until("it is not mirrored", lambda: "mirror" not in studio.address())
    # A change within 300 ms of another waits for their end.
    studio.page.wait_for_timeout(400)
    studio.page.evaluate(
        """async () => {
          const { on } = await import("/socket.js");
          globalThis.isOld = true;
          on("state", ({ status }) => { if (status.look === "soft" && isOld) { isOld = false; location.reload(); } });
        }""")
    with studio.page.expect_event("load"):
        studio.page.click("#live-looks [data-id=soft]")
    studio.first()
    studio.until("still soft", lambda: studio.pressed("#live-looks [data-id=soft]", "aria-checked"))
    studio.until("and in the address", lambda: "look=soft" in studio.address() or studio.address())
    studio.say(do="look", value="backdrop")
    studio.close()


def unknown_names(browser, server):
    """Values of the address that mean nothing have no effect, even names that every object has, and numbers that are none."""
    studio = Studio(browser, server).first()
    page = studio.page
    def open_with(setup):
        # The open page would write its own setup into the address.
        page.goto("about:blank")
        page.goto(f"http://127.0.0.1:{server.port}/#{setup}")
    for name in ["constructor", "__proto__", "toString"]:
        page.evaluate("name => localStorage.setItem('backdrop-theme', name)", name)
        open_with(f"room={name}&look={name}&background={name}&p.{name}=1&p.radius=many")
        studio.first()
        assert page.locator("#live").is_visible() and studio.pressed("#tab-live", "aria-selected"), name
        assert page.evaluate("document.documentElement.dataset.theme") == "dark", "the theme does not follow the system"
        studio.until("it is forgotten", lambda: name not in studio.address() or studio.address())
        assert page.locator(".toast").count() == 0, page.inner_text("#toasts")
    page.evaluate("localStorage.clear()")
    for name in ["valueOf", "-1e999"]:
        open_with(f"room=depth&view={name}&near={name}&far={name}&mix={name}&tint={name}&size={name}")
        studio.until("colours", lambda: bool(studio.canvas("#depth-flat").max() > 100))
        ticks = [float(one.split()[0]) for one in page.eval_on_selector_all("#depth-ticks span", "all => all.map(one => one.textContent)")]
        assert ticks == sorted(ticks) and 0 < ticks[0] < ticks[-1], ticks
        open_with(f"room=photos&effect=refocus&e.radius={name}")
        page.click("#photo-sample")
        studio.until("it is drawn", lambda: page.get_attribute("#photo-canvas", "data-size") == "fine")
        open_with(f"room=photos&effect={name}&e.{name}={name}")
        page.wait_for_selector("#photo-choose:visible")
        open_with(f"room=video&clip={name}")
        page.wait_for_selector("#video:visible")
        studio.until_true("it is connected", "studio.line.isOpen")
        assert page.locator(".toast").count() == 0, page.inner_text("#toasts")
    studio.close()


def webcam(browser, server):
    """The browser's own camera goes to the studio and comes back."""
    clip = server.folder / "purple.y4m"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=0x8020a0:size=640x360:rate=30", "-t", "1", "-pix_fmt", "yuv420p",
         str(clip)], check=True)
    with own_browser([
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", f"--use-file-for-fake-video-capture={clip}"
    ]) as other:
        studio = Studio(other, server, permissions=["camera"]).first()
        studio.page.select_option("#live-source", "browser:")
        # The clip contains no person, so the result is the standby frame. The camera's picture appears small and large.
        studio.until(
            "the clip is what the camera sees",
            lambda: bool((abs(studio.canvas("#live .views [data-view=input] canvas")[60, 100] - [0x80, 0x20, 0xA0]) < 30).all())
            or str(studio.canvas("#live .views [data-view=input] canvas")[60, 100]))
        studio.page.select_option("#live-source", label="Someone talks in a living room")
        studio.close()
    studio = Studio(browser, server).first()
    studio.page.select_option("#live-source", "browser:")
    studio.until("it says what is wrong", lambda: studio.page.locator("#live-notice button").is_visible()
                 and studio.page.inner_text("#live-notice button") == "Try again")
    studio.page.select_option("#live-source", label="Someone talks in a living room")
    studio.until("it goes on", lambda: not studio.page.locator("#live-notice").is_visible())
    studio.close()


def depth_flat(browser, server):
    studio = Studio(browser, server, "#room=depth")
    flat = "#depth-flat"
    studio.until("near is red", lambda: bool(studio.canvas(flat)[-20, 480][0] > 150 and studio.canvas(flat)[-20, 480][2] < 90))
    studio.until("far is not", lambda: bool(studio.canvas(flat)[20, 20][0] < 90))
    studio.page.click("#depth-raw")
    studio.until("raw depth has holes, in black", lambda: bool((studio.canvas(flat).max(axis=2) < 6).mean() > 0.01))
    studio.until("the address says so", lambda: "raw=1" in studio.address() or studio.address())
    studio.page.click("#depth-filtered")
    studio.until("filtered depth has none", lambda: bool((studio.canvas(flat).max(axis=2) < 6).mean() < 0.01))
    box = studio.page.locator("#depth-stage").bounding_box()
    studio.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.8)
    studio.until("a distance is told", lambda: bool(re.fullmatch(r"0\.\d{3} m ± \d+(\.\d)? mm", studio.page.inner_text("#depth-reading")))
                 or studio.page.inner_text("#depth-reading"))
    near = float(studio.page.inner_text("#depth-reading").split()[0])
    # The simulated person sits 0.6 to 0.95 m away; the wall is at 2.7 m.
    assert 0.5 < near < 1, near
    studio.page.mouse.click(box["x"] + box["width"] * 0.04, box["y"] + box["height"] * 0.3)
    studio.until("the wall is far", lambda: float(studio.page.inner_text("#depth-reading").split()[0]) > 1.7)
    bars = studio.page.evaluate(
        "() => { const c = document.querySelector('#depth-histogram'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }")
    assert bars > 500, f"the histogram has {bars} pixels"
    reds = studio.canvas(flat)
    studio.slide("#depth-sliders input[data-name=mix]", 0)
    studio.until("the video is shown", lambda: bool(abs(studio.canvas(flat) - reds).mean() > 20))
    studio.slide("#depth-sliders input[data-name=mix]", 1)
    studio.slide("#depth-range input[data-name=far]", 0.25)
    studio.until("a nearer end is told", lambda: float(studio.page.inner_text("#depth-ticks span:last-child").split()[0]) < 2.5)
    studio.close()


def depth_cloud(browser, server):
    studio = Studio(browser, server, "#room=depth&view=3d")
    stage = "#depth-cloud"
    studio.until_true("points", "window.studio?.depth?.cloud?.count > 0")
    studio.page.click("#depth-home")
    studio.page.click("#depth-freeze")
    studio.until("frozen", lambda: studio.pressed("#depth-freeze"))
    studio.page.wait_for_timeout(600)
    home = studio.shot(stage)
    assert (home.max(axis=2) > 60).mean() > 0.3, "there are few points"
    box = studio.page.locator(stage).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    def differs(other, least=3):
        return bool(abs(studio.shot(stage) - other).mean() > least)
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 160, y + 30, steps=6)
    studio.page.mouse.up()
    studio.until("dragging turns it", lambda: differs(home))
    turned = studio.shot(stage)
    studio.page.mouse.wheel(0, 300)
    studio.until("the wheel zooms", lambda: differs(turned))
    studio.page.wait_for_timeout(400)
    studio.page.mouse.dblclick(x, y)
    studio.until("a double click resets", lambda: not differs(home, 2))
    studio.page.click("#depth-orbit")
    studio.until("it turns by itself", lambda: differs(home))
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + 20, y, steps=4)
    studio.page.mouse.up()
    studio.until("until it is touched", lambda: not studio.pressed("#depth-orbit"))
    studio.page.click("#depth-home")
    studio.slide("#depth-points input[data-name=size]", 0.95)
    studio.until("points grow", lambda: differs(home, 1))
    studio.slide("#depth-points input[data-name=tint]", 1)
    studio.until("colours of distances", lambda: differs(home, 15))
    for kind, head in [("ply", b"ply\n"), ("glb", b"glTF")]:
        with studio.page.expect_download() as download:
            studio.page.click(f"#depth-{kind}")
        assert pathlib.Path(download.value.path()).read_bytes().startswith(head), kind
    studio.page.click("#depth-freeze")
    studio.until("it moves again", lambda: not studio.pressed("#depth-freeze"))
    # Two fingers move and zoom.
    zoom = studio.page.evaluate("studio.depth.cloud.zoom")
    studio.page.evaluate(
        """() => { const c = document.querySelector('#depth-cloud'); c.setPointerCapture = () => {};
        const send = (type, id, x, y) => c.dispatchEvent(new PointerEvent(type, {pointerId: id, clientX: x, clientY: y, pointerType: 'touch', bubbles: true}));
        send('pointerdown', 11, 300, 300); send('pointerdown', 12, 400, 300);
        send('pointermove', 12, 500, 300); send('pointermove', 12, 600, 320); send('pointerup', 11, 300, 300); send('pointerup', 12, 600, 320); }""")
    assert studio.page.evaluate("studio.depth.cloud.zoom") > zoom * 1.5
    studio.close()


def several_tabs(browser, server):
    tabs = [Studio(browser, server).first() for _ in range(4)]
    before = [tab.page.evaluate("studio.live.shown") for tab in tabs]
    for tab, old in zip(tabs, before):
        tab.until("it goes on in all tabs", lambda: tab.page.evaluate("studio.live.shown") > old + 5)
    tabs[0].page.click("#live-looks [data-id=halo]")
    tabs[3].until("what one does the others see", lambda: tabs[3].pressed("#live-looks [data-id=halo]", "aria-checked"))
    tabs[0].say(do="look", value="backdrop")
    for tab in tabs:
        tab.close()


def comes_back(browser, server):
    studio = Studio(browser, server).first()
    server.stop(signal.SIGKILL)
    studio.until("the page says that it waits", lambda: studio.page.locator("#reconnecting").is_visible())
    server.start()
    # Another studio has the port, and does not know the page's session.
    studio.page.wait_for_selector("#login[open]")
    shown = studio.page.evaluate("studio.live.shown")
    studio.page.fill("#login-secret", server.link())
    studio.page.keyboard.press("Enter")
    studio.until("it goes on", lambda: studio.page.evaluate("studio.live.shown") > shown + 5)
    studio.close()


def the_login(browser, server):
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(f"http://127.0.0.1:{server.port}/enter?code=wrong")
    page.wait_for_selector("#login[open]")
    page.fill("#login-secret", "nothing")
    page.keyboard.press("Enter")
    page.wait_for_selector(".toast")
    page.wait_for_selector("#login[open]")
    page.fill("#login-secret", server.link())
    page.keyboard.press("Enter")
    end = time.monotonic() + 60
    while not page.evaluate("window.studio?.live.first != null"):
        assert time.monotonic() < end, "the login stays shut"
        time.sleep(0.1)
    context.close()


def nothing_lasts(browser, server):
    """A link works once: neither the address nor history nor storage keep anything that opens the studio."""
    link = server.link()
    studio = Studio(browser, server)
    studio.page.goto(link)
    studio.first()
    assert studio.address().split("#")[0] == f"http://127.0.0.1:{server.port}/", studio.address()
    assert studio.page.evaluate("document.cookie") == "", "a script can read the session"
    kept = studio.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "code" not in kept and not re.search("[a-z0-9]{26}", kept), kept
    [cookie] = studio.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["expires"] == -1, cookie
    assert cookie["value"] not in studio.page.content()
    # In another browser the link does not work again.
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.wait_for_selector("#login[open]")
    context.close()
    studio.close()


def another_page_leads_nowhere(browser, server):
    """A page of another origin, even on this machine, can neither read nor open the studio, nor change it through a link."""
    folder = server.folder / "elsewhere"
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text("<a id=a>there</a>")
    other = subprocess.Popen(
        [sys.executable, "-I", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        port = int(re.search(r"port (\d+)", other.stdout.readline()).group(1))
        studio = Studio(browser, server).first()
        studio.say(do="look", value="backdrop")
        evil = studio.context.new_page()
        evil.goto(f"http://127.0.0.1:{port}/")
        own = f"http://127.0.0.1:{server.port}"
        seen = evil.evaluate(
            """async own => { const seen = [];
              for (const path of ["/", "/api/saved/x", "/studio.css"]) try { seen.push((await fetch(own + path, {credentials: "include"})).status); } catch { seen.push("blocked"); }
              seen.push(await new Promise(done => { const socket = new WebSocket(own.replace("http", "ws") + "/api/socket"); socket.onopen = () => done("open"); socket.onerror = () => done("blocked"); }));
              return seen; }""", own)
        assert set(seen) == {"blocked"}, seen
        evil.evaluate("to => { document.getElementById('a').href = to; }", f"{own}/enter?code=wrong#look=halo")
        evil.click("#a")
        evil.wait_for_timeout(1500)
        assert not studio.pressed("#live-looks [data-id=halo]", "aria-checked"), "a link changed the look"
        evil.close()
        studio.close()
    finally:
        other.terminate()
        other.wait(timeout=30)


def shapes_and_names(browser, server):
    for width, height, theme in [(360, 740, "light"), (768, 1024, "dark"), (2200, 1200, "light")]:
        studio = Studio(browser, server, viewport={"width": width, "height": height}, color_scheme=theme)
        studio.first()
        for workspace in ["depth", "photos", "live"]:
            studio.page.click(f"#tab-{workspace}")
            studio.page.wait_for_timeout(250)
            over = studio.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, f"{workspace} is {over} pixels too wide at {width}"
            nameless = studio.page.evaluate(
                """() => [...document.querySelectorAll('button, input, select, a, canvas[role=img]')].filter(e => e.checkVisibility() &&
                !(e.ariaLabel || e.innerText?.trim() || e.title || e.labels?.length || e.closest('label'))).map(e => e.outerHTML.slice(0, 120))""")
            assert not nameless, f"without a name: {nameless}"
            if width < 900:
                low = studio.page.evaluate(
                    "() => [...document.querySelectorAll('button')].filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 32).map(e => e.outerHTML.slice(0, 120))")
                assert not low, f"too low for a finger: {low}"
        ground = studio.page.evaluate("getComputedStyle(document.body).backgroundColor")
        studio.page.click("#theme")
        assert studio.page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
        studio.page.keyboard.press("3")
        studio.until("keys open workspaces", lambda: studio.page.locator("#photos").is_visible())
        studio.page.keyboard.press("?")
        studio.page.wait_for_selector("#keys[open]")
        studio.close()


@contextlib.contextmanager
def own_browser(flags):
    browser = PLAYWRIGHT.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS + flags)
    try:
        yield browser
    finally:
        browser.close()


PARTS = [
    live_backgrounds, live_upload, live_looks, live_parameters, controls, live_edges, live_tools, live_files, setup_in_the_address, the_address_follows, unknown_names, webcam, depth_flat, depth_cloud,
    several_tabs, comes_back, the_login, nothing_lasts, another_page_leads_nowhere, shapes_and_names,
    *photo_workspace.PARTS, *video_workspace.PARTS, *first_minute.PARTS, *depth_workspace.PARTS, *microphone.PARTS, *webcams.PARTS,
    *stored_files.PARTS, *layout.PARTS,
]


def main():
    global PLAYWRIGHT
    backdrop, *names = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as PLAYWRIGHT, own_browser([]) as browser:
        server = Server(str(pathlib.Path(backdrop).resolve()), pathlib.Path(folder))

        given = set(server.folder.iterdir())

        def clear():
            # The next part begins with a studio without settings and without the failed part's files.
            for context in browser.contexts:
                context.close()
            if server.process.poll() is None:
                server.stop()
            else:
                print(server.process.stderr.read()[:4000])
            for made in set(server.folder.iterdir()) - given | {server.folder / "state", server.folder / "out"}:
                shutil.rmtree(made) if made.is_dir() else made.unlink(missing_ok=True)
            server.start()

        status = run_parts(PARTS, names, browser, server, after_failure=clear)
        if server.process.poll() is None:
            server.stop()
            assert server.process.returncode in (0, 130, 143), f"the studio ended with {server.process.returncode}"
    return status


if __name__ == "__main__":
    sys.exit(main())
