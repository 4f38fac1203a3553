#!/usr/bin/env python3
"""Measures depth from stereo pairs beside OpenCV's StereoSGBM: errors and times.

    stereo.py FOLDER [BACKDROP]

FOLDER contains backgrounds/*.jpg and photos/iphonex_person_depth_matte.jpg of the test data. The script draws the pairs, so the truth is
known: a person's shape in front of a slanted wall, both with a photo's texture, noise, and a different brightness for each eye. Needs numpy
and opencv-python-headless.
"""

import os
import subprocess
import sys
import tempfile
import time

import cv2
import numpy

WIDTH, HEIGHT = 1024, 768
# The seed, and the disparities of the person and of the wall, in pixels.
PAIRS = [(0, 14, 5), (1, 14, 5), (0, 40, 10), (1, 60, 20)]


class Pair:
    def __init__(self, folder, seed, near, far, scale=1):
        self.width, self.height = WIDTH * scale, HEIGHT * scale
        self.near, self.far = near * scale, far * scale
        wall = cv2.imread(os.path.join(folder, "backgrounds", ("city.jpg", "porch.jpg")[seed % 2]))
        person = cv2.imread(os.path.join(folder, "photos", "iphonex_person_depth_matte.jpg"))
        wall = cv2.resize(wall, (self.width + 200 * scale, self.height))
        person = cv2.resize(person, (self.width, self.height))
        x, y = numpy.meshgrid(
            numpy.arange(self.width, dtype=numpy.float32), numpy.arange(self.height, dtype=numpy.float32))
        shift = 100 * scale

        def take(picture, x):
            return cv2.remap(picture, x.astype(numpy.float32), y, cv2.INTER_CUBIC)

        self.mask = self.inside(x, y)
        self.truth = numpy.where(self.mask, self.person(x), self.wall(y))
        left = numpy.where(self.mask[..., None], take(person, x), take(wall, x + shift))
        # The positions of the right eye's pixels in the left eye's picture, for both surfaces.
        on_person = x.copy()
        for _ in range(20):
            on_person = x + self.person(on_person)
        on_wall = x + self.wall(y)
        right = numpy.where(
            self.inside(on_person, y)[..., None], take(person, on_person), take(wall, on_wall + shift))
        seen = x - self.wall(y)
        hides = seen.copy()
        for _ in range(20):
            hides = seen + self.person(hides)
        self.hidden = (~self.mask & self.inside(hides, y)) | (x - self.truth < 0)
        random = numpy.random.default_rng(seed)
        noise = lambda: random.normal(0, 2, left.shape)
        self.left = numpy.clip(left + noise(), 0, 255).astype(numpy.uint8)
        self.right = numpy.clip(0.92 * right + 8 + noise(), 0, 255).astype(numpy.uint8)

    def person(self, x):
        return self.near * (1 + 0.06 * numpy.cos((x - 0.5 * self.width) / (0.2 * self.width)))

    def wall(self, y):
        return self.far * (1 + 0.3 * y / self.height)

    def inside(self, x, y):
        u, v = (x - 0.5 * self.width) / self.width, (y - 0.45 * self.height) / self.height
        return ((u / 0.13) ** 2 + ((v + 0.15) / 0.2) ** 2 < 1) | ((u / 0.3) ** 2 + ((v - 0.55) / 0.5) ** 2 < 1)


def opencv(pair):
    """OpenCV's disparities, with holes filled from the farther side, and the time."""
    cv2.setNumThreads(1)
    count = int(numpy.ceil((pair.near * 1.2 + 8) / 16) * 16)
    matcher = cv2.StereoSGBM_create(0, count, 5, 200, 800, 1, 31, 10, 100, 2, cv2.STEREO_SGBM_MODE_HH)
    start = time.time()
    found = matcher.compute(cv2.cvtColor(pair.left, cv2.COLOR_BGR2GRAY), cv2.cvtColor(pair.right, cv2.COLOR_BGR2GRAY))
    seconds = time.time() - start
    found = found.astype(numpy.float32) / 16
    found[found < 0] = numpy.nan
    # Fills holes like depth filters, from the left or the right, whichever is farther.
    def carried(rows):
        place = numpy.where(numpy.isnan(rows), 0, numpy.arange(rows.shape[1]))
        place = numpy.maximum.accumulate(place, 1)
        return numpy.take_along_axis(rows, place, 1)
    a, b = carried(found), carried(found[:, ::-1])[:, ::-1]
    return numpy.nan_to_num(numpy.fmin(a, b)), seconds


def backdrop(pair, program, folder):
    """The same with `photo extract`, from a picture with both side by side; the time is that of the whole program."""
    both, depth = os.path.join(folder, "pair.png"), os.path.join(folder, "depth.pfm")
    cv2.imwrite(both, numpy.hstack([pair.left, pair.right]), [cv2.IMWRITE_PNG_COMPRESSION, 1])
    start = time.time()
    subprocess.run(
        [program, "photo", "extract", both, "--side-by-side", "left-right", "--save-depth", depth, "--force"], check=True)
    seconds = time.time() - start
    map_ = cv2.resize(cv2.imread(depth, cv2.IMREAD_UNCHANGED), (pair.width, pair.height))
    # The unit of the disparity assumes a typical lens and eye distance; its origin is unknown.
    found = map_ * 0.8 * 0.065 * pair.width
    return found + numpy.median(pair.truth - found), seconds


def report(name, pair, found, seconds):
    error = numpy.abs(found - pair.truth) / (pair.width / WIDTH)
    both = ~pair.hidden
    edge = cv2.dilate(pair.mask.astype(numpy.uint8), None, iterations=5) - cv2.erode(
        pair.mask.astype(numpy.uint8), None, iterations=5) > 0
    print(
        f"  {name:9} seen by both: mean {error[both].mean():.3f} px, over 1 px {100 * (error[both] > 1).mean():.2f} %;"
        f" by one: mean {error[pair.hidden].mean():.2f} px; near edges: over 1 px {100 * (error[edge] > 1).mean():.1f} %;"
        f" {seconds:.2f} s")


def main():
    folder = sys.argv[1]
    program = sys.argv[2] if len(sys.argv) > 2 else "backdrop"
    with tempfile.TemporaryDirectory() as place:
        for seed, near, far in PAIRS:
            pair = Pair(folder, seed, near, far)
            print(f"pair {seed}, person {near} px, wall {far} px")
            report("OpenCV", pair, *opencv(pair))
            report("Backdrop", pair, *backdrop(pair, program, place))
        pair = Pair(folder, 0, 14, 5, scale=4)
        print("a pair of 4096×3072, in pixels of 1024×768")
        report("Backdrop", pair, *backdrop(pair, program, place))


main()
