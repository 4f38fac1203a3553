#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "cutout"; see cutout.inc. Pixels have four bytes, the last of them alpha; `n` counts pixels.
struct bd_cutout_kernels {
  /// Gives each pixel of `src` the alpha of its mask sample in Q15, rounded half up to 8 bits (samples above 32768 count as
  /// 32768); where that is 0, all four bytes are 0. `dst` may be `src`.
  void (*cut)(uint8_t *dst, const uint8_t *src, const uint16_t *mask, ptrdiff_t n);

  /// Adds up, for each four pixels of a row (fewer at its end), the three colours times alpha, and alpha, of pixels that
  /// are mostly opaque (128 or more).
  void (*add)(uint32_t *sums, const uint8_t *row, ptrdiff_t n);

  /// Gives pixels of alpha 0 the colour (the first three bytes) that `colors` has for each four pixels; alpha stays.
  void (*fill)(uint8_t *row, const uint8_t *colors, ptrdiff_t n);
};
