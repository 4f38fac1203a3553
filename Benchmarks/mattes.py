#!/usr/bin/env python3
"""Mattes of other programs' networks beside the truth: MAD (× 1e-3), Grad (× 1e3) and IoU on average.

    mattes.py BACKDROP FOLDER...

Each network that lies in one of the folders looks at the pictures of matting/p3m and matting/humanseg as its own program has it
look, with nothing refined after it; its matte is scaled bilinearly to the picture and measured by `backdrop evaluate`, as
quality.sh does. Needs numpy, OpenCV and OpenVINO. BACKDROP_DATA names the folder of the pictures (../shared/data).
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import openvino


class Net:
    """A network file, compiled for shapes as they come."""

    def __init__(self, path):
        self.model = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def __call__(self, *inputs):
        return [value for value in self.model(list(inputs)).values()]


def square(picture, side, mean=0.0, deviation=1.0, filter=cv2.INTER_LINEAR):
    small = cv2.resize(picture, (side, side), interpolation=filter).astype(np.float32) / 255
    return (small - np.float32(mean)) / np.float32(deviation)


def selfie(net, picture):
    """MediaPipe's selfie network, also the default of OBS background removal: RGB in 0…1 at 256 × 256."""
    return net(square(picture, 256)[None])[0].reshape(256, 256)


def sinet(net, picture):
    """SINet as in OBS background removal: means and deviations of its authors, in BGR, and 1/255 once more."""
    mean = np.array([102.890434, 111.25247, 126.91212], np.float32)
    deviation = np.array([62.93292, 62.82138, 66.355705], np.float32)
    small = cv2.resize(picture[..., ::-1], (320, 320)).astype(np.float32)
    small = (small - mean) / deviation / 255
    return net(np.ascontiguousarray(small.transpose(2, 0, 1)[None]))[0].reshape(2, 320, 320)[1]


def u2net(net, picture):
    """As rembg runs U²-Net and U²-Net-P."""
    small = cv2.resize(picture, (320, 320), interpolation=cv2.INTER_LANCZOS4).astype(np.float32)
    small = (small / max(small.max(), 1e-6) - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    matte = net(np.ascontiguousarray(small.transpose(2, 0, 1)[None].astype(np.float32)))[0].reshape(320, 320)
    return (matte - matte.min()) / max(matte.max() - matte.min(), 1e-6)


def rvm(net, picture):
    """Robust Video Matting as its authors' inference.py does: the whole picture, looked at with its longer side at 512."""
    ratio = np.array([min(512 / max(picture.shape[:2]), 1)], np.float32)
    state = [np.zeros((1, 1, 1, 1), np.float32)] * 4
    source = np.ascontiguousarray(picture.transpose(2, 0, 1)[None].astype(np.float32) / 255)
    return net(source, *state, ratio)[1][0, 0]


PEERS = {
    "selfie_segmentation.onnx": ("MediaPipe selfie (OBS background removal's default)", selfie),
    "SINet_Softmax_simple.onnx": ("SINet (OBS background removal)", sinet),
    "u2net.onnx": ("U²-Net (rembg's default)", u2net),
    "u2netp.onnx": ("U²-Net-P (rembg's small one)", u2net),
    "rvm_mobilenetv3_fp32.onnx": ("Robust Video Matting, as its authors run it", rvm),
}


def measure(backdrop, matte, truth, folder):
    for name, values in [("matte.png", matte), ("truth.png", truth)]:
        cv2.imwrite(os.path.join(folder, name), np.clip(values * 255 + 0.5, 0, 255).astype(np.uint8))
    text = subprocess.run(
        [backdrop, "evaluate", "matte.png", "truth.png"], cwd=folder, check=True, capture_output=True, text=True).stdout
    return [float(re.search(rf"^{name}\s+([\d.]+)", text, re.M).group(1)) for name in ("MAD", "Grad", "IoU")]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    backdrop, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    data = pathlib.Path(os.environ.get("BACKDROP_DATA", pathlib.Path(__file__).parents[1] / "../shared/data")) / "matting"
    for file, (name, look) in PEERS.items():
        path = next((os.path.join(folder, file) for folder in folders if os.path.exists(os.path.join(folder, file))), None)
        if path is None:
            print(f"{name}: not measured, {file} is in none of the folders")
            continue
        net = Net(path)
        for pictures, ending in [("p3m", "alpha"), ("humanseg", "mask")]:
            results = []
            for source in sorted((data / pictures).glob("*.jpg")):
                picture = cv2.imread(str(source))[..., ::-1]
                size = (picture.shape[1], picture.shape[0])
                truth = cv2.imread(str(source.with_name(f"{source.stem}_{ending}.png")), cv2.IMREAD_GRAYSCALE)
                truth = cv2.resize(truth, size, interpolation=cv2.INTER_LINEAR) / 255
                matte = cv2.resize(look(net, picture).astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
                with tempfile.TemporaryDirectory() as folder:
                    results.append(measure(backdrop, matte, truth, folder))
            mad, grad, iou = np.mean(results, axis=0)
            print(f"{name:52} {pictures:9} MAD {mad:6.2f}  Grad {grad:6.2f}  IoU {iou:.4f}", flush=True)


if __name__ == "__main__":
    main()
