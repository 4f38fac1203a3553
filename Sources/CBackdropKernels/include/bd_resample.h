#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "resample"; see resample.inc.
struct bd_resample_kernels {
  int unused;
};
