#pragma once

/// The number of calls to malloc, calloc, realloc and their aligned variants by this thread so far.
///
/// Linking this target replaces the allocator's entry points in the whole test program; the replacements count and forward the calls.
/// Returns -1 if that is not possible (C libraries other than glibc).
long bd_allocation_count(void);
