#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "morphology"; see morphology.inc.
struct bd_morphology_kernels {
  int unused;
};
