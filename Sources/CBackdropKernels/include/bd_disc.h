#pragma once
#include <stddef.h>
#include <stdint.h>

/// Light is the square of a sample, which approximates linear light: 0 ... 65025.
struct bd_disc {
  /// A picture of three interleaved channels (`step` 3 or 4), or of Y', Cb, Cr with halved chroma (`chroma_step` 1 or 2).
  const uint8_t *picture[3];
  uint8_t *output[3];
  ptrdiff_t picture_stride[3], output_stride[3];
  int step, chroma_step, is_yuv;
  int width, height;
  /// From Y'CbCr samples to R'G'B', 0 ... 255: R' = (Y' - black) luma + red Cr, and so on; with 128 subtracted from Cb and Cr.
  float black, luma, red_cr, green_cb, green_cr, blue_cb;
  /// The inverse: Y' = black + (kr R' + kg G' + kb B') / luma; Cb = 128 + (B' - Y) to_cb, and likewise Cr, where Y is without black and
  /// scale.
  float kr, kg, kb, to_cb, to_cr;
  /// The picture is processed at a size reduced by this factor: 1, 2, 4, 8, 16 or 32.
  int factor;
  /// Light of three channels at that size, with `reach` samples repeated to the left and right and at least 16 more readable after them;
  /// sums of all samples to the left in the row, one more than there are samples. Pointers are to column 0.
  int32_t *light[3], *sums[3];
  /// The blurred samples, 0 ... 255, of R'G'B' or Y'CbCr.
  float *found[3];
  /// In samples, of `light` and `sums`; and of `found`.
  ptrdiff_t stride, found_stride;
  int small_width, small_height, reach;
  /// For each row 0 ... reach away from the middle: the number of whole samples to both sides (-1: none), and the fraction of the next one.
  const int32_t *whole;
  const float *part;
  /// 1 / the disc's area.
  float scale;
  /// For each column of the picture, and each chroma column, the small column to its left and the fraction of the way to the next.
  const int32_t *column[2];
  const float *fraction[2];
};

struct bd_disc_kernels {
  /// Light of rows `from ..< to` of the shrunk picture.
  void (*load)(const struct bd_disc *job, int from, int to);
  /// Blurs rows `from ..< to` of the shrunk picture; all light must have been loaded.
  void (*blur)(const struct bd_disc *job, int from, int to);
  /// Enlarges to rows `from ..< to` of the picture, both even or the height; everything must have been blurred.
  void (*store)(const struct bd_disc *job, int from, int to);
};
