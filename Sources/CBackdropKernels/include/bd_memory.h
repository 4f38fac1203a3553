#pragma once
#include <stddef.h>

/// Returns freed memory to the system, if the C library keeps it.
void bd_give_back_memory(void);

/// Makes the C library grow its heaps in large steps and keep freed blocks of up to 4 MiB for reuse, for a program that works on pictures.
/// Otherwise the heap of each thread grows one page at a time, each with a system call, while all other threads wait to touch new memory;
/// and each block of 128 KiB comes from the system again. Untouched memory takes no space. Call it before the first thread starts.
void bd_expect_large_blocks(void);

/// Asks the system to use large pages for the memory that begins at `start`, if it does so only on request. This makes it faster to
/// allocate, read and write pictures.
void bd_prefer_large_pages(void *start, size_t bytes);
