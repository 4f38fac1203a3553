#pragma once
#include <stddef.h>
#include <stdint.h>

/// Sliding minimum (`is_max` 0) or maximum (1) under a shape that is symmetric about both axes.
///
/// Kinds: 0 uint8_t, 1 uint16_t, 2 float; strides in bytes. Samples outside the plane, and NaN, never win. With `chords` null the shape is
/// the rectangle of radius_x by radius_y; otherwise chords[k] is the half-width of the shape k rows above and below its middle, 0 <= k <=
/// radius_y, which must not grow with k. `scratch`: 64-byte aligned, (levels + 2) rows of `scratch_row` bytes, where levels is 1 +
/// floor(log2(2 * widest + 1)), then, for rectangles, 2 * min(2 * radius_y + 1, height) + 1 rows more. scratch_row is at least (width + 2 *
/// widest + 64) samples, in bytes.
struct bd_morphology_job {
  const void *src;
  ptrdiff_t src_stride;
  void *dst;
  ptrdiff_t dst_stride;
  const int32_t *chords;
  void *scratch;
  ptrdiff_t scratch_row;
  int kind, is_max, width, height, radius_x, radius_y;
};

struct bd_morphology_kernels {
  void (*extreme)(const struct bd_morphology_job *job);
};
