#!/usr/bin/env python3
"""Measures reading `.bag` files of RealSense cameras, beside librealsense's own player.

    bag.py BENCH [--frames 240] [--folder /tmp/bags]

BENCH is the program of `swift build -c release --product bench`. librealsense (`pip install "pyrealsense2==2.57.*" numpy`) records a
software device: depth and colour of 640×480, uncompressed and compressed by LZ4. Backdrop and librealsense's player without its clock read
each file three times. Prints the pairs of pictures a second, of elapsed time and of processor time.
"""

import argparse
import gc
import subprocess
import time
from pathlib import Path

import numpy as np
import pyrealsense2 as rs

WIDTH, HEIGHT = 640, 480


def stream(kind, number, form, size):
    camera = rs.intrinsics()
    camera.width, camera.height = WIDTH, HEIGHT
    camera.fx, camera.fy, camera.ppx, camera.ppy = 600, 600, WIDTH / 2, HEIGHT / 2
    result = rs.video_stream()
    result.type, result.index, result.uid, result.width, result.height = kind, 0, number, WIDTH, HEIGHT
    result.fps, result.bpp, result.fmt, result.intrinsics = 30, size, form, camera
    return result


def record(path: Path, frames: int, packed: bool) -> None:
    """Records a wall and, in the middle, the distance of a person, with the noise and holes of such cameras."""
    device = rs.software_device()
    stereo = device.add_sensor("Stereo Module")
    depth = stereo.add_video_stream(stream(rs.stream.depth, 0, rs.format.z16, 2))
    stereo.add_read_only_option(rs.option.depth_units, 0.001)
    rgb = device.add_sensor("RGB Camera")
    color = rgb.add_video_stream(stream(rs.stream.color, 1, rs.format.rgb8, 3))
    nothing = rs.extrinsics()
    nothing.rotation, nothing.translation = [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0]
    depth.register_extrinsics_to(color, nothing)
    streams = [(stereo, depth, 2), (rgb, color, 3)]
    recorder = rs.recorder(str(path), device, packed)
    for sensor in recorder.query_sensors():
        sensor.open(sensor.get_stream_profiles())
        sensor.start(lambda frame: None)
    random, kept = np.random.default_rng(7), []
    for index in range(frames):
        units = np.full((HEIGHT, WIDTH), 2500, np.float32)
        units[80:, 200:440] = 900
        units += random.normal(0, 4, units.shape)
        units[random.random(units.shape) < 0.03] = 0
        picture = np.repeat((units / 12).clip(0, 255).astype(np.uint8), 3, axis=1)
        for sensor, profile, size in streams:
            pixels = units.clip(0, 65535).astype(np.uint16) if size == 2 else picture
            frame = rs.software_video_frame()
            frame.pixels, frame.stride, frame.bpp = pixels, WIDTH * size, size
            frame.timestamp, frame.domain = 1000000 + index * 33.25, rs.timestamp_domain.hardware_clock
            frame.frame_number, frame.profile = index + 1, profile.as_video_stream_profile()
            if size == 2:
                frame.depth_units = 0.001
            kept.append(pixels)
            sensor.on_video_frame(frame)
    for sensor, _, _ in streams:
        sensor.stop()
        sensor.close()
    del recorder, device
    gc.collect()


def play(path: Path) -> tuple[int, float, float]:
    """Plays a file with librealsense; returns the number of pairs, the processor seconds and the elapsed seconds."""
    config, pipeline = rs.config(), rs.pipeline()
    rs.config.enable_device_from_file(config, str(path), repeat_playback=False)
    start, processor, count = time.monotonic(), time.process_time(), 0
    profile = pipeline.start(config)
    profile.get_device().as_playback().set_real_time(False)
    while True:
        found, frames = pipeline.try_wait_for_frames(1000)
        if not found:
            break
        count += 1
        last = time.monotonic(), time.process_time()
    pipeline.stop()
    return count, last[1] - processor, last[0] - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--frames", type=int, default=240)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/bags"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for packed in False, True:
        path = options.folder / f"{'lz4' if packed else 'plain'}.bag"
        if not path.exists():
            record(path, options.frames, packed)
        print(f"{path.name}, {path.stat().st_size / 1e6:.0f} MB", flush=True)
        subprocess.run([options.bench, "recording", "--clip", path], check=True)
        count, processor, seconds = play(path)
        print(f"librealsense: {count} pairs, {count / seconds:.1f} a second, {count / processor:.1f} a second of processor time")


if __name__ == "__main__":
    main()
