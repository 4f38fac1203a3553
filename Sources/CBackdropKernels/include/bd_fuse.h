#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "fuse"; see fuse.inc.
struct bd_fuse_kernels {
  /// What several witnesses say of one row of `count` samples. The odds of each opacity (Q15), taken for no surer than `doubt`, are
  /// multiplied by e to its vote: `powers` has that for (vote + `most`) · 64, votes limited to ± `most`; what was taken for `doubt` is 0
  /// again then. Samples without a vote stay as they are. Then the word counts as far as `sure`, 0…1, which is null where there is
  /// none.
  void (*row)(const float *vote, const float *sure, const float *word, ptrdiff_t count, float doubt, float most,
              const float *powers, uint16_t *matte);
};
