#pragma once
#include <stddef.h>
#include <stdint.h>

/// The change of a picture's white balance, as factors for the samples.
///
/// All matrices are in 256ths. `tint` adds to luma (times Cb, Cr); `blue` and `red` add to Cb and Cr (times luma above black, Cb, Cr). If
/// all of them are below 65, no sum exceeds 16 bits.
struct bd_light_levels {
  int16_t black, white;
  int16_t tint[2], blue[3], red[3];
};

/// Two rows of 4:2:0 and their results. Rows must not overlap, except that `upper` and `lower` may be the same.
struct bd_light_rows {
  const uint8_t *upper, *lower, *blue, *red;
  uint8_t *upper_to, *lower_to, *blue_to, *red_to;
};

///
/// Gains are k · 2²² / (white − black) for k of −1...1: a sample v of 0...1 becomes v + k v (1 − v), which does not change black and white;
/// chroma is scaled like its luma. Two columns and two rows share a gain.
struct bd_light_kernels {
  /// `count` luma samples in each row, and (count + 1) / 2 of chroma and gains.
  void (*planar)(const struct bd_light_rows *rows, const int16_t *gains, ptrdiff_t count,
                 const struct bd_light_levels *levels);
  /// A row of R′G′B′ pixels of `step` bytes, red at `red` and blue at 2 − `red`. `scales` are for red, green and blue, in 256ths; `weights`
  /// are their weights in luma, also in 256ths. Gains are for levels of 0 and 255.
  void (*pixels)(const uint8_t *from, const int16_t *gains, ptrdiff_t count, int step, int red, const int16_t scales[3],
                 const int16_t weights[3], uint8_t *to);
  /// A row of gains interpolated from a coarse one: `count` samples, each `pace` of 2¹⁶ of a coarse sample after the last, beginning at
  /// `start`.
  void (*spread)(const int16_t *coarse, ptrdiff_t coarse_count, int32_t start, int32_t pace, ptrdiff_t count,
                 int16_t *to);
  /// Interpolates two rows of gains: `part` of 128 of the way from `above` to `below`.
  void (*between)(const int16_t *above, const int16_t *below, int16_t part, ptrdiff_t count, int16_t *to);
};
