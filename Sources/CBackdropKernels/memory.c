#include "bd_memory.h"

#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

void bd_give_back_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}
