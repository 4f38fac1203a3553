// x86-64-v3. An attribute instead of a compiler flag sets the level, because packages with unsafe flags cannot be
// dependencies.
#if defined(__x86_64__)
#include <immintrin.h>
#define BD_LEVEL 1
#define BD_TABLE bd_kernels_v3
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#include "all.inc"
#pragma clang attribute pop
#endif
