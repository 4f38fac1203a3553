"""What can be chosen by name; made by generate.py from the engine's declarations."""

from __future__ import annotations

import os
from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """How mattes are made and looks are drawn; ``None`` is the default."""

    standby: str | os.PathLike[str] | None
    """What is shown whenever there is no good matte (default: the background)."""
    audience: Literal["others", "self"] | None
    """Whose eyes the pictures are for (default: others for streams, else self)."""
    show_room: bool | None
    """Let the room be seen by others: through looks that show it, as portrait or noir, or through a weak blur (default: off)."""
    matte: Literal["auto", "depth", "person", "chroma"] | None
    """What mattes are made from (default: auto)."""
    quality: Literal["fast", "live", "high", "best"] | None
    """How much is done for a matte without depth (default: best for pictures, live for videos)."""
    plate: str | os.PathLike[str] | None
    """The room without people, for a camera that stands still (default: nothing)."""
    screen: str | tuple[int, int, int] | None
    """The colour of the screen that chroma keys (default: the green or blue of the picture's border)."""
    spill: float | None
    """How much of the screen's light on the foreground is taken out; 0 to 1 (default: 1)."""
    touch_up: str | os.PathLike[str] | None
    """What was corrected by hand, for single pictures: strokes that keep or erase, as the studio saves them (default: nothing)."""
    filter: str | None
    """What cleans the depth of each frame: filtered, or filters as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill (decimate, threshold, edges, disparity, spatial, temporal, steady, depth, fill, guided) (default: raw)."""
    face: bool | None
    """Let a face decide the cutoff (default: on)."""
    farthest_face: float | None
    """The farthest that a face may be to move the cutoff back; 0.3 to 15 m (default: 3)."""
    faces: Literal["largest", "all"] | None
    """Which of several faces decides (default: largest)."""
    find_gap: bool | None
    """End the foreground at the gap before the room while no face is seen (default: off)."""
    people: str | None
    """Who is kept of several people: all, main (the largest and most central, with a face), or so many of these (default: all)."""
    keep: str | None
    """Keep the person at this point alone, in pixels of the upright picture or percent, in a video of its first picture; several with spaces between (default: all)."""
    drop: str | None
    """Leave out the person at this point; written as for keep (default: nobody)."""
    model: str | os.PathLike[str] | None
    """The person network (default: what quality and subject ask for)."""
    classes: str | None
    """What is kept, for networks with classes: person,dog,… (default: person)."""
    subject: Literal["person", "any"] | None
    """What is looked for (default: person)."""
    refine: float | None
    """How much the picture's own edges decide where the network's matte ends; 0 to 1 (default: 1)."""
    threshold: float | None
    """Opacity of the network's matte that becomes one half: lower keeps more; 0.05 to 0.95 (default: 0.5)."""
    feather: float | None
    """How far the network's matte is softened (standard deviation); 0 to 100 px (default: 0)."""
    smooth: float | None
    """How much the network's mattes are smoothed over time; 0 to 1 (default: 1)."""
    matte_rate: float | None
    """Mattes that the network makes in a second; other frames reuse the last; 0.1 to 240 1/s (default: one a frame)."""
    shift_edge: float | None
    """How far the matte's edge is moved outwards, or inwards below 0; -20 to 20 px (default: 0)."""
    light_wrap: float | None
    """How much light of the background falls round the person's edges; 0 to 1 (default: 0)."""
    decontaminate: bool | None
    """Take the old background's colour out of soft edges (default: on, but for mattes of depth; with the best quality for those of depth and network, too)."""
    auto_exposure: float | None
    """How far the person's exposure is brought to where a face is seen well, calmly; 0 to 1 (default: 0)."""
    white_balance: float | None
    """How far the colour of the light on the person is taken out, calmly; 0 to 1 (default: 0)."""
    key_light: float | None
    """How strong a gentle light on the person is, from the side that is brighter; 0 to 1 (default: 0)."""
    place_x: float | None
    """How far to the right the frame is put, in widths of the result; -1 to 1 (default: so that the subject is in the middle)."""
    place_y: float | None
    """How far down the frame is put, in heights of the result; -1 to 1 (default: so that the head is in sight, or the subject on the ground)."""
    place_scale: float | None
    """How large the frame is drawn; 0.1 to 4 times (default: 1)."""
    match_light: float | None
    """How far light and colour of the subject follow the background; 0 to 1 (default: 0)."""
    shadow: float | None
    """How dark the shadow is that the subject throws where it stands; 0 to 1 (default: 0)."""
    aperture: float | None
    """The f-number of the lens: the smaller, the softer is what is out of focus; of bokeh; 1 to 22 f (default: the look's)."""
    blades: float | None
    """Edges of the aperture; below 3 it is round; of bokeh; 0 to 12 (default: the look's)."""
    bloom: float | None
    """How much highlights outshine the rest; of bokeh; 0 to 1 (default: the look's)."""
    blur: float | None
    """Radius of the blur behind; of portrait, big-head; 0 to 200 px at 12 MP (default: the look's)."""
    close: float | None
    """Gaps narrower than twice this are closed; of nearest; 0 to 200 px at 12 MP (default: the look's)."""
    contrast: float | None
    """Contrast of the subject; of noir, portrait; 0 to 4 (default: the look's)."""
    count: float | None
    """Rows behind the subject; of marching; 0 to 12 (default: the look's)."""
    cutoff: float | None
    """Keep what is nearer than this while no face is seen; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 m (default: the look's)."""
    density: float | None
    """How thick the fog is; of depth-fog; 0 to 20 (default: the look's)."""
    exposure: float | None
    """Light on the subject; of noir, stage; -4 to 4 EV (default: the look's)."""
    focus: float | None
    """The distance: 1 is the nearest, 0 the farthest; the subject's unless given; of spotlight, color-highlight, refocus, bokeh, parallax, anaglyph, side-by-side; 0 to 1 (default: the look's)."""
    gamma: float | None
    """Exponent of the matte: above 1 narrows the foreground, below 1 widens it; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 (default: the look's)."""
    margin: float | None
    """How far behind the face the foreground ends; of backdrop, sharp, soft, hologram, halo; -1 to 10 m (default: the look's)."""
    percentile: float | None
    """How much of the picture is behind; where near and far part behind the subject unless given; of nearest; 0 to 100 % (default: the look's)."""
    phase: float | None
    """Where on its way the camera is, once round; of parallax; 0 to 1 (default: the look's)."""
    pop: float | None
    """Contrast added to the subject; of big-head; 0 to 1 (default: the look's)."""
    radius: float | None
    """Blur of the matte (standard deviation); of backdrop, sharp, soft, hologram, halo, refocus; 0 to 200 depth pixels (default: the look's)."""
    room: float | None
    """Light on the room; of noir, portrait; -8 to 2 EV (default: the look's)."""
    saturation: float | None
    """Strength of the subject's colours; of portrait; 0 to 4 (default: the look's)."""
    scale: float | None
    """How large the subject becomes; of big-head, marching; 0.2 to 3 times (default: the look's)."""
    shift: float | None
    """How far the nearest moves against what stays in place; of parallax, anaglyph, side-by-side; 0 to 0.1 picture widths (default: the look's)."""
    slope: float | None
    """How fast it ends: the ramps are 1/slope wide; of spotlight, color-highlight, refocus, bokeh; 0.1 to 100 (default: the look's)."""
    spacing: float | None
    """Distance of neighbours in widths of the subject; of marching; 0.1 to 4 (default: the look's)."""
    spread: float | None
    """How far the light reaches, in heights of the subject; of stage; 0.05 to 4 (default: the look's)."""
    start: float | None
    """Where it begins: 0 at the nearest, 1 at the farthest; behind the subject unless given; of depth-fog; 0 to 1 (default: the look's)."""
    vibrance: float | None
    """Strength of the subject's dull colours; of portrait; -1 to 1 (default: the look's)."""
    width: float | None
    """How deep the part between the ramps is; of spotlight, color-highlight, refocus, bokeh; 0 to 1 (default: the look's)."""


class Settings(Options, total=False):
    """What a session can change while it runs."""

    look: str
    """The look: the name of a built-in one, or a JSON file of one's own."""
    background: object
    """What is behind, as sessions take it."""


class SourceOptions(TypedDict, total=False):
    """Which part of an input is taken."""

    depth: str | os.PathLike[str] | None
    """Depth that belongs to the input (default: its own)."""
    start: str | None
    """Where the part of a video begins (default: its beginning)."""
    duration: str | None
    """How long the part is (default: up to the end)."""
    size: str | None
    """Size of the result; a picture of another shape fills it, and what is outside is cut off (default: the input's)."""
    fps: float | None
    """Frames in a second, each of which shows what is to be seen at its time; 1 to 240 (default: the input's)."""
    eye: Literal["left", "right"] | None
    """Which picture of a spatial photo or another stereo pair is taken (default: the file's main one)."""


class JobOptions(TypedDict, total=False):
    """How files are made of files: how mattes are made, looks are drawn, and results are written."""

    standby: str | os.PathLike[str] | None
    """What is shown whenever there is no good matte (default: the background)."""
    audience: Literal["others", "self"] | None
    """Whose eyes the pictures are for (default: others for streams, else self)."""
    show_room: bool | None
    """Let the room be seen by others: through looks that show it, as portrait or noir, or through a weak blur (default: off)."""
    matte: Literal["auto", "depth", "person", "chroma"] | None
    """What mattes are made from (default: auto)."""
    quality: Literal["fast", "live", "high", "best"] | None
    """How much is done for a matte without depth (default: best for pictures, live for videos)."""
    plate: str | os.PathLike[str] | None
    """The room without people, for a camera that stands still (default: nothing)."""
    screen: str | tuple[int, int, int] | None
    """The colour of the screen that chroma keys (default: the green or blue of the picture's border)."""
    spill: float | None
    """How much of the screen's light on the foreground is taken out; 0 to 1 (default: 1)."""
    touch_up: str | os.PathLike[str] | None
    """What was corrected by hand, for single pictures: strokes that keep or erase, as the studio saves them (default: nothing)."""
    filter: str | None
    """What cleans the depth of each frame: filtered, or filters as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill (decimate, threshold, edges, disparity, spatial, temporal, steady, depth, fill, guided) (default: raw)."""
    face: bool | None
    """Let a face decide the cutoff (default: on)."""
    farthest_face: float | None
    """The farthest that a face may be to move the cutoff back; 0.3 to 15 m (default: 3)."""
    faces: Literal["largest", "all"] | None
    """Which of several faces decides (default: largest)."""
    find_gap: bool | None
    """End the foreground at the gap before the room while no face is seen (default: off)."""
    people: str | None
    """Who is kept of several people: all, main (the largest and most central, with a face), or so many of these (default: all)."""
    keep: str | None
    """Keep the person at this point alone, in pixels of the upright picture or percent, in a video of its first picture; several with spaces between (default: all)."""
    drop: str | None
    """Leave out the person at this point; written as for keep (default: nobody)."""
    model: str | os.PathLike[str] | None
    """The person network (default: what quality and subject ask for)."""
    classes: str | None
    """What is kept, for networks with classes: person,dog,… (default: person)."""
    subject: Literal["person", "any"] | None
    """What is looked for (default: person)."""
    refine: float | None
    """How much the picture's own edges decide where the network's matte ends; 0 to 1 (default: 1)."""
    threshold: float | None
    """Opacity of the network's matte that becomes one half: lower keeps more; 0.05 to 0.95 (default: 0.5)."""
    feather: float | None
    """How far the network's matte is softened (standard deviation); 0 to 100 px (default: 0)."""
    smooth: float | None
    """How much the network's mattes are smoothed over time; 0 to 1 (default: 1)."""
    matte_rate: float | None
    """Mattes that the network makes in a second; other frames reuse the last; 0.1 to 240 1/s (default: one a frame)."""
    shift_edge: float | None
    """How far the matte's edge is moved outwards, or inwards below 0; -20 to 20 px (default: 0)."""
    light_wrap: float | None
    """How much light of the background falls round the person's edges; 0 to 1 (default: 0)."""
    decontaminate: bool | None
    """Take the old background's colour out of soft edges (default: on, but for mattes of depth; with the best quality for those of depth and network, too)."""
    auto_exposure: float | None
    """How far the person's exposure is brought to where a face is seen well, calmly; 0 to 1 (default: 0)."""
    white_balance: float | None
    """How far the colour of the light on the person is taken out, calmly; 0 to 1 (default: 0)."""
    key_light: float | None
    """How strong a gentle light on the person is, from the side that is brighter; 0 to 1 (default: 0)."""
    place_x: float | None
    """How far to the right the frame is put, in widths of the result; -1 to 1 (default: so that the subject is in the middle)."""
    place_y: float | None
    """How far down the frame is put, in heights of the result; -1 to 1 (default: so that the head is in sight, or the subject on the ground)."""
    place_scale: float | None
    """How large the frame is drawn; 0.1 to 4 times (default: 1)."""
    match_light: float | None
    """How far light and colour of the subject follow the background; 0 to 1 (default: 0)."""
    shadow: float | None
    """How dark the shadow is that the subject throws where it stands; 0 to 1 (default: 0)."""
    aperture: float | None
    """The f-number of the lens: the smaller, the softer is what is out of focus; of bokeh; 1 to 22 f (default: the look's)."""
    blades: float | None
    """Edges of the aperture; below 3 it is round; of bokeh; 0 to 12 (default: the look's)."""
    bloom: float | None
    """How much highlights outshine the rest; of bokeh; 0 to 1 (default: the look's)."""
    blur: float | None
    """Radius of the blur behind; of portrait, big-head; 0 to 200 px at 12 MP (default: the look's)."""
    close: float | None
    """Gaps narrower than twice this are closed; of nearest; 0 to 200 px at 12 MP (default: the look's)."""
    contrast: float | None
    """Contrast of the subject; of noir, portrait; 0 to 4 (default: the look's)."""
    count: float | None
    """Rows behind the subject; of marching; 0 to 12 (default: the look's)."""
    cutoff: float | None
    """Keep what is nearer than this while no face is seen; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 m (default: the look's)."""
    density: float | None
    """How thick the fog is; of depth-fog; 0 to 20 (default: the look's)."""
    exposure: float | None
    """Light on the subject; of noir, stage; -4 to 4 EV (default: the look's)."""
    focus: float | None
    """The distance: 1 is the nearest, 0 the farthest; the subject's unless given; of spotlight, color-highlight, refocus, bokeh, parallax, anaglyph, side-by-side; 0 to 1 (default: the look's)."""
    gamma: float | None
    """Exponent of the matte: above 1 narrows the foreground, below 1 widens it; of backdrop, sharp, soft, hologram, halo; 0.05 to 20 (default: the look's)."""
    margin: float | None
    """How far behind the face the foreground ends; of backdrop, sharp, soft, hologram, halo; -1 to 10 m (default: the look's)."""
    percentile: float | None
    """How much of the picture is behind; where near and far part behind the subject unless given; of nearest; 0 to 100 % (default: the look's)."""
    phase: float | None
    """Where on its way the camera is, once round; of parallax; 0 to 1 (default: the look's)."""
    pop: float | None
    """Contrast added to the subject; of big-head; 0 to 1 (default: the look's)."""
    radius: float | None
    """Blur of the matte (standard deviation); of backdrop, sharp, soft, hologram, halo, refocus; 0 to 200 depth pixels (default: the look's)."""
    room: float | None
    """Light on the room; of noir, portrait; -8 to 2 EV (default: the look's)."""
    saturation: float | None
    """Strength of the subject's colours; of portrait; 0 to 4 (default: the look's)."""
    scale: float | None
    """How large the subject becomes; of big-head, marching; 0.2 to 3 times (default: the look's)."""
    shift: float | None
    """How far the nearest moves against what stays in place; of parallax, anaglyph, side-by-side; 0 to 0.1 picture widths (default: the look's)."""
    slope: float | None
    """How fast it ends: the ramps are 1/slope wide; of spotlight, color-highlight, refocus, bokeh; 0.1 to 100 (default: the look's)."""
    spacing: float | None
    """Distance of neighbours in widths of the subject; of marching; 0.1 to 4 (default: the look's)."""
    spread: float | None
    """How far the light reaches, in heights of the subject; of stage; 0.05 to 4 (default: the look's)."""
    start: float | str | None
    """Where it begins: 0 at the nearest, 1 at the farthest; behind the subject unless given; of depth-fog; for other looks: where the part of a video begins; 0 to 1 (default: the look's)."""
    vibrance: float | None
    """Strength of the subject's dull colours; of portrait; -1 to 1 (default: the look's)."""
    width: float | None
    """How deep the part between the ramps is; of spotlight, color-highlight, refocus, bokeh; 0 to 1 (default: the look's)."""
    depth: str | os.PathLike[str] | None
    """Depth that belongs to the input (default: its own)."""
    duration: str | None
    """How long the part is (default: up to the end)."""
    size: str | None
    """Size of the result; a picture of another shape fills it, and what is outside is cut off (default: the input's)."""
    fps: float | None
    """Frames in a second, each of which shows what is to be seen at its time; 1 to 240 (default: the input's)."""
    eye: Literal["left", "right"] | None
    """Which picture of a spatial photo or another stereo pair is taken (default: the file's main one)."""
    photo_quality: float | None
    """Quality of pictures that lose something: JPEG, HEIC, WebP and AVIF files; 1 to 100 (default: 95)."""
    lossless: bool | None
    """Keep every pixel of WebP and AVIF pictures (default: off)."""
    crf: float | None
    """The video codec's constant-quality number, lower is better; 0 to 63 (default: the codec's default)."""
    copy_sound: bool | None
    """Copy sound, subtitles and chapters of a video (default: on)."""
