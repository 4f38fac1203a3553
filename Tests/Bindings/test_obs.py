"""Tests the filter in a real OBS on its own screen, controlled through OBS's WebSocket.

    LD_LIBRARY_PATH=… BACKDROP_OBS=FOLDER python test_obs.py BACKDROP [PART…]

FOLDER is the output of scripts/plugins.sh. The tests compare OBS's pictures with libbackdrop's results for the same input.
BACKDROP_PICTURES names a folder for pictures to review. BACKDROP_WINDOWS is the path for the picture of OBS's windows in docs/obs.md:
BACKDROP_WINDOWS=docs/pictures/obs.jpg creates it again.
"""

import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "Live")]

import numpy
from PIL import Image

import fronts
import library
from common import Skipped, run_parts, wait_for
from obs import OBS

PLUGIN = os.environ["BACKDROP_OBS"]
GREEN = (0, 160, 0)
WIDTH, HEIGHT = 640, 360
FILTER = "Backdrop"


class Scene:
    """OBS with a person in front of a green source."""

    def __init__(self, size=(WIDTH, HEIGHT), plugin=PLUGIN, **environment):
        self.temporary = tempfile.TemporaryDirectory(prefix="backdrop-obs-")
        self.folder = pathlib.Path(self.temporary.name)
        self.obs = OBS(self.folder, plugin, size, environment=environment)
        opened.append(self)
        self.obs.start()
        self.name = self.obs.ask("GetSceneList")["currentProgramSceneName"]

    def green(self):
        width, height = self.obs.size
        self.obs.ask("CreateInput", sceneName=self.name, inputName="green", inputKind="color_source_v3",
                     inputSettings={"color": 0xFF000000 | GREEN[1] << 8, "width": width, "height": height})

    def picture(self, picture, name="person"):
        path = self.folder / f"{name}.png"
        Image.fromarray(picture).save(path)
        self.obs.ask("CreateInput", sceneName=self.name, inputName=name, inputKind="image_source", inputSettings={"file": str(path)})

    def video(self, pictures, name="person"):
        path = self.folder / f"{name}.mkv"
        height, width = pictures[0].shape[:2]
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", "30", "-i", "-", "-vf",
             "scale=out_color_matrix=bt709", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "4", "-colorspace",
             "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", str(path)],
            input=b"".join(picture.tobytes() for picture in pictures), check=True)
        self.obs.ask("CreateInput", sceneName=self.name, inputName=name, inputKind="ffmpeg_source",
                     inputSettings={"local_file": str(path), "looping": True, "is_local_file": True})
        return path

    def filter(self, name="person", **settings):
        self.obs.ask("CreateSourceFilter", sourceName=name, filterName=FILTER, filterKind="backdrop_filter", filterSettings=settings)

    def set(self, name="person", **settings):
        self.obs.ask("SetSourceFilterSettings", sourceName=name, filterName=FILTER, filterSettings=settings)

    def shown(self, condition, what, name=None):
        """Waits until a screenshot of the scene or of a source satisfies the condition; returns it."""
        def look():
            picture = self.obs.screenshot(name or self.name)
            return (picture,) if condition(picture) else None

        return wait_for(what, look, 30)[0]

    def settled(self, name=None, seconds=30):
        """Waits until the picture stops changing; returns a screenshot."""
        before, end = None, time.monotonic() + seconds
        while time.monotonic() < end:
            picture = self.obs.screenshot(name or self.name)
            if before is not None and numpy.abs(picture.astype(int) - before).max() <= 2:
                return picture
            before = picture
            time.sleep(0.5)
        raise AssertionError("the picture goes on changing")

    def warnings(self):
        return re.findall(r"warning: \[backdrop\] (.*)", self.obs.text())

    def close(self, may_crash=False):
        opened.remove(self)
        status = self.obs.stop()
        text = self.obs.text()
        self.temporary.cleanup()
        if status == -11 and may_crash:
            print("  OBS crashed while it ended")
            return
        assert status == 0, f"OBS ended with {status}: {text[-2000:]}"
        assert "Number of memory leaks: 0" in text, re.findall(r".*leak.*", text)


opened = []


def close_all():
    """Ends the OBS processes that a failed part left running."""
    for scene in list(opened):
        print("\n".join(line for line in scene.obs.text().splitlines() if "backdrop" in line.lower())[-2000:])
        opened.remove(scene)
        scene.obs.stop()
        scene.temporary.cleanup()


people = library.scenes(count=30, size=f"{WIDTH}x{HEIGHT}")


def is_cut_out(picture):
    return picture[4, 4, 3] == 0 and picture[HEIGHT // 2, WIDTH // 2, 3] == 255


def reference(picture, count=40, **values):
    """The library's result for a stream that repeats one picture."""
    height, width = picture.shape[:2]
    session = library.Session(width, height, **values)
    data = library.with_alpha(picture, library.BGRA)
    for index in range(count):
        drawn, is_standby = session.render(data, library.BGRA, index / 30)
    session.close()
    assert not is_standby
    return drawn.reshape(height, width, 4)[..., [2, 1, 0, 3]]


def difference(one, other):
    """The mean and the 99.5th percentile of the differences, in levels of 8 bits."""
    values = numpy.abs(one.astype(int) - other.astype(int))
    return values.mean(), numpy.percentile(values, 99.5)


def keep(name, picture):
    if folder := os.environ.get("BACKDROP_PICTURES"):
        Image.fromarray(picture).save(pathlib.Path(folder) / name)


def pictures(_):
    """A person in front of the scene and of each kind of background looks the same as in the library's result."""
    scene = Scene()
    scene.green()
    scene.picture(people[0])
    scene.filter()
    scene.shown(is_cut_out, "a cutout", "person")
    cutout, expected = scene.settled("person"), reference(people[0], background="none")
    alpha = difference(cutout[..., 3], expected[..., 3])
    # OBS's screenshots of sources are premultiplied.
    straight = expected[..., :3] * (expected[..., 3:] / 255)
    premultiplied = difference(cutout[..., :3].astype(int), numpy.rint(straight))
    color = difference(cutout[..., :3][expected[..., 3] == 255], expected[..., :3][expected[..., 3] == 255])
    print(f"  alpha differs by {alpha[0]:.3f} of 255 in the mean, {alpha[1]:.0f} at most (99.5 %); colours by {color[0]:.3f}, {color[1]:.0f}")
    assert alpha[0] < 0.3 and alpha[1] <= 8 and color[0] < 0.5 and color[1] <= 2, (alpha, color, premultiplied)
    shown = scene.settled()
    keep("obs-scene.png", shown)
    composite = expected[..., :3] * (expected[..., 3:] / 255) + numpy.array(GREEN) * (1 - expected[..., 3:] / 255)
    composed = difference(shown[..., :3], numpy.rint(composite))
    print(f"  before the scene: {composed[0]:.3f}, {composed[1]:.0f}")
    assert composed[0] < 0.5 and composed[1] <= 8, composed
    backgrounds = [
        ({"mode": "color", "color": 0xFF2000C0}, "#C00020"), ({"mode": "scene", "scene": "loft"}, "scene:loft"), ({"mode": "blur"}, "blur"),
        ({"mode": "bokeh"}, "bokeh"), ({"mode": "file", "file": str(scene.folder / "behind.png")}, str(scene.folder / "behind.png")),
    ]
    Image.fromarray(numpy.roll(people[9], WIDTH // 2, 1)).save(scene.folder / "behind.png")
    for settings, background in backgrounds:
        scene.set(**settings)
        time.sleep(1)
        shown, expected = scene.settled(), reference(people[0], background=background)
        drawn = difference(shown[..., :3], expected[..., :3])
        print(f"  {background if len(background) < 20 else 'a file'}: {drawn[0]:.3f}, {drawn[1]:.0f}")
        assert drawn[0] < 0.6 and drawn[1] <= 8, (background, drawn)
    assert scene.warnings() == []
    scene.close()


def settings(_):
    """The filter has the library's settings, keeps them over a restart of OBS, and applies changes while it runs."""
    scene = Scene()
    defaults = scene.obs.ask("GetSourceFilterDefaultSettings", filterKind="backdrop_filter")["defaultFilterSettings"]
    left_out = {"look", "background", "audience", "show-room"}
    wanted = [parameter for parameter in library.describe()["session"] if parameter["name"] not in left_out and parameter["group"] != "depth"]
    assert len(wanted) > 15
    for parameter in wanted:
        name = parameter["name"]
        assert name in defaults, name
        if "default" in parameter:
            assert defaults[name] == parameter["default"], name
        elif parameter["kind"] == "number":
            # The library's automatic value is below the minimum for users.
            least = parameter["minimum"]
            assert defaults[name] == (0 if least > 0 else math.floor(least) - 1), name
        else:
            assert defaults[name] == "", name
    assert not left_out & set(defaults)
    scene.picture(people[0])
    scene.filter(mode="color", color=0xFF00A000, refine=0.25, smooth=0.5, quality="fast", threads=1, delay=5)
    scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN, "the colour", "person")
    for parameter in wanted:
        name, kind = parameter["name"], parameter["kind"]
        values = {"number": [parameter.get("minimum"), parameter.get("maximum")], "toggle": [True, False] if "default" in parameter else ["on", "off"],
                  "choice": [choice["name"] for choice in parameter.get("choices", []) if name not in ("quality", "matte", "subject")]}.get(kind, [])
        for value in values:
            scene.set(**{name: value})
            time.sleep(0.1)
    time.sleep(1)
    assert all("standby" in warning for warning in scene.warnings()), scene.warnings()
    scene.set(**{**{parameter["name"]: defaults[parameter["name"]] for parameter in wanted}, "refine": 0.25, "smooth": 0.5, "quality": "fast"})
    kept = scene.obs.ask("GetSourceFilter", sourceName="person", filterName=FILTER)["filterSettings"]
    scene.obs.stop()
    scene.obs.start()
    again = scene.obs.ask("GetSourceFilter", sourceName="person", filterName=FILTER)["filterSettings"]
    assert again == kept and again["refine"] == 0.25 and again["delay"] == 5, (kept, again)
    scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN, "the colour after another start", "person")
    scene.close()


def jumping():
    """Frames of a person who jumps to the other side every sixth of a second, so that a matte of another frame shows the room."""
    left, right = ([numpy.roll(picture, shift, 1) for picture in people] for shift in (-150, 150))
    return [(left if index // 5 % 2 else right)[index % 30] for index in range(60)]


def worst(frames, left, right):
    """The difference between each frame and the nearer of two."""
    return [min(numpy.abs(frame.astype(int) - one).mean() for one in (left, right)) for frame in frames]


def recording(_):
    """Records ten seconds of a person who jumps: each recorded frame must be one picture with its own matte."""
    seconds = int(os.environ.get("RECORD_SECONDS", "10"))
    scene = Scene()
    scene.green()
    video = jumping()
    scene.video(video)
    scene.filter(smooth=0)
    scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN and tuple(picture[HEIGHT // 2, WIDTH // 2, :3]) != (0, 0, 0), "the person")
    time.sleep(2)
    scene.obs.ask("StartRecord")
    time.sleep(seconds)
    scene.obs.ask("StopRecord")
    time.sleep(2)
    files = sorted(scene.folder.glob("*.mkv"), key=lambda path: path.stat().st_mtime)
    path = [path for path in files if path.name != "person.mkv"][-1]
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), "-vf", "scale=in_color_matrix=bt709", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         stdout=subprocess.PIPE, check=True).stdout
    frames = numpy.frombuffer(raw, numpy.uint8).reshape(-1, HEIGHT, WIDTH, 3)
    for index in (len(frames) // 3, len(frames) // 2):
        keep(f"obs-recorded-{index}.png", frames[index])
    # The library's result for the same video.
    session = library.Session(WIDTH, HEIGHT, background="none", smooth="0")
    drawn = []
    for index in range(2 * len(video)):
        data = session.render(library.with_alpha(video[index % len(video)], library.BGRA), library.BGRA, index / 30)[0].reshape(HEIGHT, WIDTH, 4)
        alpha = data[..., 3:] / 255
        drawn.append(numpy.rint(data[..., 2::-1] * alpha + numpy.array(GREEN) * (1 - alpha)).astype(numpy.uint8))
    session.close()
    drawn = drawn[len(video):]
    distances, empty = [], 0
    for frame in frames[::3]:
        # The source may show nothing for a moment.
        if numpy.abs(frame[::4, ::4].astype(int) - GREEN).max() < 10:
            empty += 1
            continue
        distances.append(min(numpy.abs(frame[::2, ::2].astype(int) - other[::2, ::2]).mean() for other in drawn))
    # For comparison, a matte of the picture before a jump: the result of a filter with late mattes.
    trailing = []
    for index in range(1, len(video)):
        if index % 5 == 0:
            mask = (numpy.abs(drawn[index - 1].astype(int) - GREEN).max(2) > 12)[..., None]
            frame = numpy.where(mask, video[index], numpy.array(GREEN, numpy.uint8))
            trailing.append(min(numpy.abs(frame[::2, ::2].astype(int) - other[::2, ::2]).mean() for other in drawn))
    print(f"  {len(frames)} frames in {seconds} s; nearest picture of the library's: {statistics.mean(distances):.2f} in the mean, {max(distances):.2f} at "
          f"most; a trailing matte: at least {min(trailing):.2f}")
    assert len(frames) > seconds * 20, len(frames)
    assert empty <= 2, f"{empty} frames show nobody"
    assert max(distances) < min(trailing) / 2, (max(distances), min(trailing))
    assert len({frame.tobytes() for frame in frames}) > 10, "nothing moved"
    # After a recording, OBS 29 sometimes crashes on exit, also without the filter.
    scene.close(may_crash=True)


def delay(_):
    """The filter shows a picture after the set number of frames, or later on a slow machine, never earlier."""
    scene = Scene()
    scene.picture(people[0])
    scene.filter(mode="color", color=0xFF00A000, delay=15)
    scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN, "the colour", "person")
    times = {}
    moved = {side: numpy.roll(people[0], 60 * side, 1) for side in (-1, 1)}
    wanted = {side: reference(picture, 5, background="#00A000")[..., :3] for side, picture in moved.items()}
    for side, picture in moved.items():
        Image.fromarray(picture).save(scene.folder / f"{side}.png")
    for frames in (15, 3):
        scene.set(delay=frames)
        taken = []
        for index in range(8):
            side = index % 2 * 2 - 1
            time.sleep(1)
            scene.obs.ask("SetInputSettings", inputName="person", inputSettings={"file": str(scene.folder / f"{side}.png")})
            begin = time.monotonic()
            scene.shown(lambda picture: numpy.abs(picture[..., :3].astype(int) - wanted[side]).mean() < 4, "the next picture", "person")
            taken.append(time.monotonic() - begin)
        times[frames] = statistics.median(taken)
    print(f"  seconds until a new picture is seen, at a delay of 15 and 3 frames: {times}")
    # Twelve frames of a thirtieth of a second, minus the time of a screenshot.
    assert 0.2 < times[15] - times[3], times
    scene.close()


def scenes(_):
    """A hundred changes between scenes with the filter, and creating and removing filters, leak no thread and no memory."""
    scene = Scene()
    obs = scene.obs
    scene.picture(people[0])
    scene.filter()
    for index in range(3):
        name = f"other {index}"
        obs.ask("CreateScene", sceneName=name)
        obs.ask("CreateSceneItem", sceneName=name, sourceName="person")
    obs.ask("SetCurrentSceneTransition", transitionName="Cut")
    scene.shown(is_cut_out, "a cutout", "person")

    def change(count):
        for index in range(count):
            obs.ask("SetCurrentProgramScene", sceneName=(scene.name, "other 0", "other 1", "other 2")[index % 4])
            time.sleep(0.05)

    change(20)
    threads, memory = obs.threads(), obs.memory()
    change(100)
    after, grown = obs.threads(), obs.memory() - memory
    print(f"  100 changes of scene: {len(threads)} to {len(after)} threads, memory {grown:+.1f} MB")
    assert len(after) <= len(threads) + 1 and grown < 25, (threads, after, grown)
    assert is_cut_out(obs.screenshot("person"))

    def ended():
        return obs.text().count(" pictures drawn, ")

    def replace(count):
        for _ in range(count):
            before = ended()
            obs.ask("RemoveSourceFilter", sourceName="person", filterName=FILTER)
            wait_for("the filter's end", lambda: ended() > before)
            scene.filter(mode="color", color=0xFF00A000)
            scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN, "the colour", "person")

    replace(3)
    threads, memory = obs.threads(), obs.memory()
    replace(20)
    after, grown = obs.threads(), obs.memory() - memory
    print(f"  20 filters removed and made: {len(threads)} to {len(after)} threads, memory {grown:+.1f} MB")
    # A leaked session would take 20 MB and three threads.
    assert len(after) <= len(threads) + 2 and grown < 40, (threads, after, grown)
    before = ended()
    obs.ask("RemoveSourceFilter", sourceName="person", filterName=FILTER)
    wait_for("the filter's end", lambda: ended() > before)
    assert tuple(obs.screenshot("person")[4, 4]) != (0, 0, 0, 0)
    # OBS itself counts its memory and textures when it ends.
    scene.close()


def errors(_):
    """Each failure is a line in the log, and never shows the room."""
    scene = Scene(BACKDROP_MODELS="/nonexistent", XDG_DATA_HOME="/nonexistent")
    scene.picture(people[0])
    scene.filter()
    wait_for("a warning", scene.warnings)
    time.sleep(1)
    assert not scene.obs.screenshot("person")[..., :3].any() and "is not installed" in scene.warnings()[0], scene.warnings()
    assert len(scene.warnings()) == 1
    scene.close()
    scene = Scene()
    scene.picture(people[0])
    scene.filter(mode="file", file="/nonexistent.png")
    wait_for("a warning", scene.warnings)
    assert "/nonexistent.png" in scene.warnings()[0] and not scene.obs.screenshot("person")[..., :3].any()
    scene.set(mode="color", color=0xFF00A000)
    scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN, "the colour", "person")
    for bad in ({"mode": "file", "file": "/etc/passwd"}, {"mode": "scene", "scene": "nowhere"}, {"mode": "nonsense"}, {"screen": "greenish"},
                {"standby": "/nonexistent.png"}, {"model": "/nonexistent.onnx"}, {"people": "many"}, {"refine": 1e9}, {"quality": 7}):
        count = len(scene.warnings())
        scene.set(**bad)
        time.sleep(0.5)
        picture = scene.obs.screenshot("person")
        assert tuple(picture[4, 4, :3]) == GREEN or bad == {"quality": 7}, (bad, picture[4, 4])
        assert len(scene.warnings()) > count or bad == {"quality": 7}, (bad, scene.warnings())
        scene.set(mode="color", screen="", standby="", model="", people="", refine=1, quality="")
        time.sleep(0.3)
    scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN, "the colour again", "person")
    # The smallest and odd sizes, with another size in between.
    for size in ((1, 1), (3, 7), (641, 359), (2, 300)):
        path = scene.folder / f"{size[0]}.png"
        Image.new("RGB", size, (90, 90, 90)).save(path)
        scene.obs.ask("SetInputSettings", inputName="person", inputSettings={"file": str(path)})
        time.sleep(1)
        scene.obs.screenshot("person", (max(8, size[0]), max(8, size[1])))
    scene.close()


def verdicts(_):
    """The filter shows and hides the pictures of fronts.json like the other fronts. It has no looks."""
    scene = Scene(size=(320, 180))
    pictures = fronts.pictures()
    for number, case in enumerate(fronts.CASES):
        options = dict(case["options"])
        if "look" in options:
            continue
        picture, word = pictures[case["picture"]], fronts.stream_refusal(case)
        name, count = f"verdict {number}", len(scene.warnings())
        scene.picture(picture, name)
        color = options["background"] == "navy"
        mode = {"mode": "color", "color": 0xFF800000} if color else {"mode": {"none": "remove"}.get(options["background"], options["background"])}
        del options["background"]
        scene.filter(name, **mode, **options)
        if word is None:
            expected = reference(picture, **case["options"])
            straight = numpy.rint(expected[..., :3] * (expected[..., 3:] / 255))
            scene.shown(lambda shown: difference(shown[..., :3], straight)[0] < 0.6, case["name"], name)
            assert len(scene.warnings()) == count, (case["name"], scene.warnings())
        else:
            wait_for(case["name"], lambda: len(scene.warnings()) > count)
            assert word in scene.warnings()[count], (case["name"], scene.warnings())
            assert difference(scene.settled(name)[..., :3], picture)[0] > 20, case["name"]
    scene.close()


def windows(_):
    """Saves a picture of OBS's windows, with the scene and the filter's properties."""
    path = os.environ.get("BACKDROP_WINDOWS")
    if not path:
        raise Skipped("BACKDROP_WINDOWS names no picture")
    scene = Scene(size=(1280, 720))
    obs = scene.obs
    obs.ask("CreateInput", sceneName=scene.name, inputName="northern lights", inputKind="image_source", inputSettings={"file": behind(scene.folder)})
    scene.picture(library.scenes(count=1, size="1280x720")[0])
    scene.filter()
    scene.shown(lambda picture: tuple(picture[4, 4]) == (0, 0, 0, 0), "a cutout", "person")
    time.sleep(1)
    obs.window(scene.folder / "scene.png")
    obs.ask("OpenInputFiltersDialog", inputName="person")
    time.sleep(2)
    obs.window(scene.folder / "filters.png")
    one = Image.open(scene.folder / "scene.png").convert("RGB").crop((0, 0, 1080, 730))
    other = Image.open(scene.folder / "filters.png").convert("RGB").crop((108, 0, 952, 730))
    both = Image.new("RGB", (one.width + 12 + other.width, one.height), "white")
    both.paste(one, (0, 0))
    both.paste(other, (one.width + 12, 0))
    both.resize((both.width * 3 // 4, both.height * 3 // 4), Image.LANCZOS).save(path, quality=88)
    scene.close()


def behind(folder):
    """Writes a picture of one of the library's simulated sceneries; returns its path."""
    session = library.Session(1280, 720, background="scene:northern")
    drawn = session.render(library.with_alpha(numpy.full((720, 1280, 3), 90, numpy.uint8), library.BGRA), library.BGRA, 0)[0]
    session.close()
    Image.fromarray(drawn.reshape(720, 1280, 4)[..., 2::-1].copy()).save(folder / "lights.png")
    return str(folder / "lights.png")


def cost(_):
    """Measures OBS's processor time with and without the filter at 720p30, and that of the filter's threads for each picture."""
    seconds = int(os.environ.get("COST_SECONDS", "10"))
    scene = Scene(size=(1280, 720))
    scene.green()
    scene.video(library.scenes(count=90, size="1280x720"))

    def spent():
        time.sleep(2)
        begin, before = time.monotonic(), scene.obs.used()
        time.sleep(seconds)
        after, passed = scene.obs.used(), time.monotonic() - begin
        return {name: round((after[name] - before.get(name, 0)) / passed, 3) for name in after}

    without = spent()
    rate = scene.obs.ask("GetStats")["activeFps"]
    scene.filter()
    scene.shown(lambda picture: tuple(picture[4, 4, :3]) == GREEN, "the green")
    with_it = spent()
    own = scene.obs.used()["backdrop filter"]
    scene.obs.ask("RemoveSourceFilter", sourceName="person", filterName=FILTER)
    drawn = int(wait_for("the filter's end", lambda: re.search(r"(\d+) pictures drawn", scene.obs.text()))[1])
    print(f"  cores used, drawn by the processor for want of a graphics card: {sum(without.values()):.3f} without, {sum(with_it.values()):.3f} with it; OBS "
          f"ran at {rate:.1f} and {scene.obs.ask('GetStats')['activeFps']:.1f} frames a second")
    print(f"  the filter's threads: {1000 * own / drawn:.1f} ms a picture, its start included, {drawn} pictures; OBS's graphics thread "
          f"{without.get('libobs: graphic')} and {with_it.get('libobs: graphic')} cores")
    scene.close()


PARTS = [pictures, settings, recording, delay, scenes, errors, verdicts, windows, cost]

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[2:], sys.argv[1], after_failure=close_all))
