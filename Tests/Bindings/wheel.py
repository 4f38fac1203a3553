"""Uses the installed wheel once, in a Python without other parts of Backdrop."""

import sys
import tempfile
from pathlib import Path

import backdrop

scene = next(backdrop.open("sim:talking"))
result = backdrop.replace(scene, (0, 255, 0), matte="depth", face=False)
assert result[0, 0].tolist() == [0, 255, 0], result[0, 0]
with tempfile.TemporaryDirectory() as folder:
    for kind in ("png", "jpg", "webp", "avif"):
        path = Path(folder, f"picture.{kind}")
        result.save(path)
        assert backdrop.Photo(path).image.shape == result.shape
    assert backdrop.process("sim:talking", Path(folder, "a.mp4"), duration=0.2, matte="depth", face=False).summary["frames"] == 6
print(f"ok   Python {sys.version.split()[0]}: {Path(backdrop.__file__).parent}")
