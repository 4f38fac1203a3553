"""The network: corrects a coarse matte of people, given the picture and the matte of the frame before.

The input has five channels in 0…1: red, green, blue, the coarse matte, the previous frame's matte (zero for pictures). The output is the
opacity. Sides are multiples of 32. The network adds a residual to the log odds of the coarse matte; an untrained one adds nothing.

Run this file to count weights and multiplications.
"""

import torch
from torch import nn
from torch.nn import functional

LARGEST_WEIGHTS, LARGEST_MULTIPLICATIONS = 0.8e6, 0.8e9
# Opacities of the coarse matte stay this far from 0 and 1, so that their log odds are finite and have gradients.
MARGIN = 0.01


def convolution(inputs, outputs, side=3, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, side, stride, side // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class Residual(nn.Module):
    """Two convolutions round which the input passes."""

    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(
            convolution(channels, channels), nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return functional.relu(x + self.body(x))


class Inverted(nn.Module):
    """A depthwise convolution between two pointwise ones, round which the input passes: for the many channels of small maps."""

    def __init__(self, channels, inner, side=5):
        super().__init__()
        self.body = nn.Sequential(
            convolution(channels, inner, 1), convolution(inner, inner, side, groups=inner),
            nn.Conv2d(inner, channels, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return x + self.body(x)


class Context(nn.Module):
    """Adds a summary of the whole picture to each place."""

    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(channels, channels // 2), nn.ReLU(), nn.Linear(channels // 2, channels))

    def forward(self, x):
        return x + self.body(x.mean((2, 3)))[:, :, None, None]


class Join(nn.Module):
    """Doubles the size of a map and joins the encoder's map of that size."""

    def __init__(self, below, beside, outputs):
        super().__init__()
        self.reduce = convolution(below, outputs, 1)
        self.mix = convolution(outputs + beside, outputs)

    def forward(self, below, beside):
        below = functional.interpolate(self.reduce(below), scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.mix(torch.cat([below, beside], 1))


class MatteNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        # The first step moves 2×2 pixels into channels, so that no convolution runs at full size and no detail is lost.
        self.at2 = convolution(20, 20)
        self.at4 = nn.Sequential(convolution(20, 28, stride=2), Residual(28))
        self.at8 = nn.Sequential(convolution(28, 48, stride=2), Residual(48))
        self.at16 = nn.Sequential(convolution(48, 80, stride=2), Inverted(80, 240), Inverted(80, 240))
        self.at32 = nn.Sequential(
            convolution(80, 112, stride=2), Inverted(112, 336), Context(112), Inverted(112, 336), Context(112), Inverted(112, 336))
        self.up16 = Join(112, 80, 64)
        self.up8 = Join(64, 48, 40)
        self.up4 = Join(40, 28, 28)
        self.up2 = Join(28, 20, 20)
        self.out = nn.Conv2d(20, 4, 3, 1, 1)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def residual(self, x):
        at2 = self.at2(functional.pixel_unshuffle(x, 2))
        at4 = self.at4(at2)
        at8 = self.at8(at4)
        at16 = self.at16(at8)
        below = self.up16(self.at32(at16), at16)
        below = self.up2(self.up4(self.up8(below, at8), at4), at2)
        return functional.pixel_shuffle(self.out(below), 2)

    def opacity(self, x, residual):
        coarse = x[:, 3:4].clamp(MARGIN, 1 - MARGIN)
        opacity = torch.sigmoid(torch.log(coarse / (1 - coarse)) + residual)
        # Without a residual, 0 and 1 stay 0 and 1.
        return opacity if self.training else ((opacity - MARGIN) / (1 - 2 * MARGIN)).clamp(0, 1)

    def forward(self, x):
        return self.opacity(x, self.residual(x))


def count(side=320):
    """The numbers of weights and of multiplications for a picture of side × side; asserts that both are small enough."""
    network, multiplications = MatteNetwork().eval(), [0]

    def add(module, _, output):
        per_value = module.weight[0].numel()
        multiplications[0] += per_value * output.numel()

    for module in network.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            module.register_forward_hook(add)
    with torch.no_grad():
        given = torch.rand(1, 5, side, side)
        unchanged = network(given)
    weights = sum(each.numel() for each in network.parameters())
    assert (unchanged - given[:, 3:4].clamp(MARGIN, 1 - MARGIN)).abs().max() < 0.011, "an untrained network changes the matte"
    assert weights <= LARGEST_WEIGHTS and multiplications[0] <= LARGEST_MULTIPLICATIONS, (weights, multiplications[0])
    return weights, multiplications[0]


if __name__ == "__main__":
    print("{:,} weights, {:,} multiplications at 320×320".format(*count()))
