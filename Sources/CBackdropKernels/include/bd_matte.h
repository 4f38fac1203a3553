#pragma once
#include <stddef.h>
#include <stdint.h>

/// Columns that the blur handles at once; a block is constant when its whole window is.
#define BD_BLUR_BLOCK 64

/// What one blurred block of a mask row is made of.
enum { BD_BLOCK_ZERO = 0, BD_BLOCK_ONE = 1, BD_BLOCK_MIXED = 2 };

/// How a matte becomes one of another size: by the cubic; not at all; or by the mean of two by two, the last column and
/// row alone where the matte's width and height are odd.
enum { BD_UPSAMPLE_CUBIC = 0, BD_UPSAMPLE_NONE = 1, BD_UPSAMPLE_HALF = 2 };

/// How to scale a matte to the width and height of a plane of pixels; made once for a pair of sizes.
struct bd_upsample {
  /// One of `BD_UPSAMPLE_…`; what follows the sizes is for the cubic only.
  int mode;
  /// Size of the matte.
  int source_width, source_height;
  /// Size of the plane in matte samples.
  int width, height;
  /// `width` rounded up to a multiple of 16: the length of each of the four runs of the next two arrays.
  int padded_width;
  /// Four taps for each column, first all first taps: weights, and columns of the matte (clamped).
  const float *x_weights;
  const int32_t *x_indices;
  /// For each group of 16 columns the lowest column of the matte that it uses.
  const int32_t *x_bases;
  /// Whether no group of 16 columns uses more than 32 columns of the matte, and no half of one more than 16.
  int x_is_compact;
  /// Four taps for each row, together: weights in Q15, and rows of the matte (clamped).
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
  /// `taps` has `radius + 1` weights, the middle one first. `padded` is scratch for `width + 2 radius + 128` floats.
  /// `output` has room for `width` rounded up to `BD_BLUR_BLOCK`; `states` gets one of `BD_BLOCK_…` for each block.
  void (*mask_blur_row)(const float *depth, int width, float cutoff, const float *taps, int radius, float *padded,
                        float *output, uint8_t *states);

  /// A trapezoid in Q15: the least of slope (value - from), slope (to - value) and 1, and 0 for what is less or no number.
  void (*focus_row)(const float *values, ptrdiff_t count, double from, double to, double slope, uint16_t *output);

  /// Blurs from top to bottom, applies `gamma` and stores row `y` in Q15.
  ///
  /// `rows` is what `mask_blur_row` made, `stride` floats a row, with `blocks` states a row.
  void (*blur_column_gamma_row)(const float *rows, ptrdiff_t stride, const uint8_t *states, int blocks, int width,
                                int height, int y, const float *taps, int radius, float gamma, uint16_t *output);

  /// Scales the matte and blends rows `from ..< to` of a plane:
  /// output = background + matte (foreground - background), rounded half up.
  ///
  /// `scratch` is 64-byte aligned and has room for `bd_composite_scratch(upsample)` bytes.
  void (*composite_rows)(const struct bd_composite_plane *plane, int from, int to, void *scratch);

  /// Scales the matte and stores rows `from ..< to` in Q15, 0...32768.
  void (*upsample_rows)(const uint16_t *matte, ptrdiff_t matte_stride, const struct bd_upsample *upsample,
                        uint16_t *output, ptrdiff_t output_stride, int from, int to, void *scratch);
};

/// Room for what is known of each block of 32 samples in a row: whole vectors.
#define BD_COMPOSITE_BLOCKS(upsample) ((upsample)->padded_width / 512 * 16 + 16)

/// Bytes of scratch that `composite_rows`, `upsample_rows` and the rows of topic "paint" need.
static inline size_t bd_composite_scratch(const struct bd_upsample *u) {
  return (size_t)4 * (u->padded_width + 64) * sizeof(int16_t) + ((size_t)u->source_width + 64) * sizeof(float) +
         (size_t)5 * BD_COMPOSITE_BLOCKS(u);
}
