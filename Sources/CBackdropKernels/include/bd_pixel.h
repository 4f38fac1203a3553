#pragma once
#include <stddef.h>
#include <stdint.h>

/// One or two rows of luma and the row of chroma that they share. `y1` is null where there is one row of luma. Steps are
/// in bytes: `y_step` between neighbouring luma samples, `c_step` between neighbouring chroma samples.
struct bd_yuv_rows {
  uint8_t *y0, *y1, *cb, *cr;
  int y_step, c_step;
};

/// Rows of the same size to read from.
struct bd_yuv_source {
  const uint8_t *y0, *y1, *cb, *cr;
  int y_step, c_step;
};

/// Kernels of topic "pixel"; see pixel.inc. Unless said otherwise dst may be a source, and `n` counts bytes.
struct bd_pixel_kernels {
  /// dst = bg + m/255 (fg - bg), rounded half up. Masks are uint8_t (…_8) or uint16_t (…_q15).
  void (*blend_8)(uint8_t *dst, const uint8_t *fg, const uint8_t *bg, const void *mask, ptrdiff_t n);
  /// dst = bg + m/32768 (fg - bg), rounded half up; larger m count as 32768.
  void (*blend_q15)(uint8_t *dst, const uint8_t *fg, const uint8_t *bg, const void *mask, ptrdiff_t n);
  /// The same with one mask sample for each pixel of 2, 3 or 4 bytes; n counts pixels.
  void (*blend_pixels_8)(uint8_t *dst, const uint8_t *fg, const uint8_t *bg, const void *mask, ptrdiff_t n,
                         int channels);
  void (*blend_pixels_q15)(uint8_t *dst, const uint8_t *fg, const uint8_t *bg, const void *mask, ptrdiff_t n,
                           int channels);
  /// Means of 2×2 samples, rounded half up; the last column stands alone where width is odd. `below` may be `above`.
  void (*halve_8)(void *dst, const void *above, const void *below, ptrdiff_t width);
  void (*halve_q15)(void *dst, const void *above, const void *below, ptrdiff_t width);

  /// Colour matrix on 3- or 4-byte pixels; n counts pixels, m is row by row 3×4, for bytes, in memory order. A fourth
  /// byte is copied.
  void (*matrix)(uint8_t *dst, const uint8_t *src, ptrdiff_t n, int channels, const float *m);
  /// Colour matrix on luma and chroma; m maps (Y, Cb, Cr, 1) in byte values; results are clamped to limits[0]…[1] for
  /// luma and [2]…[3] for chroma.
  void (*yuv_matrix)(const struct bd_yuv_rows *dst, const struct bd_yuv_source *src, ptrdiff_t width, const float *m,
                     const float *limits);
  /// Luma through `luma`, chroma's distance from 128 times `gain` at the mean luma, clamped to limits[0]…limits[1].
  void (*yuv_curve)(const struct bd_yuv_rows *dst, const struct bd_yuv_source *src, ptrdiff_t width, const uint8_t *luma,
                    const float *gain, const float *limits);
  /// Per-channel minimum in R'G'B', `a` and `b` with the same steps or `b` with none: `decode` maps (Y, Cb, Cr, 1) to R'G'B', `encode` back.
  void (*yuv_darken)(const struct bd_yuv_rows *dst, const struct bd_yuv_source *a, const struct bd_yuv_source *b,
                     ptrdiff_t width, const float *decode, const float *encode);
  /// Every byte through a table; of `skip`-byte pixels the last byte is copied where skip is 4.
  void (*lookup)(uint8_t *dst, const uint8_t *src, ptrdiff_t n, int skip, const uint8_t *table);
  void (*power)(float *dst, const float *src, ptrdiff_t n, float exponent);
  void (*least)(uint8_t *dst, const uint8_t *a, const uint8_t *b, ptrdiff_t n);

  /// Takes YUYV groups of four bytes apart into luma (2n samples) and Cb Cr pairs (n), and puts them together.
  void (*split_yuyv)(uint8_t *luma, uint8_t *chroma, const uint8_t *src, ptrdiff_t n);
  void (*merge_yuyv)(uint8_t *dst, const uint8_t *luma, const uint8_t *chroma, ptrdiff_t n);
};
