#!/usr/bin/env python3
"""Tests the Python client with a running service. BACKDROP_LIBRARY is the path of the library if the wheel is not installed, BACKDROP that
of the command."""

from __future__ import annotations

import asyncio
import os
import signal
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
NAVY = [0, 0, 128]


def screen(path: Path) -> Path:
    """Writes a picture of a grey person in front of a green screen, whose matte needs no network."""
    image = np.empty((180, 320, 3), np.uint8)
    image[:] = (26, 179, 64)
    image[60:, 120:200] = 120
    backdrop.Picture(image).save(path)
    return path


class ClientTests(unittest.TestCase):
    service: subprocess.Popen[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls.folder.name)
        made = subprocess.run([COMMAND, "serve", "--new-key", "tests"], capture_output=True, text=True, check=True)
        (cls.work / "keys").write_text(made.stdout)
        cls.key = made.stderr.strip().rsplit(" ", 1)[1]
        cls.service = subprocess.Popen(
            [COMMAND, "serve", "--port", "0", "--keys", str(cls.work / "keys"), "--quiet"],
            env={**os.environ, "TMPDIR": cls.folder.name}, stdout=subprocess.PIPE, text=True,
        )
        assert cls.service.stdout
        cls.address = cls.service.stdout.readline().strip()
        cls.client = backdrop.Client(cls.address, key=cls.key)
        cls.picture = screen(cls.work / "screen.png")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.send_signal(signal.SIGTERM)
        assert cls.service.wait(timeout=60) == 0
        cls.folder.cleanup()

    def test_pictures(self) -> None:
        self.assertTrue(self.client.is_ready())
        result = self.client.replace(self.picture, "navy", matte="chroma")
        self.assertEqual((result.type, result.subject_from), ("image/png", "chroma"))
        self.assertEqual(result.picture[5, 5].tolist(), NAVY)
        # The input may also be the bytes of a file, and the background a picture.
        red = self.work / "red.png"
        backdrop.Picture(np.full((9, 16, 3), (255, 0, 0), np.uint8)).save(red)
        result = self.client.replace(self.picture.read_bytes(), red, matte="chroma", format="jpg", photo_quality=95)
        self.assertEqual(result.type, "image/jpeg")
        np.testing.assert_allclose(result.picture[5, 5], [255, 0, 0], atol=6)
        self.assertEqual(self.client.matte(self.picture, matte="chroma").picture[5, 5, 0], 0)
        self.client.apply("noir", self.picture, matte="chroma").save(self.work / "noir.png")
        self.assertEqual(backdrop.decode((self.work / "noir.png").read_bytes()).shape, (180, 320, 3))

    def test_errors(self) -> None:
        with self.assertRaises(backdrop.WrongArgumentError) as caught:
            self.client.replace(self.picture, "navy", quality="bets")
        self.assertIn("did you mean 'best'?", caught.exception.hint)
        grey = self.work / "grey.png"
        backdrop.Picture(np.full((64, 64, 3), 100, np.uint8)).save(grey)
        with self.assertRaises(backdrop.BadDataError):
            self.client.replace(grey, "navy", matte="chroma")
        with self.assertRaises(backdrop.AccessError):
            backdrop.Client(self.address, key="wrong").looks()
        with self.assertRaises(backdrop.DeviceError):
            backdrop.Client("http://127.0.0.1:9", retries=0).looks()
        with self.assertRaises(backdrop.WrongArgumentError):
            self.client.replace(self.work / "nothing.jpg")
        with self.assertRaises(backdrop.WrongArgumentError):
            backdrop.Client("127.0.0.1")
        self.assertFalse(backdrop.Client("http://127.0.0.1:9").is_ready())

    def test_facts(self) -> None:
        self.assertEqual([look["id"] for look in self.client.looks()], backdrop.looks())
        self.assertIn("quality", {setting["name"] for setting in self.client.settings()})

    def test_jobs(self) -> None:
        video = self.work / "screen.mp4"
        subprocess.run(
            ["ffmpeg", "-y", "-v", "error", "-loop", "1", "-i", str(self.picture), "-frames:v", "5", "-pix_fmt", "yuv420p", str(video)],
            check=True,
        )
        job = self.client.submit(video, matte="chroma", background="navy")
        states = list(job.events())
        self.assertEqual((states[-1].state, states[-1].frames), ("done", 5))
        job.save(self.work / "out.mp4")
        with backdrop.open(self.work / "out.mp4") as frames:
            np.testing.assert_allclose(np.asarray(next(frames).image)[5, 5], NAVY, atol=12)
        self.assertEqual([other.id for other in self.client.jobs()], [job.id])
        job.remove()
        self.assertEqual(self.client.jobs(), [])
        failed = self.client.submit(self.picture)
        with self.assertRaises(backdrop.UnsupportedError) as caught:
            failed.wait()
        self.assertEqual(caught.exception.message, "this is a picture")
        failed.remove()

    def test_async(self) -> None:
        async def work() -> list[backdrop.ServedPicture]:
            client = backdrop.AsyncClient(self.address, key=self.key)
            self.assertTrue(await client.is_ready())
            job = await client.submit(self.picture)
            self.assertEqual([state.state async for state in job.events()][-1], "failed")
            await job.remove()
            return await asyncio.gather(*(client.replace(self.picture, "navy", matte="chroma") for _ in range(6)))

        for result in asyncio.run(work()):
            self.assertEqual(result.picture[5, 5].tolist(), NAVY)

    def test_others_are_sent_again(self) -> None:
        """If the service has no place for a request, the client waits and retries."""
        failures: list[BaseException] = []
        client = backdrop.Client(self.address, key=self.key, retries=30)

        def ask() -> None:
            try:
                client.matte(self.picture, matte="chroma")
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=ask) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
