#pragma once
#include <stddef.h>
#include <stdint.h>

/// Rows that the recursive filter processes at once.
#define BD_FILTER_STRIP 16

/// The parameters of an exponential mean along a line.
struct bd_filter_line {
  /// Weight of the sample itself.
  float alpha;
  /// A larger step restarts the mean.
  float delta;
  /// Whether a step is the difference of the original samples and must be less than `delta`; otherwise it goes from the mean to the sample
  /// and may be up to `delta`. Librealsense does the former for disparity and the latter for depth.
  int raw;
};

/// Kernels of topic "filter"; see filter.inc. Samples are positive, and 0 in holes, unless stated otherwise.
///
/// Rows of planes are padded with zeros to whole vectors of 16, and the sample before a row is readable and 0.
struct bd_filter_kernels {
  /// Replaces NaN with 0, and pads with zeros to a multiple of 16.
  void (*enter)(const float *from, ptrdiff_t count, float *to);
  /// Replaces 0 with NaN.
  void (*leave)(const float *from, ptrdiff_t count, float *to);
  /// Replaces each sample x with factor / x; holes stay 0.
  void (*invert)(float *row, ptrdiff_t count, float factor);
  /// Turns values outside near ... far into holes.
  void (*limit)(float *row, ptrdiff_t count, float near, float far);
  /// The median (for scales 2 and 3; of an even number, the smaller of the middle two) or the mean of `scale`² samples, ignoring holes.
  /// `stride` is that of `from`.
  void (*decimate)(const float *from, ptrdiff_t stride, int scale, ptrdiff_t count, float *to);
  /// Filters along up to BD_FILTER_STRIP rows, to the right and back. `width` is a multiple of 16; `scratch` has BD_FILTER_STRIP · width
  /// floats.
  void (*along_rows)(float *first, ptrdiff_t stride, int rows, ptrdiff_t width, const struct bd_filter_line *line,
                     float *scratch);
  /// Filters along columns, down and back up. `width` is a multiple of 16.
  void (*across_rows)(float *first, ptrdiff_t stride, int rows, ptrdiff_t width, const struct bd_filter_line *line);
  /// Fills holes with the last sample, up to `reach` in a row: to the right, then to the left.
  void (*stretch)(float *row, ptrdiff_t count, int reach);
  /// The exponential mean over time. `last` is a pixel's last value; bit k of `history` says whether it was valid k + 1 frames ago without
  /// a change since. A hole takes `last` if at least `needed` (1, 2 or 8; 0 for never) of the frames of `window` were valid; `window` 0
  /// means always.
  void (*over_time)(float *row, float *last, uint8_t *history, ptrdiff_t count, float alpha, float delta,
                    uint8_t window, int needed);
  /// Fills holes with the value to the left.
  void (*fill_left)(float *row, ptrdiff_t count);
  /// Fills holes with the greatest (`nearest` 0) or least of above, above left, left, below left and below; the row above is already
  /// filled. Column 0 does not change. With `nearest`, a hole below a hole is not filled, as in librealsense.
  void (*fill_around)(float *row, const float *above, const float *below, ptrdiff_t count, int nearest);
};
