"""Files from phones and cameras, in every workspace that accepts them. The studio must show them upright, progressive and in standard
dynamic range, with square pixels and the right alpha. Tests/Properties/properties.py creates the files, all of the same picture, and
searches saved files for old pictures."""

import base64
import io
import pathlib
import subprocess
import sys

import numpy
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Properties"))

import properties
from photo_workspace import PhotoWorkspace, person
from studio_page import Studio

REAL_BACKGROUND, RED, BLUE, BLACK, WHITE = properties.GREEN, properties.RED, properties.BLUE, (0, 0, 0), (255, 255, 255)
MIDDLES, CORNERS = (0.25, 0.75), (0.02, 0.98)


def stored(server):
    """Creates the files, and a picture and a clip of a person in front of a room that alpha hides; returns their folder."""
    folder = server.folder / "stored"
    if folder.exists():
        return folder
    folder.mkdir()
    properties.store(folder, properties.pixels())
    properties.cut().save(folder / "alpha.png")
    properties.videos(folder)
    subprocess.run(
        [server.backdrop, "matte", "sim:talking?size=640x360&seconds=0.03", "--matte", "depth", "-o", str(folder / "matte.png")],
        check=True, capture_output=True)
    matte = numpy.asarray(Image.open(folder / "matte.png").convert("L")) > 127
    picture = numpy.where(matte[..., None], numpy.asarray(Image.open(person(server)).convert("RGB")), REAL_BACKGROUND)
    cut = numpy.dstack([picture, matte * 255]).astype("uint8")
    Image.fromarray(cut).save(folder / "cut.png")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "640x360", "-r", "25", "-i", "-", "-c:v", "libvpx-vp9",
         "-b:v", "0", "-crf", "10", "-pix_fmt", "yuva420p", str(folder / "cut.webm")], input=cut.tobytes() * 10, check=True)
    return folder


def shows(picture, name, points=MIDDLES):
    """Whether `picture` is the common picture of all files, in the middles of its quarters or in its corners; otherwise the difference."""
    height, width = picture.shape[:2]
    background = BLACK if name.startswith("alpha") else REAL_BACKGROUND
    # The file with oblong pixels has a white edge at the top, which lies outside the picture if its shape is ignored.
    above = (WHITE, WHITE) if name == "aspect.mp4" and points == CORNERS else (background, RED)
    for y, colours in zip(points, (above, (background, BLUE))):
        for x, colour in zip(points, colours):
            found = picture[int(y * height), int(x * width)]
            if abs(found - colour).max() > 24:
                return f"{name} is {found} at {x}, {y}, not {colour}"
    return True


def background_is_hidden(picture, name):
    part = properties.green(Image.fromarray(picture.astype("uint8")))
    assert part < 0.002, f"{name} shows {part:.1%} of what alpha hides"


def stored_photos(browser, server):
    """Each file as the photo, and as the background."""
    folder = stored(server)
    workspace = PhotoWorkspace(browser, server, person(server))
    workspace.tool("background")
    for name in ["orientation-6.jpg", "hlg.avif", "alpha.png"]:
        workspace.page.set_input_files("#photo-behind-file", str(folder / name))
        workspace.page.wait_for_selector(f"#photo-backgrounds [title='{name}'][aria-checked=true]")
        workspace.rest()
        workspace.until("behind", lambda: shows(workspace.canvas("#photo-canvas"), name, CORNERS))
    # With another tool than the one for backgrounds, a file becomes a photo.
    workspace.tool("look")
    for count, name in enumerate(["orientation-6.jpg", "pq.png", "cut.png"], 2):
        workspace.page.set_input_files("#photo-file", str(folder / name))
        workspace.until("it is open", lambda: workspace.page.locator("#photo-strip [role=option]").count() == count)
        workspace.page.click("#photo-views [data-view=picture]")
        workspace.rest()
        seen = workspace.canvas("#photo-canvas")
        if name == "cut.png":
            background_is_hidden(seen, "the original")
            workspace.page.click("#photo-looks [data-id=portrait]")
            workspace.rest()
            background_is_hidden(workspace.canvas("#photo-canvas"), "a look that shows the room")
        else:
            assert seen.shape == (128, 192, 3) and (wrong := shows(seen, name)) is True, (name, seen.shape, wrong)
    workspace.close()


def stored_thumbnails(browser, server):
    """No saved file contains a picture of the old room."""
    folder = stored(server)
    photo, small = folder / "portrait.jpg", folder / "thumbnail.jpg"
    small.write_bytes(properties.jpeg(properties.upright(96, 64)))
    data = properties.multi_picture(properties.jpeg(Image.open(person(server)).convert("RGB")), small.read_bytes(), 0x010001)
    photo.write_bytes(properties.with_segments(data, properties.segment(0xE0, b"JFXX\0\x10" + small.read_bytes())))
    properties.tag(photo, f"-ThumbnailImage<={small}", f"-XMP:ThumbnailImage<={small}", "-XMP:Title=kept")
    workspace = PhotoWorkspace(browser, server, photo)
    workspace.tool("background")
    workspace.page.click("#photo-backgrounds [data-name='scene:dunes']")
    workspace.rest()
    saved = {}
    for form in ["jpg", "heic", "png"]:
        path = folder / f"saved.{form}"
        path.write_bytes(workspace.save(form))
        saved[str(path)] = properties.inside(path.read_bytes())
    workspace.close()
    tags, previews = properties.tags_and_previews([str(photo), *saved])
    assert properties.inside(photo.read_bytes()) > 0.4 and previews[str(photo)] > 0.4, "it could not be missed"
    for path, part in saved.items():
        assert max(part, previews[path]) == 0, f"{path} shows the old room"
        assert "kept" in str(tags[path]), f"{path} has lost its title"


def stored_cameras(browser, server):
    """Each file as the background, and as the camera."""
    folder = stored(server)
    studio = Studio(browser, server).first()
    for name in ["orientation-6.jpg", "hlg.avif", "alpha-vp9.webm", "pq.mov", "aspect.mp4", "turned.mp4"]:
        studio.page.set_input_files("#background-file", str(folder / name))
        studio.page.wait_for_selector(f"#live-backgrounds [title='{name}'][aria-selected=true]")
        studio.watch(3)
        studio.until("behind", lambda: shows(studio.canvas(), name, CORNERS))
    studio.say(do="background", value="#ffffff")

    def take(name):
        studio.page.set_input_files("#camera-file", str(folder / name))
        studio.until("its name", lambda: name in studio.page.eval_on_selector("#live-source", "one => one.selectedOptions[0].textContent"))
        studio.watch(12)

    studio.page.click("#live .views [data-view=input]")
    for name in ["alpha-vp9.webm", "pq.mov", "aspect.mp4", "orientation-6.jpg"]:
        take(name)
        studio.until("as the camera", lambda: shows(studio.canvas(), name))
        if name == "aspect.mp4":
            assert (studio.canvas()[9, ::32] > 230).all(), "its edge was cut off"
    take("cut.webm")
    background_is_hidden(studio.canvas(), "the camera")
    studio.page.click("#live .views [data-view=input]")
    studio.until("somebody is there", lambda: bool(studio.canvas()[200, 320].max() < 240))
    background_is_hidden(studio.canvas(), "the result")
    with studio.page.expect_download() as download:
        studio.page.click("#live-snapshot")
        studio.page.click(".toast a")
    background_is_hidden(numpy.asarray(Image.open(download.value.path()).convert("RGB")), "the snapshot")
    studio.page.select_option("#live-source", label="Someone talks in a living room")
    studio.close()


def stored_videos(browser, server):
    """Each file on the strip, unchanged, with a look, and exported."""
    folder = stored(server)
    studio = Studio(browser, server, "#room=video")
    page = studio.page

    def picture(address):
        data = page.evaluate(
            """async address => { const data = new Uint8Array(await (await fetch(address)).arrayBuffer());
              return btoa(Array.from(data, (one) => String.fromCharCode(one)).join("")); }""", address)
        return numpy.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)

    for name in ["alpha-vp9.webm", "aspect.mp4", "interlaced.mp4", "hlg.mov", "pq.mov"]:
        page.set_input_files("#video-file", str(folder / name))
        studio.until("its name", lambda: name in page.eval_on_selector("#video-which", "one => one.selectedOptions[0]?.textContent ?? ''"))
        page.wait_for_selector("#video-panel:visible")
        studio.until("the usual background", lambda: shows(studio.canvas("#video-canvas"), name) is not True)
        number = page.evaluate("document.querySelector('#video-track img').src.match(/videos\\/(\\d+)/)[1]")
        for kind in ["small.jpg", "frame.jpg"]:
            seen = picture(f"/api/videos/{number}/{kind}?t=0.2")
            assert seen.shape == (128, 192, 3) and (wrong := shows(seen, name)) is True, (name, kind, seen.shape, wrong)
            if name == "interlaced.mp4":
                rows = seen[58:70]
                comb = abs(2 * rows[1:-1] - rows[:-2] - rows[2:]).mean()
                assert comb < 15, f"{kind}: {comb}, of 30 where rows are of two times"
        # Without a person, the whole picture is the blurred real background. A blur would move the white edge far down.
        if name != "aspect.mp4":
            page.click("#video-backgrounds [data-name=blur]")
            studio.until("its colours", lambda: shows(studio.canvas("#video-canvas"), name))
    page.click("#video-export")
    page.wait_for_selector("#video-exports .done", timeout=120_000)
    with page.expect_download() as arrives:
        page.click("#video-exports .done a")
    arrives.value.save_as(folder / "exported.mp4")
    facts = properties.video_facts(folder / "exported.mp4")
    assert (facts["width"], facts["height"], facts["fieldOrder"]) == (192, 128, "progressive"), facts
    assert facts["transfer"] not in properties.CURVES and abs(facts["quarters"][0][1] - REAL_BACKGROUND[1]) < 24, facts
    page.click("#video-exports .done button")
    studio.close()


PARTS = [stored_photos, stored_thumbnails, stored_cameras, stored_videos]
