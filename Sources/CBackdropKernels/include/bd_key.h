#pragma once
#include <stddef.h>
#include <stdint.h>

/// Settings for removing a screen's colour.
struct bd_key_settings {
  /// The position in a pixel's 32 bits of the channel in which the screen is brightest, and of the other two.
  int32_t main, first, second;
  /// Opacities at which a pixel counts as clear and as solid, 0...1, `black` below `white`.
  float black, white;
  /// The part of the screen's light that is removed from the foreground, 0...1.
  float spill;
};

struct bd_key_kernels {
  /// Keys a row of pixels of 4 bytes: the matte in Q15, and the pixels without the screen behind them and its light on them; fully clear
  /// pixels do not change. The screen's colour, 0...255, is interpolated by `part`, 0...1, from `above` to `below`, both in planes of
  /// `count`: main, first, second.
  void (*row)(const uint32_t *from, ptrdiff_t count, const float *above, const float *below, float part,
              const struct bd_key_settings *settings, uint16_t *matte, uint32_t *to);
};
