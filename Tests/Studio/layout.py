"""Tests the layout of all workspaces: nothing wraps, covers something else or lies below the first screen, and each wait and fault says so."""

import functools
import io
import signal
import subprocess

import numpy
from PIL import Image

from photo_workspace import person
from studio_page import Studio, own_server
from video_workspace import make_clip

DESK = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# The width that a scrollbar takes from a panel; headless browsers have none.
SCROLLBAR = 17
# The rows of a bar's buttons, and how many reach out of it.
ROWS = """selector => { const bar = document.querySelector(selector), outer = bar.getBoundingClientRect();
  const boxes = [...bar.querySelectorAll("button")].map((one) => one.getBoundingClientRect());
  return [new Set(boxes.map((box) => box.top)).size, boxes.filter((box) => box.left < outer.left - 1 || box.right > outer.right + 1).length]; }"""


def box(page, selector):
    return page.locator(selector).first.bounding_box()


def overlap(one, other):
    """Whether two boxes share a point."""
    return all(one[at] < other[at] + other[size] and other[at] < one[at] + one[size] for at, size in [("x", "width"), ("y", "height")])


def let_go(page, path, held):
    """Sends held requests on, and holds no more."""
    while held:
        held.pop().continue_()
    page.unroute(path)


def alone(part):
    """The part with a studio of its own, in which other parts have opened nothing."""
    @functools.wraps(part)
    def run(browser, server):
        with own_server(server, "--camera", "sim:talking?size=640x360") as own:
            part(browser, own)
    return run


def one_row_of_tools(browser, server):
    studio = Studio(browser, server, "#room=photos&effect=backdrop", **DESK)
    page = studio.page
    page.set_input_files("#photo-file", str(person(server)))
    page.wait_for_selector("#photo-panel:visible")
    for width in [324, 324 - SCROLLBAR, 280]:
        page.evaluate("width => { document.querySelector('#photo-panel').style.width = width + 'px'; }", width)
        assert page.evaluate(ROWS, "#photo-tools") == [1, 0], f"the photo's tools at {width}: {page.evaluate(ROWS, '#photo-tools')}"
    page.click("#tab-live")
    for width in [360, 390, 600, 901, 1000, 1200, 1280, 1440]:
        page.set_viewport_size({"width": width, "height": 900})
        # A long recording; messages of the session set the text back.
        page.evaluate("document.querySelector('#live-record span').textContent = 'Stop 100:00'")
        assert page.evaluate(ROWS, "#live .tools") == [1, 0], f"the live tools at {width}: {page.evaluate(ROWS, '#live .tools')}"
    studio.close()


@alone
def looks_as_pictures(browser, server):
    """In each workspace, every look has a picture of what it would do, in one row; until they arrive, their tiles are marked."""
    studio = Studio(browser, server, **DESK)
    page = studio.page
    held = []
    page.route("**/api/looks/*", lambda route: held.append(route))
    studio.first()
    studio.until("one is on its way", lambda: page.locator("#live-looks button").count() > 0 and len(held) > 0)
    shimmers = "all => all.filter((one) => getComputedStyle(one.parentElement).animationName === 'shimmer' && getComputedStyle(one).visibility === 'hidden').length"
    count = page.locator("#live-looks button").count()
    shimmering = page.eval_on_selector_all("#live-looks img", shimmers)
    assert count > 15 and shimmering == count, (count, shimmering)
    let_go(page, "**/api/looks/*", held)

    def pixels(list_, look):
        """The picture of a look, rows × columns × RGB."""
        data = page.evaluate(
            """async selector => { const image = document.querySelector(selector), canvas = new OffscreenCanvas(64, 36);
            canvas.getContext("2d").drawImage(image, 0, 0, 64, 36);
            return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())]; }""", f"{list_} [data-id={look}] img")
        return numpy.asarray(Image.open(io.BytesIO(bytes(data))).convert("RGB")).astype(int)

    def check(list_):
        loaded = f"all => all.filter((one) => one.complete && one.naturalWidth && !one.className).length"
        studio.until("all have a picture", lambda: page.eval_on_selector_all(f"{list_} img", loaded) == count or page.eval_on_selector_all(f"{list_} img", loaded))
        assert page.evaluate(ROWS, list_)[0] == 1, "they take more than a row"
        assert abs(pixels(list_, "noir") - pixels(list_, "noir").mean(axis=2, keepdims=True)).max() < 16, "the picture of noir has colours"
        assert abs(pixels(list_, "backdrop") - pixels(list_, "refocus"))[:8, :8].mean() > 8, "the picture of backdrop shows the room"
        lowest = box(page, list_)
        assert lowest["y"] + lowest["height"] <= 900, "they are below the first screen"

    check("#live-looks")
    before = pixels("#live-looks", "backdrop")
    page.click("#live-backgrounds [data-name='scene:dunes']")
    studio.until("they have the other background", lambda: bool(abs(pixels("#live-looks", "backdrop") - before)[:8, :8].mean() > 8))
    page.click("#live-backgrounds [data-name='scene:northern']")
    clip = server.folder / "looks.mp4"
    subprocess.run([server.backdrop, "record", "sim:talking?size=640x360&seconds=1", "-o", str(server.folder / "looks.mkv"), "--force"], check=True, capture_output=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(server.folder / "looks.mkv"), "-map", "0:v:0", "-pix_fmt", "yuv420p", str(clip)], check=True)
    page.click("#tab-video")
    page.set_input_files("#video-file", clip)
    page.wait_for_selector("#video-panel:visible")
    check("#video-looks")
    page.click("#video-close")
    page.wait_for_selector("#video-empty:visible")
    studio.close()


@alone
def messages_and_waits(browser, server):
    """Messages name their file and lie away from the time line; a wait replaces the heading; an empty panel says what it is for."""
    studio = Studio(browser, server, "#room=video", **DESK)
    page = studio.page
    page.wait_for_selector("#video-blank:visible")
    assert "Export" in page.inner_text("#video-blank").title() and page.locator("#video-blank .icon").count() == 3
    clip = server.folder / "messages.mp4"
    make_clip(clip, 2)

    def waits(path, busy, heading, send):
        """Holds a request, while the page waits for its answer."""
        held = []
        page.route(path, lambda route: held.append(route))
        assert heading is None or page.locator(heading).is_visible()
        send()
        studio.until("it is sent", lambda: page.locator(busy).count() and len(held) > 0)
        assert page.locator(busy).is_visible() and "Opening" in page.inner_text(busy)
        assert heading is None or not page.locator(heading).is_visible(), f"{busy} lies over {heading}"
        let_go(page, path, held)

    waits("**/api/videos/begin", "#video-busy", "#video-empty h2", lambda: page.set_input_files("#video-file", clip))
    page.wait_for_selector("#video-panel:visible")
    assert page.locator("#video-blank").is_hidden()
    for size in [DESK["viewport"], PHONE["viewport"]]:
        page.set_viewport_size(size)
        page.set_input_files("#video-file", {"name": "no video.mp4", "mimeType": "video/mp4", "buffer": b"nothing"})
        page.wait_for_selector(".toast")
        assert "no video.mp4" in page.inner_text(".toast"), page.inner_text(".toast")
        assert not overlap(box(page, ".toast"), box(page, "#video-bar")), f"a message covers the time line at {size}"
        page.evaluate("document.querySelector('#toasts').replaceChildren()")
    page.set_viewport_size(DESK["viewport"])
    page.click("#video-close")
    bad = {"name": "bad file.png", "mimeType": "image/png", "buffer": b"nothing"}
    page.click("#tab-photos")
    waits("**/api/photos?name=*", "#photo-busy", "#photo-empty h1", lambda: page.set_input_files("#photo-file", bad))
    for tab, chooser in [("photos", None), ("photos", "#photo-behind-file"), ("depth", "#depth-file"), ("live", "#background-file"), ("live", "#camera-file")]:
        page.click(f"#tab-{tab}")
        if chooser:
            page.set_input_files(chooser, bad)
        page.wait_for_selector(".toast")
        assert "bad file.png" in page.inner_text(".toast"), (chooser, page.inner_text(".toast"))
        page.evaluate("document.querySelector('#toasts').replaceChildren()")
    studio.close()


@alone
def away(browser, server):
    """Without the studio, the page says what happened and what to do, in its own words."""
    studio = Studio(browser, server, **DESK).first()
    page = studio.page
    page.click("#tab-photos")
    server.stop(signal.SIGKILL)
    page.wait_for_selector("#reconnecting:visible")
    assert "does not answer" in page.inner_text("#reconnecting") and "start it again" in page.inner_text("#reconnecting")
    page.set_input_files("#photo-file", str(person(server)))
    page.wait_for_selector(".toast")
    told = page.inner_text(".toast")
    assert "does not answer" in told and "start it again" in told and "fetch" not in told, told
    assert not overlap(box(page, ".toast"), box(page, "#reconnecting"))
    studio.context.close()


def brush_on_a_phone(browser, server):
    """On a phone, the brush's controls are on the first screen, with the picture."""
    studio = Studio(browser, server, "#room=photos&effect=backdrop", **PHONE)
    page = studio.page
    page.set_input_files("#photo-file", str(person(server)))
    page.wait_for_selector("#photo-panel:visible")
    page.locator("#photo-tools [data-tool=brush]").tap()
    page.evaluate("document.querySelector('main').scrollTo(0, 0)")
    fold = box(page, ".workspaces")["y"]
    for selector in ["#photo-paper", "#photo-tools", "#photo-action", "#photo-brush input[data-name=size]", "#photo-brush input[data-name=softness]", "#photo-brush input[data-name=edges]"]:
        found = box(page, selector)
        assert found["y"] >= 0 and found["y"] + found["height"] <= fold, f"{selector} ends at {found['y'] + found['height']}, the fold is at {fold}"
    page.locator("#photo-tools [data-tool=look]").tap()
    assert page.locator("#photo-looks").is_visible()
    studio.close()


PARTS = [one_row_of_tools, looks_as_pictures, messages_and_waits, away, brush_on_a_phone]
