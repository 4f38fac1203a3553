"""What can be chosen by name; made by generate.py from the engine's declarations."""

from __future__ import annotations

import os
from typing import Literal, TypedDict


EncodedFormat = Literal["png", "jpeg", "webp", "avif"]
"""The formats of encoded pictures."""


class Options(TypedDict, total=False):
    """How mattes are made and looks are drawn; ``None`` is the default."""

    standby: str | os.PathLike[str] | None
    """The picture that others see while there is no good matte (default: the background)."""
    audience: Literal["others", "self"] | None
    """Who sees the pictures (default: others for cameras, else self)."""
    show_room: bool | None
    """Allow others to see the room, through looks that show it (portrait, noir) or through a weak blur (default: off)."""
    matte: Literal["auto", "depth", "person", "chroma"] | None
    """Choose how Backdrop makes mattes (default: auto)."""
    quality: Literal["fast", "live", "high", "best"] | None
    """Trade speed for better mattes; has no effect on mattes from depth alone (default: best for pictures, live for videos)."""
    plate: str | os.PathLike[str] | None
    """A picture of the room without people, from a camera that stands still (default: nothing)."""
    touch_up: str | os.PathLike[str] | None
    """Apply strokes that keep or erase parts by hand, for single pictures, as the studio saves them (default: nothing)."""
    screen: str | tuple[int, int, int] | None
    """The screen's colour, for chroma mattes (default: the green or blue along the picture's border)."""
    spill: float | None
    """Remove the screen's light from the foreground; 0 to 1 (default: 1)."""
    filter: str | None
    """Clean the depth of each frame: filtered, or a chain such as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill (decimate, threshold, edges, disparity, spatial, temporal, steady, depth, fill, guided) (default: raw)."""
    face: bool | None
    """Set the cutoff from the face (default: on, unless you give a cutoff)."""
    farthest_face: float | None
    """The greatest distance at which a face may move the cutoff back; 0.3 to 15 m (default: 3)."""
    faces: Literal["largest", "all"] | None
    """Choose which of several faces sets the cutoff (default: largest)."""
    find_gap: bool | None
    """End the foreground at the gap in front of the room while no face is visible (default: off)."""
    people: str | None
    """Choose whom to keep of several people: all, main (the largest and most central, with a face), or a number of these (default: all)."""
    keep: str | None
    """Keep only the person at this point, in pixels of the upright picture (of a video's first) or percent; separate several points with spaces (default: all)."""
    drop: str | None
    """Leave out the person at this point, written as for keep (default: nobody)."""
    model: str | os.PathLike[str] | None
    """The person network (default: chosen by quality and subject)."""
    device: str | None
    """Device that runs the person network (default: the faster of processor and graphics)."""
    classes: str | None
    """The classes to keep, for networks with classes: person,dog,… (default: person)."""
    subject: Literal["person", "any"] | None
    """Choose what to find (default: person)."""
    refine: float | None
    """How closely the network's matte follows the picture's edges; 0 to 1 (default: 1)."""
    threshold: float | None
    """The network's opacity that counts as one half; lower values keep more; 0.05 to 0.95 (default: 0.5)."""
    feather: float | None
    """Soften the network's matte (standard deviation); 0 to 100 px (default: 0)."""
    smooth: float | None
    """Smooth the network's mattes over time; 0 to 1 (default: 1)."""
    matte_rate: float | None
    """Mattes per second from the network; other frames reuse the last one; 0.1 to 240 1/s (default: one per frame)."""
    shift_edge: float | None
    """Move the matte's edge outwards; negative values move it inwards; -20 to 20 px (default: 0)."""
    light_wrap: float | None
    """Let the background's light spill over the person's edges; 0 to 1 (default: 0)."""
    decontaminate: bool | None
    """Remove the old background's colour from soft edges (default: on, except for mattes from depth; with quality best, on for depth joined with a network)."""
    auto_exposure: float | None
    """Adjust the person's exposure, slowly, until the face is well lit; 0 to 1 (default: 0)."""
    white_balance: float | None
    """Neutralize, slowly, the colour of the light on the person; 0 to 1 (default: 0)."""
    key_light: float | None
    """Add a soft light on the person from the brighter side; 0 to 1 (default: 0)."""
    place_x: float | None
    """Move the frame to the right, in widths of the result; -1 to 1 (default: centres the subject)."""
    place_y: float | None
    """Move the frame down, in heights of the result; -1 to 1 (default: keeps the head in view, or the subject on the ground)."""
    place_scale: float | None
    """Scale the frame; 0.1 to 4 times (default: 1)."""
    match_light: float | None
    """Match the subject's light and colour to the background; 0 to 1 (default: 0)."""
    shadow: float | None
    """Darkness of the subject's shadow on the ground; 0 to 1 (default: 0)."""
    aperture: float | None
    """The lens's f-number; smaller values blur more; of bokeh; 1 to 22 f (default: the look's)."""
    blades: float | None
    """Number of aperture blades; below 3 the aperture is round; of bokeh; 0 to 12 (default: the look's)."""
    bloom: float | None
    """How strongly highlights glow; of bokeh; 0 to 1 (default: the look's)."""
    blur: float | None
    """Radius of the blur behind the subject; of portrait, big-head; 0 to 200 px at 12 MP (default: the look's)."""
    close: float | None
    """Close gaps narrower than twice this; of nearest; 0 to 200 px at 12 MP (default: the look's)."""
    contrast: float | None
    """Contrast of the subject; of noir, portrait; 0 to 4 (default: the look's)."""
    count: float | None
    """Rows behind the subject; of marching; 0 to 12 (default: the look's)."""
    cutoff: float | None
    """Keep everything nearer than this while no face is visible; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 m (default: the look's)."""
    density: float | None
    """Thickness of the fog; of depth-fog; 0 to 20 (default: the look's)."""
    exposure: float | None
    """Light on the subject; of noir, stage; -4 to 4 EV (default: the look's)."""
    focus: float | None
    """The distance in focus: 1 is the nearest, 0 the farthest; by default the subject's; of spotlight, color-highlight, refocus, bokeh, parallax, anaglyph, side-by-side; 0 to 1 (default: the look's)."""
    gamma: float | None
    """Exponent of the matte: above 1 narrows the foreground, below 1 widens it; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 (default: the look's)."""
    margin: float | None
    """Distance from the face to the end of the foreground; of backdrop, sharp, soft, hologram, halo; -1 to 10 m (default: the look's)."""
    percentile: float | None
    """How much of the picture becomes background; by default up to the gap between near and far behind the subject; of nearest; 0 to 100 % (default: the look's)."""
    phase: float | None
    """Position of the camera on its circle; of parallax; 0 to 1 (default: the look's)."""
    pop: float | None
    """Contrast added to the subject; of big-head; 0 to 1 (default: the look's)."""
    radius: float | None
    """Blur of the matte (standard deviation); of backdrop, sharp, soft, hologram, halo, refocus; 0 to 200 depth pixels (default: the look's)."""
    room: float | None
    """Light on the room; of noir, portrait; -8 to 2 EV (default: the look's)."""
    saturation: float | None
    """Strength of the subject's colours; of portrait; 0 to 4 (default: the look's)."""
    scale: float | None
    """Size of the subject; of big-head, marching; 0.2 to 3 times (default: the look's)."""
    shift: float | None
    """How far the nearest point moves relative to the focus; of parallax, anaglyph, side-by-side; 0 to 0.1 picture widths (default: the look's)."""
    slope: float | None
    """How steeply it fades: each ramp is 1/slope wide; of spotlight, color-highlight, refocus, bokeh; 0.1 to 100 (default: the look's)."""
    spacing: float | None
    """Distance between neighbours, in widths of the subject; of marching; 0.1 to 4 (default: the look's)."""
    spread: float | None
    """Reach of the light, in heights of the subject; of stage; 0.05 to 4 (default: the look's)."""
    start: float | None
    """Where the fog begins: 0 at the nearest, 1 at the farthest; by default behind the subject; of depth-fog; 0 to 1 (default: the look's)."""
    vibrance: float | None
    """Strength of the subject's muted colours; of portrait; -1 to 1 (default: the look's)."""
    width: float | None
    """Depth of the part between the ramps; of spotlight, color-highlight, refocus, bokeh; 0 to 1 (default: the look's)."""


class Settings(Options, total=False):
    """What a session can change while it runs."""

    look: str
    """The look: the name of a built-in one, or a JSON file of one's own."""
    background: object
    """What is behind, as sessions take it."""


class SourceOptions(TypedDict, total=False):
    """Which part of an input is taken."""

    sandbox: str | os.PathLike[str] | None
    """Decode files in processes of this program, which can do nothing else (default: in this process)."""
    depth: str | os.PathLike[str] | None
    """The input's depth (default: its own)."""
    start: str | None
    """Start at this time of the video (default: its beginning)."""
    duration: str | None
    """Stop after this long (default: to the end)."""
    size: str | None
    """Size of the result; Backdrop fills it and crops a picture of another shape (default: the input's)."""
    fps: float | None
    """Frames per second; Backdrop repeats or drops frames to keep the speed; 1 to 240 (default: the input's)."""
    eye: Literal["left", "right"] | None
    """Choose a picture of a spatial photo or another stereo pair (default: the file's main one)."""
    side_by_side: Literal["left-right", "right-left", "half-left-right", "half-right-left"] | None
    """The layout of a picture that shows the pictures of both eyes side by side (default: as the file says)."""


class JobOptions(TypedDict, total=False):
    """How files are made of files: how mattes are made, looks are drawn, and results are written."""

    standby: str | os.PathLike[str] | None
    """The picture that others see while there is no good matte (default: the background)."""
    audience: Literal["others", "self"] | None
    """Who sees the pictures (default: others for cameras, else self)."""
    show_room: bool | None
    """Allow others to see the room, through looks that show it (portrait, noir) or through a weak blur (default: off)."""
    matte: Literal["auto", "depth", "person", "chroma"] | None
    """Choose how Backdrop makes mattes (default: auto)."""
    quality: Literal["fast", "live", "high", "best"] | None
    """Trade speed for better mattes; has no effect on mattes from depth alone (default: best for pictures, live for videos)."""
    plate: str | os.PathLike[str] | None
    """A picture of the room without people, from a camera that stands still (default: nothing)."""
    touch_up: str | os.PathLike[str] | None
    """Apply strokes that keep or erase parts by hand, for single pictures, as the studio saves them (default: nothing)."""
    screen: str | tuple[int, int, int] | None
    """The screen's colour, for chroma mattes (default: the green or blue along the picture's border)."""
    spill: float | None
    """Remove the screen's light from the foreground; 0 to 1 (default: 1)."""
    filter: str | None
    """Clean the depth of each frame: filtered, or a chain such as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill (decimate, threshold, edges, disparity, spatial, temporal, steady, depth, fill, guided) (default: raw)."""
    face: bool | None
    """Set the cutoff from the face (default: on, unless you give a cutoff)."""
    farthest_face: float | None
    """The greatest distance at which a face may move the cutoff back; 0.3 to 15 m (default: 3)."""
    faces: Literal["largest", "all"] | None
    """Choose which of several faces sets the cutoff (default: largest)."""
    find_gap: bool | None
    """End the foreground at the gap in front of the room while no face is visible (default: off)."""
    people: str | None
    """Choose whom to keep of several people: all, main (the largest and most central, with a face), or a number of these (default: all)."""
    keep: str | None
    """Keep only the person at this point, in pixels of the upright picture (of a video's first) or percent; separate several points with spaces (default: all)."""
    drop: str | None
    """Leave out the person at this point, written as for keep (default: nobody)."""
    model: str | os.PathLike[str] | None
    """The person network (default: chosen by quality and subject)."""
    device: str | None
    """Device that runs the person network (default: the faster of processor and graphics)."""
    classes: str | None
    """The classes to keep, for networks with classes: person,dog,… (default: person)."""
    subject: Literal["person", "any"] | None
    """Choose what to find (default: person)."""
    refine: float | None
    """How closely the network's matte follows the picture's edges; 0 to 1 (default: 1)."""
    threshold: float | None
    """The network's opacity that counts as one half; lower values keep more; 0.05 to 0.95 (default: 0.5)."""
    feather: float | None
    """Soften the network's matte (standard deviation); 0 to 100 px (default: 0)."""
    smooth: float | None
    """Smooth the network's mattes over time; 0 to 1 (default: 1)."""
    matte_rate: float | None
    """Mattes per second from the network; other frames reuse the last one; 0.1 to 240 1/s (default: one per frame)."""
    shift_edge: float | None
    """Move the matte's edge outwards; negative values move it inwards; -20 to 20 px (default: 0)."""
    light_wrap: float | None
    """Let the background's light spill over the person's edges; 0 to 1 (default: 0)."""
    decontaminate: bool | None
    """Remove the old background's colour from soft edges (default: on, except for mattes from depth; with quality best, on for depth joined with a network)."""
    auto_exposure: float | None
    """Adjust the person's exposure, slowly, until the face is well lit; 0 to 1 (default: 0)."""
    white_balance: float | None
    """Neutralize, slowly, the colour of the light on the person; 0 to 1 (default: 0)."""
    key_light: float | None
    """Add a soft light on the person from the brighter side; 0 to 1 (default: 0)."""
    place_x: float | None
    """Move the frame to the right, in widths of the result; -1 to 1 (default: centres the subject)."""
    place_y: float | None
    """Move the frame down, in heights of the result; -1 to 1 (default: keeps the head in view, or the subject on the ground)."""
    place_scale: float | None
    """Scale the frame; 0.1 to 4 times (default: 1)."""
    match_light: float | None
    """Match the subject's light and colour to the background; 0 to 1 (default: 0)."""
    shadow: float | None
    """Darkness of the subject's shadow on the ground; 0 to 1 (default: 0)."""
    aperture: float | None
    """The lens's f-number; smaller values blur more; of bokeh; 1 to 22 f (default: the look's)."""
    blades: float | None
    """Number of aperture blades; below 3 the aperture is round; of bokeh; 0 to 12 (default: the look's)."""
    bloom: float | None
    """How strongly highlights glow; of bokeh; 0 to 1 (default: the look's)."""
    blur: float | None
    """Radius of the blur behind the subject; of portrait, big-head; 0 to 200 px at 12 MP (default: the look's)."""
    close: float | None
    """Close gaps narrower than twice this; of nearest; 0 to 200 px at 12 MP (default: the look's)."""
    contrast: float | None
    """Contrast of the subject; of noir, portrait; 0 to 4 (default: the look's)."""
    count: float | None
    """Rows behind the subject; of marching; 0 to 12 (default: the look's)."""
    cutoff: float | None
    """Keep everything nearer than this while no face is visible; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 m (default: the look's)."""
    density: float | None
    """Thickness of the fog; of depth-fog; 0 to 20 (default: the look's)."""
    exposure: float | None
    """Light on the subject; of noir, stage; -4 to 4 EV (default: the look's)."""
    focus: float | None
    """The distance in focus: 1 is the nearest, 0 the farthest; by default the subject's; of spotlight, color-highlight, refocus, bokeh, parallax, anaglyph, side-by-side; 0 to 1 (default: the look's)."""
    gamma: float | None
    """Exponent of the matte: above 1 narrows the foreground, below 1 widens it; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 (default: the look's)."""
    margin: float | None
    """Distance from the face to the end of the foreground; of backdrop, sharp, soft, hologram, halo; -1 to 10 m (default: the look's)."""
    percentile: float | None
    """How much of the picture becomes background; by default up to the gap between near and far behind the subject; of nearest; 0 to 100 % (default: the look's)."""
    phase: float | None
    """Position of the camera on its circle; of parallax; 0 to 1 (default: the look's)."""
    pop: float | None
    """Contrast added to the subject; of big-head; 0 to 1 (default: the look's)."""
    radius: float | None
    """Blur of the matte (standard deviation); of backdrop, sharp, soft, hologram, halo, refocus; 0 to 200 depth pixels (default: the look's)."""
    room: float | None
    """Light on the room; of noir, portrait; -8 to 2 EV (default: the look's)."""
    saturation: float | None
    """Strength of the subject's colours; of portrait; 0 to 4 (default: the look's)."""
    scale: float | None
    """Size of the subject; of big-head, marching; 0.2 to 3 times (default: the look's)."""
    shift: float | None
    """How far the nearest point moves relative to the focus; of parallax, anaglyph, side-by-side; 0 to 0.1 picture widths (default: the look's)."""
    slope: float | None
    """How steeply it fades: each ramp is 1/slope wide; of spotlight, color-highlight, refocus, bokeh; 0.1 to 100 (default: the look's)."""
    spacing: float | None
    """Distance between neighbours, in widths of the subject; of marching; 0.1 to 4 (default: the look's)."""
    spread: float | None
    """Reach of the light, in heights of the subject; of stage; 0.05 to 4 (default: the look's)."""
    start: float | str | None
    """Where the fog begins: 0 at the nearest, 1 at the farthest; by default behind the subject; of depth-fog; for other looks: start at this time of the video; 0 to 1 (default: the look's)."""
    vibrance: float | None
    """Strength of the subject's muted colours; of portrait; -1 to 1 (default: the look's)."""
    width: float | None
    """Depth of the part between the ramps; of spotlight, color-highlight, refocus, bokeh; 0 to 1 (default: the look's)."""
    sandbox: str | os.PathLike[str] | None
    """Decode files in processes of this program, which can do nothing else (default: in this process)."""
    depth: str | os.PathLike[str] | None
    """The input's depth (default: its own)."""
    duration: str | None
    """Stop after this long (default: to the end)."""
    size: str | None
    """Size of the result; Backdrop fills it and crops a picture of another shape (default: the input's)."""
    fps: float | None
    """Frames per second; Backdrop repeats or drops frames to keep the speed; 1 to 240 (default: the input's)."""
    eye: Literal["left", "right"] | None
    """Choose a picture of a spatial photo or another stereo pair (default: the file's main one)."""
    side_by_side: Literal["left-right", "right-left", "half-left-right", "half-right-left"] | None
    """The layout of a picture that shows the pictures of both eyes side by side (default: as the file says)."""
    codec: Literal["h264", "h265", "vp9", "av1", "ffv1", "prores"] | None
    """Video codec (default: chosen by the name's extension)."""
    crf: float | None
    """The video codec's constant-quality number; lower is better; 0 to 63 (default: the codec's default)."""
    photo_quality: float | None
    """Quality of JPEG, HEIC, WebP and AVIF pictures; 1 to 100 (default: 95)."""
    lossless: bool | None
    """Keep every pixel of WebP and AVIF pictures (default: off)."""
    hdr: bool | None
    """Keep the high dynamic range of a PQ or HLG video, as 10-bit H.265, AV1 or ProRes (default: off)."""
    copy_sound: bool | None
    """Copy sound, subtitles and chapters of a video (default: on)."""
