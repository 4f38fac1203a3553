"""Tests the Photos workspace with a user's actions: each part has its own page, and checks pixels and files."""

import io
import json
import pathlib
import re
import subprocess
import zipfile

import numpy
from PIL import Image

from studio_page import Studio, violations

CANVAS = "#photo-canvas"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def person(server, scene="talking"):
    """Creates a PNG of the simulated camera, without depth; returns its path."""
    folder = server.folder / f"still-{scene}"
    if not folder.exists():
        subprocess.run(
            [server.backdrop, "record", f"sim:{scene}?size=640x360", "--frames", "1", "-o", str(folder)], check=True,
            stderr=subprocess.DEVNULL)
    return next((folder / "rgb").iterdir())


class PhotoWorkspace(Studio):
    """The workspace with open photos."""

    def __init__(self, browser, server, *files, **options):
        super().__init__(browser, server, "#room=photos&effect=backdrop", **options)
        self.page.wait_for_selector("#photo-choose")
        self.until_true("looks are known", "document.querySelector('#photo-backgrounds').children.length > 3")
        for count, file in enumerate(files, 1):
            self.page.set_input_files("#photo-file", str(file))
            self.until("it is open", lambda: self.page.locator("#photo-strip [role=option]").count() == count)
        if files:
            self.rest()

    def rest(self):
        """Waits until the picture at full quality is drawn."""
        self.page.wait_for_timeout(150)
        self.until_photo_rests()
        self.page.wait_for_timeout(350)

    def tool(self, name):
        self.page.click(f"#photo-tools [data-tool={name}]")

    def green(self):
        """Chooses a green background with the colour control."""
        self.tool("background")
        self.page.click("#photo-backgrounds [data-name=color]")
        self.page.fill("#photo-behind input[type=color]", "#00a000")
        self.until("the corner is green", lambda: is_green(self.at(0.02, 0.02)))
        self.rest()

    def at(self, x, y):
        """The colour at a point of the picture, given as parts of its sides."""
        picture = self.canvas(CANVAS)
        return picture[int(y * picture.shape[0]), int(x * picture.shape[1])]

    def kept(self):
        """The share of the picture that is not green."""
        picture = self.canvas(CANVAS)
        return float((abs(picture - [0, 160, 0]).max(axis=2) > 70).mean())

    def paper(self, x, y):
        """The position on the page of a point of the picture."""
        self.page.locator("#photo-stage").scroll_into_view_if_needed()
        box = self.page.locator("#photo-paper").bounding_box()
        return box["x"] + box["width"] * x, box["y"] + box["height"] * y

    def drag(self, *points, steps=6):
        self.page.mouse.move(*self.paper(*points[0]))
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*self.paper(*point), steps=steps)
        self.page.mouse.up()
        self.rest()

    def save(self, form):
        self.page.select_option("#photo-form", form)
        with self.page.expect_download() as download:
            self.page.click("#photo-save")
        return pathlib.Path(download.value.path()).read_bytes()


def is_green(pixel):
    return bool(abs(pixel[0]) < 40 and abs(pixel[1] - 160) < 40 and abs(pixel[2]) < 40)


def photo_workspace(browser, server):
    studio = Studio(browser, server, "#room=photos")
    studio.page.click("#photo-sample")
    studio.page.wait_for_selector("#photo-panel:not([hidden])")
    canvas = "#photo-canvas"
    studio.until("it is drawn", lambda: studio.page.get_attribute(canvas, "data-size") == "fine")
    studio.until("all looks have a picture", lambda: studio.page.evaluate(
        "() => [...document.querySelectorAll('#photo-looks img')].filter(i => i.complete && i.naturalWidth).length >= 12"))
    studio.page.click("#photo-looks [data-id=spotlight]")
    views = {}
    for view in ["picture", "depth", "matte", "effect"]:
        studio.page.click(f"#photo-views [data-view={view}]")
        studio.until(view, lambda: studio.pressed(f"#photo-views [data-view={view}]", "aria-checked"))
        studio.until_photo_rests()
        views[view] = numpy.asarray(Image.fromarray(studio.canvas(canvas).astype("uint8")).resize((160, 120))).astype(int)
    for one, other in [("picture", "depth"), ("depth", "matte"), ("matte", "effect"), ("picture", "effect")]:
        assert abs(views[one] - views[other]).mean() > 1.5, f"{one} and {other} look the same"
    assert abs(views["matte"] - views["matte"].mean(axis=2, keepdims=True)).max() < 12, "the mask is not grey"
    studio.page.click("#photo-looks [data-id=refocus]")
    # A tap on the mug makes it sharp: the focus moves nearer.
    focus = lambda: float(studio.page.inner_text("#photo-sliders .slider:has(input[data-name=focus]) output"))
    before = focus()
    box = studio.page.locator(canvas).bounding_box()
    width = min(box["width"], box["height"] * 4 / 3)
    studio.page.mouse.click(box["x"] + box["width"] / 2 + width * 0.25, box["y"] + box["height"] * 0.6)
    studio.until("the focus is on the mug", lambda: focus() > before + 0.1 or focus())
    studio.page.keyboard.press("Control+z")
    studio.until("undo", lambda: abs(focus() - before) < 0.01)
    small = lambda: numpy.asarray(Image.fromarray(studio.canvas(canvas).astype("uint8")).resize((320, 240))).astype(int)
    studio.until_photo_rests()
    soft = small()
    studio.slide("#photo-sliders input[data-name=radius]", 0.02)
    studio.until("without a radius it is sharp", lambda: bool(abs(small() - soft).mean() > 0.8))
    for look in ["noir", "color-highlight", "parallax", "side-by-side", "spotlight"]:
        old = small()
        studio.page.click(f"#photo-looks [data-id={look}]")
        studio.until(look, lambda: bool(small().shape and abs(small() - old).mean() > 0.5))
    # Saved at full size, with and without depth.
    sizes = []
    for keeps in [True, False]:
        studio.page.set_checked("#photo-keep", keeps)
        with studio.page.expect_download() as download:
            studio.page.click("#photo-save")
        data = pathlib.Path(download.value.path()).read_bytes()
        assert Image.open(io.BytesIO(data)).size == (2304, 1728)
        assert (b"apdi:" in data or b"depthData" in data) == keeps, f"with depth: {keeps}"
        sizes.append(len(data))
    assert sizes[0] > sizes[1]
    studio.page.click("#photo-inspect summary")
    assert "2304 × 1728" in studio.page.inner_text("#photo-inspect dl")
    # A second photo, without depth and without a person; tapping selects the next one.
    picture = io.BytesIO()
    Image.fromarray(numpy.tile(numpy.arange(256, dtype="uint8"), (200, 1))).convert("RGB").save(picture, "JPEG")
    studio.page.set_input_files("#photo-file", {"name": "grey.jpg", "mimeType": "image/jpeg", "buffer": picture.getvalue()})
    studio.until("two photos", lambda: studio.page.locator("#photo-strip [role=option]").count() == 2)
    studio.page.set_input_files("#photo-file", {"name": "no.jpg", "mimeType": "image/jpeg", "buffer": b"nothing"})
    studio.until("what is no photo is refused", lambda: studio.page.locator(".toast").count() > 0)
    studio.page.keyboard.press("ArrowLeft")
    studio.until("the first one again", lambda: studio.pressed("#photo-strip [role=option]:first-child", "aria-selected"))
    studio.close()


def photo_background(browser, server):
    """A portrait in front of another picture, from the first click to the file on disk, on a desktop and on a phone."""
    for size, theme in [(DESK, "dark"), (PHONE, "light")]:
        workspace = PhotoWorkspace(browser, server, person(server), viewport=size, color_scheme=theme)
        workspace.tool("background")
        picture = io.BytesIO()
        Image.new("RGB", (320, 240), (200, 0, 0)).save(picture, "PNG")
        workspace.page.set_input_files("#photo-behind-file", {"name": "red.png", "mimeType": "image/png", "buffer": picture.getvalue()})
        workspace.until("the corner is red", lambda: bool((abs(workspace.at(0.02, 0.02) - [200, 0, 0]) < 40).all()))
        workspace.page.click("#photo-backgrounds [data-name='scene:loft']")
        workspace.until("another one", lambda: not (abs(workspace.at(0.02, 0.02) - [200, 0, 0]) < 40).all())
        workspace.page.keyboard.press("Control+z")
        workspace.until("undo", lambda: bool((abs(workspace.at(0.02, 0.02) - [200, 0, 0]) < 40).all()))
        workspace.page.keyboard.press("Control+Shift+z")
        workspace.until("and again", lambda: not (abs(workspace.at(0.02, 0.02) - [200, 0, 0]) < 40).all())
        workspace.page.click("#photo-backgrounds [title='red.png']")
        workspace.rest()
        data = workspace.save("jpg")
        saved = Image.open(io.BytesIO(data)).convert("RGB")
        assert saved.size == (640, 360)
        red, green_, blue = saved.getpixel((6, 6))
        assert red > 170 and green_ < 40 and blue < 40, saved.getpixel((6, 6))
        # Transparent areas are chequered, and the saved file keeps them.
        workspace.page.click("#photo-backgrounds [data-name=none]")
        workspace.until("chequers", lambda: bool((workspace.at(0.02, 0.02) > 190).all()))
        assert workspace.page.input_value("#photo-form") == "png"
        assert workspace.page.eval_on_selector("#photo-form option[value=jpg]", "one => one.disabled")
        for form in ["png", "webp"]:
            clear = Image.open(io.BytesIO(workspace.save(form)))
            alpha = numpy.asarray(clear.convert("RGBA"))[:, :, 3]
            assert alpha[6, 6] == 0 and (alpha > 250).mean() > 0.1, form
        workspace.close()
    # Each photo keeps its own background.
    workspace = PhotoWorkspace(browser, server, person(server), person(server, "mug"))
    workspace.green()
    workspace.page.keyboard.press("ArrowLeft")
    workspace.until("the first one has the usual", lambda: not is_green(workspace.at(0.02, 0.02)))
    workspace.page.keyboard.press("ArrowRight")
    workspace.until("the second is green still", lambda: is_green(workspace.at(0.02, 0.02)))
    # A look that shows the real background is deselected.
    workspace.page.click("#photo-looks [data-id=noir]")
    workspace.until("the room", lambda: not is_green(workspace.at(0.02, 0.02)))
    workspace.page.click("#photo-backgrounds [data-name='scene:dunes']")
    workspace.until("backdrop is the look", lambda: workspace.pressed("#photo-looks [data-id=backdrop]", "aria-checked"))
    workspace.close()


def photo_brush(browser, server):
    """The brush restores missing parts of the matte and erases others; the command gives the same result for the strokes."""
    for size in [DESK, PHONE]:
        workspace = PhotoWorkspace(browser, server, person(server), viewport=size)
        workspace.green()
        workspace.tool("brush")
        before = workspace.kept()
        workspace.page.uncheck("#photo-brush input[data-name=edges]")
        workspace.drag((0.06, 0.5), (0.2, 0.5), (0.2, 0.6))
        workspace.until("the room is back there", lambda: not is_green(workspace.at(0.12, 0.5)))
        assert is_green(workspace.at(0.12, 0.75)) and workspace.kept() > before
        workspace.page.keyboard.press("x")
        assert workspace.pressed("#photo-action [data-action=erase]", "aria-checked")
        workspace.drag((0.5, 0.7), (0.5, 0.8))
        workspace.until("it is gone there", lambda: is_green(workspace.at(0.5, 0.75)))
        assert workspace.page.inner_text("#photo-strokes") == "2 strokes."
        workspace.page.keyboard.press("Control+z")
        workspace.until("undo", lambda: not is_green(workspace.at(0.5, 0.75)))
        workspace.page.keyboard.press("Control+y")
        workspace.until("and again", lambda: is_green(workspace.at(0.5, 0.75)))
        workspace.rest()
        # Alt inverts the brush, brackets change its size.
        old = workspace.page.input_value("#photo-brush input[data-name=size]")
        workspace.page.keyboard.press("]")
        assert workspace.page.input_value("#photo-brush input[data-name=size]") != old
        workspace.page.keyboard.press("x")
        workspace.page.check("#photo-brush input[data-name=edges]")
        workspace.drag((0.3, 0.9), (0.4, 0.92))
        with workspace.page.expect_download() as download:
            workspace.page.click("#photo-touch-up")
        strokes = server.folder / "strokes.json"
        strokes.write_bytes(pathlib.Path(download.value.path()).read_bytes())
        assert [one["does"] for one in json.loads(strokes.read_text())["strokes"]] == ["keep", "erase", "keep"]
        page = numpy.asarray(Image.open(io.BytesIO(workspace.save("png"))).convert("RGB")).astype(int)
        out = server.folder / "command.png"
        subprocess.run(
            [server.backdrop, "replace", str(person(server)), "--background", "#00A000", "--touch-up", str(strokes), "-o",
             str(out), "--force"], check=True, stderr=subprocess.DEVNULL)
        command = numpy.asarray(Image.open(out).convert("RGB")).astype(int)
        assert (page == command).all(), f"page and command differ by {abs(page - command).max()}"
        workspace.page.click("#photo-clear")
        workspace.until("all strokes are gone", lambda: abs(workspace.kept() - before) < 0.002)
        workspace.close()


def photo_look_stays(browser, server):
    """A tool never changes the look; what the look cannot show changes it with the first use, which the page says before and after."""
    workspace = Studio(browser, server, "#room=photos")
    page = workspace.page
    page.set_input_files("#photo-file", str(person(server)))
    page.wait_for_selector("#photo-panel:visible")
    workspace.until_photo_rests()
    def is_look(name):
        return workspace.pressed(f"#photo-looks [data-id={name}]", "aria-checked")
    for tool, about in [("brush", "#photo-strokes"), ("people", "#photo-people-about"), ("place", "#photo-place-about"), ("background", None), ("brush", "#photo-strokes")]:
        page.click(f"#photo-tools [data-tool={tool}]")
        page.wait_for_timeout(300)
        workspace.until_photo_rests()
        assert is_look("refocus") and page.is_disabled("#undo"), f"{tool} has changed the look"
        if tool in ("brush", "people"):
            workspace.until("it says so", lambda: "changes the look to Backdrop" in page.inner_text(about) or page.inner_text(about))
    box = page.locator("#photo-paper").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.5, steps=4)
    page.mouse.up()
    workspace.until("the stroke is there", lambda: page.inner_text("#photo-strokes") == "1 stroke." or page.inner_text("#photo-strokes"))
    assert is_look("backdrop") and "Backdrop, because Refocus" in page.inner_text(".toast"), page.inner_text("#toasts")
    workspace.until_photo_rests()
    page.keyboard.press("Control+z")
    workspace.until("no stroke", lambda: "1 stroke" not in page.inner_text("#photo-strokes"))
    page.keyboard.press("Control+z")
    workspace.until("the look as before", lambda: is_look("refocus"))
    workspace.until("in the address, too", lambda: "effect=refocus" in workspace.address())
    workspace.close()


def photo_people(browser, server):
    """A click removes a person, and another click brings that person back."""
    for size in [DESK, PHONE]:
        workspace = PhotoWorkspace(browser, server, person(server, "two-people"), viewport=size)
        workspace.green()
        workspace.tool("people")
        workspace.until("people are told apart", lambda: workspace.page.locator("#photo-people label").count() >= 2)
        before = workspace.kept()
        people = workspace.page.evaluate(
            "async () => (await (await fetch('/api/photos/' + document.querySelector('#photo-strip img').src.match(/photos\\/(\\d+)/)[1] + '/people')).json()).people")
        one = people[0]
        workspace.page.mouse.click(*workspace.paper(one["x"], one["y"]))
        workspace.until("one is gone", lambda: is_green(workspace.at(one["x"], one["y"])))
        assert workspace.kept() < before - 0.02
        workspace.until("the list says so", lambda: not workspace.page.is_checked("#photo-people label:nth-child(1) input"))
        workspace.page.check("#photo-people label:nth-child(1) input")
        workspace.until("and back", lambda: not is_green(workspace.at(one["x"], one["y"])))
        workspace.page.keyboard.press("Control+z")
        workspace.until("undo", lambda: is_green(workspace.at(one["x"], one["y"])))
        workspace.close()


def photo_place(browser, server):
    """Changes the shape, and drags and scales the subject in front of its background; the saved file matches the page."""
    for size in [DESK, PHONE]:
        workspace = PhotoWorkspace(browser, server, person(server), viewport=size)
        workspace.green()
        workspace.tool("place")
        for aspect, ratio in [("1:1", 1), ("4:5", 0.8), ("9:16", 0.5625), ("16:9", 16 / 9)]:
            workspace.page.click(f"#photo-aspect [data-aspect='{aspect}']")
            workspace.until(aspect, lambda: abs(workspace.canvas(CANVAS).shape[1] / workspace.canvas(CANVAS).shape[0] - ratio) < 0.02)
        workspace.page.click("#photo-aspect [data-aspect='1:1']")
        workspace.rest()
        def middle():
            columns = (abs(workspace.canvas(CANVAS) - [0, 160, 0]).max(axis=2) > 70).mean(axis=0)
            return float((columns * numpy.arange(columns.size)).sum() / columns.sum() / columns.size)
        old = middle()
        workspace.drag((0.5, 0.5), (0.75, 0.5))
        workspace.until("it is farther right", lambda: middle() > old + 0.15 or (middle(), old))
        kept = workspace.kept()
        workspace.slide("#photo-place input[data-name=place-scale]", 0.08)
        workspace.until("it is smaller", lambda: workspace.kept() < kept * 0.6 or (workspace.kept(), kept))
        workspace.rest()
        seen = workspace.canvas(CANVAS)
        saved = Image.open(io.BytesIO(workspace.save("png"))).convert("RGB")
        assert saved.size == (360, 360)
        assert abs(numpy.asarray(saved.resize((seen.shape[1], seen.shape[0]))).astype(int) - seen).mean() < 6
        workspace.page.click("#photo-replace")
        workspace.until("as it was", lambda: abs(workspace.canvas(CANVAS).shape[1] / workspace.canvas(CANVAS).shape[0] - 640 / 360) < 0.01)
        workspace.close()


def photo_zoom(browser, server):
    """Zooms, moves and fits the picture, and compares before and after."""
    for size in [DESK, PHONE]:
        workspace = PhotoWorkspace(browser, server, person(server), viewport=size)
        workspace.green()
        workspace.tool("look")
        page = workspace.page
        width = lambda: page.locator("#photo-paper").bounding_box()["width"]
        fitted = width()
        page.click("#photo-full")
        workspace.until("a pixel is a pixel", lambda: abs(width() - 640) < 2 or width())
        box = page.locator("#photo-stage").bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(*middle)
        for _ in range(40):
            page.mouse.wheel(0, -200)
        workspace.until("400 % at most", lambda: abs(width() - 4 * 640) < 3 or width())
        left = page.locator("#photo-paper").bounding_box()["x"]
        page.mouse.down()
        page.mouse.move(middle[0] + 60, middle[1], steps=4)
        page.mouse.up()
        assert abs(page.locator("#photo-paper").bounding_box()["x"] - left - 60) < 3
        page.keyboard.press("0")
        workspace.until("fitted", lambda: abs(width() - fitted) < 1)
        # Two fingers.
        page.evaluate(
            """([x, y]) => { const s = document.querySelector('#photo-stage');
            const send = (type, id, x, y) => s.dispatchEvent(new PointerEvent(type, {pointerId: id, clientX: x, clientY: y, pointerType: 'touch', bubbles: true}));
            send('pointerdown', 11, x - 40, y); send('pointerdown', 12, x + 40, y);
            send('pointermove', 12, x + 120, y); send('pointerup', 11, x - 40, y); send('pointerup', 12, x + 120, y); }""", list(middle))
        workspace.until("a pinch enlarges", lambda: width() > fitted * 1.5 or (width(), fitted))
        page.click("#photo-fit")
        # Before and after, with a line and while held.
        shown = lambda: page.locator("#photo-before").is_visible()
        page.click("#photo-compare")
        workspace.until("both", shown)
        corner = lambda: workspace.shot("#photo-paper")[4, 4]
        # The original is on the left, so the corner is not green.
        workspace.until("before at the left", lambda: not is_green(corner()))
        page.click("#photo-compare")
        workspace.until("after alone", lambda: not shown())
        page.focus("#photo-stage")
        page.keyboard.down("o")
        workspace.until("the original is held", shown)
        page.keyboard.up("o")
        workspace.until("and let go", lambda: not shown())
        page.click("#photo-views [data-view=depth]")
        workspace.until("there is no depth, and the page says so", lambda: "No depth in this photo" in page.inner_text("#photo-none"))
        page.click("#photo-views [data-view=matte]")
        workspace.until("the matte is grey", lambda: bool(abs(workspace.canvas(CANVAS) - workspace.canvas(CANVAS).mean(axis=2, keepdims=True)).max() < 12))
        assert not page.locator("#photo-none").is_visible()
        workspace.close()


def photo_focus(browser, server):
    """A tap leaves a mark, and holding keeps the focus for all looks."""
    workspace = PhotoWorkspace(browser, server)
    workspace.page.click("#photo-sample")
    workspace.page.wait_for_selector("#photo-panel:not([hidden])")
    workspace.rest()
    workspace.page.click("#photo-looks [data-id=bokeh]")
    workspace.rest()
    assert "ƒ/2.8" in workspace.page.inner_text("#photo-sliders .slider:has(input[data-name=aperture]) output")
    focus = lambda: float(workspace.page.inner_text("#photo-sliders .slider:has(input[data-name=focus]) output"))
    workspace.page.mouse.click(*workspace.paper(0.06, 0.2))
    workspace.until("far", lambda: focus() < 0.3 or focus())
    assert workspace.page.locator("#photo-marker").is_visible() and not workspace.page.locator("#photo-unlock").is_visible()
    workspace.page.mouse.move(*workspace.paper(0.75, 0.58))
    workspace.page.mouse.down()
    workspace.page.wait_for_timeout(900)
    workspace.page.mouse.up()
    workspace.until("near, and kept", lambda: focus() > 0.5 or focus())
    workspace.until("it says so", lambda: workspace.page.locator("#photo-unlock").is_visible())
    kept = focus()
    workspace.page.click("#photo-looks [data-id=refocus]")
    workspace.until("for this look, too", lambda: abs(focus() - kept) < 0.01 or (focus(), kept))
    workspace.page.click("#photo-unlock")
    workspace.until("let go", lambda: not workspace.page.locator("#photo-unlock").is_visible())
    wide = workspace.canvas(CANVAS)
    workspace.page.click("#photo-looks [data-id=bokeh]")
    workspace.rest()
    open_ = workspace.canvas(CANVAS)
    # The real background, on the left, is sharper with a small aperture.
    sharpness = lambda picture: float(abs(numpy.diff(picture[:, :picture.shape[1] // 4].mean(axis=2), axis=1)).mean())
    workspace.slide("#photo-sliders input[data-name=aperture]", 0.98)
    workspace.until("a small aperture is sharper", lambda: sharpness(workspace.canvas(CANVAS)) > sharpness(open_) * 1.03 or (
        sharpness(workspace.canvas(CANVAS)), sharpness(open_), workspace.page.inner_text("#photo-sliders .slider:has(input[data-name=aperture]) output")))
    assert wide.shape == open_.shape
    workspace.close()


def photo_several(browser, server):
    """Saves several photos with one look in one archive; the page names those that fail."""
    grey = server.folder / "nobody.png"
    Image.fromarray(numpy.tile(numpy.arange(256, dtype="uint8"), (200, 1))).convert("RGB").save(grey)
    workspace = PhotoWorkspace(browser, server, person(server), grey, person(server, "mug"))
    workspace.green()
    workspace.page.click("#photo-several summary")
    workspace.page.click("#photo-all")
    workspace.page.click("#photo-alike")
    workspace.until("all have it", lambda: workspace.page.locator(".toast", has_text="have this look").count() > 0)
    with workspace.page.expect_download() as download:
        workspace.page.click("#photo-zip")
    archive = zipfile.ZipFile(download.value.path())
    assert len(archive.namelist()) == 2 and all(re.fullmatch(r".*-backdrop(-2)?\.jpg", name) for name in archive.namelist()), archive.namelist()
    for name in archive.namelist():
        red, green_, blue = Image.open(archive.open(name)).convert("RGB").getpixel((5, 5))
        assert is_green((red, green_, blue)), name
    assert "nobody.png" in workspace.page.inner_text("#photo-failures")
    assert "2 of 3" in workspace.page.inner_text("#photo-saved")
    workspace.page.click("#photo-folder")
    workspace.until("they are in the folder", lambda: "folder" in workspace.page.inner_text("#photo-saved"))
    assert len(list((server.folder / "out").glob("*-backdrop*.jpg"))) == 2
    workspace.close()


def photo_accessibility(browser, server):
    """axe finds no violations with any tool, size and theme, and targets are large enough for fingers."""
    for size in [DESK, PHONE]:
        for theme in ["dark", "light"]:
            workspace = PhotoWorkspace(browser, server, viewport=size, color_scheme=theme)
            def check(what):
                found = violations(workspace.page)
                assert not found, f"{what}, {size['width']}, {theme}: {found}"
            check("empty")
            for count in [1, 2]:
                workspace.page.set_input_files("#photo-file", str(person(server, ["talking", "two-people"][count - 1])))
                workspace.until("it is open", lambda: workspace.page.locator("#photo-strip [role=option]").count() == count)
            workspace.rest()
            for tool in ["look", "background", "people", "brush", "place"]:
                workspace.tool(tool)
                workspace.page.wait_for_timeout(400)
                check(tool)
                if size is PHONE:
                    low = workspace.page.evaluate(
                        """() => [...document.querySelectorAll('#photos button, #photos a, #photos select, #photos summary')].filter(e => e.checkVisibility() &&
                        (e.getBoundingClientRect().height < 43.5 || e.getBoundingClientRect().width < 43.5)).map(e => e.outerHTML.slice(0, 120))""")
                    assert not low, f"too small for a finger: {low}"
            workspace.until("people are told apart", lambda: True)
            workspace.page.click("#photo-several summary")
            check("several")
            workspace.page.click("#photo-views [data-view=depth]")
            workspace.page.wait_for_timeout(300)
            check("no depth")
            workspace.close()


PARTS = [
    photo_workspace, photo_background, photo_brush, photo_look_stays, photo_people, photo_place, photo_zoom, photo_focus, photo_several,
    photo_accessibility,
]
