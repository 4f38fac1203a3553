"""Takes pictures of every workspace with content, in both themes and at desktop and phone size, for reviewing changes of the page.

    python workspaces.py BACKDROP FOLDER [WORKSPACE…]

Needs the development data (BACKDROP_DATA). Workspaces: first, live, calls, depth, space, photos, behind, who, brush, place, several,
empty, video, keys.
"""

import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

from studio_page import CHROMIUM, FLAGS, Server, Studio
from tasks import DATA

SIZES = {"desk": {"viewport": {"width": 1440, "height": 900}}, "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}}
CAMERA = DATA / "video/talking_head_720p.mp4"


class Visitor(Studio):
    """Opens the content of a workspace, once for all its pictures."""

    def first(self):
        self.page.wait_for_selector("#live-welcome:visible")

    def live(self):
        self.page.click("#tab-live")
        self.until_true("a picture", "studio.live.first != null")
        self.watch(12)
        self.page.evaluate("document.querySelector('#live-hint').hidden = true")

    def calls(self):
        self.live()
        self.page.click("#calls-open")
        self.until("findings", lambda: self.page.locator("#calls-findings b").count() > 0)

    def depth(self):
        self.page.click("#tab-depth")
        if not self.page.locator("#depth-source option", has_text="person.jpg").count():
            self.page.set_input_files("#depth-file", {"name": "person.jpg", "mimeType": "image/jpeg", "buffer": (DATA / "photos/iphonex_person_depth_matte.jpg").read_bytes()})
        self.until("its colours", lambda: bool(self.canvas("#depth-flat").max() > 100))
        self.page.click("#depth-2d")
        self.page.wait_for_timeout(600)

    def space(self):
        self.depth()
        self.page.click("#depth-3d")
        self.page.wait_for_timeout(1500)

    def photos(self):
        self.page.click("#tab-photos")
        if not self.page.locator("#photo-strip [role=option]").count():
            files = [DATA / "photos/iphonex_person_depth_matte.jpg", *sorted((DATA / "matting/p3m").glob("*.jpg"))[:3], DATA / "photos/iphone13pro_pug_depth_gainmap.heic"]
            self.page.set_input_files("#photo-file", [str(file) for file in files])
            self.until("they are open", lambda: self.page.locator("#photo-strip [role=option]").count() == len(files), 240)
            self.page.click("#photo-strip [role=option]:first-child")
        self.tool("look")

    def tool(self, name):
        self.page.click(f"#photo-tools [data-tool={name}]")
        self.page.wait_for_timeout(400)
        self.until_photo_rests()
        self.page.wait_for_timeout(1500)

    def behind(self):
        self.photos()
        self.tool("background")

    def who(self):
        self.photos()
        self.tool("people")
        self.until("people", lambda: self.page.locator("#photo-people label").count() > 0, 120)

    def brush(self):
        self.photos()
        self.tool("brush")

    def place(self):
        self.photos()
        self.tool("place")

    def several(self):
        self.photos()
        if not self.page.locator("#photo-several[open]").count():
            self.page.click("#photo-several summary")

    def empty(self):
        self.page.click("#tab-video")
        if self.page.locator("#video-close:visible").count():
            self.page.click("#video-close")
        self.page.wait_for_selector("#video-blank:visible")

    def video(self):
        self.page.click("#tab-video")
        if not self.page.locator("#video-panel:visible").count():
            self.page.set_input_files("#video-file", str(CAMERA))
        self.page.wait_for_selector("#video-panel:visible", timeout=120_000)
        self.until_true("a picture", "studio.video.exact > 0")
        self.page.wait_for_timeout(1500)

    def keys(self):
        self.page.click("#help")
        self.page.wait_for_timeout(300)


WORKSPACES = ["first", "live", "calls", "depth", "space", "photos", "behind", "who", "brush", "place", "several", "empty", "video", "keys"]


def main():
    backdrop, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [workspace for workspace in WORKSPACES if not names or workspace in names]
    with tempfile.TemporaryDirectory() as state, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        for first in [True, False]:
            workspaces = [workspace for workspace in wanted if (workspace == "first") == first]
            if not workspaces:
                continue
            server_folder = pathlib.Path(state) / str(first)
            server_folder.mkdir()
            server = Server(str(pathlib.Path(backdrop).resolve()), server_folder, () if first else ("--camera", str(CAMERA)))
            for size, options in SIZES.items():
                visitor = Visitor(browser, server, color_scheme="dark", reduced_motion="reduce", **options)
                for workspace in workspaces:
                    getattr(visitor, workspace)()
                    for theme in ["dark", "light"]:
                        visitor.page.evaluate("theme => { document.documentElement.dataset.theme = theme; dispatchEvent(new Event('themechange')); }", theme)
                        visitor.page.wait_for_timeout(400)
                        # Phones scroll, so a second picture shows the area below the first screen.
                        visitor.page.screenshot(path=folder / f"{workspace}-{size}-{theme}.png")
                        if size == "phone" and visitor.page.evaluate("(() => { const main = document.querySelector('main'), more = main.scrollHeight > main.clientHeight + 40; main.scrollTo(0, main.scrollHeight); return more; })()"):
                            visitor.page.wait_for_timeout(300)
                            visitor.page.screenshot(path=folder / f"{workspace}-{size}-{theme}-below.png")
                            visitor.page.evaluate("document.querySelector('main').scrollTo(0, 0)")
                    visitor.page.evaluate("for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close()")
                    print(f"{workspace} {size}", flush=True)
                visitor.close()
            server.stop()
        browser.close()


if __name__ == "__main__":
    main()
