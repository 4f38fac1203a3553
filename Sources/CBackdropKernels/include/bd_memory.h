#pragma once
#include <stddef.h>

/// Returns freed memory to the system, if the C library keeps it.
void bd_give_back_memory(void);

/// Makes the C library share that many heaps among all threads, grow them in large steps and keep freed blocks of up to 4 MiB for reuse,
/// for a program that works on pictures. Otherwise each thread has a heap, up to eight for each processor, which keeps what the thread has
/// freed; it grows one page at a time, each with a system call, while all other threads wait to touch new memory; and each block of
/// 128 KiB comes from the system again. Untouched memory takes no space. Call it before the first thread starts.
void bd_expect_large_blocks(int heaps);

/// Asks the system to use large pages for the memory that begins at `start`, if it does so only on request. This makes it faster to
/// allocate, read and write pictures.
void bd_prefer_large_pages(void *start, size_t bytes);
