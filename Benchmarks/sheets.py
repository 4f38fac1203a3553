#!/usr/bin/env python3
"""Creates contact sheets of cutouts of the development pictures: the worst places at 100 %, over red, green, white and a photo.

    sheets.py BACKDROP FOLDER [--quality best]

Writes FOLDER/NAME.png for each picture of matting/p3m and matting/humanseg, and prints the error of each matte (MAD × 1e-3), the worst
last. A sheet has a row for each of the three squares with the largest errors, with the picture, the truth and the four backgrounds. Needs
NumPy and OpenCV. BACKDROP_DATA names the folder of the data (../shared/data).
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np

DATA = pathlib.Path(os.environ.get("BACKDROP_DATA", pathlib.Path(__file__).parents[1] / "../shared/data"))
SIDE, PLACES = 240, 3


def worst(error):
    """The corners of the squares with the largest errors, without overlaps."""
    side = min(SIDE, *error.shape)
    sums = cv2.boxFilter(error, -1, (side, side), anchor=(0, 0), normalize=False, borderType=cv2.BORDER_CONSTANT)
    sums = sums[:error.shape[0] - side + 1, :error.shape[1] - side + 1].copy()
    for _ in range(PLACES):
        y, x = np.unravel_index(np.argmax(sums), sums.shape)
        if sums[y, x] <= 0:
            return
        yield x, y, side
        sums[max(0, y - side):y + side, max(0, x - side):x + side] = 0


def sheet(picture, truth, cut, backgrounds):
    alpha = cut[..., 3:].astype(np.float32) / 255
    error = np.abs(alpha[..., 0] - truth.astype(np.float32) / 255)
    shown = [picture, np.dstack([truth] * 3)] + [
        (alpha * cut[..., :3] + (1 - alpha) * behind + 0.5).astype(np.uint8) for behind in backgrounds]
    rows = [np.hstack([each[y:y + side, x:x + side] for each in shown]) for x, y, side in worst(error)]
    return np.vstack(rows) if rows else np.hstack(shown), float(error.mean() * 1000)


def main():
    arguments = sys.argv[1:]
    quality = "best"
    if arguments[-2:-1] == ["--quality"]:
        quality, arguments = arguments[-1], arguments[:-2]
    if len(arguments) != 2:
        sys.exit(__doc__)
    program, folder = os.path.abspath(arguments[0]), pathlib.Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    photo = cv2.imread(str(DATA / "backgrounds/city.jpg"))
    found = []
    for pictures, ending in [("p3m", "alpha"), ("humanseg", "mask")]:
        for source in sorted((DATA / "matting" / pictures).glob("*.jpg")):
            with tempfile.TemporaryDirectory() as work:
                result = pathlib.Path(work) / "cut.png"
                subprocess.run(
                    [program, "replace", source, "--quality", quality, "--background", "none", "--quiet", "-o", result],
                    check=True)
                cut = cv2.imread(str(result), cv2.IMREAD_UNCHANGED)
            picture = cv2.imread(str(source))
            size = picture.shape[1], picture.shape[0]
            truth = cv2.imread(str(source.with_name(f"{source.stem}_{ending}.png")), cv2.IMREAD_GRAYSCALE)
            truth = cv2.resize(truth, size, interpolation=cv2.INTER_LINEAR)
            backgrounds = [np.array(color, np.float32) for color in [(0, 0, 255), (0, 200, 0), (255, 255, 255)]]
            drawn, mad = sheet(picture, truth, cut, backgrounds + [cv2.resize(photo, size).astype(np.float32)])
            cv2.imwrite(str(folder / f"{source.stem}.png"), drawn)
            found.append((mad, f"{pictures}/{source.stem}"))
    for mad, name in sorted(found):
        print(f"{mad:7.2f}  {name}")


if __name__ == "__main__":
    main()
