#pragma once
#include <stddef.h>
#include <stdint.h>

/// Kernels of topic "convert"; see convert.inc.
struct bd_convert_kernels {
  int unused;
};
