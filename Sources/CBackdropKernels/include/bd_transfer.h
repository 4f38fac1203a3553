#pragma once
#include <stddef.h>
#include <stdint.h>

/// Steps of light: the float's exponent and 9 bits of its mantissa, from 2^-24 up to 1. Half a step is 1/1024 of the light,
/// which is at most an eighth of a level of 8 bits, for curves as steep as a power of 1.
enum { BD_LIGHT_FIRST = 103 << 23, BD_LIGHT_SHIFT = 14, BD_LIGHT_STEPS = 24 << 9 };

/// The conversion from samples of one colour space to those of another. Channels are red, green and blue.
struct bd_transfer {
  /// Light of the 256 samples of each channel.
  const float *linear[3];
  /// From light to light, row by row.
  float matrix[9];
  /// BD_LIGHT_STEPS + 1 samples of each channel.
  const uint8_t *encoded[3];
};

struct bd_transfer_kernels {
  /// Converts one row of pixels, whose orders are those of `bd_pixel_order`; alpha is kept, new alpha is 255.
  void (*row)(const uint8_t *row, int order, ptrdiff_t width, uint8_t *out, int out_order,
              const struct bd_transfer *transfer);
};
