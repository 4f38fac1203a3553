#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "matte"; see matte.inc.
struct bd_matte_kernels {
  int unused;
};
