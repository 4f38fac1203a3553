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

void bd_expect_large_blocks(void) {
#if defined(__GLIBC__)
  const int step = 32 << 20;
  mallopt(M_TOP_PAD, step);
  mallopt(M_TRIM_THRESHOLD, 4 * step);
  // Frames of video come and go by themselves: kept in a heap they would hold as much again in gaps between them.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
}

void bd_prefer_large_pages(void *start, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // Whole ones alone, so that no memory is taken beyond what was asked for. A refusal changes nothing.
  const uintptr_t page = 2 << 20, first = ((uintptr_t)start + page - 1) & ~(page - 1);
  const uintptr_t end = ((uintptr_t)start + bytes) & ~(page - 1);
  if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)start, (void)bytes;
#endif
}
