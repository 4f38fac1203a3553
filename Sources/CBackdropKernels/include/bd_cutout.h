#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "cutout"; see cutout.inc. Pixels have four bytes, the last of them alpha; `n` counts pixels.
struct bd_cutout_kernels {
  /// Sets the alpha of each pixel of `src` from its mask sample in Q15, rounded half up to 8 bits (samples above 32768 count as 32768);
  /// where that is 0, all four bytes are 0. `dst` may be `src`.
  void (*cut)(uint8_t *dst, const uint8_t *src, const uint16_t *mask, ptrdiff_t n);
};
