#pragma once
#include <stddef.h>
#include <stdint.h>

/// The projection of a row of a depth map into another camera. Pixel (x, y) at depth z is at z (start + x step) + offset in that camera's
/// axes, or with `rays` at z (rays[0][x], rays[1][x], rays[2][x]) + offset.
struct bd_align_row {
  float start[3], step[3], offset[3];
  const float *const *rays;
  /// The other camera: focal lengths and principal point in pixels, and the Brown-Conrady coefficients k1 k2 p1 p2 k3.
  float fx, fy, cx, cy, lens[5];
  /// Whether the lens distorts. If so, directions beyond a squared distance of `farthest` from the axis, where the polynomial may fold
  /// back, are invisible.
  int distorts;
  float farthest;
  /// Half the side that a pixel of the map has in the other camera at the same depth, in pixels.
  float half_width, half_height;
  /// Size of the other map.
  int32_t width, height;
};

struct bd_align_kernels {
  /// Projects the pixels of a row: columns left ..< right and rows top ..< bottom of the other map, clamped to it, and their depth there;
  /// NaN for invisible ones. Whole vectors of up to 16 are written.
  void (*project)(const float *depth, ptrdiff_t count, const struct bd_align_row *row, int32_t *left, int32_t *right,
                  int32_t *top, int32_t *bottom, float *there);
  /// Draws projected pixels; the nearest wins. Where nothing is drawn the map is NaN. Between neighbours of similar depth (up to `ratio`),
  /// a missing column is drawn too. Rows of the map end with a margin of 16 samples, which does not change. `line` is as long as the stride
  /// and is all NaN before and after. The element before each array's first must be readable; before the first depth it is NaN.
  void (*splat)(const int32_t *left, const int32_t *right, const int32_t *top, const int32_t *bottom,
                const float *there, ptrdiff_t count, float ratio, float *map, ptrdiff_t stride, float *line);
  /// Replaces NaN between two pixels of similar depth (up to `ratio`), left and right or above and below, with their mean. Rows above and
  /// below may be the row itself. NaN precedes and follows the rows, which must be readable in whole vectors plus one.
  void (*close)(const float *above, const float *row, const float *below, ptrdiff_t count, float ratio, float *to);
};
