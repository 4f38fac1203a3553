#include "BackdropKernels.h"

extern const struct bd_kernels bd_kernels_baseline;
#if defined(__x86_64__)
extern const struct bd_kernels bd_kernels_v3, bd_kernels_v4;
#endif

int bd_cpu_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 2;
  if (__builtin_cpu_supports("x86-64-v3")) return 1;
#endif
  return 0;
}

const struct bd_kernels *bd_kernels_at(int level) {
#if defined(__x86_64__)
  if (level == 2) return &bd_kernels_v4;
  if (level == 1) return &bd_kernels_v3;
#endif
  (void)level;
  return &bd_kernels_baseline;
}
