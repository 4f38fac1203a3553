#pragma once
#include <stddef.h>
#include <stdint.h>

/// The limits for ``bd_temporal_kernels.movement``.
struct bd_movement_bounds {
  /// Samples of a matte below `outside` are around the people; samples above `inside` belong to them.
  int32_t outside, inside;
  /// The minimum difference of a changed sample.
  float change;
};

/// Counts and sums of samples around and within the people, and of changed ones.
struct bd_movement {
  int64_t round, within, round_changed, within_changed;
  /// Of those around the people: samples now and before, squares before, products of both.
  double sum, sum_before, squares, products;
};

/// Kernels of topic "temporal"; see temporal.inc. Each processes one row of `count` samples.
struct bd_temporal_kernels {
  /// The mean of a pixel's colours, 0...1: `step` is 1 for grey and luma, 3 or 4 bytes a pixel for colours.
  void (*brightness)(const uint8_t *from, int step, ptrdiff_t count, float *to);
  /// Absolute differences; returns their sum.
  float (*difference)(const float *a, const float *b, ptrdiff_t count, float *to);
  /// The largest sample, at least 0.
  float (*largest)(const float *from, ptrdiff_t count);
  /// A matte (Q15, larger samples count as 1) moves from `state` by a gain of `floor` plus (`change` - `noise`) `slope`, at most 1. The
  /// result is stored in `state` and, rounded half up, in the matte.
  void (*settle)(uint16_t *matte, float *state, const float *change, ptrdiff_t count, float floor, float noise,
                 float slope);
  /// A matte (Q15, larger samples count as 1) moves from `state` by the largest of its gain, `floor` and 1 − |step| `slope`, each at most
  /// 1; the result, rounded half up, is stored in `state` and the matte. A sample's gain is gains[columns[x]], or 1 where its column is
  /// negative.
  void (*calm)(uint16_t *matte, uint16_t *state, const float *gains, const int32_t *columns, ptrdiff_t count, float floor,
               float slope);
  /// Adds up the changes of every second sample, starting with the first: `change`, or the difference if that is null. Without a matte all
  /// samples count as around the people.
  void (*movement)(const uint16_t *opacity, const float *before, const float *now, const float *change, ptrdiff_t count,
                   const struct bd_movement_bounds *bounds, struct bd_movement *sums);
  /// Counts, of every second sample, those around the people that differ after `before` is adapted to the current light.
  int64_t (*others)(const uint16_t *opacity, const float *before, const float *now, ptrdiff_t count,
                    const struct bd_movement_bounds *bounds, float gain, float offset);
  /// The sum of the distances of a matte's samples (Q15, larger ones count as 1) from 0 or 1, whichever is nearer.
  uint64_t (*uncertainty)(const uint16_t *matte, ptrdiff_t count);
  /// Converts 0...1 to samples of a matte, rounded to nearest; NaN counts as 0.
  void (*quantise)(const float *from, ptrdiff_t count, uint16_t *to);
  /// Adds a matte's samples (Q15, larger ones count as 1) to sums.
  void (*accumulate)(const uint16_t *matte, ptrdiff_t count, uint32_t *sums);
  /// (sample − black) · scale, limited to 0...1.
  void (*stretch)(const uint16_t *matte, ptrdiff_t count, float black, float scale, float *to);
  /// Converts every `step`th byte to 0...1, each for 1 << `shift` samples.
  void (*channel)(const uint8_t *from, ptrdiff_t step, int shift, ptrdiff_t count, float *to);
  /// The sum of a matte's samples (Q15, larger ones count as 1).
  uint64_t (*sum)(const uint16_t *matte, ptrdiff_t count);
  /// A network's input from pixels of 4 bytes: to[start[i] + x step] = byte order[i] of pixel x · factor[i] + offset[i].
  void (*tensor)(const uint8_t *from, ptrdiff_t count, const int32_t *order, const float *factor, const float *offset,
                 float *to, const ptrdiff_t *start, ptrdiff_t step);
};
