#pragma once
#include <stddef.h>

/// Gives memory that was freed back to the system, where the C library keeps it.
void bd_give_back_memory(void);

/// Asks the system to back memory that begins at `start` by large pages, where it does so on demand alone. Pictures are read and
/// written faster by a third then, and come to be in a fraction of the time.
void bd_prefer_large_pages(void *start, size_t bytes);
