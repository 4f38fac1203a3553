"""Finds claps in a recording: a white frame and a click at the same time."""

import json
import subprocess

import numpy


def probe(path, *arguments):
    return subprocess.run(["ffprobe", "-v", "error", "-of", "json", *arguments, str(path)], check=True, capture_output=True, text=True).stdout


def claps_in(path):
    """The times at which pictures turn white, and those of the clicks, in seconds."""
    frames = [float(one["best_effort_timestamp_time"]) for one in json.loads(probe(path, "-select_streams", "v:0", "-show_frames", "-show_entries", "frame=best_effort_timestamp_time"))["frames"]]
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", str(path), "-fps_mode", "passthrough", "-vf", "scale=1:1", "-pix_fmt", "gray", "-f", "rawvideo", "-"], check=True, capture_output=True).stdout
    light = numpy.frombuffer(raw, numpy.uint8).astype(int)
    assert len(light) == len(frames), (len(light), len(frames))
    middle = (light.min() + light.max()) / 2
    whites = [frames[i] for i in range(1, len(light)) if light[i] > middle >= light[i - 1]]
    sound = numpy.frombuffer(subprocess.run(
        ["ffmpeg", "-v", "error", "-i", str(path), "-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", "48000", "-f", "f32le", "-"], check=True, capture_output=True).stdout, numpy.float32)
    loud = numpy.flatnonzero(abs(sound) > 0.2) / 48000
    clicks = [loud[i] for i in range(len(loud)) if i == 0 or loud[i] - loud[i - 1] > 0.5]
    return whites, clicks
