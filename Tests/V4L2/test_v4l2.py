"""Tests backdrop with video devices of the kernel: vivid, a simulated camera, and v4l2loopback, read by v4l2-ctl and Chromium.

    python test_v4l2.py BACKDROP [PART…]

Run it as root in the virtual machine of scripts/v4l2-guest.sh. Each part is a function; the script prints the names of failed parts at the
end. The machine is slow, so the tests do not measure speed.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Live"))

from common import ServedPage, run_parts
from common import wait_for as wait

WIDTH, HEIGHT = 640, 360
CAMERA, LOOPBACK = "/dev/video0", "/dev/video10"
# Two more loopbacks, which simulate a camera that sends H.264 and depth.
COLORS, DEPTH = "/dev/video20", "/dev/video21"
DRIVER = pathlib.Path("/sys/bus/platform/drivers/vivid")
# Y′CbCr of #00A000 in limited range, by BT.601, which the kernel assumes for an sRGB device like those of the module
# (V4L2_MAP_YCBCR_ENC_DEFAULT).
GREEN = (97, 81, 69)
PAGE = """<!doctype html><video id=v autoplay playsinline muted></video><script>
async function look() {
  const all = (await navigator.mediaDevices.enumerateDevices()).filter(d => d.kind == 'videoinput');
  const found = all.find(d => d.label.startsWith('Backdrop'));
  if (!found) return {labels: all.map(d => d.label)};
  const v = document.getElementById('v');
  v.srcObject = await navigator.mediaDevices.getUserMedia({video: {deviceId: {exact: found.deviceId}}});
  await v.play();
  const c = new OffscreenCanvas(v.videoWidth, v.videoHeight), g = c.getContext('2d', {willReadFrequently: true});
  let frames = 0;
  const corners = [];
  while (frames < 5) {
    await new Promise(r => v.requestVideoFrameCallback(r));
    g.drawImage(v, 0, 0);
    corners.push(Array.from(g.getImageData(8, 8, 1, 1).data.slice(0, 3)));
    frames += 1;
  }
  v.srcObject.getTracks().forEach(t => t.stop());
  return {labels: all.map(d => d.label), width: v.videoWidth, height: v.videoHeight, corners};
}
</script>"""


def wait_for(what, condition):
    """The shared `wait_for` with a longer timeout, because the machine is slow."""
    return wait(what, condition, 60)


def environment():
    runtime = pathlib.Path("/tmp/run")
    runtime.mkdir(mode=0o700, exist_ok=True)
    return dict(os.environ, XDG_DATA_HOME=os.environ["DATA_HOME"], XDG_RUNTIME_DIR=str(runtime), NO_COLOR="1")


def run(backdrop, *words):
    return subprocess.run([backdrop, *words], env=environment(), capture_output=True, text=True, timeout=120)


def cameras(backdrop):
    return {camera["address"]: camera for camera in json.loads(run(backdrop, "cameras", "--json").stdout)}


class Live:
    """A running `backdrop live` from the camera to the loopback."""

    def __init__(self, backdrop, *arguments, camera="v4l2:" + CAMERA, output=LOOPBACK):
        self.backdrop = backdrop
        self.log = open("/tmp/live.log", "w+b")
        self.process = subprocess.Popen(
            [
                backdrop, "live", camera, "--no-config", "--size", f"{WIDTH}x{HEIGHT}", "--fps", "10",
                "--background", "#00A000", "--output", output, *arguments,
            ],
            env=environment(), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )
        try:
            wait_for("the control socket", self.status_if_there)
        except BaseException:
            self.process.kill()
            raise

    def status_if_there(self):
        assert self.process.poll() is None, f"backdrop live ended: {pathlib.Path('/tmp/live.log').read_text()}"
        result = run(self.backdrop, "ctl", "status", "--json")
        return json.loads(result.stdout) if result.returncode == 0 else None

    def until(self, what, condition):
        """Waits for a status that satisfies the condition; returns it."""
        last = {}

        def look():
            last.update(self.status_if_there() or {})
            return last and condition(last)

        try:
            wait_for(what, look)
        except AssertionError as error:
            raise AssertionError(f"{error}: {last}; {pathlib.Path('/tmp/live.log').read_text()}") from None
        return last

    def stop(self):
        run(self.backdrop, "ctl", "quit")
        code = self.process.wait(timeout=60)
        assert code == 0, f"backdrop live ended with {code}: {pathlib.Path('/tmp/live.log').read_text()}"


def reader(count, device=LOOPBACK, to="/tmp/loop.yuv"):
    return subprocess.Popen(
        ["v4l2-ctl", "-d", device, "--stream-mmap", f"--stream-count={count}", f"--stream-to={to}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )


def announces_a_camera():
    told = subprocess.run(["v4l2-ctl", "-d", LOOPBACK, "-D"], capture_output=True, text=True).stdout
    return "Video Capture" in told


def check_green(path):
    """Checks the size and the background of all frames, except a first one that the module may not have filled."""
    data = numpy.fromfile(path, numpy.uint8)
    size = WIDTH * HEIGHT * 2
    assert data.size and data.size % size == 0, f"{data.size} bytes are no frames of {WIDTH}×{HEIGHT} YUYV"
    for frame in data.reshape(-1, HEIGHT, WIDTH // 2, 4):
        for y, x in ((8, 4), (8, WIDTH // 2 - 5)):
            luma, cb, _, cr = (int(value) for value in frame[y, x])
            assert all(abs(a - b) <= 4 for a, b in zip((luma, cb, cr), GREEN)), f"a corner is {(luma, cb, cr)}"
    return data.size // size


def lists_what_is_there(backdrop):
    found = cameras(backdrop)
    vivid = found["v4l2:" + CAMERA]
    assert vivid["name"] == "vivid" and "holder" not in vivid and "fault" not in vivid, vivid
    assert any(m["encoding"] == "yuyv" and m["width"] == 640 and 30 in m["rates"] for m in vivid["modes"]), vivid
    assert "v4l2:" + LOOPBACK not in found, "a loopback that nobody fills is no camera"
    assert "vivid" in run(backdrop, "cameras").stdout


def says_what_is_wrong(backdrop):
    for output, words in (("/dev/video77", "modprobe v4l2loopback video_nr=77"), (CAMERA, "no virtual camera")):
        result = run(backdrop, "live", CAMERA, "--no-config", "--output", output, "--seconds", "1")
        assert result.returncode == 2 and words in result.stderr, result.stderr
    result = run(backdrop, "live", "/dev/video78", "--no-config", "--output", "null", "--seconds", "1", "--always-on")
    assert "/dev/video78" in result.stderr, result.stderr


def busy_camera_names_its_user(backdrop):
    other = reader(10_000, CAMERA, "/dev/null")
    try:
        wait_for("the other program", lambda: "v4l2-ctl" in cameras(backdrop)["v4l2:" + CAMERA].get("holder", ""))
        live = Live(backdrop, "--always-on")
        try:
            status = live.until("the reason", lambda status: status.get("reason"))
            assert status["showing"] == "standby" and "v4l2-ctl" in status["reason"], status
            other.kill()
            other.wait()
            live.until("the camera", lambda status: status["isCameraOn"] and status["framesIn"] > 0)
        finally:
            live.stop()
    finally:
        other.kill()


def reads_writes_and_wakes(backdrop):
    live = Live(backdrop)
    try:
        wait_for("the virtual camera", announces_a_camera)
        live.until("silence", lambda status: status["watchers"] == 0 and not status["isCameraOn"])
        program = reader(40)
        live.until("a watcher", lambda status: status["watchers"] == 1 or program.poll() is not None)
        live.until("the camera to go on", lambda status: status["isCameraOn"] or program.poll() is not None)
        assert program.wait(timeout=120) == 0
        assert check_green("/tmp/loop.yuv") == 40
        live.until("the camera to go off", lambda status: not status["isCameraOn"])
    finally:
        live.stop()
    # The device must be free for the next program.
    again = Live(backdrop, "--always-on")
    again.until("the camera", lambda status: status["isCameraOn"] and status["framesOut"] > 0)
    again.stop()


def unplugged_and_plugged_in_again(backdrop):
    live = Live(backdrop, "--always-on")
    try:
        for _ in range(3):
            live.until("the camera", lambda status: status["isCameraOn"] and status["framesIn"] > 0)
            (DRIVER / "unbind").write_text("vivid.0")
            status = live.until("the standby frame", lambda status: status["showing"] == "standby")
            assert status["reason"], status
            program = reader(3)
            assert program.wait(timeout=60) == 0, "the virtual camera stopped with the camera"
            check_green("/tmp/loop.yuv")
            (DRIVER / "bind").write_text("vivid.0")
    finally:
        if not pathlib.Path(CAMERA).exists():
            (DRIVER / "bind").write_text("vivid.0")
        live.stop()


@contextlib.contextmanager
def camera_with_depth():
    """A camera that sends blue pictures as H.264, and depth of 0.8 m on the left and 3 m on the right."""
    distances = numpy.full((180, 320), 3000, "<u2")
    distances[:, :160] = 800
    pathlib.Path("/tmp/depth.raw").write_bytes(distances.tobytes() * 10)
    # FFmpeg does not set the rate of the devices, which Backdrop uses to match pictures with depth.
    for device in (COLORS, DEPTH):
        subprocess.run(["v4l2-ctl", "-d", device, "--set-output-parm", "10"], check=True, stdout=subprocess.DEVNULL)
    ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-re"]
    programs = [
        subprocess.Popen(ffmpeg + [
            "-f", "lavfi", "-i", "color=c=0x2040C0:s=640x360:r=10", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset",
            "ultrafast", "-tune", "zerolatency", "-g", "5", "-x264-params", "repeat-headers=1", "-f", "v4l2", COLORS]),
        subprocess.Popen(ffmpeg + [
            "-stream_loop", "-1", "-f", "rawvideo", "-pix_fmt", "gray16le", "-s", "320x180", "-r", "10", "-i", "/tmp/depth.raw",
            "-f", "v4l2", DEPTH]),
    ]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def h264_and_depth(backdrop):
    with camera_with_depth():
        wait_for("both nodes", lambda: {"v4l2:" + COLORS, "v4l2:" + DEPTH} <= set(cameras(backdrop)))
        live = Live(backdrop, "--always-on", "--matte", "depth", camera="v4l2:" + COLORS)
        try:
            status = live.until("the person", lambda status: status["showing"] == "scene")
            assert "h264" in status["cameraMode"] and "depth 320×180" in status["cameraMode"], status
            # The module keeps earlier pictures of the standby frame, so read several frames and use the last.
            program = reader(20)
            assert program.wait(timeout=120) == 0
            data = numpy.fromfile("/tmp/loop.yuv", numpy.uint8).reshape(-1, HEIGHT, WIDTH // 2, 4)[-1]
            # Near areas show the camera, far areas do not.
            near, far = data[HEIGHT // 2, WIDTH // 8], data[HEIGHT // 2, WIDTH // 2 - WIDTH // 8]
            assert all(abs(int(a) - b) <= 4 for a, b in zip(far[[0, 1, 3]], GREEN)), far
            assert int(near[1]) > 160, near
        finally:
            live.stop()


def chromium_picks_the_loopback(backdrop):
    from playwright.sync_api import sync_playwright

    served = ServedPage(PAGE)
    live = Live(backdrop, "--always-on")
    try:
        wait_for("the virtual camera", announces_a_camera)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", timeout=180_000,
                args=["--no-sandbox", "--use-fake-ui-for-media-stream", "--disable-gpu"],
            )
            page = browser.new_context(permissions=["camera"]).new_page()
            page.set_default_timeout(180_000)
            page.goto(served.url)
            seen = page.evaluate("look()")
            browser.close()
        assert any(label.startswith("Backdrop") for label in seen["labels"]), seen
        assert (seen["width"], seen["height"]) == (WIDTH, HEIGHT), seen
        for corner in seen["corners"]:
            assert all(abs(a - b) <= 24 for a, b in zip(corner, (0, 160, 0))), f"a corner is {corner}"
    finally:
        served.close()
        live.stop()


PARTS = [
    lists_what_is_there, says_what_is_wrong, busy_camera_names_its_user, reads_writes_and_wakes,
    unplugged_and_plugged_in_again, h264_and_depth, chromium_picks_the_loopback,
]


if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[2:], str(pathlib.Path(sys.argv[1]).resolve())))
