#!/usr/bin/env python3
"""Measures mattes of clips with known truth: MAD (× 1e-3), Grad (× 1e3), dtSSD (× 1e-2) and processor seconds of the network frame by
frame, of the command, and of the command without each step of a stream's mattes.

    clips.py [--quality live] BACKDROP [CLIP…]

Creates the clips from the development data in a temporary folder: davis_parkour; the keyed man of the webcam clip, from frame 14 on, with
noise of 2 levels, in front of a photo (still; hand, a shaking camera; slow and quick, a panning one), in front of a rotating globe (globe),
and small with fast movements (fast); four portraits that sway in front of a moving room (pasted-…); and 90 frames of the simulated camera
in colour alone (sim_talking, sim_outdoor, sim_two-people).
Needs NumPy, OpenCV and ffmpeg, .build/release/bench for the simulated camera, and MediaPipe for its landscape network, which MediaPipe
itself runs frame by frame. Leaves out and names clips and programs whose requirements are missing. BACKDROP_DATA names the folder of the
data (../shared/data).
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import cv2
import numpy as np

DATA = pathlib.Path(os.environ.get("BACKDROP_DATA", pathlib.Path(__file__).parents[1] / "../shared/data"))
BENCH = pathlib.Path(__file__).parent / ".build/release/bench"
WIDTH, HEIGHT = 640, 480
SIMULATED = 854, 480
STEPS = ["frame", "looks", "smoothing", "edges", "search"]


def picture(path):
    return cv2.imread(str(path))[..., ::-1].astype(np.float32)


def frames(path, width, height, *filters):
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, *filters, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


def write(folder, pictures, truths):
    (folder / "truth").mkdir(parents=True)
    height, width = pictures[0].shape[:2]
    command = ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", "30", "-i", "-",
               "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt", "yuv420p", "-colorspace", "bt709",
               "-color_range", "tv", "-c:v", "ffv1", folder / "clip.mkv"]
    subprocess.run(command, input=b"".join(np.ascontiguousarray(each).tobytes() for each in pictures), check=True)
    for index, truth in enumerate(truths):
        cv2.imwrite(str(folder / "truth" / f"{index:05}.png"), truth)


def moved(source, x, y, border=cv2.BORDER_REFLECT):
    return cv2.warpAffine(source, np.float32([[1, 0, x], [0, 1, y]]), (WIDTH, HEIGHT), borderMode=border)


def man():
    """The man's premultiplied colours and his opacity, from the excess of green over red and blue in each pixel."""
    shown = frames(DATA / "video/webcam_matted_on_green_5s.mp4", WIDTH, HEIGHT)[14:].astype(np.float32)
    screen = np.array([117, 254, 151], np.float32)
    green = (shown[..., 1] - np.maximum(shown[..., 0], shown[..., 2])) / (254 - 151)
    alpha = np.clip((1 - np.clip(green, 0, 1) - 0.03) / 0.94, 0, 1)
    return np.clip(shown - (1 - alpha[..., None]) * screen, 0, 255), alpha


def put(folder, fronts, alphas, backgrounds):
    noise = np.random.default_rng(1)
    pictures = []
    for front, alpha, background in zip(fronts, alphas, backgrounds):
        mixed = front + (1 - alpha[..., None]) * background
        pictures.append(np.clip(mixed + noise.normal(0, 2, mixed.shape) + 0.5, 0, 255).astype(np.uint8))
    write(folder, pictures, [(alpha * 255 + 0.5).astype(np.uint8) for alpha in alphas])


def parkour(folder):
    shown = sorted((DATA / "video/davis_parkour").glob("*.jpg"))
    write(folder, [picture(each).astype(np.uint8) for each in shown],
          [cv2.imread(str(each.with_name(each.stem + "_mask.png")), 0) for each in shown])


def before(height, speed):
    def make(folder):
        front, alpha = man()
        background = picture(DATA / "backgrounds/city.jpg")
        background = cv2.resize(background, None, fx=height / background.shape[0], fy=height / background.shape[0], interpolation=cv2.INTER_AREA)
        span, start = background.shape[1] - WIDTH, (background.shape[1] - WIDTH) / 2 if speed == 0 else 0
        places = [span - abs((start + speed * index) % (2 * span) - span) for index in range(len(front))]
        put(folder, front, alpha, (moved(background, -x, -(height - HEIGHT) / 2) for x in places))
    return make


def hand(folder):
    front, alpha = man()
    background = picture(DATA / "backgrounds/city.jpg")
    background = cv2.resize(background, None, fx=HEIGHT / background.shape[0], fy=HEIGHT / background.shape[0], interpolation=cv2.INTER_AREA)
    start = (background.shape[1] - WIDTH) / 2
    time = np.arange(len(front)) / 30
    right = 3 * np.sin(2 * np.pi * 0.7 * time) + 1.5 * np.sin(2 * np.pi * 2.3 * time + 1)
    down = 2 * np.sin(2 * np.pi * 0.9 * time + 2) + np.sin(2 * np.pi * 3.1 * time)

    def shaken(source):
        return [moved(each, x, y, cv2.BORDER_REPLICATE) for each, x, y in zip(source, right, down)]

    put(folder, shaken(front), shaken(alpha), (moved(background, x - start, y) for x, y in zip(right, down)))


def globe(folder):
    front, alpha = man()
    backgrounds = frames(DATA / "backgrounds/rotating_earth.webm", 720, HEIGHT, "-frames:v", str(len(front)), "-vf", "scale=-2:480,crop=720:480")
    put(folder, front, alpha, backgrounds[:, :, 40:40 + WIDTH].astype(np.float32))


def fast(folder):
    background = picture(DATA / "backgrounds/porch.jpg")
    background = moved(cv2.resize(background, None, fx=HEIGHT / background.shape[0], fy=HEIGHT / background.shape[0], interpolation=cv2.INTER_AREA), -40, 0)
    size = int(0.42 * WIDTH), int(0.42 * HEIGHT)

    def thrown(source):
        for index, each in enumerate(source):
            small = cv2.resize(each, size, interpolation=cv2.INTER_AREA)
            x, y = (WIDTH - size[0]) / 2 + 170 * np.sin(0.14 * index), 150 + 100 * np.sin(0.11 * index + 1)
            yield moved(small, x, y, cv2.BORDER_CONSTANT)

    front, alpha = man()
    put(folder, thrown(front), list(thrown(alpha)), [background] * len(front))


def pasted(name, backdrop, size):
    """A person from a portrait, `size` of the frame high, who sways in front of a room that moves by 2.5 pixels a frame."""
    def make(folder):
        portrait = DATA / "matting/p3m" / name
        alpha = cv2.imread(str(portrait.with_name(f"{name}_alpha.png")), 0).astype(np.float32) / 255
        front = picture(portrait.with_name(f"{name}.jpg")) * alpha[..., None]
        scale = size * HEIGHT / alpha.shape[0]
        front, alpha = (cv2.resize(each, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) for each in (front, alpha))
        background = picture(DATA / "backgrounds" / backdrop)
        background = cv2.resize(background, None, fx=1.5 * HEIGHT / background.shape[0], fy=1.5 * HEIGHT / background.shape[0], interpolation=cv2.INTER_AREA)
        left, top = (WIDTH - alpha.shape[1]) / 2, HEIGHT - alpha.shape[0] + 6

        def swayed(source):
            return [moved(source, left + 40 * np.sin(0.09 * index), top + 6 * np.sin(0.2 * index), cv2.BORDER_CONSTANT)
                    for index in range(45)]

        put(folder, swayed(front), swayed(alpha), (
            moved(background, -(60 + 2.5 * index), -(120 + 20 * np.sin(0.05 * index))) for index in range(45)))
    return make


def simulated(scene):
    def make(folder):
        width, height = SIMULATED
        raw = subprocess.run(
            [BENCH, "frames", "--scene", scene, "--size", f"{width}x{height}", "--rounds", "90"], check=True,
            capture_output=True).stdout
        shown = np.frombuffer(raw, np.uint8).reshape(-1, height, width, 4)
        write(folder, shown[..., :3], shown[..., 3])
    return make


CLIPS = {
    "davis_parkour": parkour, "still": before(480, 0), "hand": hand, "globe": globe, "slow": before(720, 1.7),
    "quick": before(720, 8.3), "fast": fast, "pasted-22fc": pasted("p_22fc0130", "city.jpg", 1),
    "pasted-bac3": pasted("p_bac3c1ff", "porch.jpg", 1), "pasted-bd6a": pasted("p_bd6af989", "city.jpg", 0.6),
    "pasted-819e": pasted("p_819ea202", "porch.jpg", 0.5), "sim_talking": simulated("talking"), "sim_outdoor": simulated("outdoor"),
    "sim_two-people": simulated("two-people"),
}


def frame_by_frame(folder, mattes):
    """Writes the mattes of MediaPipe's landscape network, scaled bilinearly; returns whether MediaPipe is installed."""
    try:
        from mediapipe.python.solutions.selfie_segmentation import SelfieSegmentation
    except ImportError:
        return False
    height, width = cv2.imread(str(folder / "truth/00000.png"), 0).shape
    with SelfieSegmentation(model_selection=1) as network:
        for index, shown in enumerate(frames(folder / "clip.mkv", width, height)):
            matte = network.process(shown).segmentation_mask
            cv2.imwrite(str(mattes / f"{index:05}.png"), np.clip(matte * 255 + 0.5, 0, 255).astype(np.uint8))
    return True


def main():
    arguments = sys.argv[1:]
    quality = "live"
    if arguments[:1] == ["--quality"] and len(arguments) > 1:
        quality, arguments = arguments[1], arguments[2:]
    if not arguments or not set(arguments[1:]) <= set(CLIPS):
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    for name in arguments[1:] or CLIPS:
        if name.startswith("sim_") and not BENCH.exists():
            print(f"{name}: left out, {BENCH} is not built")
            continue
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work) / name
            CLIPS[name](folder)
            for what in ["network", ""] + [f"--without {step}" for step in STEPS]:
                mattes = folder / f"mattes {what}"
                mattes.mkdir()
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                if what != "network":
                    subprocess.run(
                        [program, "matte", folder / "clip.mkv", "--quality", quality, "--quiet", *what.split(), "-o", mattes],
                        check=True)
                elif not frame_by_frame(folder, mattes):
                    print(f"{name:16} frame by frame: left out, there is no MediaPipe")
                    continue
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                text = subprocess.run(
                    [program, "evaluate", mattes, folder / "truth"], check=True, capture_output=True, text=True).stdout
                mad, grad, change = (
                    float(re.search(rf"^{measure}\s+([\d.]+)", text, re.M)[1]) for measure in ("MAD", "Grad", "dtSSD"))
                print(f"{name:16} {what:20} MAD {mad:6.2f}  Grad {grad:6.2f}  dtSSD {change:6.2f}  {seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
