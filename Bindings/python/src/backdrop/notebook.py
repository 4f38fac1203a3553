"""A look with sliders, in a notebook: needs ``ipywidgets`` and ``anywidget`` (``pip install backdrop[notebook]``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import encoded
from ._engine import Session, describe
from ._errors import UnsupportedError, WrongArgumentError

if TYPE_CHECKING:
    from ipywidgets import VBox

_STAGE = """
function render({ model, el }) {
  const image = document.createElement("img");
  image.style.maxWidth = "100%";
  image.style.cursor = "crosshair";
  image.alt = "the picture with the look";
  let address;
  function show() {
    const bytes = model.get("picture");
    if (address) URL.revokeObjectURL(address);
    address = URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" }));
    image.src = address;
  }
  image.addEventListener("click", (event) => {
    model.set("tap", [event.offsetX / image.clientWidth, event.offsetY / image.clientHeight]);
    model.save_changes();
  });
  model.on("change:picture", show);
  show();
  el.appendChild(image);
}
export default { render };
"""


def _stage_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise UnsupportedError("playing needs ipywidgets and anywidget", "pip install 'backdrop[notebook]'") from None

    class Stage(anywidget.AnyWidget):  # type: ignore[misc]
        """A picture that reports the place of a tap, as fractions of its width and height."""

        _esm = _STAGE
        picture = traitlets.Bytes(b"").tag(sync=True)
        tap = traitlets.List(traitlets.Float()).tag(sync=True)

    return Stage


def play(photo: object, look: str = "refocus", *, background: object = "scene:dunes", side: int = 960) -> VBox:
    """Shows a picture with a look, and a slider for each of the look's parameters. If the look has a focus, a tap on the picture sets it.

    Args:
        photo: as for :func:`backdrop.apply`.
        look: a name of :func:`backdrop.looks`.
        background: the background, for looks that have one.
        side: the longest side of the shown picture, in pixels.
    """
    stage_class = _stage_class()
    import ipywidgets

    found = [known for known in describe()["looks"] if known["id"] == look]
    if not found:
        raise WrongArgumentError(f"there is no look '{look}'", "see backdrop.looks()")
    description = found[0]
    session = Session(look=look, background=background if description["hasBackground"] else None)
    disparity = _disparity(photo) if description.get("focusParameter") else None
    stage = stage_class()
    label = ipywidgets.Label(description["summary"])
    sliders: dict[str, Any] = {}

    def draw(*_change: object) -> None:
        try:
            for name, slider in sliders.items():
                if slider.is_set:
                    session.set_option(name, slider.value)
            drawn = session.process(photo)
        except Exception as error:
            label.value = str(error)
            return
        step = max(1, -(-max(drawn.shape[:2]) // side))
        shown = np.ascontiguousarray(np.asarray(drawn)[::step, ::step, :3])
        stage.picture = encoded(shown, "jpeg", 90)
        label.value = drawn.standby or description["summary"]

    for parameter in description["parameters"]:
        low, high = parameter["minimum"], parameter["maximum"]
        slider = ipywidgets.FloatSlider(
            value=parameter.get("default", (low + high) / 2),
            min=low,
            max=high,
            step=1 if parameter.get("whole") else (high - low) / 200,
            description=parameter["name"] + (f" ({parameter['unit']})" if parameter["unit"] else ""),
            tooltip=parameter["summary"],
            continuous_update=True,
        )
        # An automatic value follows the scene until the slider is moved.
        slider.add_traits(is_set=_bool_trait("automatic" not in parameter))
        sliders[parameter["name"]] = slider

        def moved(change: dict[str, Any], slider: Any = slider) -> None:
            slider.is_set = True
            draw()

        slider.observe(moved, "value")

    def tapped(change: dict[str, Any]) -> None:
        if disparity is None or len(change["new"]) != 2:
            return
        x, y = (min(max(part, 0.0), 0.999999) for part in change["new"])
        value = float(disparity[int(y * disparity.shape[0]), int(x * disparity.shape[1])])
        if np.isfinite(value):
            sliders[description["focusParameter"]].value = value

    stage.observe(tapped, "tap")
    draw()
    box = ipywidgets.VBox([stage, *sliders.values(), label])
    box.stage, box.sliders, box.session = stage, sliders, session
    return box


def _bool_trait(value: bool) -> Any:
    import traitlets

    return traitlets.Bool(value)


def _disparity(photo: object) -> Any:
    """The disparity of each pixel, scaled to 0…1 like a look's focus parameter; ``None`` without depth."""
    from ._engine import _frame_of
    from ._media import Scene

    frame, _image = _frame_of(photo)
    depth = None if frame is None else Scene(frame).depth
    if depth is None:
        return None
    values = np.asarray(depth, np.float32)
    values = np.float32(1) / values if depth.unit == "m" else values
    low, high = np.nanmin(values), np.nanmax(values)
    return (values - low) / (high - low) if high > low else None


__all__ = ["play"]
