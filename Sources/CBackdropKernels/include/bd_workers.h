#pragma once

/// A few threads that share the parts of a job; waiting ones spin briefly and then sleep.
typedef struct bd_workers bd_workers;

/// Makes `threads - 1` threads; the caller of `bd_workers_run` is the remaining one. Returns NULL if that fails.
bd_workers *bd_workers_create(int threads);
void bd_workers_destroy(bd_workers *workers);

/// Calls `work(context, part)` for every part in 0 ..< parts (at most 2^20 - 1), in any order and on any thread; returns when all are done.
/// Not reentrant; only one caller at a time.
void bd_workers_run(bd_workers *workers, int parts, void (*work)(void *context, int part), void *context);

/// Starts `count` threads that wait for each other, and ends them. Returns the number that the system could start.
int bd_threads_possible(int count);
