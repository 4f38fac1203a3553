#pragma once
#include <stddef.h>
#include <stdint.h>

/// Columns that the guided filter processes at once.
#define BD_GUIDED_BLOCK 16

/// The content of a block of a row: the matte is 0 in everything it depends on, or 1, or neither.
enum { BD_GUIDED_ZERO = 0, BD_GUIDED_ONE = 1, BD_GUIDED_MIXED = 2 };

/// Buffers of the guided filter for one matte.
///
/// All planes of floats share `stride` and are surrounded by zeros: pointers are to the sample (0, 0), and at least
/// `radius` rows above and below and `BD_GUIDED_BLOCK` columns to the left and right of the width rounded up to whole
/// blocks are readable.
struct bd_guided {
  /// Three channels of the picture at the matte's size, and the matte, 0...1.
  const float *guide[3], *matte;
  /// Means over each sample's pixels of the channels' products (00, 01, 02, 11, 12, 22), and the certainty of background, 0...1; written
  /// only near the edge.
  float *product[6], *background;
  /// Weights of the three channels, the constant, and the trust in them, as found in each window.
  float *found[5];
  /// Weights and constant averaged over the windows; where they are not trusted, the matte's own opacity.
  float *mean[4];
  /// The averaged trust in them; 1 where not written.
  float *trust;
  ptrdiff_t stride;
  /// `blocks` for each row: the states of `found` and `mean`. Where not mixed, `found` and `mean` are not written.
  uint8_t *found_states, *mean_states;
  /// The samples of each block whose windows are neither all 0 nor all 1, one bit each.
  uint16_t *mixed;
  int width, height, blocks, radius;
  float epsilon;
  /// The fraction of the filter's result that is used, 0...1; the rest is the matte's own opacity.
  float strength;
  /// Whether `product` includes the variation within samples.
  int sees_pixels;
  /// Half the side of the windows for measuring the background's texture.
  int texture_radius;
  /// The inverse of the variance in opacity at which the weights are trusted by half.
  float texture_scale;
  /// Slope of the matte's own opacity around one half where it replaces the weights.
  float own_slope;
};

/// The picture at its own size: three channels of bytes.
struct bd_guided_picture {
  const uint8_t *channel[3];
  ptrdiff_t stride[3];
  /// Bytes from one sample to the next.
  int step[3];
  /// 1 where a channel has half the picture's width and height.
  int halved[3];
  int width, height;
  /// Of `x_index`, `x_fraction`: for each column of the picture rounded up to whole blocks, the matte's column to its left (clamped so that
  /// it and the next are valid) and the fraction of the way to the next.
  const int32_t *x_index;
  const float *x_fraction;
  /// Opacity becomes (opacity - threshold) sharpness + 0.5, clamped.
  float sharpness, threshold;
  uint16_t *output;
  ptrdiff_t output_stride;
};

/// Floats that a thread needs to apply `blocks` blocks of weights to a picture: a row of all four at the matte's width, with a readable
/// block past its end; two rows at the picture's width; and their blocks' states, one byte each.
static inline ptrdiff_t bd_guided_scratch(ptrdiff_t blocks, ptrdiff_t picture_width) {
  const ptrdiff_t drawn = (picture_width + BD_GUIDED_BLOCK - 1) / BD_GUIDED_BLOCK;
  return 4 * (blocks + 1) * BD_GUIDED_BLOCK + 8 * drawn * BD_GUIDED_BLOCK + drawn;
}

struct bd_refine_kernels {
  /// Finds the windows of rows `from ..< to` in which the matte is undecided: `found_states` and `mixed`.
  void (*guided_states)(const struct bd_guided *job, int from, int to);
  /// Measures rows `from ..< to` of `product` and `background`; all states must be known.
  void (*guided_texture)(const struct bd_guided *job, const struct bd_guided_picture *picture, int from, int to);
  /// Solves the windows of rows `from ..< to`; all texture must be known.
  void (*guided_windows)(const struct bd_guided *job, int from, int to);
  /// Averages the weights of windows for rows `from ..< to`; all windows must have been solved.
  void (*guided_means)(const struct bd_guided *job, int from, int to);
  /// Applies the averaged weights to rows `from ..< to` of the picture and stores opacity in Q15. `scratch` has `bd_guided_scratch` floats,
  /// initially zero.
  void (*guided_apply)(const struct bd_guided *job, const struct bd_guided_picture *picture, int from, int to,
                       float *scratch);
};
