#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "pixel"; see pixel.inc. Unless stated otherwise, dst may be a source and `n` counts bytes.
struct bd_pixel_kernels {
  /// dst = bg + m/32768 (fg - bg), rounded half up; larger m count as 32768.
  void (*blend_q15)(uint8_t *dst, const uint8_t *fg, const uint8_t *bg, const uint16_t *mask, ptrdiff_t n);
  /// The same with one mask sample for each pixel of 2, 3 or 4 bytes; n counts pixels.
  void (*blend_pixels_q15)(uint8_t *dst, const uint8_t *fg, const uint8_t *bg, const uint16_t *mask, ptrdiff_t n,
                           int channels);
  /// Means of 2×2 samples, rounded half up; the last column stands alone if the width is odd. `below` may be `above`.
  void (*halve_q15)(uint16_t *dst, const uint16_t *above, const uint16_t *below, ptrdiff_t width);
};
