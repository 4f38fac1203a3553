#pragma once
#include <stddef.h>
#include <stdint.h>

struct bd_fuse_kernels {
  /// Joins the likelihoods of one row of `count` samples. The odds of each opacity (Q15), limited to `limit`…1 − `limit`, are multiplied by
  /// e to the power of its ratio: `powers` has that power for (ratio + `most`) · 64, ratios limited to ± `most`; opacities are then
  /// stretched back to 0…1. Samples with a ratio of 0 do not change. Then `probability` is weighted by `confidence`, 0…1; `confidence` is
  /// null if there is none.
  void (*row)(const float *ratio, const float *confidence, const float *probability, ptrdiff_t count, float limit, float most,
              const float *powers, uint16_t *matte);
};
