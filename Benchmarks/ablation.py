#!/usr/bin/env python3
"""Measures the value of each step of a picture's matte: processes all pictures with masks, leaving out one step at a time.

    ablation.py BACKDROP FOLDER [SET…]

Runs `backdrop matte` on the sets p3m, humanseg, people and fashion, or on the given SETs: with all steps, without each step, and with the
plain selfie network. Additional installed networks change all results (XDG_DATA_HOME). Prints for each set the mean MAD (× 1e-3), the mean
Grad (like `backdrop evaluate`) and the number of pictures whose IoU is below 0.9; then the cost of leaving out each step over all
pictures: the mean difference in MAD with a 95 % bootstrap interval, the number of folds of five in which the error increases, the seconds
for a picture, and the step's lines of code. FOLDER/index.html shows the ten worst pictures of each set beside the truth. Reuses mattes
that are already in FOLDER. Needs NumPy and OpenCV. BACKDROP_DATA names the folder of the data.
"""

import html
import os
import pathlib
import subprocess
import sys
import time
import zlib

import cv2
import numpy as np

ROOT = pathlib.Path(__file__).parents[1]
DATA = pathlib.Path(os.environ.get("BACKDROP_DATA", ROOT / "../shared/data")) / "matting"
SETS = ["p3m", "humanseg", "people", "fashion"]
MODELS, MATTING = "Sources/BackdropModels", "Sources/BackdropMatting"
# A step, the flags that turn it off, and the files that only it needs.
STEPS = {
    "all": ([], []),
    "bounds": (["--without", "bounds"], [f"{MODELS}/Portraits/ProbabilityMap+Bounds.swift"]),
    "mirror": (["--without", "mirror"], []),
    "frame": (["--without", "frame"], [f"{MODELS}/Portraits/PersonFrame.swift"]),
    "refinement": (["--without", "refinement"], [f"{MATTING}/EdgeRefinement"]),
    "closed-form": (["--without", "closed-form"], [f"{MATTING}/ClosedForm"]),
    "live": (["--quality", "live"], []),
    "plain network": (["--model", "selfie-general", "--without", "frame,closed-form"], []),
}
FOLDS, ROUNDS = 5, 4000


def truth_of(picture):
    truth = next(picture.with_name(picture.stem + ending) for ending in ("_alpha.png", "_mask.png")
                 if picture.with_name(picture.stem + ending).exists())
    return cv2.imread(str(truth), cv2.IMREAD_GRAYSCALE).astype(np.float32) / 255


def derivative(deviation=1.4):
    """The kernel of the gradient error of Rhemann et al., as in Robust Video Matting's script."""
    reach = np.ceil(deviation * np.sqrt(-2 * np.log(np.sqrt(2 * np.pi) * deviation * 1e-2)))
    x = np.arange(-reach, reach + 1)
    smooth = np.exp(-x ** 2 / (2 * deviation ** 2))
    kernel = np.outer(smooth, -x * smooth)
    return (kernel / np.sqrt((kernel ** 2).sum())).astype(np.float32)


KERNEL = derivative()


def gradient(matte):
    across, down = (cv2.filter2D(matte, -1, kernel, borderType=cv2.BORDER_REPLICATE) for kernel in (KERNEL, KERNEL.T))
    return np.hypot(across, down)


def measure(matte, truth):
    truth = cv2.resize(truth, matte.shape[::-1], interpolation=cv2.INTER_LINEAR) if truth.shape != matte.shape else truth
    mine, its = matte > 0.5, truth > 0.5
    return (1000 * float(np.abs(matte - truth).mean()), float(((gradient(matte) - gradient(truth)) ** 2).sum()) / 1000,
            float((mine & its).sum() / max(1, (mine | its).sum())))


def read(path):
    matte = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    return None if matte is None else matte.astype(np.float32) / np.iinfo(matte.dtype).max


def run(program, pictures, folder, flags):
    """Creates the mattes of all pictures; returns the seconds for each picture, or `None` if all mattes already exist."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [each for each in pictures if not (folder / f"{each.stem}.png").exists()]
    if not missing:
        return None
    start = time.monotonic()
    # A failure does not stop the others and counts as an empty matte.
    subprocess.run([program, "matte", *missing, "--output-dir", folder, "--quiet", "--force", *flags], check=False)
    return (time.monotonic() - start) / len(missing)


def lines(paths):
    files = [file for path in paths for file in ([ROOT / path] if path.endswith(".swift") else (ROOT / path).glob("*.swift"))]
    return sum(len(file.read_text().splitlines()) for file in files)


def interval(differences):
    random = np.random.default_rng(1)
    means = [differences[random.integers(0, len(differences), len(differences))].mean() for _ in range(ROUNDS)]
    return np.percentile(means, [2.5, 97.5])


def page(folder, results, pictures):
    parts = ["<!doctype html><meta charset=utf-8><title>Worst mattes</title><style>img{height:240px}</style>"]
    for name in pictures:
        worst = sorted(pictures[name], key=lambda each: -results["all"][each][0])[:10]
        parts.append(f"<h2>{name}</h2>")
        for each in worst:
            matte = read(folder / "all" / name / f"{each.stem}.png")
            picture = cv2.imread(str(each))
            shown = [picture] + [cv2.cvtColor((part * 255).astype(np.uint8), cv2.COLOR_GRAY2BGR) for part in (
                truth_of(each), np.zeros(picture.shape[:2], np.float32) if matte is None else matte)]
            row = np.hstack([cv2.resize(part, (max(1, 240 * picture.shape[1] // picture.shape[0]), 240)) for part in shown])
            file = f"worst-{name}-{each.stem}.jpg"
            cv2.imwrite(str(folder / file), row)
            mad, _, iou = results["all"][each]
            parts.append(f"<p>{html.escape(each.stem)}: MAD {mad:.1f}, IoU {iou:.3f}<br><img src='{html.escape(file)}'>")
    (folder / "index.html").write_text("\n".join(parts))


def main():
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(SETS):
        sys.exit(__doc__)
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    pictures = {name: sorted((DATA / name).glob("*.jpg")) for name in sys.argv[3:] or SETS}
    if not any(pictures.values()):
        sys.exit(f"error: there are no pictures in {DATA}\nhint: name the folder of the data by BACKDROP_DATA")
    results, seconds = {}, {}
    print(f"{'':14}" + "".join(f"{name + f' ({len(each)})':>24}" for name, each in pictures.items()))
    for step, (flags, _) in STEPS.items():
        results[step], times = {}, []
        row = f"{step:14}"
        for name, each in pictures.items():
            taken = run(program, each, folder / step / name, ["--quality", "best", *flags] if "--quality" not in flags else flags)
            times += [taken] * len(each) if taken is not None else []
            values = []
            for picture in each:
                truth = truth_of(picture)
                matte = read(folder / step / name / f"{picture.stem}.png")
                results[step][picture] = measure(np.zeros_like(truth) if matte is None else matte, truth)
                values.append(results[step][picture])
            mad, grad, _ = np.mean(values, axis=0)
            bad = sum(value[2] < 0.9 for value in values)
            row += f"{f'{mad:.1f} / {grad:.1f}, {bad} bad':>24}"
        seconds[step] = np.mean(times) if times else float("nan")
        print(row, flush=True)
    print(f"\n{'without':14}{'MAD':>8}{'95 %':>18}{'folds':>7}{'s/picture':>11}{'lines':>7}")
    everything = [each for group in pictures.values() for each in group]
    for step, (_, files) in STEPS.items():
        differences = np.array([results[step][each][0] - results["all"][each][0] for each in everything])
        low, high = interval(differences)
        fold = np.array([zlib.crc32(each.name.encode()) % FOLDS for each in everything])
        costs = sum(differences[fold == number].mean() > 0 for number in range(FOLDS))
        print(f"{step:14}{differences.mean():+8.2f}{f'[{low:+.2f}, {high:+.2f}]':>18}{f'{costs}/{FOLDS}':>7}"
              f"{seconds[step]:11.2f}{lines(files) or '':>7}")
    page(folder, results, pictures)


if __name__ == "__main__":
    main()
