#!/usr/bin/env python3
"""Tests the nodes for ComfyUI with tensors of the shapes that its documentation describes. They run without ComfyUI, which no package index has.

BACKDROP_LIBRARY is the path of the library if the package is not installed. BACKDROP_PICTURES names a folder for pictures to review.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "BACKDROP_LIBRARY" in os.environ:
    sys.path.insert(0, str(ROOT / "Bindings" / "python" / "src"))
if importlib.util.find_spec("torch") is None:
    print("skip the nodes for ComfyUI: PyTorch is not installed (pip install torch)")
    sys.exit(0)

import backdrop  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

PACK = ROOT / "Bindings" / "comfyui"
specification = importlib.util.spec_from_file_location("backdrop_nodes", PACK / "__init__.py", submodule_search_locations=[str(PACK)])
assert specification and specification.loader
pack = importlib.util.module_from_spec(specification)
sys.modules["backdrop_nodes"] = pack
specification.loader.exec_module(pack)
NODES = pack.NODE_CLASS_MAPPINGS


def frames(count: int) -> np.ndarray:
    """Frames of a simulated person, of uint8."""
    with backdrop.open("sim:talking?size=320x180&fps=10") as source:
        return np.stack([np.array(scene.image)[..., :3] for scene, _ in zip(source, range(count))])


def tensor(pictures: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(pictures.astype(np.float32) / 255)


def run(name: str, **inputs: object) -> tuple:
    """Calls a node as ComfyUI does: by its function's name, with defaults for what is not given."""
    node = NODES[name]
    kinds = node.INPUT_TYPES()
    values = {key: kind[1]["default"] for key, kind in kinds["required"].items() if len(kind) > 1 and "default" in kind[1]}
    result = getattr(node(), node.FUNCTION)(**{**values, **inputs})
    assert len(result) == len(node.RETURN_TYPES) == len(node.RETURN_NAMES)
    return result


class Nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.frames = frames(6)

    def test_pictures_and_masks_have_comfyuis_shapes(self) -> None:
        for background in ["scene:dunes", "#00a000", "none"]:
            image, mask = run("BackdropReplace", image=tensor(self.frames[:2]), background=background)
            self.assertEqual((image.shape, image.dtype), ((2, 180, 320, 3), torch.float32))
            self.assertEqual((mask.shape, mask.dtype), ((2, 180, 320), torch.float32))
            self.assertTrue(0 <= float(image.min()) and float(image.max()) <= 1 and 0 <= float(mask.min()) and float(mask.max()) <= 1)
            self.assertTrue(0.05 < float(mask.mean()) < 0.8)

    def test_a_video_is_the_librarys(self) -> None:
        image, mask = run("BackdropReplace", image=tensor(self.frames), background="#00a000", is_video=True)
        session = backdrop.Session((320, 180), is_file=True, background="#00a000")
        for number, frame in enumerate(self.frames):
            np.testing.assert_array_equal((image[number].numpy() * 255).round(), session.process(frame, time=number / 30))
            np.testing.assert_array_equal(mask[number].numpy(), session.last_matte())
        if folder := os.environ.get("BACKDROP_PICTURES"):
            backdrop.replace((image[-1].numpy() * 255).round().astype(np.uint8), "none").save(os.path.join(folder, "comfyui.png"))

    def test_pictures_do_not_depend_on_one_another(self) -> None:
        alone = [run("BackdropReplace", image=tensor(self.frames[i:i + 1]), background="blur")[0] for i in range(2)]
        together = run("BackdropReplace", image=tensor(self.frames[:2]), background="blur")[0]
        self.assertTrue(torch.equal(together, torch.cat(alone)))

    def test_a_picture_behind(self) -> None:
        green = np.zeros((1, 90, 160, 3), np.uint8)
        green[..., 1] = 255
        image, mask = run("BackdropReplace", image=tensor(self.frames[:1]), background_image=tensor(green))
        behind = (image[0][mask[0] == 0] * 255).round()
        self.assertGreater(len(behind), 1000)
        self.assertTrue(torch.equal(behind.unique(dim=0), torch.tensor([[0.0, 255.0, 0.0]])))

    def test_settings_and_looks(self) -> None:
        (settings,) = run("BackdropSettings")
        self.assertEqual(settings, {})
        (settings,) = run("BackdropSettings", quality="fast", shift_edge=3.0)
        self.assertEqual(settings, {"quality": "fast", "shift_edge": 3.0})
        usual = run("BackdropReplace", image=tensor(self.frames[:1]))[1]
        grown = run("BackdropReplace", image=tensor(self.frames[:1]), settings={"shift_edge": 3.0})[1]
        self.assertGreater(float(grown.sum()), float(usual.sum()))
        one = run("BackdropLook", image=tensor(self.frames[:1]), look="noir")[0]
        two = run("BackdropLook", image=tensor(self.frames[:1]), look="noir", parameters="exposure=1")[0]
        self.assertGreater(float(two.mean()), float(one.mean()))

    def test_wrong_values_are_errors_with_the_librarys_words(self) -> None:
        with self.assertRaisesRegex(backdrop.WrongArgumentError, "no such background"):
            run("BackdropReplace", image=tensor(self.frames[:1]), background="/no/such.png")
        with self.assertRaises(backdrop.WrongArgumentError):
            run("BackdropLook", image=tensor(self.frames[:1]), look="noir", parameters="nonsense=1")

    def test_the_example_fits_the_nodes(self) -> None:
        workflow = json.loads((PACK / "workflow.json").read_text())
        nodes = {node["id"]: node for node in workflow["nodes"]}
        for _, start, slot, end, place, kind in workflow["links"]:
            self.assertEqual(nodes[start]["outputs"][slot]["type"], kind)
            self.assertEqual(nodes[end]["inputs"][place]["type"], kind)
        for node in nodes.values():
            if (known := NODES.get(node["type"])) is None:
                continue
            kinds = known.INPUT_TYPES()
            every = {**kinds["required"], **kinds["optional"]}
            self.assertEqual([i["name"] for i in node["inputs"]], [n for n, k in every.items() if len(k) == 1])
            self.assertEqual([(o["name"], o["type"]) for o in node["outputs"]], list(zip(known.RETURN_NAMES, known.RETURN_TYPES)))
            self.assertEqual(node["widgets_values"], [k[1]["default"] for k in every.values() if len(k) > 1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
