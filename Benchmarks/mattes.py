#!/usr/bin/env python3
"""Measures mattes of other programs' networks, set by set: mean MAD (× 1e-3), mean Grad, and the pictures with an IoU below 0.9.

    mattes.py FOLDER...

Runs each network in the folders on the pictures of ablation.py, with the preprocessing of its own program and without refinement, and
scales its mattes bilinearly to the pictures. Needs NumPy, OpenCV and OpenVINO. BACKDROP_DATA names the folder of the data
(../shared/data).
"""

import os
import sys

import cv2
import numpy as np
import openvino

import ablation


class Net:
    """A network file, compiled for each shape on first use."""

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
    """SINet as in OBS background removal: its authors' means and deviations, in BGR, and an additional factor of 1/255."""
    mean = np.array([102.890434, 111.25247, 126.91212], np.float32)
    deviation = np.array([62.93292, 62.82138, 66.355705], np.float32)
    small = cv2.resize(picture[..., ::-1], (320, 320)).astype(np.float32)
    small = (small - mean) / deviation / 255
    return net(np.ascontiguousarray(small.transpose(2, 0, 1)[None]))[0].reshape(2, 320, 320)[1]


def u2net(net, picture):
    """U²-Net and U²-Net-P as in rembg."""
    small = cv2.resize(picture, (320, 320), interpolation=cv2.INTER_LANCZOS4).astype(np.float32)
    small = (small / max(small.max(), 1e-6) - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    matte = net(np.ascontiguousarray(small.transpose(2, 0, 1)[None].astype(np.float32)))[0].reshape(320, 320)
    return (matte - matte.min()) / max(matte.max() - matte.min(), 1e-6)


def rvm(net, picture):
    """Robust Video Matting as in its authors' inference.py: the whole picture, downsampled to a longer side of 512."""
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


def main():
    folders = sys.argv[1:]
    if not folders:
        sys.exit(__doc__)
    for file, (name, look) in PEERS.items():
        path = next((os.path.join(folder, file) for folder in folders if os.path.exists(os.path.join(folder, file))), None)
        if path is None:
            print(f"{name}: not measured, {file} is in none of the folders")
            continue
        net = Net(path)
        row = f"{name:52}"
        for pictures in ablation.SETS:
            results = []
            for source in sorted((ablation.DATA / pictures).glob("*.jpg")):
                picture = cv2.imread(str(source))[..., ::-1]
                matte = cv2.resize(look(net, picture).astype(np.float32), picture.shape[1::-1], interpolation=cv2.INTER_LINEAR)
                results.append(ablation.measure(np.clip(matte, 0, 1), ablation.truth_of(source)))
            mad, grad, _ = np.mean(results, axis=0)
            row += f"{f'{mad:.1f} / {grad:.1f}, {sum(each[2] < 0.9 for each in results)} bad':>24}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
