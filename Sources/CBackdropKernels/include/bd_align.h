#pragma once
#include <stddef.h>
#include <stdint.h>

/// How a row of a depth map is seen by another camera. Pixel (x, y) at depth z is at z (start + x step) + offset there, or
/// with `rays` at z (rays[0][x], rays[1][x], rays[2][x]) + offset.
struct bd_align_row {
  float start[3], step[3], offset[3];
  const float *const *rays;
  /// The other camera: focal lengths and principal point in pixels, and the Brown-Conrady coefficients k1 k2 p1 p2 k3.
  float fx, fy, cx, cy, lens[5];
  /// Whether the lens distorts; then directions beyond a squared distance of `farthest` from the axis, for which the
  /// polynomial may turn back, are not seen.
  int distorts;
  float farthest;
  /// Half of the side that a pixel of the map has there at the same depth, in pixels.
  float half_width, half_height;
  /// Size of the other map.
  int32_t width, height;
};

/// Kernels of topic "align"; see align.inc.
struct bd_align_kernels {
  /// Where the pixels of a row come to be: columns left ..< right, rows top ..< bottom of the other map, clamped to it, and
  /// their depth there; NaN for those that are not seen. Whole vectors of up to 16 are written.
  void (*project)(const float *depth, ptrdiff_t count, const struct bd_align_row *row, int32_t *left, int32_t *right,
                  int32_t *top, int32_t *bottom, float *there);
  /// Draws them: the nearest remains. Where nothing is drawn the map is NaN. Between neighbours of alike depth (up to
  /// `ratio`) a column that is missing is drawn too. Rows of the map end with a margin of 16 samples, which stays as it is.
  /// `line` is as long as the stride and is all NaN, before and afterwards. The number before each array's first is readable;
  /// before the first depth it is NaN.
  void (*splat)(const int32_t *left, const int32_t *right, const int32_t *top, const int32_t *bottom,
                const float *there, ptrdiff_t count, float ratio, float *map, ptrdiff_t stride, float *line);
  /// NaN between two pixels left and right, or above and below, of alike depth (up to `ratio`) becomes their mean. Rows above
  /// and below may be the row itself. Before and behind the rows are NaN, and they are readable in whole vectors and one more.
  void (*close)(const float *above, const float *row, const float *below, ptrdiff_t count, float ratio, float *to);
};
