"""Composes pictures of people with known opacity, and their coarse mattes, into a file that training reads.

    data.py check           compares the pictures to train on with their checksums
    data.py sheet FILE      draws 40 composites, each above its opacity and its coarse matte

The pictures lie in `training` of the development data, whose README says how they were chosen (BACKDROP_DATA names its folder):
street (bearpaw/clothing-co-parsing at cbc8deae85f6), portraits (vharnathka/cse151a at 6d2dfc71a410; the opacities were keyed for this
collection) and backgrounds (pmndrs/drei-assets, garima-mahato/DepthMaskDataset, line/abc-virtual-background-maker, workadventure).
"""

import concurrent.futures
import functools
import hashlib
import os
import pathlib
import sys

import cv2
import numpy as np

import coarse

DATA = pathlib.Path(os.environ.get("BACKDROP_DATA", pathlib.Path(__file__).parents[1] / "../shared/data"))
# SHA-256 of the lines "SHA-256  NAME" of all pictures in a folder, sorted by name.
CHECKSUMS = {
    "street": "7870cc5b65e74daf0830a8a5d232183010ae9cb2136991a437b7fa3082ab3fbe",
    "portraits": "934fbecbdd719fd1e013d9a691d281316eee207e3b627b17f2874a43acaf0c98",
    "backgrounds": "b76ce381b45f4fb7fdbb3b503fcfc20d59e3e5377948fcd85e4e87908c5b2179",
}
# Samples are squares of this many pixels a side, as the selfie network's pictures.
SIDE = coarse.SIDE
# Each twentieth picture of every folder is kept for validation.
KEPT = 20


def check():
    for name, expected in CHECKSUMS.items():
        files = sorted(each for each in (DATA / "training" / name).glob("*") if each.suffix in (".jpg", ".png"))
        lines = "".join(f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in files)
        if hashlib.sha256(lines.encode()).hexdigest() != expected:
            sys.exit(f"error: {DATA / 'training' / name} has {len(files)} pictures that differ from those expected\n"
                     "hint: name the folder of the development data by BACKDROP_DATA")


@functools.cache
def files(folder, is_kept):
    found = sorted((DATA / "training" / folder).glob("*.jpg"))
    return [each for index, each in enumerate(found) if (index % KEPT == 0) == is_kept]


def read(path):
    return cv2.imread(str(path))[..., ::-1].astype(np.float32)


def resized(picture, width, height):
    smaller = width < picture.shape[1]
    return cv2.resize(picture, (max(1, round(width)), max(1, round(height))), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR)


def background(random, is_kept, width, height):
    """A random part of a picture without people."""
    picture = read(random.choice(files("backgrounds", is_kept)))
    part = min(picture.shape[1] / width, picture.shape[0] / height) * random.uniform(0.35, 1)
    across, down = max(8, int(width * part)), max(8, int(height * part))
    x, y = random.integers(0, picture.shape[1] - across + 1), random.integers(0, picture.shape[0] - down + 1)
    picture = resized(picture[y:y + down, x:x + across], width, height)
    if random.random() < 0.4:
        picture = cv2.GaussianBlur(picture, (0, 0), random.uniform(0.5, 7))
    return picture[:, ::-1] if random.random() < 0.5 else picture


def portrait(random, is_kept):
    """The colours and opacity of a portrait without its blue backdrop, and True: the opacity is soft."""
    path = random.choice(files("portraits", is_kept))
    picture, alpha = read(path), cv2.imread(str(path.with_name(path.stem + "_alpha.png")), 0).astype(np.float32) / 255
    screen = np.median(picture[alpha < 0.02], axis=0) if (alpha < 0.02).sum() > 100 else np.array([60, 90, 150], np.float32)
    front = np.clip((picture - (1 - alpha[..., None]) * screen) / np.maximum(alpha, 0.1)[..., None], 0, 255)
    # Blue light on the edges has no more blue than the other colours.
    edge = cv2.erode(alpha, np.ones((7, 7))) < 0.98
    front[..., 2] = np.where(edge, np.minimum(front[..., 2], 1.05 * front[..., :2].max(2)), front[..., 2])
    # Colours of nearly transparent pixels come from opaque ones beside them.
    weight = alpha ** 3 + 1e-4
    spread = cv2.GaussianBlur(front * weight[..., None], (0, 0), 3) / cv2.GaussianBlur(weight, (0, 0), 3)[..., None]
    trust = np.clip((alpha - 0.3) / 0.6, 0, 1)[..., None]
    return trust * front + (1 - trust) * spread, alpha, True


def street(random, is_kept):
    """The colours and mask of somebody in a street, and False: the edges are hard."""
    path = random.choice(files("street", is_kept))
    picture, mask = read(path), cv2.imread(str(path.with_name(path.stem + "_mask.png")), 0).astype(np.float32) / 255
    return picture, (mask > 0.5).astype(np.float32), False


def selfie_part(random, picture, alpha):
    """The upper part of a person, as in a selfie; the whole person for one of three."""
    rows, columns = np.where(alpha.max(1) > 0.5)[0], np.where(alpha.max(0) > 0.5)[0]
    if random.random() < 0.35 or len(rows) < 50:
        return picture, alpha
    height = int(random.uniform(0.25, 0.7) * (rows[-1] - rows[0]))
    top, bottom = max(0, rows[0] - int(random.uniform(0.02, 0.3) * height)), rows[0] + height
    middle, width = (columns[0] + columns[-1]) / 2, (bottom - top) * random.uniform(0.6, 1.6)
    left, right = int(max(0, middle - width / 2)), int(min(picture.shape[1], middle + width / 2))
    return picture[top:bottom, left:right], alpha[top:bottom, left:right]


def lit(random, picture, range_=0.35):
    """A picture in another light."""
    gain = random.uniform(1 - range_, 1 + range_) * random.uniform(0.92, 1.08, 3)
    picture = 255 * np.clip(picture / 255 * gain, 0, 1) ** random.uniform(0.8, 1.3)
    if random.random() < 0.3:
        x, y = np.meshgrid(np.linspace(-1, 1, picture.shape[1]), np.linspace(-1, 1, picture.shape[0]))
        angle = random.uniform(0, 2 * np.pi)
        picture = picture * (1 + 0.35 * (x * np.cos(angle) + y * np.sin(angle)))[..., None]
    return np.clip(picture, 0, 255)


def put(canvas, alpha_of_canvas, front, alpha, x, y):
    """Composes a person into a canvas, the person's upper left corner at x, y."""
    height, width = alpha.shape
    left, top, right, bottom = max(0, x), max(0, y), min(canvas.shape[1], x + width), min(canvas.shape[0], y + height)
    if right <= left or bottom <= top:
        return
    inside = slice(top - y, bottom - y), slice(left - x, right - x)
    target, opacity = (slice(top, bottom), slice(left, right)), alpha[inside]
    canvas[target] = opacity[..., None] * front[inside] + (1 - opacity[..., None]) * canvas[target]
    alpha_of_canvas[target] = opacity + (1 - opacity) * alpha_of_canvas[target]


def place(random, canvas, opacity, person):
    """Puts a person on the lower edge of a canvas, and beyond the sides at which the portrait is cut off."""
    front, alpha, is_soft = person
    if not is_soft:
        front, alpha = selfie_part(random, front, cv2.GaussianBlur(cv2.erode(alpha, np.ones((3, 3))), (0, 0), 0.8))
    height, width = canvas.shape[:2]
    cut_left, cut_right = alpha[:, 0].max() > 0.3, alpha[:, -1].max() > 0.3
    scale = height * random.uniform(0.45, 1.15) / alpha.shape[0]
    if cut_left and cut_right:
        scale = max(scale, width / alpha.shape[1])
    front, alpha = (resized(each, alpha.shape[1] * scale, alpha.shape[0] * scale) for each in (front, alpha))
    spare = width - alpha.shape[1]
    x = int(random.uniform(min(0, spare), max(0, spare)) if not (cut_left or cut_right) else
            0 - random.uniform(0, max(0, -spare)) if cut_left else spare + random.uniform(0, max(0, -spare)))
    # Heads stay in the picture, mostly; whoever is too tall is cut off below.
    y = max(height - alpha.shape[0] + int(random.uniform(0, 0.15) * height), int(random.uniform(-0.12, 0.02) * height))
    put(canvas, opacity, lit(random, front), alpha, x, y)
    return is_soft


def poster(random, is_kept, canvas):
    """Hangs a picture of somebody on the wall: nobody to keep."""
    front, alpha, _ = portrait(random, is_kept)
    shown = np.empty_like(front)
    shown[:] = random.uniform(40, 220, 3) if random.random() < 0.5 else background(random, is_kept, front.shape[1], front.shape[0])
    put(shown, np.zeros_like(alpha), front, alpha, 0, 0)
    shown = cv2.copyMakeBorder(shown, 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=random.uniform(0, 255, 3).tolist())
    height = canvas.shape[0] * random.uniform(0.2, 0.55)
    shown = lit(random, resized(shown, height * shown.shape[1] / shown.shape[0], height))
    x, y = int(random.uniform(-0.1, 0.9) * canvas.shape[1]), int(random.uniform(-0.1, 0.5) * canvas.shape[0])
    put(canvas, np.zeros(canvas.shape[:2], np.float32), shown, np.ones(shown.shape[:2], np.float32), x, y)


def occlude(random, is_kept, canvas, opacity):
    """Puts an object in front of everything."""
    height, width = opacity.shape
    shape, center = np.zeros_like(opacity), (int(random.uniform(0, width)), int(random.uniform(0.4, 1) * height))
    axes = int(random.uniform(0.05, 0.3) * width), int(random.uniform(0.05, 0.3) * height)
    if random.random() < 0.5:
        cv2.ellipse(shape, center, axes, random.uniform(0, 180), 0, 360, 1, -1, cv2.LINE_AA)
    else:
        cv2.rectangle(shape, (center[0] - axes[0], center[1] - axes[1]), (center[0] + axes[0], center[1] + axes[1]), 1, -1)
    thing = background(random, is_kept, width, height)
    canvas[:] = shape[..., None] * thing + (1 - shape[..., None]) * canvas
    opacity *= 1 - shape


def worn(random, picture):
    """The picture as a cheap camera would store it."""
    if random.random() < 0.12:
        picture = picture * random.uniform(0.15, 0.5)
    if random.random() < 0.4:
        picture = cv2.GaussianBlur(picture, (0, 0), random.uniform(0.3, 1.4))
    if random.random() < 0.7:
        noise = random.normal(0, random.uniform(1, 9), picture.shape[:2] + (3 if random.random() < 0.5 else 1,))
        picture = picture + noise
    picture = np.clip(picture, 0, 255).astype(np.uint8)
    if random.random() < 0.8:
        picture = cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(random.uniform(35, 95))])[1], cv2.IMREAD_COLOR)
    return picture


def composite(seed, is_kept=False):
    """A picture with people, their opacity in 0…1, and whether its edges are true everywhere."""
    random = np.random.default_rng([seed, is_kept])
    kind = random.random()
    if kind < 0.3:  # a street as it is
        picture, opacity, is_soft = street(random, is_kept)
        picture, opacity = selfie_part(random, picture, opacity)
        picture, opacity = lit(random, picture, 0.2), opacity.copy()
    else:
        height = 420
        width = int(height * random.choice([0.67, 0.75, 1, 1.33, 1.5, 1.78]))
        picture, opacity, is_soft = background(random, is_kept, width, height).copy(), np.zeros((height, width), np.float32), True
        picture = lit(random, picture)
        if random.random() < 0.12:
            poster(random, is_kept, picture)
        people = 0 if kind < 0.37 else 2 if kind < 0.5 else 1
        for _ in range(people):
            person = portrait(random, is_kept) if random.random() < 0.7 else street(random, is_kept)
            is_soft &= place(random, picture, opacity, person)
    if random.random() < 0.1:
        occlude(random, is_kept, picture, opacity)
    picture = worn(random, picture)
    return (picture[:, ::-1], opacity[:, ::-1], is_soft) if random.random() < 0.5 else (picture, opacity, is_soft)


@functools.cache
def selfie():
    cv2.setNumThreads(1)
    return coarse.Selfie()


def prepare():
    """Fetches the selfie network."""
    selfie()


def sample(seed, is_kept, side):
    """Red, green, blue, opacity and coarse matte of a composite in 0…255, stretched to a square; and whether its edges are true."""
    picture, opacity, is_soft = composite(seed, is_kept)
    matte = cv2.resize(selfie()(np.ascontiguousarray(picture)), (side, side), interpolation=cv2.INTER_LINEAR)
    channels = [cv2.resize(np.ascontiguousarray(each), (side, side), interpolation=cv2.INTER_AREA) for each in (picture, opacity)]
    return np.dstack([channels[0], np.clip(channels[1] * 255 + 0.5, 0, 255), np.clip(matte * 255 + 0.5, 0, 255)]).astype(np.uint8), is_soft


def cached(number, is_kept, side, workers):
    """`number` composites in a file that is made if it is missing; returns their samples and whether their edges are true."""
    folder = coarse.CACHE / f"{'kept' if is_kept else 'training'}-{number}-{side}"
    if not (folder / "soft.npy").exists():
        folder.mkdir(parents=True, exist_ok=True)
        samples = np.lib.format.open_memmap(folder / "samples.npy", "w+", np.uint8, (number, side, side, 5))
        soft = np.zeros(number, bool)
        with concurrent.futures.ProcessPoolExecutor(workers) as pool:
            # By one process: several would write the same file at once. Not by this one, because OpenVINO's threads do not survive a fork.
            pool.submit(prepare).result()
            made = pool.map(sample, range(number), [is_kept] * number, [side] * number, chunksize=16)
            for index, (samples[index], soft[index]) in enumerate(made):
                if index % 500 == 499:
                    print(f"composed {index + 1} of {number}", flush=True)
        samples.flush()
        np.save(folder / "soft.npy", soft)
    return np.load(folder / "samples.npy", mmap_mode="r"), np.load(folder / "soft.npy")


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        check()
    elif len(sys.argv) == 3 and sys.argv[1] == "sheet":
        columns = []
        for seed in range(40):
            made, _ = sample(seed, False, 160)
            columns.append(np.vstack([made[..., :3]] + [made[..., [channel] * 3] for channel in (3, 4)]))
        cv2.imwrite(sys.argv[2], np.vstack([np.hstack(columns[row:row + 10]) for row in range(0, 40, 10)])[..., ::-1])
    else:
        sys.exit(__doc__)
