#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "fuse"; see fuse.inc.
struct bd_fuse_kernels {
  /// Joins the likelihoods of one row of `count` samples. The odds of each opacity (Q15), which is limited to `limit`…1
  /// − `limit`, are multiplied by e to its ratio: `powers` has that for (ratio + `most`) · 64, ratios limited to ±
  /// `most`; opacities are then stretched back to 0…1. Samples whose ratio is 0 stay as they are. Then `probability`
  /// counts by `confidence`, 0…1, which is null where there is none.
  void (*row)(const float *ratio, const float *confidence, const float *probability, ptrdiff_t count, float limit, float most,
              const float *powers, uint16_t *matte);
};
