#pragma once
#include <stddef.h>
#include <stdint.h>

/// Columns that the guided filter handles at once.
#define BD_GUIDED_BLOCK 16

/// What a block of a row is made of: the matte is 0, or 1, in all that it depends on; or neither.
enum { BD_GUIDED_ZERO = 0, BD_GUIDED_ONE = 1, BD_GUIDED_MIXED = 2 };

/// Buffers of the guided filter of one matte.
///
/// All planes of floats share `stride` and are surrounded by zeros: pointers are to the sample (0, 0), and at least
/// `radius` rows above and below and `BD_GUIDED_BLOCK` columns to the left and right of the width rounded up to whole
/// blocks are readable.
struct bd_guided {
  /// Three channels of the picture at the matte's size, and the matte, 0...1.
  const float *guide[3], *matte;
  /// Means over each sample's pixels of the channels' products (00, 01, 02, 11, 12, 22), and how surely it is background,
  /// 0...1; only written near the edge.
  float *product[6], *background;
  /// Weights of the three channels, the constant, and how far they are trusted, as found in each window.
  float *found[5];
  /// Weights and constant averaged over the windows, with the matte's own opacity for what is not trusted.
  float *mean[4];
  /// How far they are trusted, averaged; 1 where not written.
  float *trust;
  ptrdiff_t stride;
  /// `blocks` for each row: what `found` and `mean` are there. Where not mixed, `found` and `mean` are not written.
  uint8_t *found_states, *mean_states;
  /// The samples of each block whose windows are not all 0 or all 1, one bit each.
  uint16_t *mixed;
  int width, height, blocks, radius;
  float epsilon;
  /// How much of the filter's result is taken, 0...1; the rest is the matte's own opacity.
  float strength;
  /// Whether `product` has what varies within samples, too.
  int sees_pixels;
  /// Half the side of the windows in which the background's texture is measured.
  int texture_radius;
  /// One by the variance of opacity that the weights may make of it: at that they are trusted by half.
  float texture_scale;
  /// Slope of the matte's own opacity round one half where it takes the place of the weights.
  float own_slope;
};

/// The picture at its own size: three channels of bytes.
struct bd_guided_picture {
  const uint8_t *channel[3];
  ptrdiff_t stride[3];
  /// Bytes from a sample to the next.
  int step[3];
  /// 1 where a channel has half the picture's width and height.
  int halved[3];
  int width, height;
  /// Of `x_index`, `x_fraction`: for each column of the picture rounded up to whole blocks, the matte's column to its left
  /// (clamped so that it and the next are valid) and how far it lies towards the next.
  const int32_t *x_index;
  const float *x_fraction;
  /// Opacity becomes (opacity - threshold) sharpness + 0.5, clamped.
  float sharpness, threshold;
  uint16_t *output;
  ptrdiff_t output_stride;
};

/// Floats that a thread needs to apply `blocks` blocks of weights to a picture: a row of the four at the matte's width, with
/// a block to read beyond its end; two at the picture's; and what their blocks are, a byte each.
static inline ptrdiff_t bd_guided_scratch(ptrdiff_t blocks, ptrdiff_t picture_width) {
  const ptrdiff_t drawn = (picture_width + BD_GUIDED_BLOCK - 1) / BD_GUIDED_BLOCK;
  return 4 * (blocks + 1) * BD_GUIDED_BLOCK + 8 * drawn * BD_GUIDED_BLOCK + drawn;
}

/// Kernels of topic "refine"; see refine.inc.
struct bd_refine_kernels {
  /// Finds the windows of rows `from ..< to` that have something to decide: `found_states` and `mixed`.
  void (*guided_states)(const struct bd_guided *job, int from, int to);
  /// Measures rows `from ..< to` of what `product` and `background` are; all states are known.
  void (*guided_texture)(const struct bd_guided *job, const struct bd_guided_picture *picture, int from, int to);
  /// Solves the windows of rows `from ..< to`; all texture is known.
  void (*guided_windows)(const struct bd_guided *job, int from, int to);
  /// Averages them for rows `from ..< to`; all windows have been solved.
  void (*guided_means)(const struct bd_guided *job, int from, int to);
  /// Applies them to rows `from ..< to` of the picture and stores opacity in Q15. `scratch` has room for
  /// `bd_guided_scratch` floats, zero at first.
  void (*guided_apply)(const struct bd_guided *job, const struct bd_guided_picture *picture, int from, int to,
                       float *scratch);
};
