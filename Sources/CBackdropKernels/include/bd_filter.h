#pragma once
#include <stddef.h>
#include <stdint.h>

/// Rows that the recursive filter takes through at once.
#define BD_FILTER_STRIP 16

/// What an exponential mean along a line does.
struct bd_filter_line {
  /// Weight of the sample itself.
  float alpha;
  /// A larger step begins anew.
  float delta;
  /// Whether steps are counted between samples as they were, less than `delta`; otherwise from the mean to the sample, up to
  /// `delta`. Librealsense does the former for disparity and the latter for depth.
  int raw;
};

/// Kernels of topic "filter"; see filter.inc. Samples are positive, and 0 in holes, if nothing else is said.
///
/// Rows of planes are padded with zeros to whole vectors of 16, and the sample before a row is readable and 0.
struct bd_filter_kernels {
  /// NaN becomes 0, and a padding of zeros is written up to a multiple of 16.
  void (*enter)(const float *from, ptrdiff_t count, float *to);
  /// 0 becomes NaN.
  void (*leave)(const float *from, ptrdiff_t count, float *to);
  /// factor / x.
  void (*invert)(float *row, ptrdiff_t count, float factor);
  /// Outside near ... far becomes a hole.
  void (*limit)(float *row, ptrdiff_t count, float near, float far);
  /// The median (of an even number the smaller of the middle two; scale 2 and 3) or the mean of `scale`² samples that are no
  /// holes. `stride` is that of `from`.
  void (*decimate)(const float *from, ptrdiff_t stride, int scale, ptrdiff_t count, float *to);
  /// Along up to BD_FILTER_STRIP rows, to the right and back. `width` is a multiple of 16; `scratch` has
  /// BD_FILTER_STRIP · width floats.
  void (*along_rows)(float *first, ptrdiff_t stride, int rows, ptrdiff_t width, const struct bd_filter_line *line,
                     float *scratch);
  /// Along columns, down and back up. `width` is a multiple of 16.
  void (*across_rows)(float *first, ptrdiff_t stride, int rows, ptrdiff_t width, const struct bd_filter_line *line);
  /// Holes take the last sample, up to `reach` in a row: to the right, then to the left.
  void (*stretch)(float *row, ptrdiff_t count, int reach);
  /// The exponential mean over time. `last` is what a pixel was last; bit k of `history` is whether it was valid k + 1 frames
  /// ago without a change since. A hole takes `last` if at least `needed` (1, 2 or 8; 0 for never) of the frames of `window`
  /// were valid; `window` 0 means always.
  void (*over_time)(float *row, float *last, uint8_t *history, ptrdiff_t count, float alpha, float delta,
                    uint8_t window, int needed);
  /// Holes take from the left what is there.
  void (*fill_left)(float *row, ptrdiff_t count);
  /// Holes take the greatest (`nearest` 0) or least of above, above left, left, below left and below, where above is done
  /// already. Column 0 is left as it is. With `nearest`, a hole above leaves a hole, as librealsense does.
  void (*fill_around)(float *row, const float *above, const float *below, ptrdiff_t count, int nearest);
};
