#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kinds of samples: 0 uint8_t, 1 uint16_t, 2 float.

/// Taps of the vertical axis: output row y is the sum over k of weights[y * taps + k] * source row (first[y] + k).
struct bd_rows {
  int taps;
  const int32_t *first;
  const float *weights;
};

/// Taps of the horizontal axis of pixels with `channels` interleaved samples.
///
/// Output pixel x is the sum over k of pixel_weights[x * taps + k] * source pixel (first[x] + k). The same, spread over blocks of `lanes`
/// samples: sample j of block b reads source sample base[b] + index[b * lanes + j] + k * channels and weighs it with weights[(b * taps + k)
/// * lanes + j]. `narrow` means that every index is below `lanes`; a four-channel table that is not narrow has no blocks.
struct bd_columns {
  int width, channels, taps, lanes, narrow;
  const int32_t *first;
  const float *pixel_weights;
  const int32_t *base;
  const int32_t *index;
  const float *weights;
};

/// Separable resampling of output rows y0 up to y1. Strides are in bytes, `src_samples` and `dst_samples` count the samples of a row.
/// `columns` may be null for an unchanged width. `scratch` holds `scratch_rows` rows of `scratch_row` floats, 64-byte aligned: 2 with
/// `rows_first`, 1 + rows->taps otherwise. Kernels read up to 64 bytes past the end of a source row without using them.
struct bd_resample_job {
  const void *src;
  ptrdiff_t src_stride, src_samples;
  void *dst;
  ptrdiff_t dst_stride, dst_samples;
  const struct bd_rows *rows;
  const struct bd_columns *columns;
  float *scratch;
  ptrdiff_t scratch_row;
  int src_kind, dst_kind, rows_first, y0, y1;
};

/// Separable convolution with replicated edges. `taps_x` holds 2 * radius_x + 1 weights; `taps_y` holds 2 * radius_y + 1 weights with three
/// zeros before and after them. `strip` is the number of pixel columns processed at a time; a ring row has `strip_row` floats, at least
/// strip * channels + 64; the padded row `padded` has (strip + 2 * radius_x) * channels + 128 floats; `ring` has min(2 * radius_y + 4,
/// height) rows; `order` has 2 * radius_y + 4 pointers.
struct bd_fir_job {
  const void *src;
  ptrdiff_t src_stride;
  void *dst;
  ptrdiff_t dst_stride;
  const float *taps_x, *taps_y;
  float *padded, *ring;
  const float **order;
  ptrdiff_t strip_row;
  int src_kind, dst_kind, width, height, channels, radius_x, radius_y, strip;
};

/// Running-sum mean over (2 * radius_x + 1) by (2 * radius_y + 1) pixels with replicated edges. `sums` has (2 * width + 2 * radius_x + 1) *
/// channels doubles.
struct bd_box_job {
  const void *src;
  ptrdiff_t src_stride;
  void *dst;
  ptrdiff_t dst_stride;
  void *sums;
  int kind, width, height, channels, radius_x, radius_y;
};

struct bd_resample_kernels {
  void (*resample)(const struct bd_resample_job *job);
  void (*fir)(const struct bd_fir_job *job);
  void (*box)(const struct bd_box_job *job);
  /// Means of 2×2 bytes, rounded half up: the same as `resample` for an area of exactly two pixels on both axes. Uses only
  /// `columns->channels` and no scratch memory.
  void (*halve)(const struct bd_resample_job *job);
};
