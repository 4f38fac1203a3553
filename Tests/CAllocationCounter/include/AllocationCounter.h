#pragma once

/// Calls of malloc, calloc, realloc and their aligned kin that this thread has made so far.
///
/// Linking this target replaces the allocator's entry points in the whole test program; they count and pass on.
/// Returns -1 where that is not possible (C libraries other than glibc).
long bd_allocation_count(void);
