// The instructions that every CPU of the architecture has (SSE2 on x86-64, NEON on arm64).
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
#define BD_LEVEL 0
#define BD_TABLE bd_kernels_baseline
#include "all.inc"
