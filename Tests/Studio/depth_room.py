"""The room Depth: its own sources, a recording that is played and scrubbed, the distance between two points."""

import re
import subprocess

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
    # Two points of the wall, at the edges: the picture is some metres wide there. One point twice: nothing between.
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
    # What is no depth is refused, and the recording stays.
    page.set_input_files("#depth-file", {"name": "x.png", "mimeType": "image/png", "buffer": b"nothing"})
    page.wait_for_selector(".toast")
    assert page.eval_on_selector("#depth-source", "e => e.selectedOptions[0].textContent") == "made.mkv"
    # Back to the camera; one that sends nothing leaves nothing of the one before.
    page.select_option("#depth-source", "")
    studio.until("depth of the camera again", lambda: page.locator("#depth-film").is_hidden() and page.locator("#depth-histogram").is_visible())
    studio.say(do="camera", value="browser:")
    studio.until("nothing stale", lambda: page.locator("#depth-histogram").is_hidden() and page.locator(".legend").first.is_hidden())
    assert studio.canvas("#depth-flat").max() < 20
    page.click("#tab-live")
    page.select_option("#live-source", label="Someone talks in a living room")
    studio.close()


PARTS = [depth_files]
