#include "AllocationCounter.h"

#include <errno.h>
#include <stddef.h>

// Sanitizers replace these functions themselves, and start before thread-local memory exists.
#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
static _Thread_local long count;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
  count++;
  return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
  count++;
  return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count++;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

long bd_allocation_count(void) { return count; }
#else
long bd_allocation_count(void) { return -1; }
#endif
