#pragma once
#include <stddef.h>
#include <stdint.h>

/// The limits for a census.
struct bd_plate_limits {
  float enough, explained, sure_person, largest;
};

/// Kernels of topic "plate"; see plate.inc. Each processes one row of `count` samples, and the rows of a call must not overlap unless
/// stated otherwise.
struct bd_plate_kernels {
  /// The colours of BGRA pixels, 0...255.
  void (*split)(const uint8_t *bgra, ptrdiff_t count, float *red, float *green, float *blue);
  /// a + b + c; they may be the same row.
  void (*add)(const float *a, const float *b, const float *c, ptrdiff_t count, float *to);
  /// The sum of three neighbours, times `scale`, edges replicated.
  void (*across)(const float *from, ptrdiff_t count, float scale, float *to);
  /// gain · v + offset for the least, the largest and the middle of three vertically adjacent samples. `lower` and `upper` have one more
  /// sample at each end, a copy of the nearest.
  void (*bounds)(const float *above, const float *middle, const float *below, ptrdiff_t count, float gain, float offset,
                 float *lower, float *upper, float *center);
  /// The squared distance of each colour from its bounds, or from its bounds in a shadow if that is less. `bounds` are lower, upper and
  /// center of each channel, the row begins at sample `start` of the frame's planes; `deepest` is the darkest shadow; a shadow costs
  /// (`cost` · (1 − shadow))².
  void (*squares)(const float *const *frame, ptrdiff_t start, const float *const *bounds, ptrdiff_t count, float deepest,
                  float cost, float *to);
  /// Square roots of values / (variance + least).
  void (*deviations)(float *values, const float *variance, ptrdiff_t count, float least);
  /// Counts differences by bins[16 · difference]: `counts` has 3 · `kinds` numbers, for uncertain samples, certain background and certain
  /// persons. `cells` has 5 sums for each 8 samples: certain background, the part of it with a difference below `explained`, certain
  /// persons, the part of them with such a difference, and samples that are more person than background.
  void (*census)(const float *difference, const float *certain, const float *seen, const float *opacity, ptrdiff_t count,
                 const struct bd_plate_limits *limits, const uint8_t *bins, int32_t *counts, ptrdiff_t kinds,
                 float *cells);
  /// table[16 · difference] · trust, with differences limited to `largest`.
  void (*ratios)(const float *difference, ptrdiff_t count, float largest, const float *table, float trust, float *to);
  /// Ratios times their weight for or against a person, or 0 for samples seen less often than `enough`.
  void (*weigh)(const float *ratio, const float *weight_for, const float *weight_against, const float *seen,
                ptrdiff_t count, float enough, float *to);
  /// Sums of w, w x, w y, w x², w x y, where x and y are the means and values minus 128, and w is Geman and McClure's weight of the
  /// residual from gain · mean + offset.
  void (*fit)(const float *values, const float *means, ptrdiff_t count, float gain, float offset, float narrowness,
              float sums[5]);
};
