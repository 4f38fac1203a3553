"""The kinds of jobs, and small inputs for them."""

import dataclasses
import os
import shutil
import subprocess

import readers

# Not the default units, which the command assumes if a file does not declare any.
UNITS = "2000"
DEPTH = ("--depth", "depth.png", "--depth-scale", UNITS, "--any-aspect", "--matte", "depth", "--cutoff", "1.3")
COLOR = ("--background", "#204060")


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    # The arguments; {} is the folder of outputs.
    words: tuple
    # The outputs in that folder, each with its reader.
    outputs: dict
    # Whether an unfinished output remains, under a name with .partial.
    grows: bool = False
    # Whether decoders run in other processes, whose calls fail, too.
    has_children: bool = False
    # Whether all or none of the outputs appear, unless they replace others or the program is killed.
    together: bool = False
    # Whether the job starts with an empty cache, which the next run must be able to use, however this one ends.
    fills_cache: bool = False
    # The duration of a run relative to that of most jobs; the number of runs is divided by it.
    cost: int = 1

    def command(self, binary, place, forced):
        words = [word.replace("{}", place) for word in self.words]
        return [binary, *words, *(("--force",) if forced else ())]


def replace(name, output, reader, *words, **more):
    return Job(name, ("replace", *words, "-o", "{}/" + output), {output: reader}, **more)


def jobs():
    picture, video = readers.picture, readers.video
    numbered = {f"{number:03}.png": picture for number in range(1, 5)}
    return [
        replace("photo, JPEG", "out.jpg", picture, "photo.png", *DEPTH, *COLOR),
        replace("photo, PNG", "out.png", picture, "photo.jpg", *DEPTH, "--background", "none"),
        replace("photo, HEIC", "out.heic", picture, "photo.png", *DEPTH, *COLOR),
        replace("photo, WebP", "out.webp", picture, "photo.png", *DEPTH, *COLOR),
        replace("photo, AVIF", "out.avif", picture, "photo.png", *DEPTH, *COLOR),
        replace("photo, sandbox", "out.png", picture, "photo.jpg", *DEPTH, *COLOR, "--sandbox", has_children=True),
        replace("photo, network", "out.jpg", picture, "photo.jpg", *COLOR, "--quality", "fast", cost=4),
        replace("network, new", "out.jpg", picture, "photo.jpg", *COLOR, "--quality", "fast", fills_cache=True, cost=10),
        Job("photo, two files", ("replace", "photo.png", *DEPTH, *COLOR, "-o", "{}/out.png", "--save-matte", "{}/matte.png"),
            {"out.png": picture, "matte.png": picture}),
        Job("matte", ("matte", "photo.png", *DEPTH, "-o", "{}/out.png"), {"out.png": picture}),
        Job("apply", ("apply", "refocus", "deep.jpg", "--matte", "depth", "-o", "{}/out.jpg"), {"out.jpg": picture}),
        Job("embed", ("photo", "embed", "photo.jpg", "--depth", "wide.png", "--depth-scale", UNITS, "-o", "{}/out.heic"),
            {"out.heic": picture}),
        Job("extract", ("photo", "extract", "deep.jpg", "--save-depth", "{}/depth.png", "--save-picture", "{}/color.png"),
            {"depth.png": picture, "color.png": picture}),
        Job("plate", ("plate", "clip.mp4", "-o", "{}/out.png"), {"out.png": picture}, cost=2),
        replace("video, MP4", "out.mp4", video, "clip.mp4", "--depth", "walk/depth", *DEPTH[2:], *COLOR),
        replace("video, MKV", "out.mkv", video, "walk.mkv", "--matte", "depth", "--cutoff", "1.3", *COLOR),
        replace("video, sandbox", "out.mp4", video, "clip.mp4", "--depth", "walk/depth", *DEPTH[2:], "--sandbox", *COLOR,
                has_children=True, cost=2),
        replace("animation, GIF", "out.gif", picture, "walk", "--matte", "depth", "--cutoff", "1.3", *COLOR),
        replace("animation, PNG", "out.apng", picture, "walk", "--matte", "depth", "--cutoff", "1.3", *COLOR),
        replace("animation, WebP", "out.webp", picture, "walk", "--matte", "depth", "--cutoff", "1.3", *COLOR),
        Job("numbered", ("replace", "walk", "--matte", "depth", "--cutoff", "1.3", *COLOR, "-o", "{}/%03d.png"), numbered, together=True),
        Job("batch", ("replace", "photos", "--matte", "chroma", "--screen", "#00B140", *COLOR, "--output-dir", "{}"),
            {"one.jpg": picture, "two.png": picture, "three.mp4": video}, has_children=True, cost=4),
        Job("point cloud", ("pointcloud", "photo.png", *DEPTH[:5], "--fov", "60", "-o", "{}/out.ply"), {"out.ply": readers.cloud}),
        Job("mesh", ("pointcloud", "photo.png", *DEPTH[:5], "--fov", "60", "--mesh", "-o", "{}/out.glb"), {"out.glb": readers.model}),
        Job("turn",
            ("pointcloud", "photo.png", *DEPTH[:5], "--fov", "60", "--size", "160x90", "--seconds", "0.2", "--render", "{}/out.mp4"),
            {"out.mp4": video}),
        Job("colours of depth", ("depth", "colorize", "depth.png", "-o", "{}/out.png"), {"out.png": picture}),
        Job("recording, MKV", ("record", "sim:talking?seconds=0.4&fps=10&size=160x90&depth=80x60", "-o", "{}/out.mkv"),
            {"out.mkv": video}, grows=True),
        Job("recording, R3D", ("record", "sim:talking?seconds=0.4&fps=10&size=160x90&depth=80x60", "-o", "{}/out.r3d"),
            {"out.r3d": readers.archive}, grows=True),
        Job("recording, folder", ("record", "sim:talking?seconds=0.4&fps=10&size=160x90&depth=80x60", "-o", "{}/out"),
            {"out": readers.folder}, grows=True),
        Job("conversion", ("convert-recording", "walk", "{}/out.mkv"), {"out.mkv": video}),
    ]


def make_inputs(binary, folder):
    """Creates the files that jobs read."""
    def run(*words):
        subprocess.run(words, cwd=folder, check=True, capture_output=True)

    # All inputs have the same shape: with an unreadable file, a difference in shape would cause another error.
    scene = ("sim:talking?seconds=0.4&fps=10&size=160x120&depth=80x60", "--output-scale", UNITS)
    run(binary, "record", *scene, "-o", "walk")
    run(binary, "record", *scene, "-o", "walk.mkv")
    shutil.copy(os.path.join(folder, "walk/rgb/00001.png"), os.path.join(folder, "photo.png"))
    shutil.copy(os.path.join(folder, "walk/depth/00001.png"), os.path.join(folder, "depth.png"))
    ffmpeg = ("ffmpeg", "-v", "error", "-y")
    run(*ffmpeg, "-i", "photo.png", "-q:v", "3", "photo.jpg")
    run(*ffmpeg, "-i", "depth.png", "-vf", "scale=160:120:flags=neighbor", "-pix_fmt", "gray16be", "wide.png")
    run(binary, "photo", "embed", "photo.jpg", "--depth", "wide.png", "--depth-scale", UNITS, "-o", "deep.jpg")
    run(*ffmpeg, "-framerate", "10", "-i", "walk/rgb/%05d.png", "-f", "lavfi", "-i", "sine=440:duration=0.4", "-c:v", "libx264",
        "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest", "clip.mp4")
    os.makedirs(os.path.join(folder, "photos"))
    # A grey box in front of a green screen.
    screen = ("-f", "lavfi", "-i", "color=0x00B140:s=160x90:r=10:d=0.4,drawbox=x=50:y=20:w=60:h=70:color=0x907060:t=fill")
    for name in ("one.jpg", "two.png"):
        run(*ffmpeg, *screen, "-frames:v", "1", "photos/" + name)
    run(*ffmpeg, *screen, "-c:v", "libx264", "-pix_fmt", "yuv420p", "photos/three.mp4")
