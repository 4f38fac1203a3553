#include "bd_memory.h"

#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

void bd_give_back_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

void bd_expect_large_blocks(int heaps) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, heaps);
  const int step = 32 << 20;
  mallopt(M_TOP_PAD, step);
  mallopt(M_TRIM_THRESHOLD, 4 * step);
  // Video frames are allocated and freed individually: in a heap they would leave gaps of the same total size.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
#else
  (void)heaps;
#endif
}

void bd_prefer_large_pages(void *start, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // Whole pages only, so no extra memory is used. If the system refuses, nothing changes.
  const uintptr_t page = 2 << 20, first = ((uintptr_t)start + page - 1) & ~(page - 1);
  const uintptr_t end = ((uintptr_t)start + bytes) & ~(page - 1);
  if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)start, (void)bytes;
#endif
}
