#pragma once
#include <stddef.h>
#include <stdint.h>

/// One layer of a picture, shrunk: what lies behind the focus, or what lies before it.
struct bd_bokeh_layer {
  /// How much of each pixel of the picture belongs to the layer, Q15; null: the layer is empty. Covers have half of the
  /// picture's size, rounded up, where `cover_halving` is 1.
  const uint16_t *cover;
  ptrdiff_t cover_stride;
  /// Light of red, green, blue, multiplied by cover, and the mean cover.
  float *light[4];
  /// The radius of the circle of confusion in shrunk pixels, also where nothing of the layer is.
  const float *radius;
  /// Light gathered from all levels and what it weighs; once divided, light times how well it is known, and that.
  float *found[4];
};

/// A picture of three interleaved channels whose points are spread over apertures of different sizes.
///
/// Planes of floats share `stride`, at least `small_width` rounded up to whole vectors of 16, and as much behind the last row.
struct bd_bokeh {
  /// `sharp` is the picture with the colours of what is in focus everywhere. Bytes from a pixel to the next: `step`, 3 or 4.
  const uint8_t *picture, *sharp;
  uint8_t *output;
  ptrdiff_t picture_stride, sharp_stride, output_stride;
  int step, width, height;
  /// Light of a byte, 0 ... 1; the byte for light of i / 65535.
  const float *light;
  const uint8_t *encode;
  int factor, small_width, small_height;
  ptrdiff_t stride;
  struct bd_bokeh_layer layers[2];
  /// Running sums of a level's light and weight, wrapping around; pointers are to column 0, `margin` before and after.
  uint32_t *sums[4];
  ptrdiff_t sums_stride;
  int margin;
  /// Where colours are taken from `sharp`, 1, or from the picture, 0: gentle slopes of focus have no edge to be cleaned.
  const float *edge;
  /// Mean luminance round each pixel, and how much brighter what stands out of it gets.
  const float *around;
  float bloom;
  /// The level: points of this radius, mixed linearly with levels a spacing away; the first takes all smaller ones.
  float level, spacing;
  int is_first;
  /// The aperture at that size: for each row -reach ... reach where it begins and ends, from the middle of a pixel.
  int reach;
  const float *left, *right;
  /// What a light of 1 is in the sums; 1 / (area · scale).
  float scale, gain;
  int cover_halving;
};

/// Kernels of topic "bokeh"; see bokeh.inc. Rows are those of the shrunk planes, but for `store`.
struct bd_bokeh_kernels {
  /// Gathers light and weight of a layer.
  void (*load)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Makes highlights brighter.
  void (*boost)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Running sums of what a layer has in the level.
  void (*sums)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Adds the level, spread over the aperture, to what was found. Behind the focus what is more out of focus does not spill
  /// over what is less so.
  void (*spread)(const struct bd_bokeh *job, int layer, int from, int to);
  /// Divides what was found behind the focus by its weight.
  void (*divide)(const struct bd_bokeh *job, int from, int to);
  /// Lays the layers over each other in rows `from ..< to` of the picture.
  void (*store)(const struct bd_bokeh *job, int from, int to);
};
