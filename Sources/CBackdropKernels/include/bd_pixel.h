#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "pixel"; see pixel.inc.
struct bd_pixel_kernels {
  int unused;
};
