// The instructions that every CPU of the architecture has (SSE2 on x86-64).
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#define BD_LEVEL 0
#define BD_TABLE bd_kernels_baseline
#include "all.inc"
