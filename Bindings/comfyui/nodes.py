"""The nodes. Their inputs are the parameters of the library's description.

ComfyUI's pictures are tensors of (frames, rows, columns, channels) from 0 to 1, and its masks of (frames, rows, columns):
https://docs.comfy.org/custom-nodes/backend/images_and_masks
"""

from __future__ import annotations

from typing import Any

import backdrop
import numpy as np
import torch

# ComfyUI passes no depth and has its own nodes for sizes and places. The first two are inputs of the nodes that draw.
LEFT_OUT = {"background", "look", "touch-up", "aspect", "place-x", "place-y", "place-scale"}
CATEGORY = "image/backdrop"
DESCRIBED = backdrop.describe()
PARAMETERS = [p for p in DESCRIBED["session"] if p["name"] not in LEFT_OUT and p.get("group") != "depth"]


def widget(parameter: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A parameter as an input of a node. An automatic value is the least number, the choice "auto" or an empty text."""
    extra: dict[str, Any] = {"tooltip": parameter["summary"]}
    is_automatic = "automatic" in parameter
    match parameter["kind"]:
        case "number":
            least = parameter.get("automaticNumber", parameter["minimum"]) if is_automatic else parameter["minimum"]
            extra |= {"min": least, "max": parameter["maximum"], "step": (parameter["maximum"] - parameter["minimum"]) / 100}
            return "FLOAT", extra | {"default": least if is_automatic else parameter["default"]}
        case "toggle" if not is_automatic:
            return "BOOLEAN", extra | {"default": parameter["default"]}
        case "choice" | "toggle":
            names = [choice["name"] for choice in parameter.get("choices", [{"name": "on"}, {"name": "off"}])]
            names = ["auto", *names] if is_automatic and "auto" not in names else names
            return names, extra | {"default": "auto" if is_automatic else parameter["default"]}
        case _:
            return "STRING", extra | {"default": "" if is_automatic else parameter["default"]}


WIDGETS = {p["name"].replace("-", "_"): widget(p) for p in PARAMETERS}


class Settings:
    """Parameters for the nodes that draw; those at their defaults are left to the library."""

    CATEGORY, FUNCTION = CATEGORY, "settings"
    RETURN_TYPES = RETURN_NAMES = ("BACKDROP_SETTINGS",)
    DESCRIPTION = "How people are found, and how edges and light are treated"

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:
        return {"required": dict(WIDGETS)}

    def settings(self, **values: Any) -> tuple[dict[str, Any]]:
        return ({name: value for name, value in values.items() if value != WIDGETS[name][1]["default"]},)


def samples(image: torch.Tensor) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The pictures of a tensor as the library takes them: (frames, rows, columns, 3)."""
    return (image[..., :3].clamp(0, 1) * 255).round().to(torch.uint8).cpu().contiguous().numpy()


def draw(
    image: torch.Tensor, is_video: bool, settings: dict[str, Any] | None, **options: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """The pictures with a look, without alpha, and their mattes.

    Args:
        image: (frames, rows, columns, 3 or 4), 0…1.
        is_video: whether the pictures are frames of one video, which are drawn with memory of those before.
        settings: the node Settings' result.
        options: the session's other options.
    """
    frames = samples(image)
    rows, columns = frames.shape[1:3]
    pictures, mattes = [], []
    session = backdrop.Session((columns, rows), is_file=True, **options, **(settings or {}))
    for number, frame in enumerate(frames):
        if not is_video:
            session.reset()
        # The frames' rate is unknown. The library only compares the times with one another.
        picture = session.process(frame, time=number / 30)
        if picture.standby:
            raise RuntimeError(f"Backdrop did not draw frame {number}: {picture.standby}")
        pictures.append(torch.from_numpy(np.asarray(picture)[..., :3].astype(np.float32) / 255))
        mattes.append(torch.from_numpy(np.array(session.last_matte())))
    return torch.stack(pictures), torch.stack(mattes)


class Drawing:
    """The inputs and results that nodes which draw have in common."""

    CATEGORY = CATEGORY
    RETURN_TYPES, RETURN_NAMES = ("IMAGE", "MASK"), ("image", "matte")

    @staticmethod
    def inputs(own: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
        is_video = ("BOOLEAN", {"default": False, "tooltip": "The pictures are frames of one video"})
        return {
            "required": {"image": ("IMAGE",), **own, "is_video": is_video},
            "optional": {**optional, "settings": ("BACKDROP_SETTINGS",)},
        }


class ReplaceBackground(Drawing):
    """People before another background."""

    FUNCTION = "replace"
    DESCRIPTION = "People before a colour, a blur, a scene, a file or a picture; the matte is 1 where they are"

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:
        names = ", ".join(["blur", "bokeh", "none", *(f"scene:{one['name']}" for one in DESCRIBED["sceneries"])])
        text = ("STRING", {"default": "scene:dunes", "tooltip": f"A colour such as #00A000, a file, or {names}"})
        return cls.inputs({"background": text}, {"background_image": ("IMAGE",)})

    def replace(
        self, image: torch.Tensor, background: str, is_video: bool, background_image: torch.Tensor | None = None,
        settings: dict[str, Any] | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        behind: object = background
        if background_image is not None:
            behind = samples(background_image)[0]
        return draw(image, is_video, settings, background=behind)


class Look(Drawing):
    """A look, such as noir or depth of field."""

    FUNCTION = "apply"
    DESCRIPTION = "Focus, light and colour by the people's matte"

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:
        looks = [look["id"] for look in DESCRIBED["looks"] if look.get("widthFactor", 1) == 1]
        text = ("STRING", {"default": "", "tooltip": "The look's own parameters, such as radius=8,gamma=0.5"})
        return cls.inputs({"look": (looks, {"default": "noir"}), "parameters": text}, {})

    def apply(
        self, image: torch.Tensor, look: str, parameters: str, is_video: bool, settings: dict[str, Any] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        given = dict(one.split("=", 1) if "=" in one else (one, "") for one in parameters.replace(" ", "").split(",") if one)
        return draw(image, is_video, {**(settings or {}), **given}, look=look)


NODE_CLASS_MAPPINGS = {"BackdropReplace": ReplaceBackground, "BackdropLook": Look, "BackdropSettings": Settings}
NODE_DISPLAY_NAME_MAPPINGS = {
    "BackdropReplace": "Replace Background (Backdrop)",
    "BackdropLook": "Look (Backdrop)",
    "BackdropSettings": "Settings (Backdrop)",
}
