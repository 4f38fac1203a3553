"""Tests the browser's microphone in recordings: it is off by default, handles a refusal, and is in sync with the pictures.

Both simulated devices use one clock: a frame turns white and an oscillator clicks at the same moment. Chromium's own fake devices, a clip
and a sound file, begin at unknown times. Chromium draws a canvas only when it has time, so the page reports each delay.
"""

import json
import pathlib

import numpy
from claps import claps_in, probe
from common import Skipped
from studio_page import Studio

# A simulated camera and microphone: every two seconds a click of 20 ms, scheduled on the audio clock, and a white frame when that clock
# reaches it, which `claps` reports.
DEVICES = """(() => {
  const [width, height] = [160, 120];
  const picture = (level) => new Uint8Array(width * height * 3 / 2).fill(128).fill(level, 0, width * height);
  const [black, white] = [picture(16), picture(235)];
  let audio = null, target = null, next = 0;
  const writers = new Set();
  globalThis.claps = [];
  function prepare() {
    if (audio) return;
    audio = new AudioContext({ sampleRate: 48000 });
    target = audio.createMediaStreamDestination();
    next = audio.currentTime + 1;
    let last = 0;
    setInterval(() => {
      const now = audio.currentTime;
      if (next - now < 1.5) {
        const tone = new OscillatorNode(audio, { type: "square", frequency: 1000 });
        tone.connect(target);
        tone.start(next); tone.stop(next + 0.02);
        claps.push({ click: next });
        next += 2;
      }
      const clap = claps.find(({ click }) => now >= click && now < click + 0.15);
      const isFirst = clap && clap.white === undefined;
      if (isFirst) clap.white = now;
      if (!isFirst && performance.now() - last < 33) return;
      last = performance.now();
      for (const writer of writers) writer.write(new VideoFrame(clap ? white : black, { format: "I420", codedWidth: width, codedHeight: height, timestamp: last * 1000 })).catch(() => writers.delete(writer));
    }, 4);
  }
  function camera() {
    const track = new MediaStreamTrackGenerator({ kind: "video" });
    writers.add(track.writable.getWriter());
    return new MediaStream([track]);
  }
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    globalThis.asked = (globalThis.asked ?? []).concat(wanted.audio ? "microphone" : "camera");
    if (globalThis.refuses) throw new DOMException("no", "NotAllowedError");
    prepare();
    await audio.resume();
    return wanted.audio ? target.stream : camera();
  };
})();"""


def record(studio, seconds):
    page = studio.page
    page.click("#live-record")
    # The displayed time counts written pictures; before the first one there is no recording.
    studio.until("it records", lambda: page.inner_text("#live-record").strip() not in ("Record", "Stop 0:00"))
    page.wait_for_timeout(seconds * 1000)
    page.click("#live-record")
    page.wait_for_selector(".toast a")
    with page.expect_download() as download:
        page.click(".toast a")
    path = pathlib.Path(studio.server.folder) / "clap.mp4"
    download.value.save_as(path)
    page.evaluate("document.querySelector('#toasts').replaceChildren()")
    return path


def heard(browser, server):
    """A page with both simulated devices."""
    studio = Studio(browser, server)
    page = studio.page
    page.add_init_script(DEVICES)
    page.goto(server.link())
    return studio.first()


def switch_on(studio):
    studio.page.select_option("#live-source", "browser:")
    # This camera shows no person, so allow the real background.
    studio.say(do="show-room", value=True)
    studio.say(do="look", value="noir")
    studio.until("it is on", lambda: (studio.page.keyboard.press("a"), studio.page.wait_for_timeout(800), studio.pressed("#live-microphone"))[2])


def leave(studio):
    studio.page.select_option("#live-source", label="Someone talks in a living room")
    studio.say(do="look", value="backdrop")
    studio.say(do="show-room", value=False)
    studio.close()


def microphone(browser, server):
    studio = heard(browser, server)
    page = studio.page
    assert page.evaluate("globalThis.asked") is None, "something was asked for before anybody wanted it"
    assert page.get_attribute("#live-microphone", "aria-pressed") == "false"
    # Without the microphone the recording has no sound.
    assert not json.loads(probe(record(studio, 1), "-select_streams", "a", "-show_streams"))["streams"]
    # The page reports a refusal once, and the microphone stays off.
    page.evaluate("globalThis.refuses = true")
    page.click("#live-microphone")
    page.wait_for_selector(".toast")
    assert "does not allow the microphone" in page.inner_text(".toast")
    assert page.get_attribute("#live-microphone", "aria-pressed") == "false"
    page.evaluate("globalThis.refuses = false; document.querySelector('#toasts').replaceChildren()")
    switch_on(studio)
    assert page.evaluate("globalThis.asked").count("microphone") == 2
    path = record(studio, 4)
    streams = json.loads(probe(path, "-show_streams"))["streams"]
    assert [(one["codec_type"], one["codec_name"]) for one in streams] == [("video", "h264"), ("audio", "aac")], streams
    lengths = [float(one["duration"]) for one in streams]
    assert abs(lengths[0] - lengths[1]) < 0.2, lengths
    # Switching the microphone off also switches the browser's indicator off.
    page.click("#live-microphone")
    assert page.get_attribute("#live-microphone", "aria-pressed") == "false"
    assert page.evaluate("localStorage.getItem('backdrop-microphone')") is None
    leave(studio)


def clap(browser, server, seconds=14):
    """White frames and clicks at the same time must also be in sync in the file."""
    studio = heard(browser, server)
    switch_on(studio)
    studio.page.wait_for_timeout(2000)
    path = record(studio, seconds)
    claps = [one["white"] - one["click"] for one in studio.page.evaluate("claps") if "white" in one]
    whites, clicks = claps_in(path)
    leave(studio)
    # If this machine draws a white frame late, subtract the delay, usually a few milliseconds.
    late = float(numpy.median(claps)) if claps else 0
    offsets = [min((white - click for white in whites), key=abs) - late for click in clicks[1:-1] if whites]
    offsets = [one for one in offsets if abs(one) < 0.5]
    print(f"  {len(clicks)} clicks, {len(whites)} white frames, written {1000 * late:.0f} ms late; white after click: {[round(1000 * one) for one in offsets]} ms", flush=True)
    if len(offsets) < 3:
        raise Skipped(f"{len(offsets)} of {seconds // 2} claps came through: this machine is too busy to compare them")
    # A dropped frame delays the white one by 33 ms.
    middle = float(numpy.median(offsets))
    assert -0.02 < middle < 0.02 + 1 / 30, offsets


PARTS = [microphone, clap]
