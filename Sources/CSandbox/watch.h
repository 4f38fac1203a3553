// What the process that waits for a decoder does meanwhile: answers the kernel, and measures memory that no limit counts.
#ifndef BD_WATCH_H
#define BD_WATCH_H

#include "sandbox.h"

/// Milliseconds between two measurements.
#define BD_WATCH_INTERVAL 20

/// Answers a question of the kernel; `events` are those of poll(2).
void bd_watch_answer(bd_watch *watch, short events);

/// Whether the process has more memory than it may.
bool bd_watch_exceeds(const bd_watch *watch);

#endif
