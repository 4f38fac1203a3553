"""Runs workload w4, depth of 640×480, in turns with librealsense: its filters one by one and in a chain, and points.

Usage: compare_w4.py INPUTS [ROUNDS]. Both use one thread. Times are processor times, which other work on the machine disturbs least. Prints
one JSON object a line. Variants without an equivalent in librealsense (`filtered`, `guided`, `align`) have no comparison.
"""

import json
import subprocess
import sys
import time

import numpy as np
import pyrealsense2 as rs

INPUTS = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
BENCH = ".build/release/bench"
HEADER = json.load(open(f"{INPUTS}/inputs.json"))["w4"]
CAMERA, SPATIAL, TEMPORAL = HEADER["intrinsics"], HEADER["rs_spatial"], HEADER["rs_temporal"]
NAMES = ["depth"] + [f"depth_seq{number}" for number in range(4)]
MAPS = [np.fromfile(f"{INPUTS}/{name}_640x480.u16", np.uint16).reshape(480, 640) for name in NAMES]


def frames():
    """The maps as frames of a software device, and the objects that keep them alive."""
    device = rs.software_device()
    sensor = device.add_sensor("Depth")
    camera = rs.intrinsics()
    camera.width, camera.height, camera.model, camera.coeffs = 640, 480, rs.distortion.none, [0.0] * 5
    camera.fx, camera.fy, camera.ppx, camera.ppy = (CAMERA[key] for key in ("fx", "fy", "cx", "cy"))
    stream = rs.video_stream()
    stream.type, stream.index, stream.uid, stream.fmt, stream.bpp = rs.stream.depth, 0, 0, rs.format.z16, 2
    stream.width, stream.height, stream.fps, stream.intrinsics = 640, 480, 30, camera
    profile = sensor.add_video_stream(stream)
    sensor.add_read_only_option(rs.option.depth_units, 0.001)
    sensor.add_read_only_option(rs.option.stereo_baseline, 50.0)
    queue = rs.frame_queue(16, True)
    sensor.open(profile)
    sensor.start(queue)
    found = []
    for number, depth in enumerate(MAPS):
        frame = rs.software_video_frame()
        frame.pixels, frame.stride, frame.bpp, frame.depth_units = depth.copy(), 1280, 2, 0.001
        frame.timestamp, frame.domain, frame.frame_number = number * 33.3, rs.timestamp_domain.hardware_clock, number + 1
        frame.profile = profile.as_video_stream_profile()
        sensor.on_video_frame(frame)
        got = queue.wait_for_frame()
        got.keep()
        found.append(got)
    if not np.array_equal(np.asanyarray(found[0].get_data()), MAPS[0]):
        sys.exit("error: librealsense's frames are not those that it was given")
    return found, (device, sensor)


FRAMES, ALIVE = frames()


def peers():
    """librealsense's equivalents of our variants."""
    spatial, temporal, holes = rs.spatial_filter(), rs.temporal_filter(), rs.hole_filling_filter()
    for option, key in (("filter_magnitude", "magnitude"), ("filter_smooth_alpha", "alpha"), ("filter_smooth_delta", "delta"), ("holes_fill", "holes")):
        spatial.set_option(getattr(rs.option, option), SPATIAL[key])
    for option, key in (("filter_smooth_alpha", "alpha"), ("filter_smooth_delta", "delta")):
        temporal.set_option(getattr(rs.option, option), TEMPORAL[key])
    holes.set_option(rs.option.holes_fill, 1)
    there, back = rs.disparity_transform(True), rs.disparity_transform(False)
    decimation, points = rs.decimation_filter(), rs.pointcloud()

    def chain(frame):
        for step in (there, spatial, temporal, back, holes):
            frame = step.process(frame)
        return frame

    return {
        "librealsense": chain, "spatial": spatial.process, "temporal": temporal.process, "fill": holes.process,
        "decimate": decimation.process, "points": lambda frame: np.asanyarray(points.calculate(frame).get_vertices()),
    }


def ours(workload, times):
    text = subprocess.run(
        [BENCH, workload, "--inputs", INPUTS, "--rounds", "100", "--processor-time", "--json"], check=True, capture_output=True, text=True
    ).stdout
    for each in map(json.loads, text.splitlines()):
        times.setdefault(each["variant"], []).append(each["min_ms"])


def main():
    own, theirs = {}, {}
    for _ in range(ROUNDS):
        ours("w4", own)
        ours("w4-views", own)
        for name, run in peers().items():
            for number in range(40):
                start = time.process_time()
                run(FRAMES[number % len(FRAMES)])
                theirs.setdefault(name, []).append((time.process_time() - start) * 1e3)
    for name, found in own.items():
        result = {"job": name, "ms": min(found), "peer_ms": None}
        if name in theirs:
            result["peer_ms"] = round(min(theirs[name]), 4)
        print(json.dumps(result))


main()
