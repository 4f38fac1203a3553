#pragma once
#include <stddef.h>
#include <stdint.h>

/// The fraction of a value that passes from one pixel to the next: 2^-(near + color · difference of colours + depth · relative difference
/// of depth), at least BD_GUIDE_LEAST.
struct bd_guide_falloff {
  /// For the distance alone; for a step of 1 of 255 in one channel; for a doubling of the depth.
  float near, color, depth;
};

/// The fraction that passes even across the strongest edges, enough that every hole gets a value.
#define BD_GUIDE_LEAST 0.015625f

/// Kernels of topic "guide"; see guide.inc. Planes as in topic "filter".
struct bd_guide_kernels {
  /// Pixels of 4 bytes, each the mean of four of two rows `width` wide: those in columns left[x] and right[x]. `scratch` has
  /// `width` pixels.
  void (*shrink)(const uint32_t *above, const uint32_t *below, ptrdiff_t width, const int32_t *left,
                 const int32_t *right, ptrdiff_t count, uint32_t *to, uint32_t *scratch);
  /// Least and greatest of 2 reach + 1 samples in a row; the samples at its ends are repeated beyond them. `scratch` has count + 2 reach +
  /// 16 floats.
  void (*extremes)(const float *from, ptrdiff_t count, int reach, float *least, float *greatest, float *scratch);
  /// Samples become holes unless, in all of `rows` rows, the least is not a hole and the greatest is at most `ratio` times the least.
  void (*distrust)(float *row, const float *const *least, const float *const *greatest, int rows, ptrdiff_t count,
                   float ratio);
  /// A mean over up to `most` frames, in metres. A value joins if it differs from the mean by less than `gate` in 1/m; otherwise the mean
  /// starts again. Holes keep the mean for `hold` frames. Adds the differences in 1/m, and their number, to `noise`.
  void (*adaptive_mean)(float *row, float *mean, float *frames, float *age, ptrdiff_t count, float most, float gate,
                 float hold, float *noise);
  /// The fractions that pass from pixels `b` to pixels `a`.
  void (*links)(const uint32_t *a, const uint32_t *b, const float *depth_a, const float *depth_b, ptrdiff_t count,
                const struct bd_guide_falloff *falloff, float *to);
  /// Spreads depth z along up to BD_FILTER_STRIP rows, to the right and back, then again with the links squared. It is averaged in 1/z with
  /// a weight that grows with z, so it is stored as z² and z³. `link` is between a pixel and the one to its left. `width` is a multiple of
  /// 16; `scratch` has 3 BD_FILTER_STRIP · width floats.
  void (*spread_rows)(const float *depth, const float *link, float *value, float *weight, ptrdiff_t stride, int rows,
                      ptrdiff_t width, float *scratch);
  /// One step across rows, from the row that was processed before.
  void (*spread_across)(float *value, float *weight, const float *last_value, const float *last_weight,
                        const float *link, ptrdiff_t width, int squared);
  /// Computes depth from value and weight; existing depth moves towards it by the fraction `strength`.
  void (*resolve)(const float *value, const float *weight, ptrdiff_t count, float strength, float *row);
};
