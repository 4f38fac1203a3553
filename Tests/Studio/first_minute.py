"""Tests the first minute without a chosen camera, the state of the page with other sources and without the studio, and accessibility."""

import json
import signal
import subprocess

from studio_page import Studio, own_server, violations

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}

# Moves the slider of the blur every 20 ms, and saves a preset at the moment of the last value.
MOVING_SLIDER = """async () => {
  const input = document.querySelector("#live-strength input"), output = document.querySelector("#live-strength output");
  let movedBack = 0;
  for (let step = 0; step < 100; step += 1) {
    input.value = String(300 + 5 * step);
    input.dispatchEvent(new Event("input"));
    const text = output.textContent;
    if (step === 99) {
      document.querySelector("#preset-name").value = "While moving";
      document.querySelector("#preset-form button").click();
    }
    await new Promise((done) => setTimeout(done, 20));
    if (output.textContent !== text) movedBack += 1;
  }
  return [movedBack, output.textContent];
}"""


def first_minute(browser, server):
    """The page asks for a camera once, and uses the choice the next time without a notice."""
    with own_server(server) as own:
        studio = Studio(browser, own).first()
        page = studio.page
        assert page.locator("#live-welcome").is_visible() and page.locator(".toast").count() == 0
        assert page.locator("#live-hint").is_hidden(), "the hint is before the question"
        page.click("#welcome-simulated")
        page.wait_for_selector("#live-welcome", state="hidden")
        assert page.locator("#live-hint").is_visible()
        studio.watch()
        assert page.locator(".toast").count() == 0, page.inner_text("#toasts")
        page.click("#live-backgrounds [data-name=bokeh]")
        studio.until("bokeh", lambda: page.locator("#live-strength").is_visible())
        studio.slide("#live-strength input", 0.8)
        strong = page.inner_text("#live-strength output")
        page.fill("#preset-name", "Soft room")
        page.click("#preset-form button")
        studio.until("the preset", lambda: page.locator("#live-preset option[value='Soft room']").count() == 1)
        # States with older values arrive meanwhile: they must not move the slider back, and the preset must have the last value.
        moved_back, last = page.evaluate(MOVING_SLIDER)
        assert moved_back == 0, f"{moved_back} of 100 values were replaced by an older one"
        studio.until("the second preset", lambda: page.locator("#live-preset option[value='While moving']").count() == 1)
        page.select_option("#live-preset", "Soft room")
        studio.until("the first preset", lambda: page.inner_text("#live-strength output") == strong)
        page.select_option("#live-preset", "While moving")
        studio.until("the last value", lambda: page.inner_text("#live-strength output") == last)
        page.click("#live-backgrounds [data-name='scene:dunes']")
        studio.until("dunes", lambda: studio.pressed("#live-backgrounds [data-name='scene:dunes']", "aria-selected"))
        page.select_option("#live-preset", "Soft room")
        studio.until("as it was", lambda: page.locator("#live-strength").is_visible() and page.inner_text("#live-strength output") == strong)
        page.click("#live-backgrounds [data-name='scene:loft']")
        studio.until("loft", lambda: studio.pressed("#live-backgrounds [data-name='scene:loft']", "aria-selected"))
        page.click("#live-remove")
        studio.until("it is out of the list", lambda: page.locator("#live-backgrounds [data-name='scene:loft']").count() == 0)
        page.select_option("#live-preset", "Soft room")
        studio.until("the preset again", lambda: page.locator("#live-strength").is_visible())
        # The dialog for calls lists this computer's options; without any, it shows no button that would fail.
        page.click("#calls-open")
        page.wait_for_selector("#calls-findings .icon")
        assert "PipeWire" in page.inner_text("#calls-findings") and "v4l2loopback" in page.inner_text("#calls-findings")
        page.keyboard.press("Escape")
        def is_saved():
            texts = [one.read_text() for one in (own.folder / "state").rglob("live.json")]
            return any(
                '"Soft room"' in text and "scene:loft" not in text and json.loads(text)["settings"]["background"].startswith("bokeh")
                for text in texts)
        studio.until("the state is saved", is_saved)
        studio.close()
        own.stop(signal.SIGKILL)
        own.start()
        studio = Studio(browser, own).first()
        page = studio.page
        assert page.locator("#live-welcome").is_hidden()
        studio.until("what was set", lambda: page.locator("#live-strength").is_visible() and page.inner_text("#live-strength output") == strong)
        assert page.locator("#live-backgrounds [data-name='scene:loft']").count() == 0
        assert page.locator("#live-preset option[value='Soft room']").count() == 1
        studio.close()


def true_now(browser, server):
    """A video as the camera has its own name, and shows nothing of the previous camera."""
    with own_server(server, "--camera", "sim:talking?size=640x360") as own:
        clip = own.folder / "holiday clip.mp4"
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=2", "-pix_fmt", "yuv420p", str(clip)], check=True)
        studio = Studio(browser, own).first()
        page = studio.page
        small = "#live .views [data-view=depth] canvas"
        studio.until("depth is seen", lambda: bool(studio.canvas(small).max() > 60))
        page.set_input_files("#camera-file", str(clip))
        studio.until("no depth", lambda: "No depth" in page.inner_text("#live .views [data-view=depth]"))
        assert studio.canvas(small).max() < 20, "the depth of the camera before is still shown"
        name = "e => e.selectedOptions[0].textContent"
        studio.until("its name", lambda: page.eval_on_selector("#live-source", name) == "holiday clip.mp4")
        assert "/tmp" not in page.inner_text("body") and "live/" not in page.inner_text("body")
        page.click("#tab-depth")
        studio.until("it says so", lambda: page.locator("#depth-notice").is_visible() and page.locator("#depth-histogram").is_hidden())
        assert "no depth" in page.inner_text("#depth-notice") and page.inner_text("#depth-status") == ""
        page.click("#tab-live")
        # The page waits for a killed studio to return.
        own.stop(signal.SIGKILL)
        studio.until("the page says that it waits", lambda: page.locator("#reconnecting").is_visible())
        own.start()
        page.wait_for_selector("#login[open]")
        page.fill("#login-secret", own.link())
        page.keyboard.press("Enter")
        studio.until("it goes on", lambda: page.locator("#reconnecting").is_hidden())
        studio.watch()
        studio.close()


def keys_open_nothing(browser, server):
    """Arrow keys move through the list of cameras, and never open the file chooser."""
    studio = Studio(browser, server).first()
    page = studio.page
    opened = []
    page.on("filechooser", lambda chooser: opened.append(chooser))
    page.focus("#live-source")
    for key in ["End", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"]:
        page.keyboard.press(key)
        page.wait_for_timeout(150)
    page.focus("#theme")
    page.focus("#live-backgrounds [aria-selected=true]")
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(80)
    assert not opened, "an arrow key opened a file chooser"
    page.select_option("#live-source", label="Someone talks in a living room")
    studio.close()


# The studio's workspaces and dialogs for axe. Photos has its own tests.
WORKSPACES = ["live", "depth", "video"]


def check(studio, what, found):
    found += [f"{what}: {one}" for one in violations(studio.page)]


def axe(browser, server):
    found = []
    clip = server.folder / "axe.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=1", "-pix_fmt", "yuv420p", str(clip)], check=True)
    # On phones the same controls are elsewhere, so the test also checks their size.
    for scheme in ["dark", "light"]:
        for size in [{}, PHONE] if scheme == "light" else [{}]:
            studio = Studio(browser, server, color_scheme=scheme, **size).first()
            page = studio.page
            studio.watch(20)
            for workspace in WORKSPACES:
                page.click(f"#tab-{workspace}")
                page.wait_for_timeout(500)
                if workspace == "video" and page.locator("#video-empty").is_visible():
                    check(studio, f"video, empty, {scheme}", found)
                    page.set_input_files("#video-file", clip)
                    page.wait_for_selector("#video-panel:visible")
                    studio.until_true("a picture", "studio.video.shown > 0")
                if not size:
                    check(studio, f"{workspace}, {scheme}", found)
            if not size:
                page.click("#tab-live")
                page.click("#live .panel details summary")
                check(studio, f"live, all settings, {scheme}", found)
                for opening, dialog in [("#calls-open", "#calls"), ("#help", "#keys")]:
                    page.click(opening)
                    page.wait_for_selector(f"{dialog}[open]")
                    page.wait_for_selector("#calls-again:disabled", state="detached")
                    page.wait_for_timeout(400)
                    check(studio, f"{dialog}, {scheme}", found)
                    page.keyboard.press("Escape")
            else:
                small = page.evaluate(
                    """names => names.flatMap((name) => { document.getElementById('tab-' + name).click();
                    return [...document.querySelectorAll('button, select, summary, input:not([type=file]):not([type=checkbox]), [role=slider]')]
                      .filter((one) => one.checkVisibility() && !one.closest('#photos'))
                      .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.height < 44 || box.width < 24)
                      .map(([one, box]) => `${name}: ${Math.round(box.width)}×${Math.round(box.height)} ${one.outerHTML.slice(0, 90)}`); })""", WORKSPACES)
                found += [f"too small for a finger: {one}" for one in small]
            studio.close()
    with own_server(server) as own:
        studio = Studio(browser, own).first()
        check(studio, "the first question", found)
        studio.context.clear_cookies()
        studio.page.reload()
        studio.page.wait_for_selector("#login[open]")
        check(studio, "#login", found)
        studio.context.close()
    assert not found, "\n".join(sorted(set(found)))


PARTS = [first_minute, true_now, keys_open_nothing, axe]
