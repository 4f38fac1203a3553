#pragma once
#include <stddef.h>
#include <stdint.h>

/// What a screen's colour is taken out by.
struct bd_key_settings {
  /// Where in a pixel's 32 bits the channel lies in which the screen is brightest, and where the other two.
  int32_t main, first, second;
  /// Opacities from which on a pixel counts as clear and as solid, 0...1, `black` below `white`.
  float black, white;
  /// The part of the screen's light on the foreground that is taken out, 0...1.
  float spill;
};

/// Kernels of topic "key"; see key.inc.
struct bd_key_kernels {
  /// Keys a row of pixels of 4 bytes: the matte in Q15, and the pixels as they would be without the screen behind and on them;
  /// where nothing is opaque they stay. The screen's colour, 0...255, goes `part` of the way, 0...1, from `above` to `below`, both in
  /// planes of `count`: main, first, second.
  void (*row)(const uint32_t *from, ptrdiff_t count, const float *above, const float *below, float part,
              const struct bd_key_settings *settings, uint16_t *matte, uint32_t *to);
};
