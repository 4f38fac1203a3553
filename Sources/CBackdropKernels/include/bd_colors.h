#pragma once
#include <stdint.h>

struct bd_colors_kernels {
  /// `count` numbers as opaque colours (R, G, B, A in memory): where (value - first) · scale is 0 red, 255 yellow, 510 green, 765 cyan,
  /// 1020 blue, clamped beyond; NaN is black.
  void (*spectrum)(uint32_t *to, const float *values, int count, float first, float scale);
  /// The same with a table of `last` + 1 colours, with the position truncated to a whole number.
  void (*table)(uint32_t *to, const float *values, int count, float first, float scale, int last, const uint32_t *table);
  /// Mixes `count` colours into pixels of the same layout by opacity (0…256); where the value is NaN the pixel does not change.
  void (*overlay)(uint32_t *pixels, const uint32_t *colors, const float *values, int count, int opacity);
};
