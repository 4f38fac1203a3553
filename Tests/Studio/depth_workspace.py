"""Tests the Depth workspace: its own sources, playing and scrubbing a recording, the distance between two points."""

import re
import subprocess
import time

import numpy
from PIL import Image

from studio_page import Studio


def depth_files(browser, server):
    recording = server.folder / "made.mkv"
    if not recording.exists():
        subprocess.run([server.backdrop, "record", "sim:talking?size=320x180&seconds=2", "-o", str(recording)], check=True, capture_output=True)
    studio = Studio(browser, server, "#room=depth")
    page = studio.page
    studio.until("depth of the camera", lambda: page.locator("#depth-histogram").is_visible())
    page.set_input_files("#depth-file", recording)
    studio.until("its name", lambda: page.eval_on_selector("#depth-source", "e => e.selectedOptions[0].textContent") == "made.mkv")
    page.wait_for_selector("#depth-film:visible")
    studio.until("depth of the recording", lambda: bool(studio.canvas("#depth-flat").max() > 100))
    first = studio.canvas("#depth-flat")
    page.focus("#depth-scrub")
    page.keyboard.press("End")
    studio.until("another moment", lambda: bool(abs(studio.canvas("#depth-flat") - first).max() > 40))
    assert page.inner_text("#depth-time").startswith("0:0"), page.inner_text("#depth-time")
    page.click("#depth-play")
    studio.until("it plays from the beginning to the end", lambda: studio.pressed("#depth-play") is False and page.input_value("#depth-scrub") == page.get_attribute("#depth-scrub", "max"))
    # Save the points of the displayed frame to a file.
    with page.expect_download() as download:
        page.click("#depth-ply")
    assert download.value.suggested_filename == "made.ply", download.value.suggested_filename
    head = open(download.value.path(), "rb").read(400).decode(errors="replace")
    assert head.startswith("ply\n") and int(re.search(r"element vertex (\d+)", head)[1]) > 10_000, head
    # Two points on the wall, at the edges of the picture, are some metres apart. The same point twice has distance zero.
    page.click("#depth-measure")
    box = page.locator("#depth-flat").bounding_box()
    for x in [0.05, 0.97]:
        page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * 0.3)
    studio.until("the distance", lambda: bool(re.fullmatch(r"\d\.\d{3} m ± \d+(\.\d)? mm", page.inner_text("#depth-measured"))) or page.inner_text("#depth-measured"))
    metres = float(page.inner_text("#depth-measured").split()[0])
    assert 1.5 < metres < 5, metres
    for _ in range(2):
        page.mouse.click(box["x"] + box["width"] * 0.05, box["y"] + box["height"] * 0.3)
    studio.until("nothing between", lambda: page.inner_text("#depth-measured").startswith("0.000 m ±") or page.inner_text("#depth-measured"))
    # The workspace refuses a file without depth, and keeps the recording.
    page.set_input_files("#depth-file", {"name": "x.png", "mimeType": "image/png", "buffer": b"nothing"})
    page.wait_for_selector(".toast")
    assert page.eval_on_selector("#depth-source", "e => e.selectedOptions[0].textContent") == "made.mkv"
    # Back to the camera: nothing of the previous source remains.
    page.select_option("#depth-source", "")
    studio.until("depth of the camera again", lambda: page.locator("#depth-film").is_hidden() and page.locator("#depth-histogram").is_visible())
    # A single map is sent only once, so its colours and legend must be right at once.
    wall = server.folder / "wall.png"
    Image.fromarray(numpy.linspace(4000, 6000, 320 * 180).reshape(180, 320).astype("uint16")).save(wall)
    page.set_input_files("#depth-file", wall)
    studio.until("its distances", lambda: float(page.inner_text("#depth-ticks span:first-child").split()[0]) > 3 or page.inner_text("#depth-ticks"), seconds=10)
    page.select_option("#depth-source", "")
    studio.until("depth of the camera once more", lambda: float(page.inner_text("#depth-ticks span:first-child").split()[0]) < 3)
    studio.say(do="camera", value="browser:")
    studio.until("the webcam", lambda: "webcam" in page.eval_on_selector("#depth-source", "e => e.selectedOptions[0].textContent"))
    # A browser camera that sends nothing: pictures of the previous source may still be on their way.
    studio.until("nothing stale", lambda: page.locator("#depth-histogram").is_hidden() and page.locator(".legend").first.is_hidden() and bool(studio.canvas("#depth-flat").max() < 20))
    page.click("#tab-live")
    page.select_option("#live-source", label="Someone talks in a living room")
    studio.close()


def depth_cut_off(browser, server):
    """A recording whose program was killed plays and scrubs like a complete one."""
    cut = server.folder / "cut.partial.mkv"
    recorder = subprocess.Popen(
        [server.backdrop, "record", "sim:talking?size=320x180&seconds=3600", "-o", str(server.folder / "cut.mkv")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not cut.exists() or cut.stat().st_size < 1_000_000:
            assert recorder.poll() is None and time.monotonic() < end, "nothing is recorded"
            time.sleep(0.05)
    finally:
        recorder.kill()
        recorder.wait()
    # The count of the program that reads it to the end.
    frames = int(re.search(r"(\d+) frames", subprocess.run(
        [server.backdrop, "record", str(cut), "-o", str(server.folder / "again.mkv")], check=True, capture_output=True, text=True).stderr)[1])
    assert frames > 10, frames
    studio = Studio(browser, server, "#room=depth")
    page = studio.page
    studio.until("depth of the camera", lambda: page.locator("#depth-histogram").is_visible())
    page.set_input_files("#depth-file", cut)
    studio.until("its name", lambda: page.eval_on_selector("#depth-source", "e => e.selectedOptions[0].textContent") == "cut.partial.mkv")
    page.wait_for_selector("#depth-film:visible")
    assert int(page.get_attribute("#depth-scrub", "max")) == frames - 1, (page.get_attribute("#depth-scrub", "max"), frames)
    studio.until("its depth", lambda: bool(studio.canvas("#depth-flat").max() > 100))
    first = studio.canvas("#depth-flat")
    page.focus("#depth-scrub")
    page.keyboard.press("End")
    studio.until("another moment", lambda: bool(abs(studio.canvas("#depth-flat") - first).max() > 40))
    page.select_option("#depth-source", "")
    studio.close()


def depth_clouds(browser, server):
    """Turns and measures the points of a file in space; returning to the camera removes them and all their controls."""
    cloud = server.folder / "square.ply"
    # A square of 1 m with 101 points on each side; the distance between opposite corners is the square root of 2.
    points = [(x / 100, y / 100, 0) for y in range(101) for x in range(101)]
    cloud.write_text(
        f"ply\nformat ascii 1.0\ncomment units: metres\nelement vertex {len(points)}\n"
        + "".join(f"property float {name}\n" for name in "xyz") + "end_header\n" + "".join("%g %g %g\n" % one for one in points))
    studio = Studio(browser, server, "#room=depth")
    page = studio.page
    studio.until("depth of the camera", lambda: page.locator("#depth-histogram").is_visible())
    page.set_input_files("#depth-file", cloud)
    studio.until("its name", lambda: page.eval_on_selector("#depth-source", "e => e.selectedOptions[0].textContent") == "square.ply")
    studio.until("how many", lambda: page.inner_text("#depth-status") == "10,201 points" or page.inner_text("#depth-status"))
    assert page.locator("#depth-histogram").is_hidden() and page.locator("#depth .legend").is_hidden()
    assert page.locator("#depth-cloud").is_visible() and page.locator("#depth-2d").is_disabled()
    seen = lambda: studio.shot("#depth-cloud")
    studio.until("they are drawn", lambda: bool((seen().max(axis=2) > 100).mean() > 0.03))
    page.click("#depth-home")
    # Wait until the view stops moving.
    studio.until("at rest", lambda: bool(abs(seen() - seen()).max() < 8))
    page.click("#depth-measure")
    for x, y in [(0, 0), (1, 1)]:
        at = page.evaluate("point => studio.depth.cloud.project(point)", [x, y, 0])
        box = page.locator("#depth-cloud").bounding_box()
        page.mouse.click(box["x"] + at[0], box["y"] + at[1])
    studio.until("the distance", lambda: page.inner_text("#depth-measured") == "1.414 m" or page.inner_text("#depth-measured"))
    # A mark is drawn at once, and a click beside the points gets an answer.
    marks = page.evaluate(
        """at => { const cloud = document.querySelector("#depth-cloud"), box = cloud.getBoundingClientRect();
        cloud.setPointerCapture = () => {};
        const click = (x, y) => { for (const type of ["pointerdown", "pointerup"]) cloud.dispatchEvent(new PointerEvent(type, { pointerId: 9, clientX: box.x + x, clientY: box.y + y, bubbles: true })); };
        const seen = () => [document.querySelector("#depth-line .first").getAttribute("cx"), document.querySelector("#depth-measured").textContent];
        click(...at);
        const hit = seen();
        click(3, 3);
        return [hit, seen()]; }""", page.evaluate("point => studio.depth.cloud.project(point)", [0, 1, 0])[:2])
    (hit, asks), (same, tells) = marks
    assert float(hit) == float(same) and "second point" in asks and "no point here" in tells, marks
    at = page.evaluate("point => studio.depth.cloud.project(point)", [1, 0, 0])
    page.mouse.click(box["x"] + at[0], box["y"] + at[1])
    studio.until("the other diagonal", lambda: page.inner_text("#depth-measured") == "1.414 m" or page.inner_text("#depth-measured"))
    before = page.get_attribute("#depth-line .second", "cx")
    page.focus("#depth-stage")
    page.keyboard.press("ArrowLeft")
    studio.until("the mark goes along", lambda: page.get_attribute("#depth-line .second", "cx") != before)
    page.set_input_files("#depth-file", {"name": "bad.pcd", "mimeType": "application/octet-stream", "buffer": b"# .PCD v0.7\nFIELDS x y z\nDATA binary\n"})
    page.wait_for_selector(".toast")
    page.select_option("#depth-source", "")
    studio.until("the camera again", lambda: page.locator("#depth-histogram").is_visible() and page.locator("#depth-flat").is_visible())
    assert page.locator("#depth-2d").is_enabled()
    studio.close()


PARTS = [depth_files, depth_cut_off, depth_clouds]
