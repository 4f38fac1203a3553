#pragma once
#include <stddef.h>
#include <stdint.h>

/// A pixel's candidates come in blocks of this many.
#define BD_STEREO_BLOCK 16
/// Elements around a pixel's candidates in a row of path costs: 8 before and 8 after.
#define BD_STEREO_MARGIN 16

/// The cost of a change of disparity on a path: by one step, and by more.
struct bd_stereo_penalties {
  uint16_t small, large;
};

/// Kernels of topic "stereo"; see stereo.inc. Disparities are found by semi-global matching (Hirschmüller, "Stereo Processing by
/// Semiglobal Matching and Mutual Information", PAMI 2008).
struct bd_stereo_kernels {
  /// For 31 pairs of opposite pixels in a window of 9×7, whether the second is darker, one bit each. `rows` are the seven rows around that
  /// of `count` pixels, with 4 more pixels at each end.
  void (*census)(const uint8_t *const rows[7], ptrdiff_t count, uint32_t *to);
  /// The bits that differ: to[depth · x + d] for left[x] and mirrored[count − 1 − x + d], which is the other row reversed.
  void (*costs)(const uint32_t *left, const uint32_t *mirrored, ptrdiff_t count, ptrdiff_t depth, uint8_t *to);
  /// The costs of the best paths to each pixel of a row from four directions: beside, and three above. If `backward`, goes to the left and
  /// adds to `sums`; otherwise sets `sums`. `above` and `here` are rows of three directions, each of (count + 2) · (depth +
  /// BD_STEREO_MARGIN) numbers, whose first and last pixel are 0; `beside` is scratch memory for two such pixels.
  void (*paths)(const uint8_t *costs, ptrdiff_t count, ptrdiff_t depth, const struct bd_stereo_penalties *penalties,
                const uint16_t *const above[3], uint16_t *const here[3], uint16_t *beside, int backward, uint16_t *sums);
  /// The candidate with the least cost for each pixel (the first if equal), in steps of 1/256, by the parabola through its neighbours.
  void (*winners)(const uint16_t *sums, ptrdiff_t count, ptrdiff_t depth, int32_t *to);
  /// The same for pixels of the other row, in whole steps, in reverse order: to[count − 1 − x + d] is found for a pixel x. `best` and `to`
  /// have count + depth numbers.
  void (*mirrored_winners)(const uint16_t *sums, ptrdiff_t count, ptrdiff_t depth, uint16_t *best, uint16_t *to);
};
