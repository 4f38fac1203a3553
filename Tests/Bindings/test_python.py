#!/usr/bin/env python3
"""Tests the Python package. BACKDROP_LIBRARY is the path of the library if the wheel is not installed, BACKDROP that of the command."""

from __future__ import annotations

import inspect
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
if "BACKDROP_LIBRARY" in os.environ:
    sys.path.insert(0, str(ROOT / "Bindings" / "python" / "src"))
import backdrop  # noqa: E402

COMMAND = os.environ.get("BACKDROP", str(ROOT / ".build" / "release" / "backdrop"))
BY_DEPTH = {"matte": "depth", "face": False}


def scene() -> backdrop.Scene:
    return next(backdrop.open("sim:talking", start=1))


def reset_in_child(queue: multiprocessing.Queue[str]) -> None:
    try:
        backdrop.Session()
        queue.put("nothing")
    except backdrop.ForkedError as error:
        queue.put("ForkedError" if "spawn" in error.hint else "no hint")


class ArrayTests(unittest.TestCase):
    def setUp(self) -> None:
        self.scene = scene()

    def test_pictures_share_the_librarys_memory(self) -> None:
        frame = next(backdrop.open("sim:mug"))
        self.assertFalse(frame.depth.flags.owndata)
        self.assertFalse(frame.depth.flags.writeable)
        self.assertEqual(frame.depth.dtype, np.float32)
        depth = frame.depth
        before = np.array(depth)
        del frame
        np.testing.assert_array_equal(before, depth)

    def test_pictures_are_taken_from_whoever_has_them(self) -> None:
        image = np.asarray(self.scene.image)

        class Interface:
            __array_interface__ = image.__array_interface__
            keeps = image

        class Exchange:
            def __dlpack__(self, **options: object) -> object:
                return np.array(image).__dlpack__(**options)

            def __dlpack_device__(self) -> tuple[int, int]:
                return image.__dlpack_device__()

        expected = backdrop.replace(image, "#00FF00", quality="fast")
        for other in (
            Interface(),
            Exchange(),
            memoryview(np.ascontiguousarray(image)),
            image[:, ::-1][:, ::-1],
            np.asfortranarray(image),
            np.concatenate([image, image], axis=1)[:, : image.shape[1]],
        ):
            result = backdrop.replace(other, "#00FF00", quality="fast")
            np.testing.assert_array_equal(expected, result, err_msg=str(type(other)))

    def test_pil_images_are_taken(self) -> None:
        from PIL import Image

        expected = backdrop.replace(np.asarray(self.scene.image), quality="fast")
        result = backdrop.replace(Image.fromarray(np.asarray(self.scene.image)), quality="fast")
        np.testing.assert_array_equal(expected, result)

    def test_what_is_no_picture_is_refused(self) -> None:
        for wrong in (
            np.zeros((4, 4, 3), np.float64),
            np.zeros((4, 4, 2), np.uint8),
            np.zeros((4,), np.uint8),
            np.zeros((0, 4, 3), np.uint8),
            np.zeros((2, 40000, 3), np.uint8),
            b"bytes",
            object(),
            None,
        ):
            with self.assertRaises(backdrop.BackdropError, msg=repr(type(wrong))) as raised:
                backdrop.matte(wrong)
            self.assertNotIn("\n", str(raised.exception))
            self.assertTrue(raised.exception.hint)

    def test_mattes_and_depth_show_themselves(self) -> None:
        depth, matte = self.scene.depth, backdrop.matte(self.scene, **BY_DEPTH)
        for shown in (self.scene.image, depth, matte, self.scene, backdrop.PointCloud(self.scene)):
            bundle = shown._repr_mimebundle_()
            self.assertTrue(bundle["image/png"].startswith(b"\x89PNG"), type(shown))
            self.assertIn("text/plain", bundle)
        self.assertEqual((matte.dtype, matte.shape), (np.float32, self.scene.image.shape[:2]))
        self.assertTrue(0 <= matte.min() and matte.max() <= 1)
        self.assertEqual(backdrop.matte(self.scene, size=(64, 36), **BY_DEPTH).shape, (36, 64))
        # Slices of arrays can still be displayed.
        self.assertIn("image/png", matte[:10, :10]._repr_mimebundle_())
        self.assertEqual(set(matte[0]._repr_mimebundle_()), {"text/plain"})

    def test_pictures_are_written_and_read_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "é ü.png")
            self.scene.image.save(path)
            np.testing.assert_array_equal(backdrop.Photo(path).image, self.scene.image)
            with self.assertRaises(backdrop.WrongArgumentError):
                self.scene.image.save(path)
            self.scene.image.save(path, overwrite=True)
            np.testing.assert_array_equal(backdrop.decode(path.read_bytes()), self.scene.image)
            self.assertEqual(os.listdir(folder), [path.name])


class EngineTests(unittest.TestCase):
    def setUp(self) -> None:
        self.scene = scene()

    def test_errors_have_kinds(self) -> None:
        cases = [
            (backdrop.WrongArgumentError, lambda: backdrop.apply("noirr", self.scene)),
            (backdrop.WrongArgumentError, lambda: backdrop.apply("noir", self.scene, exposur=1)),
            (backdrop.WrongArgumentError, lambda: backdrop.apply("noir", self.scene, exposure=float("nan"))),
            (backdrop.WrongArgumentError, lambda: backdrop.apply("noir", self.scene, exposure=99)),
            (backdrop.WrongArgumentError, lambda: backdrop.replace(self.scene, "#12")),
            (backdrop.WrongArgumentError, lambda: backdrop.Photo("/nonexistent.jpg")),
            (backdrop.WrongArgumentError, lambda: backdrop.Session((0, 5))),
            (backdrop.LimitError, lambda: backdrop.Session((40000, 40000))),
            (backdrop.BadDataError, lambda: backdrop.open("/etc/passwd")),
            (backdrop.BadDataError, lambda: backdrop.matte(np.zeros((64, 64, 3), np.uint8))),
            (TypeError, lambda: backdrop.apply("noir", self.scene, exposure=object())),
        ]
        for kind, wrong in cases:
            with self.assertRaises(kind, msg=inspect.getsource(wrong)):
                wrong()
        # The next call succeeds.
        self.assertEqual(backdrop.replace(self.scene, (1, 2, 3), **BY_DEPTH)[0, 0].tolist(), [1, 2, 3])

    def test_backgrounds_of_all_kinds(self) -> None:
        red = np.full((10, 10, 3), (255, 0, 0), np.uint8)
        for background, corner in (((0, 0, 255), [0, 0, 255]), ("#00FF00", [0, 255, 0]), (red, [255, 0, 0])):
            self.assertEqual(backdrop.replace(self.scene, background, **BY_DEPTH)[2, 2].tolist(), corner)
        self.assertEqual(backdrop.replace(self.scene, "rebeccapurple", **BY_DEPTH)[2, 2].tolist(), [102, 51, 153])
        veil = backdrop.replace(self.scene, "#20406080", **BY_DEPTH)
        self.assertEqual((veil[2, 2].tolist(), veil[-2, 640, 3]), ([32, 64, 96, 128], 255))
        cut = backdrop.replace(self.scene, "none", **BY_DEPTH)
        self.assertEqual((cut.shape[2], cut[2, 2, 3], cut[-2, 640, 3]), (4, 0, 255))

    def test_a_stream_keeps_what_it_learned(self) -> None:
        with backdrop.open("sim:talking", duration=0.5) as source:
            session = backdrop.Session(source.size, background="#101010", has_depth=True, rate=30, **BY_DEPTH)
            out = np.empty((source.size[1], source.size[0], 3), np.uint8)
            for number, moment in enumerate(source):
                result = session.process(moment, out=out)
                self.assertIsNone(result.standby)
                self.assertTrue(np.shares_memory(result, out))
        self.assertEqual(number, 14)
        self.assertEqual(session.info()["subjectFrom"], "depth")
        session.set(background="#FF0000")
        self.assertEqual(session.process(moment)[0, 0].tolist(), [255, 0, 0])
        session.reset()
        session.close()
        with self.assertRaises(backdrop.WrongArgumentError):
            session.process(moment)

    def test_others_do_not_see_the_real_background(self) -> None:
        session = backdrop.Session((1280, 720), look="noir", has_depth=True, matte="depth")
        hidden = session.process(self.scene)
        self.assertIn("shows the room", hidden.standby)
        self.assertEqual(int(np.asarray(hidden)[..., :3].max()), 0)
        session.set(show_room=True)
        self.assertIsNone(session.process(self.scene).standby)

    def test_arrays_with_depth(self) -> None:
        depth = np.where(np.arange(64) < 32, 0.6, 3.0).astype(np.float64)[None].repeat(48, axis=0)
        image = np.full((48, 64, 3), 200, np.uint8)
        result = backdrop.replace(image, "#000000", depth=depth, **BY_DEPTH)
        self.assertGreater(result[24, 8, 0], 180)
        self.assertLess(result[24, 60, 0], 20)

    def test_depth_that_is_none(self) -> None:
        depth = np.full((48, 64), 3.0, np.float32)
        depth[0, :5] = (np.nan, np.inf, -np.inf, -1, 0)
        self.assertEqual(len(backdrop.PointCloud(depth, camera=(60, 60, 32, 24))), 48 * 64 - 5)

    def test_remove_is_rembgs(self) -> None:
        import io

        from PIL import Image

        picture = Image.fromarray(np.asarray(self.scene.image))
        data = io.BytesIO()
        picture.save(data, "PNG")
        png = backdrop.remove(data.getvalue())
        self.assertEqual(Image.open(io.BytesIO(png)).mode, "RGBA")
        self.assertEqual(backdrop.remove(io.BytesIO(data.getvalue())), png)
        self.assertEqual(backdrop.remove(picture, alpha_matting=True).mode, "RGBA")
        self.assertEqual(backdrop.remove(picture, only_mask=True).mode, "L")
        self.assertEqual(backdrop.remove(np.asarray(picture)).shape[2], 4)
        self.assertEqual(backdrop.remove(np.asarray(picture), bgcolor=(0, 0, 255, 255))[2, 2].tolist(), [0, 0, 255, 255])

    def test_files_to_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, counts = Path(folder, "out.mp4"), []
            result = backdrop.process(
                "sim:talking", path, duration=0.5, background=(9, 9, 9), progress=counts.append, **BY_DEPTH
            )
            self.assertEqual((counts[-1], result.summary["frames"], path.exists()), (15, 15, True))
            self.assertIn("<video", result._repr_mimebundle_()["text/html"])

            def stop(_count: int) -> None:
                raise KeyboardInterrupt

            with self.assertRaises(KeyboardInterrupt):
                backdrop.process("sim:talking", Path(folder, "other.mp4"), duration=1, progress=stop, **BY_DEPTH)
            self.assertEqual(os.listdir(folder), ["out.mp4"])

    def test_clouds(self) -> None:
        cloud = backdrop.PointCloud(self.scene)
        self.assertEqual((cloud.points.shape, cloud.colors.shape), ((len(cloud), 3), (len(cloud), 3)))
        flat = backdrop.PointCloud(np.full((4, 6), 2.0), camera=(6, 6, 3, 2))
        self.assertEqual(len(flat), 24)
        np.testing.assert_allclose(flat.points[0], [(0.5 - 3) * 2 / 6, (0.5 - 2) * 2 / 6, 2], rtol=1e-5)
        with self.assertRaises(backdrop.WrongArgumentError):
            backdrop.PointCloud(np.full((4, 6), 2.0))
        self.assertEqual(cloud.view(10, 5, size=(64, 48)).shape, (48, 64, 3))

    def test_the_frames_of_a_file_have_their_last_matte(self) -> None:
        frame = np.array(self.scene.image)
        session = backdrop.Session((frame.shape[1], frame.shape[0]), has_depth=True, is_file=True, background="none", matte="depth")
        with self.assertRaises(backdrop.WrongArgumentError):
            backdrop.Session().last_matte()
        picture = session.process(frame, self.scene.depth)
        np.testing.assert_allclose(session.last_matte(), picture[..., 3] / 255, atol=1 / 255)

    def test_threads_have_sessions_of_their_own(self) -> None:
        results: list[int] = []

        def work() -> None:
            for _round in range(3):
                results.append(int(backdrop.replace(self.scene, "#000000", **BY_DEPTH)[0, 0, 0]))

        threads = [threading.Thread(target=work) for _number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [0] * 9)

    def test_a_forked_child_is_told(self) -> None:
        backdrop.replace(self.scene, **BY_DEPTH)
        context = multiprocessing.get_context("fork")
        queue: multiprocessing.Queue[str] = context.Queue()
        child = context.Process(target=reset_in_child, args=(queue,))
        child.start()
        self.assertEqual(queue.get(timeout=20), "ForkedError")
        child.join(20)

    def test_memory_stays(self) -> None:
        session = backdrop.Session((320, 180), background="#000000", has_depth=True, **BY_DEPTH)
        image, depth = np.asarray(self.scene.image)[::4, ::4], np.asarray(self.scene.depth)

        def use(count: int) -> int:
            for number in range(count):
                session.process(image, depth, time=number / 30)
                frame = next(self.source)
                frame.image, frame.depth
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        self.source = iter(backdrop.open("sim:talking"))
        first = use(10)
        self.source = iter(backdrop.open("sim:talking"))
        self.assertLess(use(20) - first, 30_000, "kilobytes")
        for number in range(2000):
            session.process(image, depth, time=number / 30)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first, 40_000, "kilobytes")


class StoredFileTests(unittest.TestCase):
    """Files from phones and cameras, in every place that accepts a file. Results must be upright, progressive and of standard dynamic
    range, with square pixels and the right alpha. Tests/Properties/properties.py creates the files, and reads results with other
    programs."""

    REAL_BACKGROUND, RED, BLUE, WHITE, BLACK = (0, 200, 0), (200, 30, 30), (30, 30, 200), (255, 255, 255), (0, 0, 0)
    TURNED = [f"orientation-6.{kind}" for kind in ("jpg", "png", "webp", "tif", "heic", "avif")]
    CUT = ["alpha.png", "alpha-palette.png", "alpha.webp", "alpha.tif", "alpha.heic", "alpha.avif"]
    BRIGHT = ["pq.png", "hlg.png", "pq.avif", "hlg.avif"]
    PICTURES = [*TURNED, *CUT, *BRIGHT]
    CUT_VIDEOS = ["alpha-vp9.webm", "alpha-vp8.webm", "alpha-prores.mov"]
    VIDEOS = [*CUT_VIDEOS, "pq.mov", "hlg.mov", "interlaced.mp4", "aspect.mp4", "turned.mp4"]
    BY_SCREEN = {"matte": "chroma", "screen": REAL_BACKGROUND}
    # A picture, and depth that puts all of it near or all of it far away.
    GREY = np.full((128, 192, 3), 90, np.uint8)
    NEAR, FAR = np.full((128, 192), 0.5, np.float32), np.full((128, 192), 9, np.float32)

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.properties("make", cls.folder)

    @staticmethod
    def properties(*words: object) -> str:
        """Runs properties.py with the tests' own Python, which has more packages than this one; returns its output."""
        script = [ROOT / "scripts/test-python.sh", ROOT / "Tests/Properties/properties.py", *words]
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHON_PACKAGES", "LD_LIBRARY_PATH")}
        result = subprocess.run(list(map(str, script)), env=environment, capture_output=True, text=True)
        if "No module named" in result.stderr:
            raise unittest.SkipTest("Pillow and pillow-heif are not installed: make setup-test")
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()[-1] if result.stdout else ""

    def file(self, name: str) -> Path:
        return self.folder / name

    def shows(self, picture: np.ndarray, name: str, real_background: tuple[int, ...] = REAL_BACKGROUND) -> None:
        """Checks the picture that all files contain; its left half is the room or its replacement."""
        self.assertEqual(picture.shape[:2], (128, 192), name)
        for (x, y), colour in {(48, 32): real_background, (144, 32): self.RED, (48, 96): real_background, (144, 96): self.BLUE}.items():
            np.testing.assert_allclose(picture[y, x, : len(colour)], colour, atol=14, err_msg=f"{name} at {x}, {y}")
        if name == "aspect.mp4" and real_background == self.REAL_BACKGROUND:
            np.testing.assert_allclose(picture[3, ::16, :3], 255, atol=14, err_msg="its edge was cut off")
        if name == "interlaced.mp4" and real_background == self.REAL_BACKGROUND:
            rows = picture[58:70].astype(int)
            self.assertLess(np.abs(2 * rows[1:-1] - rows[:-2] - rows[2:]).mean(), 10, "30 where rows are of two times")

    def test_as_sources(self) -> None:
        for name in [*self.PICTURES, *self.VIDEOS]:
            with self.subTest(name), backdrop.open(self.file(name)) as source:
                self.assertEqual(source.size, (192, 128))
                given = [scene.image for scene in source]
                if name in self.PICTURES:
                    given += [backdrop.Photo(self.file(name)).image, backdrop.decode(self.file(name).read_bytes())]
                for picture in given:
                    self.shows(picture, name, () if name in self.CUT else self.REAL_BACKGROUND)
                    if name in (*self.CUT, *self.CUT_VIDEOS):
                        self.assertEqual((picture[64, 20, 3], picture[64, 170, 3]), (0, 255))
        from PIL import Image

        for name in [*self.CUT[:3], *self.TURNED[:3]]:
            with self.subTest(name, where="Pillow"):
                picture = backdrop.replace(Image.open(self.file(name)), self.WHITE, depth=self.NEAR, **BY_DEPTH)
                self.shows(picture, name, self.WHITE if name in self.CUT else self.REAL_BACKGROUND)

    def test_as_backgrounds(self) -> None:
        session = backdrop.Session((192, 128), background="#123456", has_depth=True, **BY_DEPTH)
        for name in [*self.PICTURES, *self.VIDEOS]:
            # A background is opaque: transparent areas have black behind them.
            real_background = self.BLACK if name in (*self.CUT, *self.CUT_VIDEOS) else self.REAL_BACKGROUND
            with self.subTest(name):
                self.shows(backdrop.replace(self.GREY, self.file(name), depth=self.FAR, **BY_DEPTH), name, real_background)
                session.set(background=self.file(name))
                for number in range(4):
                    self.shows(session.process(self.GREY, self.FAR, time=number / 25), name, real_background)
                if name in self.PICTURES:
                    session.set_background(backdrop.Photo(self.file(name)).image)
                    self.shows(session.process(self.GREY, self.FAR, time=1), name, real_background)

    def test_as_standby_frames(self) -> None:
        for name in [*self.PICTURES, *self.VIDEOS]:
            options = {"look": "noir", "standby": self.file(name), "has_depth": True, **BY_DEPTH}
            with self.subTest(name):
                if name in self.VIDEOS:
                    with self.assertRaises(backdrop.UnsupportedError):
                        backdrop.Session((192, 128), **options)
                    continue
                picture = backdrop.Session((192, 128), **options).process(self.GREY, self.NEAR)
                self.assertIn("shows the room", picture.standby)
                self.shows(picture, name, self.BLACK if name in self.CUT else self.REAL_BACKGROUND)

    def test_as_plates(self) -> None:
        """A clean plate gives the same mattes in every file format."""
        camera, plate = "sim:talking?size=320x180", self.file("plate.png")
        subprocess.run([COMMAND, "plate", f"{camera}&seconds=0.5", "-o", plate, "--quiet"], check=True, capture_output=True)

        def dim(picture: object) -> np.ndarray:
            """A picture that is dark enough for tone mapping to leave it unchanged."""
            return (np.asarray(picture)[..., :3] * 0.7).astype(np.uint8)

        real_background, stored = self.file("room.png"), self.file("stored")
        backdrop.Picture(dim(backdrop.Photo(plate).image)).save(real_background)
        stored.mkdir()
        self.properties("store", stored, real_background)
        frames = [dim(scene.image) for scene, _ in zip(backdrop.open(camera), range(3))]

        def mattes(plate: object) -> np.ndarray:
            session = backdrop.Session((320, 180), matte="person", plate=plate)
            return np.stack([np.asarray(session.matte(frame, time=number / 30)) for number, frame in enumerate(frames)])

        expected = mattes(real_background)
        self.assertGreater(np.abs(mattes(None) - expected).mean(), 1e-3, "or a plate would make no difference")
        for name in os.listdir(stored):
            with self.subTest(name):
                self.assertLess(np.abs(mattes(stored / name) - expected).mean(), 2e-4)

    def test_what_alpha_hides(self) -> None:
        """Neither a look that shows the room nor a blurred room shows the areas that alpha hides."""
        half = np.where(np.arange(192) < 96, 9, 0.5).astype(np.float32)[None].repeat(128, axis=0)
        for name in ("alpha.png", "alpha-vp9.webm"):
            for way, depth in ((BY_DEPTH, half), (self.BY_SCREEN, None)):
                scene = next(backdrop.open(self.file(name)))
                for options in ({"look": "portrait"}, {"look": "noir"}, {"background": "blur:4"}):
                    session = backdrop.Session(**options, **way)
                    picture = session.process(scene.image, depth)
                    with self.subTest(name, matte=way["matte"], **options):
                        np.testing.assert_allclose(picture[::16, :64:16, :3], 0, atol=8)

    def test_jobs(self) -> None:
        from PIL import Image

        Image.fromarray(np.full((128, 192), 500, np.uint16)).save(self.file("near.png"))
        near = self.file("near")
        near.mkdir()
        for number in range(10):
            Image.fromarray(np.full((128, 192), 500, np.uint16)).save(near / f"{number}.png")
        wanted = {}
        for name in ["orientation-6.jpg", "pq.png", "hlg.avif", "alpha.png", *self.VIDEOS]:
            is_cut, is_video = name.startswith("alpha"), name in self.VIDEOS
            options = {**BY_DEPTH, "depth": near if is_video else self.file("near.png")} if is_cut else self.BY_SCREEN
            for role, ending in (("input", "mp4" if is_video else "png"), ("background", "png")):
                out = self.file(f"{role}-{name}.{ending}")
                if role == "input":
                    backdrop.process(self.file(name), out, background=self.WHITE, **options)
                else:
                    backdrop.process(self.file("bits-16.png"), out, background=self.file(name), **self.BY_SCREEN)
                wanted[str(out)] = self.WHITE if role == "input" else self.BLACK if is_cut else self.REAL_BACKGROUND
        for path, facts in json.loads(self.properties("facts", *wanted)).items():
            with self.subTest(Path(path).name):
                self.assertEqual((facts["width"], facts["height"]), (192, 128), facts)
                np.testing.assert_allclose(
                    facts["quarters"], [[*c, 255] for c in (wanted[path], self.RED, wanted[path], self.BLUE)], atol=14
                )
                if path.endswith("mp4"):
                    self.assertIn(facts["fieldOrder"], ("", "progressive", "unknown"))
                    self.assertNotIn(facts["transfer"], ("arib-std-b67", "smpte2084"))

    def test_saved_photos_hold_no_old_picture(self) -> None:
        names = ["thumbnail-exif.jpg", "thumbnail-xmp.jpg", "thumbnail-photoshop.jpg", "thumbnail-jfxx.jpg", "preview-mpf.jpg"]
        results = []
        for name in [*names, "thumbnail-heic.heic"]:
            for ending in ("jpg", "png", "webp", "avif", "heic"):
                results.append(self.file(f"saved-{name}.{ending}"))
                backdrop.process(self.file(name), results[-1], background=self.WHITE, **self.BY_SCREEN)
            # An array has no metadata.
            results.append(self.file(f"array-{name}.jpg"))
            backdrop.replace(self.file(name), self.WHITE, **self.BY_SCREEN).save(results[-1])
        facts = json.loads(self.properties("facts", *results, *map(self.file, names)))
        for name in names:
            self.assertGreater(facts[str(self.file(name))]["oldRoom"], 0.4, f"{name}: it could not be missed")
        for path in results:
            with self.subTest(path.name):
                self.assertEqual(facts[str(path)]["oldRoom"], 0)
                np.testing.assert_allclose(
                    facts[str(path)]["quarters"], [[*c, 255] for c in (self.WHITE, self.RED, self.WHITE, self.BLUE)], atol=14
                )


class PackageTests(unittest.TestCase):
    def test_options_are_the_engines(self) -> None:
        subprocess.run([sys.executable, str(ROOT / "Bindings/python/generate.py"), "--check"], check=True)

    def test_types(self) -> None:
        for checker in (["mypy", "--strict"], ["pyright"]):
            try:
                result = subprocess.run(
                    [sys.executable, "-m", *checker], cwd=ROOT / "Bindings/python", capture_output=True, text=True
                )
            except OSError:
                continue
            if "No module named" in result.stderr:
                self.skipTest(f"{checker[0]} is not installed")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_everything_is_documented(self) -> None:
        for name in backdrop.__all__:
            self.assertTrue(inspect.getdoc(getattr(backdrop, name)), name)

    def test_sizes_are_the_headers(self) -> None:
        import ctypes

        from backdrop import _native

        self.assertEqual(
            [ctypes.sizeof(t) for t in (_native.Image, _native.SessionOptions, _native.JobOptions, _native.Camera)],
            [96, 56, 72, 48],
        )
        header = (ROOT / "Sources/CBackdrop/include/backdrop.h").read_text(encoding="utf-8")
        declared = {word.split("(")[0] for word in header.replace("*", " ").split() if word.startswith("bd_") and "(" in word}
        self.assertEqual({name for name in declared if name in header.split("BD_API", 1)[1]} >= set(_native._FUNCTIONS), True)


class NotebookTests(unittest.TestCase):
    def run_notebook(self, name: str, photo: Path | None = None) -> list[dict[str, object]]:
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(ROOT / "Bindings/python/notebooks" / name, as_version=4)
        old = os.environ.get("BACKDROP_PHOTO")
        if photo:
            os.environ["BACKDROP_PHOTO"] = str(photo)
        os.environ["PYTHONPATH"] = str(Path(backdrop.__file__).parents[1])
        try:
            NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tempfile.gettempdir()}}).execute()
        finally:
            if old is None:
                os.environ.pop("BACKDROP_PHOTO", None)
        return [output["data"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]

    def test_all_of_them_run(self) -> None:
        shows = os.environ.get("BACKDROP_SHOW")
        for name in sorted(p.name for p in (ROOT / "Bindings/python/notebooks").glob("*.ipynb")):
            with self.subTest(name):
                outputs = self.run_notebook(name)
                self.assertTrue(any("image/png" in data for data in outputs), name)
                for number, data in enumerate(outputs):
                    if shows and "image/png" in data:
                        import base64

                        Path(shows, f"{name[:-6]}-{number}.png").write_bytes(base64.b64decode(str(data["image/png"])))

    def test_cells_show_what_the_command_makes(self) -> None:
        import base64

        with tempfile.TemporaryDirectory() as folder:
            moment, color = scene(), Path(folder, "color.png")
            moment.image.save(color)
            metres = np.nan_to_num(np.asarray(moment.depth)) * 1000
            from PIL import Image

            Image.fromarray(metres.astype(np.uint16)).save(Path(folder, "depth.png"))
            photo = Path(folder, "photo.jpg")
            subprocess.run(
                [COMMAND, "photo", "embed", color, "--depth", Path(folder, "depth.png"), "--absolute", "-o", photo],
                check=True,
            )
            outputs = self.run_notebook("2-noir.ipynb", photo)
            wanted = Path(folder, "noir.png")
            subprocess.run([COMMAND, "apply", "noir", photo, "--exposure", "1", "-o", wanted], check=True)
            shown = backdrop.decode(base64.b64decode(str(outputs[1]["image/png"])))
            expected = np.asarray(Image.open(wanted).convert("RGB"))
            step = -(-max(expected.shape[:2]) // 1024)
            np.testing.assert_array_equal(np.asarray(shown)[..., :3], expected[::step, ::step])

    def test_play_has_a_slider_for_each_parameter(self) -> None:
        box = backdrop.play(scene(), "refocus")
        names = [p["name"] for look in backdrop.describe()["looks"] if look["id"] == "refocus" for p in look["parameters"]]
        self.assertEqual(list(box.sliders), names)
        before = box.stage.picture
        self.assertTrue(before.startswith(b"\xff\xd8"))
        box.sliders["radius"].value = box.sliders["radius"].max
        self.assertNotEqual(box.stage.picture, before)
        box.stage.tap = [0.02, 0.02]
        far = box.sliders["focus"].value
        box.stage.tap = [0.5, 0.6]
        self.assertGreater(box.sliders["focus"].value, far + 0.3)


if __name__ == "__main__":
    print(json.dumps({"python": sys.version.split()[0], "library": backdrop.version()}))
    unittest.main(verbosity=2)
