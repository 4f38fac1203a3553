#pragma once
#include <stddef.h>
#include <stdint.h>

/// One layer of a picture, shrunk: the part behind the focus, or the part in front of it.
struct bd_bokeh_layer {
  /// The fraction of each pixel of the picture that belongs to the layer, Q15; null if the layer is empty. Covers have half of the
  /// picture's size, rounded up, where `cover_halving` is 1.
  const uint16_t *cover;
  ptrdiff_t cover_stride;
  /// Light of red, green, blue, multiplied by cover, and the mean cover.
  float *light[4];
  /// The radius of the circle of confusion in shrunk pixels, including where the layer is empty.
  const float *radius;
  /// Light collected from all levels, and its weight; after the division, light times its certainty, and the certainty.
  float *found[4];
};

/// A picture of three interleaved channels whose points are spread over apertures of different sizes.
///
/// Planes of floats share `stride`, at least `small_width` rounded up to whole vectors of 16, and the same amount after the last row.
struct bd_bokeh {
  /// `sharp` is the picture with the colours in focus extended everywhere. Bytes from a pixel to the next: `step`, 3 or 4.
  const uint8_t *picture, *sharp;
  uint8_t *output;
  ptrdiff_t picture_stride, sharp_stride, output_stride;
  int step, width, height;
  /// Light of a byte, 0 ... 1, and the byte for light of i / 65535.
  const float *light;
  const uint8_t *encode;
  int factor, small_width, small_height;
  ptrdiff_t stride;
  struct bd_bokeh_layer layers[2];
  /// Running sums of a level's light and weight, wrapping around; pointers are to column 0, `margin` before and after.
  uint32_t *sums[4];
  ptrdiff_t sums_stride;
  int margin;
  /// The weight of colours from `sharp` (1) instead of the picture (0): gentle slopes of focus have no edge that needs cleaning.
  const float *edge;
  /// Mean luminance around each pixel, and the strength with which highlights become brighter.
  const float *around;
  float bloom;
  /// The level: points of this radius, mixed linearly with levels a spacing away; the first also takes all smaller ones.
  float level, spacing;
  int is_first;
  /// The aperture at that size: the beginning and the end of each row -reach ... reach, from the centre of a pixel.
  int reach;
  const float *left, *right;
  /// The value of light 1 in the sums, and 1 / (area · scale).
  float scale, gain;
  int cover_halving;
};

/// Kernels of topic "bokeh"; see bokeh.inc. Rows are those of the shrunk planes, except for `store`.
struct bd_bokeh_kernels {
  /// Collects light and weight of a layer.
  void (*load)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Makes highlights brighter.
  void (*boost)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Computes the running sums of a layer's part in the level.
  void (*sums)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Adds the level, spread over the aperture, to the light found so far. Behind the focus, areas more out of focus do not spill over areas
  /// less out of focus.
  void (*spread)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Divides the light found behind the focus by its weight.
  void (*divide)(const struct bd_bokeh *job, int from, int to);
  /// Blends the layers in rows `from ..< to` of the picture.
  void (*store)(const struct bd_bokeh *job, int from, int to);
};
