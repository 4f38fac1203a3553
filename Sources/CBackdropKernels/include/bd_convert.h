#pragma once
#include <stddef.h>
#include <stdint.h>

/// Byte order of interleaved RGB pixels.
enum bd_pixel_order { BD_BGRA = 0, BD_RGBA = 1, BD_RGB = 2 };

/// R'G'B' to Y'CbCr. Weights are in 1/32768; each colour difference is own - other - other. The offset, in 1/128, is
/// the luma of middle grey.
struct bd_to_yuv {
  int16_t y_red, y_green, y_blue, y_offset;
  int16_t cb_blue, cb_red, cb_green;
  int16_t cr_red, cr_green, cr_blue;
};

/// Y'CbCr to R'G'B'. The luma factor is in 1/16384, chroma factors in 1/8192; the offset, in 1/32, is
/// the R' of luma 128.
struct bd_from_yuv {
  int16_t luma, offset;
  int16_t cr_red, cb_green, cr_green, cb_blue;
};

/// Y'CbCr to Y'CbCr of another description. The luma factor is in 1/16384, the others in 1/8192; the offset, in 1/32, is the new value of
/// luma 128.
struct bd_recolor {
  int16_t luma, luma_cb, luma_cr, offset;
  int16_t cb_cb, cb_cr, cr_cb, cr_cr;
};

///
/// Each works on one row or one pair of rows. A chroma row has (width + 1) / 2 samples, `chroma_step` bytes apart.
struct bd_convert_kernels {
  /// Two rows of pixels to two rows of luma, and the chroma of their 2x2 means. For the last row of an odd height,
  /// `upper` = `lower` and `luma_lower` is null.
  void (*rgb_to_yuv420)(const uint8_t *upper, const uint8_t *lower, ptrdiff_t width, int order,
                        const struct bd_to_yuv *scale, uint8_t *luma_upper, uint8_t *luma_lower, uint8_t *cb,
                        uint8_t *cr, ptrdiff_t chroma_step);
  /// One row of pixels to Y' Cb Y' Cr.
  void (*rgb_to_yuyv)(const uint8_t *row, ptrdiff_t width, int order, const struct bd_to_yuv *scale, uint8_t *out);
  /// One row of luma to pixels. Chroma is 3/4 of the near row and 1/4 of the far one, then the same sideways; pass the
  /// same row twice for 4:2:2.
  void (*yuv_to_rgb)(const uint8_t *luma, ptrdiff_t luma_step, const uint8_t *cb_near, const uint8_t *cb_far,
                     const uint8_t *cr_near, const uint8_t *cr_far, ptrdiff_t chroma_step, ptrdiff_t width,
                     const struct bd_from_yuv *scale, int order, uint8_t *out);
  /// One row of pixels from one order to another; new alpha is 255.
  void (*reorder)(const uint8_t *row, int order, ptrdiff_t width, uint8_t *out, int out_order);
  /// Separates `count` pairs of bytes, or joins them.
  void (*split)(const uint8_t *pairs, ptrdiff_t count, uint8_t *first, uint8_t *second);
  void (*join)(const uint8_t *first, const uint8_t *second, ptrdiff_t count, uint8_t *pairs);
  /// Two rows of Y' Cb Y' Cr to luma, and the means of their chroma. For the last row of an odd height, as above.
  void (*yuyv_to_yuv420)(const uint8_t *upper, const uint8_t *lower, ptrdiff_t width, uint8_t *luma_upper,
                         uint8_t *luma_lower, uint8_t *cb, uint8_t *cr, ptrdiff_t chroma_step);
  /// One row of luma, and chroma 3/4 near and 1/4 far, to Y' Cb Y' Cr.
  void (*yuv420_to_yuyv)(const uint8_t *luma, const uint8_t *cb_near, const uint8_t *cb_far, const uint8_t *cr_near,
                         const uint8_t *cr_far, ptrdiff_t chroma_step, ptrdiff_t width, uint8_t *out);
  /// One row of luma, and chroma 3/4 near and 1/4 far, to luma of another description.
  void (*recolor_luma)(const uint8_t *luma, const uint8_t *cb_near, const uint8_t *cb_far, const uint8_t *cr_near,
                       const uint8_t *cr_far, ptrdiff_t chroma_step, ptrdiff_t width, const struct bd_recolor *scale,
                       uint8_t *out);
  /// `count` chroma samples to those of another description.
  void (*recolor_chroma)(const uint8_t *cb, const uint8_t *cr, ptrdiff_t chroma_step, ptrdiff_t count,
                         const struct bd_recolor *scale, uint8_t *out_cb, uint8_t *out_cr, ptrdiff_t out_step);
};
