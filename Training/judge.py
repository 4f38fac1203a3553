"""Judges the network inside the program, and decides whether it passes the gate.

    judge.py BACKDROP FOLDER [--name own]

Writes FOLDER/own/own.json, a description that `backdrop matte --model` takes, with the selfie network and this one joined in one file
(own-stream.json: for streams, with the previous matte as memory). Makes the mattes of the 263 development pictures with today's `best`,
with the refined coarse matte and with this network, as Benchmarks/ablation.py does, and reuses those of the first two that are in FOLDER. Prints the mean
MAD (× 1e-3) of each set with the number of bad mattes (IoU < 0.9), the differences in MAD with 95 % bootstrap intervals, and the gate.
Draws the thirty worst pictures of `best` beside the truth, its matte and the new one, in FOLDER/worst.png.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import cv2
import numpy as np
import openvino
import torch
from openvino import opset13 as ops

import coarse
from network import MatteNetwork

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Benchmarks"))
import ablation  # noqa: E402


def joined(network, is_stream):
    """One OpenVINO model: the selfie network's matte of a picture in 0…1 (1 × height × width × 3), and this network's correction of it."""
    shape = [1, 1, coarse.SIDE, coarse.SIDE]
    picture, before = ops.parameter([1, *shape[2:], 3], np.float32), ops.parameter(shape, np.float32)
    selfie, own = coarse.read_model(), openvino.convert_model(network, example_input=torch.rand(1, 5, *shape[2:]), input=[1, 5, *shape[2:]])
    selfie.get_parameters()[0].output(0).replace(picture.output(0))
    matte = ops.reshape(selfie.get_results()[0].input_value(0), np.array(shape), False)
    memory = before if is_stream else ops.constant(np.zeros(shape, np.float32))
    given = ops.concat([ops.transpose(picture, np.array([0, 3, 1, 2])), matte, memory], 1)
    own.get_parameters()[0].output(0).replace(given.output(0))
    opacity = ops.reshape(own.get_results()[0].input_value(0), np.array(shape), False)
    outputs = {"opacity": opacity, "after": ops.add(opacity, np.float32(0))} if is_stream else {"opacity": opacity}
    for name, node in {"picture": picture, "before": before, **outputs}.items():
        node.output(0).set_names({name})
    return openvino.Model([ops.result(node) for node in outputs.values()], [picture, before] if is_stream else [picture], "own")


def export(name, folder):
    """Writes descriptions and files for pictures and for streams; returns the picture's description."""
    folder.mkdir(parents=True, exist_ok=True)
    state = torch.load(coarse.CACHE / f"{name}.pt", map_location="cpu")["average"]
    network = MatteNetwork().eval()
    network.load_state_dict({key.removeprefix("module."): value for key, value in state.items() if key != "n_averaged"})
    for file, is_stream in ((name, False), (f"{name}-stream", True)):
        openvino.save_model(joined(network, is_stream), folder / f"{file}.xml", compress_to_fp16=True)
        states = {"before": {"output": "after", "channels": 1, "divisor": 1}} if is_stream else {}
        (folder / f"{file}.json").write_text(json.dumps(
            {"id": file, "file": f"{file}.xml", "width": coarse.SIDE, "height": coarse.SIDE, "input": "picture", "output": "opacity", "states": states}))
    return folder / f"{name}.json"


def sheet(path, pictures, folder, results):
    """The thirty worst pictures of `best`: picture, truth, its matte, the new matte."""
    worst = sorted(pictures, key=lambda each: -results["best"][each][0])[:30]
    rows = []
    for each in worst:
        shown, truth = cv2.imread(str(each)), ablation.truth_of(each)
        mattes = [truth] + [ablation.read(folder / step / each.parent.name / f"{each.stem}.png") for step in ("best", "own")]
        parts = [shown] + [cv2.cvtColor((255 * (np.zeros_like(truth) if part is None else part)).astype(np.uint8), cv2.COLOR_GRAY2BGR) for part in mattes]
        row = np.hstack([cv2.resize(part, (120, 160), interpolation=cv2.INTER_AREA) for part in parts])
        text = "{} {}: {:.0f} -> {:.0f}".format(each.parent.name, each.stem, results["best"][each][0], results["own"][each][0])
        cv2.putText(row, text, (4, 154), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 255), 1, cv2.LINE_AA)
        rows.append(row)
    cv2.imwrite(str(path), np.hstack([np.vstack(rows[start:start + 10]) for start in (0, 10, 20)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--name", default="own")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    own = export(options.name, options.folder / "own")
    steps = {"best": [], "coarse": ["--model", "selfie-general"], "own": ["--model", str(own.resolve())]}
    sets = {name: sorted((ablation.DATA / name).glob("*.jpg")) for name in ablation.SETS}
    pictures = [each for group in sets.values() for each in group]
    results, seconds = {}, {}
    for step, flags in steps.items():
        for name, group in sets.items():
            if step == "own":
                shutil.rmtree(options.folder / step / name, ignore_errors=True)
            ablation.run(program, group, options.folder / step / name, ["--quality", "best", *flags])
        results[step] = {}
        for each in pictures:
            truth, matte = ablation.truth_of(each), ablation.read(options.folder / step / each.parent.name / f"{each.stem}.png")
            results[step][each] = ablation.measure(np.zeros_like(truth) if matte is None else matte, truth)
        small = min(sets["humanseg"], key=lambda each: each.stat().st_size)
        times = []
        for _ in range(5):
            before = sum(os.times()[2:4])
            subprocess.run([program, "matte", small, "--output-dir", options.folder / "time", "--quiet", "--force", "--quality", "best", *flags], check=True)
            times.append(sum(os.times()[2:4]) - before)
        seconds[step] = min(times)
        row = f"{step:8}"
        for name, group in sets.items():
            values = np.array([results[step][each] for each in group])
            row += f"{f'{values[:, 0].mean():.1f} / {values[:, 1].mean():.1f}, {(values[:, 2] < 0.9).sum()} bad':>24}"
        bad = sum(value[2] < 0.9 for value in results[step].values())
        print(row + f"{f'{bad} bad of {len(pictures)}':>20}{seconds[step]:8.2f} s", flush=True)

    print(f"\n{'own minus':12}" + "".join(f"{f'{name} ({len(group)})':>28}" for name, group in [*sets.items(), ("all", pictures)]))
    gate = {}
    for other in ("best", "coarse"):
        row = f"{other:12}"
        for name, group in [*sets.items(), ("all", pictures)]:
            difference = np.array([results["own"][each][0] - results[other][each][0] for each in group])
            low, high = ablation.interval(difference)
            gate[other, name] = difference.mean(), low, high
            row += f"{f'{difference.mean():+.2f} [{low:+.2f}, {high:+.2f}]':>28}"
        print(row)
    bad = {step: sum(value[2] < 0.9 for value in results[step].values()) for step in steps}
    mean, _, high = gate["best", "all"]
    worse = [name for name in sets if gate["best", name][1] > 0]
    for text, passes in (
            (f"MAD falls by at least 2.0, the interval below zero: {mean:+.2f}", mean <= -2 and high < 0),
            (f"no set gets worse by more than its interval: {', '.join(worse) or 'none'}", not worse),
            (f"bad mattes fall by a fifth: {bad['best']} -> {bad['own']}", bad["own"] <= 0.8 * bad["best"]),
            (f"the processor time of a small photo falls by a third: {seconds['best']:.2f} s -> {seconds['own']:.2f} s",
             seconds["own"] <= seconds["best"] * 2 / 3)):
        print(f"{'yes' if passes else 'NO':4}{text}")
    sheet(options.folder / "worst.png", pictures, options.folder, results)


if __name__ == "__main__":
    main()
