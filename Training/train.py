"""Trains the network, or continues: everything that it needs to continue is in its last checkpoint.

    train.py [--steps 20000] [--batch 16] [--side 256] [--composites 6000] [--threads 1] [--name own]

Uses a GPU if there is one. Prints, every 250 steps, the samples per second and the MAD (× 1e-3) of composites with people and places that
are not trained on, and of their coarse mattes. Writes Cache/NAME.pt every ten minutes and at the end, and Runs/NAME.csv and Runs/NAME.png
(the log and the curve). --steps 100 is a trial. A file Cache/NAME.pt from fewer steps is continued. --limit ends it after that many minutes.
"""

import argparse
import csv
import os
import pathlib
import time

import numpy as np
import torch
from torch.nn import functional

import coarse
import data
from network import MatteNetwork, count

RUNS = pathlib.Path(__file__).parent / "Runs"
MINUTES_TO_CHECKPOINT = 10
PEAK_RATE, WARM_UP = 2e-3, 300
FIELDS = ["step", "seconds", "side", "samples_per_second", "loss", "mad", "mad_of_coarse", "bad", "bad_of_coarse"]


def previous(opacity, coarse_matte, generator):
    """Mattes of the frame before, as a tracker leaves them: none (for half), shifted, grown, shrunk, cut, foreign, or the coarse one."""
    result = []
    count_, side = opacity.shape[0], opacity.shape[-1]
    for index in range(count_):
        one = opacity[index:index + 1]
        kind = torch.randint(0, 12, (1,), generator=generator).item()
        amount = torch.rand(3, generator=generator).tolist()
        reach = 2 * int(1 + 3 * amount[2]) + 1
        if kind < 6:
            one = torch.zeros_like(one)
        elif kind < 8:
            one = torch.roll(one, [int((each - 0.5) * 0.16 * side) for each in amount[:2]], (2, 3))
        elif kind == 8:
            sign = 1 if amount[0] < 0.5 else -1
            one = sign * functional.max_pool2d(sign * one, reach, 1, reach // 2)
        elif kind == 9:
            one = one.clone()
            x, y = (int(each * side) for each in amount[:2])
            one[..., y:y + side // 3, x:x + side // 3] = 0
        elif kind == 10:
            one = opacity[(index + 1) % count_:(index + 1) % count_ + 1]
        else:
            one = coarse_matte[index:index + 1]
        result.append(functional.avg_pool2d(one, 3, 1, 1))
    return torch.cat(result)


def batch_of(samples, soft, indices, side, device, generator):
    """The network's input, the opacity, and the weight of each pixel: 0 on edges that are not true."""
    given = torch.from_numpy(samples[np.sort(indices)]).to(device).permute(0, 3, 1, 2).float() / 255
    true_edges = torch.from_numpy(soft[np.sort(indices)]).to(device)[:, None, None, None]
    if side != given.shape[-1]:
        given = functional.interpolate(given, (side, side), mode="bilinear", align_corners=False, antialias=True)
    picture, opacity, matte = given[:, :3], given[:, 3:4], given[:, 4:5]
    if generator is None:
        before = torch.zeros_like(opacity)
    else:
        if torch.rand(1, generator=generator) < 0.5:
            picture, opacity, matte = picture.flip(3), opacity.flip(3), matte.flip(3)
        light = 1 + 0.2 * (torch.rand(picture.shape[0], 3, 1, 1, generator=generator) - 0.5)
        picture = (picture * light.to(device)).clamp(0, 1)
        before = previous(opacity, matte, generator)
    edge = functional.max_pool2d(opacity, 5, 1, 2) + functional.max_pool2d(-opacity, 5, 1, 2) > 0.1
    return torch.cat([picture, matte, before], 1), opacity, 1 - (edge & ~true_edges).float(), true_edges.float()


def pyramid(matte, levels=4):
    """The Laplacian pyramid."""
    result = []
    for _ in range(levels):
        small = functional.avg_pool2d(matte, 2)
        result.append(matte - functional.interpolate(small, scale_factor=2.0, mode="bilinear", align_corners=False))
        matte = small
    return result + [matte]


def loss_of(opacity, truth, weight, true_edges):
    regions = (weight * (opacity - truth).abs()).mean()
    certainty = (weight * functional.binary_cross_entropy(opacity.clamp(1e-4, 1 - 1e-4), truth, reduction="none")).mean()
    across = sum(((opacity - truth).diff(dim=axis).abs() * true_edges).mean() for axis in (2, 3))
    layers = sum(2 ** level * (true_edges * (mine - its).abs()).mean() for level, (mine, its) in enumerate(zip(pyramid(opacity), pyramid(truth))))
    return regions + 0.3 * certainty + 0.5 * across + 0.2 * layers


def measure(network, samples, soft, side, device):
    """MAD of mattes and of coarse mattes, and the parts of either whose IoU is below 0.9 (of pictures with people)."""
    network.eval()
    rows = []
    with torch.no_grad():
        for start in range(0, len(samples), 25):
            given, truth, weight, _ = batch_of(samples, soft, np.arange(start, min(start + 25, len(samples))), side, device, None)
            for index, matte in enumerate((network(given), given[:, 3:4])):
                error = (weight * (matte - truth).abs()).mean((1, 2, 3))
                both, either = ((matte > 0.5) & (truth > 0.5)).sum((1, 2, 3)), ((matte > 0.5) | (truth > 0.5)).sum((1, 2, 3))
                rows.append((index, error, (both < 0.9 * either) & ((truth > 0.5).sum((1, 2, 3)) > 0)))
    network.train()
    return [torch.cat([row[part].float() for row in rows if row[0] == index]).mean().item() * scale
            for part, scale in ((1, 1000), (2, 1)) for index in (0, 1)]


def plot(name):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    with open(RUNS / f"{name}.csv") as file:
        rows = list(csv.DictReader(file))
    steps = [int(row["step"]) for row in rows]
    _, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    left.plot(steps, [float(row["loss"]) for row in rows])
    left.set(xlabel="step", ylabel="loss, training", yscale="log")
    for field, label in (("mad", "network"), ("mad_of_coarse", "coarse matte")):
        right.plot(steps, [float(row[field]) for row in rows], label=label)
    right.set(xlabel="step", ylabel="MAD × 1e3, composites kept apart", ylim=(0, None))
    right.legend()
    pyplot.tight_layout()
    pyplot.savefig(RUNS / f"{name}.png", dpi=80)
    pyplot.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, default in (("steps", 20000), ("batch", 16), ("side", 256), ("composites", 6000), ("kept", 300), ("threads", 1), ("seed", 1)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--name", default="own")
    parser.add_argument("--limit", type=float, default=1e9, help="minutes")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    print("{:,} weights, {:,} multiplications at 320×320".format(*count()))
    data.check()
    workers = os.cpu_count() or 1
    samples, soft = data.cached(options.composites, False, data.SIDE, workers)
    kept, kept_soft = data.cached(options.kept, True, data.SIDE, workers)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = MatteNetwork().to(device, memory_format=torch.channels_last).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=PEAK_RATE, weight_decay=0.01)
    # The mean of recent weights is what is judged.
    average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True)
    checkpoint, step, seconds, rows = coarse.CACHE / f"{options.name}.pt", 0, 0.0, []
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device)
        network.load_state_dict(state["network"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        step, seconds, rows = state["step"], state["seconds"], state["rows"]
        print(f"continues from step {step}")
    start = last = time.monotonic()
    mark, losses = (start, step), []

    def save():
        partial = checkpoint.with_suffix(".partial.pt")
        torch.save({"network": network.state_dict(), "average": average.state_dict(), "optimizer": optimizer.state_dict(), "step": step,
                    "seconds": seconds + time.monotonic() - start, "rows": rows}, partial)
        partial.replace(checkpoint)

    is_last = step >= options.steps
    while not is_last:
        # The seed of a step does not depend on where a run was interrupted.
        random, generator = np.random.default_rng([options.seed, step]), torch.Generator().manual_seed(options.seed * 1_000_003 + step)
        share = step / options.steps
        rate = float(PEAK_RATE * min(1, (step + 1) / WARM_UP) * (0.5 + 0.5 * np.cos(np.pi * share)) + 1e-5)
        for group in optimizer.param_groups:
            group["lr"] = rate
        given, truth, weight, true_edges = batch_of(
            samples, soft, random.choice(len(samples), options.batch, replace=False), options.side, device, generator)
        with torch.autocast(device.type, torch.bfloat16):
            residual = network.residual(given.contiguous(memory_format=torch.channels_last))
        loss = loss_of(network.opacity(given, residual.float()), truth, weight, true_edges)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        average.update_parameters(network)
        step += 1
        losses.append(loss.item())
        is_last = step == options.steps or time.monotonic() - start > 60 * options.limit
        if step % 250 == 0 or step == 100 or is_last:
            now = time.monotonic()
            speed = (step - mark[1]) * options.batch / (now - mark[0])
            mads = measure(average.module, kept, kept_soft, options.side, device)
            rows.append(dict(zip(FIELDS, [step, round(seconds + now - start), options.side, f"{speed:.1f}", f"{np.mean(losses):.5f}"]
                                 + [f"{each:.3f}" for each in mads])))
            print(", ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
            with open(RUNS / f"{options.name}.csv", "w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS)
                writer.writeheader()
                writer.writerows(rows)
            mark, losses = (time.monotonic(), step), []
        if time.monotonic() - last > 60 * MINUTES_TO_CHECKPOINT:
            save()
            last = time.monotonic()
    save()
    if rows:
        plot(options.name)


if __name__ == "__main__":
    main()
