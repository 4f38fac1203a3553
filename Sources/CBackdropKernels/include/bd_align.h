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
  /// their depth there. Holes and what is behind the camera have no columns. Whole vectors of 16 are written.
  void (*project)(const float *depth, ptrdiff_t count, const struct bd_align_row *row, int32_t *left, int32_t *right,
                  int32_t *top, int32_t *bottom, float *there);
  /// Draws them: the nearest remains. Rows of the map have a margin of 16 samples, and `line` too. Hidden pixels are infinite. Between neighbours of alike depth (up to `ratio`) a column
  /// that is missing is drawn too. `line` has a row of the map,
  /// `joins` `count` rounded up to whole vectors and 1. The number before each array's first is readable.
  void (*splat)(const int32_t *left, const int32_t *right, const int32_t *top, const int32_t *bottom,
                const float *there, ptrdiff_t count, float ratio, float *map, ptrdiff_t stride, float *line,
                uint8_t *joins);
  /// Infinite becomes NaN, but between two pixels left and right, or above and below, of alike depth (up to `ratio`) their
  /// mean. Rows above and below may be the row itself.
  void (*close)(const float *above, const float *row, const float *below, ptrdiff_t count, float ratio, float *to);
};
