"""Tests the Video workspace: opens, trims and exports a clip with a user's actions, and compares the result with the command's."""

import json
import os
import pathlib
import subprocess
import tempfile

from studio_page import Studio, own_server

# libx264 reads uninitialized memory: FFmpeg's own command encodes the same pictures differently if malloc fills its memory otherwise. This
# fills it with the same bytes in every process, so that the same pictures become the same file.
FILLED_MEMORY = os.environ | {"MALLOC_PERTURB_": "85"}

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "light"}


def make_clip(path, seconds=4):
    """Creates a clip with sound. It needs no person: the tests look only at the background."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=size=320x240:rate=25:duration={seconds}",
         "-f", "lavfi", "-i", f"sine=frequency=440:duration={seconds}", "-pix_fmt", "yuv420p", str(path)], check=True)


def probe(path, *arguments):
    text = subprocess.run(["ffprobe", "-v", "error", "-of", "json", *arguments, str(path)], check=True, capture_output=True, text=True)
    return json.loads(text.stdout)


def sound(path):
    """The time and the digest of every sound packet."""
    packets = probe(path, "-select_streams", "a", "-show_packets", "-show_data_hash", "md5")["packets"]
    return [(one["pts_time"], one["data_hash"]) for one in packets]


def pictures(path):
    """The hash of every decoded picture."""
    text = subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), "-map", "0:v", "-f", "framemd5", "-"], check=True, capture_output=True, text=True)
    return [line.split(",")[-1] for line in text.stdout.splitlines() if not line.startswith("#")]


def video_task(browser, shared):
    """Exports a part of a clip with a changing background, from the first click to the file, which equals the command's."""
    with tempfile.TemporaryDirectory() as folder, own_server(shared, env=FILLED_MEMORY) as server:
        folder = pathlib.Path(folder)
        make_clip(folder / "holiday.mp4")
        studio = Studio(browser, server)
        page = studio.page
        page.keyboard.press("4")
        page.wait_for_selector("#video-empty:visible")
        page.set_input_files("#video-file", folder / "holiday.mp4")
        page.wait_for_selector("#video-panel:visible")
        studio.until_true("a picture", "studio.video.shown > 0")
        # Scrubbing: the playhead follows the pointer.
        box = page.locator("#video-track").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        studio.until_true("the middle", "Math.abs(studio.video.seconds - 2) < 0.1")
        # Trimming: from 1 s to 3 s, with keys, a frame at a time.
        for handle, key, seconds in [(".handle.start", "PageUp", 1.2), (".handle.end", "PageDown", 2.8)]:
            page.focus(f"#video-track {handle}")
            page.keyboard.press(key)
            studio.until(handle, lambda: abs(float(page.get_attribute(f"#video-track {handle}", "aria-valuenow")) - seconds) < 0.05)
        assert "0:01.2 to 0:02.8" in page.inner_text("#video-part"), page.inner_text("#video-part")
        page.click("#video-looks [data-id=sharp]")
        page.click("#undo")
        studio.until("undo", lambda: studio.pressed("#video-looks [data-id=backdrop]", "aria-checked"))
        page.click("#video-moves")
        studio.slide("#video-sliders input[data-name=radius]", 0.2)
        page.click("#video-to")
        studio.slide("#video-sliders input[data-name=radius]", 0.8)
        studio.until_true("the end of the part", "Math.abs(studio.video.seconds - 2.8) < 0.1")
        # The background also changes, beginning with the one at the start.
        page.click("#video-backgrounds [data-name='scene:dunes']")
        page.click("#video-from")
        studio.until("the start has its own", lambda: studio.pressed("#video-backgrounds [data-name='scene:northern']", "aria-selected"))
        # During playback the status shows the rate, or that it is slower than the clip.
        page.click("#video-play")
        studio.until("the rate", lambda: "fps" in page.inner_text("#video-status") or page.inner_text("#video-status"))
        if page.evaluate("studio.video.isPlaying"):
            page.click("#video-play")
        with page.expect_request(lambda request: request.url.endswith("/export")) as begun:
            page.click("#video-export")
        wanted = json.loads(begun.value.post_data)
        # After the page closes, the export continues, and another page shows it.
        studio.close()
        studio = Studio(browser, server, "#room=video", **PHONE)
        page = studio.page
        page.wait_for_selector("#video-exports .done", timeout=120_000)
        with page.expect_download() as arrives:
            page.click("#video-exports .done a")
        assert arrives.value.suggested_filename == "holiday-backdrop.mp4"
        arrives.value.save_as(folder / "page.mp4")
        keys = wanted["edit"]["keys"]
        assert len(keys) == 2 and keys[0]["values"]["radius"] < keys[1]["values"]["radius"], keys
        assert [key["background"] for key in keys] == ["scene:northern", "scene:dunes"], keys
        background = ",".join(f"{key['background']}@{key['seconds']:f}" for key in keys)
        radius = ",".join(f"{key['values']['radius']}@{key['seconds']:f}" for key in keys)
        subprocess.run(
            [server.backdrop, "replace", "holiday.mp4", "-o", "command.mp4", "--background", background, "--radius", f"{radius}",
             "--start", f"{wanted['edit']['start']:f}", "--duration", f"{wanted['edit']['end'] - wanted['edit']['start']:f}"],
            check=True, cwd=folder, capture_output=True, env=FILLED_MEMORY)
        assert sound(folder / "page.mp4") == sound(folder / "command.mp4") != []
        assert pictures(folder / "page.mp4") == pictures(folder / "command.mp4") != []
        # The other page also has the settings.
        page.click("#video-to")
        studio.until("the background at the end", lambda: studio.pressed("#video-backgrounds [data-name='scene:dunes']", "aria-selected"))
        page.click("#video-exports .done button")
        studio.until("the list is empty", lambda: page.locator("#video-exports li").count() == 0)
        page.click("#video-close")
        page.wait_for_selector("#video-empty:visible")
        studio.close()


def video_alpha(browser, server):
    """The preview shows transparency as squares, and file types that support it keep it."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make_clip(folder / "clip.mp4", 1)
        studio = Studio(browser, server, "#room=video")
        page = studio.page
        page.set_input_files("#video-file", folder / "clip.mp4")
        page.wait_for_selector("#video-panel:visible")
        page.click("#video-backgrounds [data-name=none]")
        assert page.input_value("#video-form") == "webm"
        assert page.evaluate("[...document.querySelector('#video-form').options].filter(one => one.disabled).map(one => one.value)") == ["mp4"]
        # Transparency always applies to the whole part, not only to one end.
        page.click("#video-backgrounds [data-name='scene:loft']")
        page.click("#video-moves")
        page.click("#video-backgrounds [data-name=none]")
        page.wait_for_selector(".toast")
        page.click("#video-to")
        studio.until("at both ends", lambda: studio.pressed("#video-backgrounds [data-name=none]", "aria-selected"))
        page.click("#video-still")
        studio.until("squares", lambda: bool((abs(studio.canvas("#video-canvas")[8:, 8:] - studio.canvas("#video-canvas")[8, 8]).max() > 30)))
        page.select_option("#video-form", "mov")
        page.click("#video-export")
        page.wait_for_selector("#video-exports .done", timeout=120_000)
        with page.expect_download() as arrives:
            page.click("#video-exports .done a")
        arrives.value.save_as(folder / "clip.mov")
        stream = probe(folder / "clip.mov", "-show_streams", "-select_streams", "v")["streams"][0]
        assert stream["codec_name"] == "prores" and stream["pix_fmt"].startswith("yuva444p"), stream
        page.click("#video-exports .done button")
        page.click("#video-close")
        studio.close()


def video_bad(browser, server):
    """The studio refuses files that are no videos in one line, and an export ends cleanly with its server."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        studio = Studio(browser, server, "#room=video")
        page = studio.page
        page.set_input_files("#video-file", {"name": "x.mp4", "mimeType": "video/mp4", "buffer": b"no video"})
        page.wait_for_selector(".toast")
        assert page.locator("#video-empty").is_visible()
        make_clip(folder / "long.mp4", 60)
        page.set_input_files("#video-file", folder / "long.mp4")
        page.wait_for_selector("#video-panel:visible")
        page.click("#video-export")
        studio.until("it is being written", lambda: page.locator("#video-exports .running").count() == 1)
        studio.until("frames", lambda: "fps" in page.inner_text("#video-exports") or page.inner_text("#video-exports"))
        server.stop(9)
        state = server.folder / "state/backdrop/studio/exports"
        assert not list(state.glob("*/long*")), list(state.glob("*/*"))
        studio.context.close()
        server.start()
        studio = Studio(browser, server, "#room=video")
        page = studio.page
        page.wait_for_selector("#video-exports .interrupted")
        assert not list(state.glob("*/*")) and not list(state.glob("*/.*")), "what was half written is left"
        page.click("#video-exports [title='Export again']")
        studio.until("it runs again", lambda: page.locator("#video-exports .running").count() == 1)
        page.click("#video-exports [title=Cancel]")
        studio.until("cancelled", lambda: page.locator("#video-exports .cancelled").count() == 1)
        page.click("#video-exports [title='Remove from the list']")
        page.click("#video-close")
        page.wait_for_selector("#video-empty:visible")
        studio.close()


PARTS = [video_task, video_alpha, video_bad]
