"""Tests the browser's webcam: each problem shows one notice with one button, and a hidden page continues to send pictures."""

import json
import subprocess
import time

from common import wait_for
from studio_page import Studio
from tabs import Chromium

# A camera under the test's control: `trouble` is the error of the next request, `denied` the permission, `camera` the last track.
DEVICES = """(() => {
  globalThis.trouble = null;
  globalThis.denied = false;
  globalThis.camera = null;
  navigator.mediaDevices.getUserMedia = async () => {
    if (trouble) throw new DOMException("no", trouble);
    const track = globalThis.camera = new MediaStreamTrackGenerator({ kind: "video" });
    const writer = track.writable.getWriter();
    let level = 16;
    const timer = setInterval(() => {
      level = level > 230 ? 16 : level + 4;
      const bytes = new Uint8Array(160 * 120 * 3 / 2).fill(128).fill(level, 0, 160 * 120);
      writer.write(new VideoFrame(bytes, { format: "I420", codedWidth: 160, codedHeight: 120, timestamp: performance.now() * 1000 })).catch(() => clearInterval(timer));
    }, 40);
    return new MediaStream([track]);
  };
  navigator.mediaDevices.enumerateDevices = async () => [{ kind: "videoinput", label: "Camera", deviceId: "1" }];
  navigator.permissions.query = async () => ({ state: denied ? "denied" : "granted" });
})();"""


def sees(studio):
    """The pixels of the camera's small picture, which changes with each frame."""
    return studio.canvas("#live .views [data-view=input] canvas")


def moves(studio):
    first = sees(studio)
    studio.until("the camera's picture moves", lambda: bool(abs(sees(studio) - first).max() > 8))


def notice(studio, text, button):
    """Waits for the notice with this text and only this button."""
    box = studio.page.locator("#live-notice")
    studio.until(f"{text}: {button}", lambda: text in box.inner_text() and box.locator("button:visible").all_inner_texts() == [button] or box.inner_text())


def webcam_troubles(browser, server):
    studio = Studio(browser, server)
    page = studio.page
    page.add_init_script(DEVICES)
    page.goto(server.link())
    studio.first()
    # If the camera is refused, in use or missing, the page reports it, and the button continues once the camera works.
    for name, text in [("NotAllowedError", "does not allow the camera"), ("NotReadableError", "Another program uses the camera"), ("NotFoundError", "has no camera")]:
        page.evaluate("name => { trouble = name; }", name)
        page.select_option("#live-source", "browser:")
        notice(studio, text, "Try again")
        page.evaluate("trouble = null")
        page.click("#live-notice button")
        studio.until_true("the webcam", "studio.webcam")
        moves(studio)
        page.select_option("#live-source", label="Someone talks in a living room")
        studio.until_true("the webcam is let go", "!studio.webcam")
    # Select the webcam again at once, before the studio has switched to another camera.
    for _ in range(4):
        page.select_option("#live-source", "browser:")
        page.select_option("#live-source", label="Someone talks in a living room")
    page.select_option("#live-source", "browser:")
    studio.until("the webcam", lambda: page.evaluate("studio.webcam") and "browser" in ctl(server)["camera"])
    moves(studio)
    # The page continues without a click when the camera is plugged in again.
    page.evaluate("trouble = 'NotFoundError'; camera.dispatchEvent(new Event('ended'))")
    notice(studio, "The camera was disconnected", "Try again")
    page.evaluate("trouble = null; navigator.mediaDevices.dispatchEvent(new Event('devicechange'))")
    moves(studio)
    # If the permission is withdrawn, plugging in a device does not ask the user again.
    page.evaluate("denied = true; camera.dispatchEvent(new Event('ended'))")
    notice(studio, "stopped allowing the camera", "Try again")
    page.evaluate("navigator.mediaDevices.dispatchEvent(new Event('devicechange'))")
    page.wait_for_timeout(500)
    assert page.locator("#live-notice").is_visible()
    page.evaluate("denied = false")
    page.click("#live-notice button")
    moves(studio)
    # The user closes and opens the camera's cover.
    page.evaluate("camera.dispatchEvent(new Event('mute'))")
    notice(studio, "sends no pictures", "Try again")
    page.evaluate("camera.dispatchEvent(new Event('unmute'))")
    studio.until("the notice is gone", lambda: page.locator("#live-notice").is_hidden() or "sends no pictures" not in page.inner_text("#live-notice"))
    # The button ends a pause, such as one that a sleeping machine causes.
    studio.say(do="pause", value=True)
    notice(studio, "The camera is paused", "Resume")
    page.click("#live-notice button")
    moves(studio)
    # After reloading, the page uses the webcam again automatically.
    page.reload()
    studio.first()
    moves(studio)
    page.select_option("#live-source", label="Someone talks in a living room")
    studio.close()


def webcam_hidden(browser, server):
    """While another tab hides the page with the webcam, as in a call, the page must continue to send pictures."""
    clip = server.folder / "grey.y4m"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=black:size=160x120:rate=30,format=gray,geq=lum='mod(N*7,230)+16'", "-t", "4", "-pix_fmt", "yuv420p", str(clip)], check=True)
    other = Chromium("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", f"--use-file-for-fake-video-capture={clip}")
    try:
        page = other.open(server.link())
        wait_for("the page", lambda: other.evaluate(page, "globalThis.studio?.live.first != null"), 60)
        other.evaluate(page, "(() => { const list = document.querySelector('#live-source'); list.value = 'browser:'; list.dispatchEvent(new Event('change')); })()")
        rate = lambda: ctl(server)["framesIn"]
        wait_for("pictures of the webcam", lambda: "browser" in ctl(server)["camera"].lower() and rate() > 3, 60)
        # A call program keeps reading while the page is hidden.
        ctl(server, "set", "always-on", "on")
        wait_for("pictures for it", lambda: rate() > 3, 60)
        time.sleep(4)
        before = rate()
        other.open("about:blank")
        wait_for("the page is hidden", lambda: other.evaluate(page, "document.visibilityState") == "hidden", 20)
        # The rate covers the last seconds, so wait until they are all after the page was hidden.
        time.sleep(6)
        wait_for("pictures while it is hidden", lambda: rate() > 3, 60)
        after = rate()
        print(f"  {before:.1f} pictures a second while it is seen, {after:.1f} while it is hidden", flush=True)
    finally:
        other.close()
        ctl(server, "reset", "always-on")
    studio = Studio(browser, server).first()
    studio.page.select_option("#live-source", label="Someone talks in a living room")
    studio.close()


def ctl(server, *words):
    """Runs `backdrop ctl`; returns the session's status."""
    result = subprocess.run([server.backdrop, "ctl", *(words or ["status"]), "--json", "--socket", str(server.folder / "ctl.sock")], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


PARTS = [webcam_troubles, webcam_hidden]
