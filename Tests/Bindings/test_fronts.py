#!/usr/bin/env python3
"""Compares the verdicts of the command, the library and the service on the pictures of fronts.json, made for others: each front draws the
same ones, with the same pixels, and refuses the same ones, for the same reason. BACKDROP_LIBRARY is the path of the library if the wheel is
not installed, BACKDROP that of the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
if "BACKDROP_LIBRARY" in os.environ:
    sys.path.insert(0, str(ROOT / "Bindings" / "python" / "src"))
import backdrop  # noqa: E402
from fronts import CASES, pictures  # noqa: E402

COMMAND = os.environ.get("BACKDROP", str(ROOT / ".build" / "release" / "backdrop"))


def saved_pictures(folder: Path) -> dict[str, Path]:
    files = {name: folder / f"{name}.png" for name in pictures()}
    for name, image in pictures().items():
        backdrop.Picture(image).save(files[name])
    return files


class FrontTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls.folder.name)
        cls.pictures = saved_pictures(cls.work)
        cls.service = subprocess.Popen(
            [COMMAND, "serve", "--port", "0", "--quiet"], env={**os.environ, "TMPDIR": cls.folder.name},
            stdout=subprocess.PIPE, text=True)
        assert cls.service.stdout
        cls.client = backdrop.Client(cls.service.stdout.readline().strip())

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.send_signal(signal.SIGTERM)
        assert cls.service.wait() == 0
        cls.folder.cleanup()

    # Each front returns the picture's file, or the refusal.

    def command(self, case: dict, output: Path) -> str | None:
        flags = [word for name, value in case["options"].items() for word in (f"--{name}", value)]
        run = subprocess.run(
            [COMMAND, "replace", str(self.pictures[case["picture"]]), "-o", str(output), "--strict", *flags],
            capture_output=True, text=True)
        self.assertIn(run.returncode, (0, 2), run.stderr)
        return run.stderr if run.returncode else None

    def library(self, case: dict, output: Path) -> str | None:
        try:
            backdrop.process(self.pictures[case["picture"]], output, audience="others", **case["options"])
        except backdrop.BackdropError as error:
            return str(error)
        return None

    def over_http(self, case: dict, output: Path) -> str | None:
        options = {"look": "backdrop", **case["options"], "audience": "others"}
        try:
            answer = self.client.apply(options.pop("look"), self.pictures[case["picture"]], format="png", **options)
        except backdrop.BackdropError as error:
            return str(error)
        output.write_bytes(answer.data)
        return None

    def test_the_same_verdicts(self) -> None:
        for number, case in enumerate(CASES):
            drawn = []
            for front in (self.command, self.library, self.over_http):
                with self.subTest(case=case["name"], front=front.__name__):
                    output = self.work / f"{number}-{front.__name__}.png"
                    refusal = front(case, output)
                    if "refusal" in case:
                        self.assertIsNotNone(refusal)
                        self.assertIn(case["refusal"], refusal)
                        self.assertFalse(output.exists())
                    else:
                        self.assertIsNone(refusal)
                        drawn.append(np.asarray(backdrop.Photo(output).image))
            for other in drawn[1:]:
                self.assertTrue(np.array_equal(drawn[0], other), case["name"])


if __name__ == "__main__":
    unittest.main()
