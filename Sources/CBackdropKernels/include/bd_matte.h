#pragma once
#include <stddef.h>
#include <stdint.h>

/// Columns that the blur processes at once; a block is constant if its whole window is.
#define BD_BLUR_BLOCK 64

/// The content of one blurred block of a mask row.
enum { BD_BLOCK_ZERO = 0, BD_BLOCK_ONE = 1, BD_BLOCK_MIXED = 2 };

/// How to scale a matte: bicubic; not at all; or the mean of two by two samples, where an odd last column or row stands alone.
enum { BD_UPSAMPLE_CUBIC = 0, BD_UPSAMPLE_NONE = 1, BD_UPSAMPLE_HALF = 2 };

/// How to scale a matte to the width and height of a plane of pixels; made once for a pair of sizes.
struct bd_upsample {
  /// One of `BD_UPSAMPLE_…`; the fields after the sizes are only for bicubic.
  int mode;
  /// Size of the matte.
  int source_width, source_height;
  /// Size of the plane in matte samples.
  int width, height;
  /// `width` rounded up to a multiple of 16: the length of each of the four runs of the next two arrays.
  int padded_width;
  /// For each column four taps, stored as all first taps, then all second taps and so on: weights, and columns of the matte (clamped).
  const float *x_weights;
  const int32_t *x_indices;
  /// For each group of 16 columns, the lowest column of the matte that it uses.
  const int32_t *x_bases;
  /// Whether no group of 16 columns uses more than 32 columns of the matte, and no half group more than 16.
  int x_is_compact;
  /// For each row four taps, stored together: weights in Q15, and rows of the matte (clamped).
  const int16_t *y_weights;
  const int32_t *y_indices;
};

/// One plane of a picture, or two of the same size and strides that share a matte (the chroma planes of I420):
/// `channels` bytes (1, 2, 3 or 4) for each matte sample.
struct bd_composite_plane {
  const uint16_t *matte;
  ptrdiff_t matte_stride;
  const struct bd_upsample *upsample;
  const uint8_t *foreground[2], *background[2];
  uint8_t *output[2];
  ptrdiff_t foreground_stride, background_stride, output_stride;
  int channels;
  /// 1 or 2.
  int planes;
};

struct bd_matte_kernels {
  /// Blurs one row of the mask `0 < depth <= cutoff` from left to right, clamped at both ends.
  ///
  /// `taps` has `radius + 1` weights, starting with the middle one. `padded` is scratch for `width + 2 radius + 128` floats. `output` has
  /// space for `width` rounded up to `BD_BLUR_BLOCK`; `states` receives one of `BD_BLOCK_…` for each block.
  void (*mask_blur_row)(const float *depth, int width, float cutoff, const float *taps, int radius, float *padded,
                        float *output, uint8_t *states);

  /// A trapezoid in Q15: the least of slope (value - from), slope (to - value) and 1; 0 if that is negative or NaN.
  void (*focus_row)(const float *values, ptrdiff_t count, double from, double to, double slope, uint16_t *output);

  /// Blurs from top to bottom, applies `gamma` and stores row `y` in Q15.
  ///
  /// `rows` is the output of `mask_blur_row`, with `stride` floats and `blocks` states for each row.
  void (*blur_column_gamma_row)(const float *rows, ptrdiff_t stride, const uint8_t *states, int blocks, int width,
                                int height, int y, const float *taps, int radius, float gamma, uint16_t *output);

  /// Scales the matte and blends rows `from ..< to` of a plane:
  /// output = background + matte (foreground - background), rounded half up.
  ///
  /// `scratch` is 64-byte aligned and has `bd_composite_scratch(upsample)` bytes.
  void (*composite_rows)(const struct bd_composite_plane *plane, int from, int to, void *scratch);

  /// Scales the matte and stores rows `from ..< to` in Q15, 0...32768.
  void (*upsample_rows)(const uint16_t *matte, ptrdiff_t matte_stride, const struct bd_upsample *upsample,
                        uint16_t *output, ptrdiff_t output_stride, int from, int to, void *scratch);
};

/// Space for the state of each block of 32 samples in a row, in whole vectors.
#define BD_COMPOSITE_BLOCKS(upsample) ((upsample)->padded_width / 512 * 16 + 16)

/// Bytes of scratch that `composite_rows`, `upsample_rows` and the rows of topic "paint" need.
static inline size_t bd_composite_scratch(const struct bd_upsample *u) {
  return (size_t)4 * (u->padded_width + 64) * sizeof(int16_t) + ((size_t)u->source_width + 64) * sizeof(float) +
         (size_t)5 * BD_COMPOSITE_BLOCKS(u);
}
