// The walls round a process that decodes files, and the memory and messages that it shares with the one that started it.
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the process may take.
typedef struct {
  /// Bytes of memory of its own.
  uint64_t memory;
  /// Seconds of processor time, all threads together.
  uint64_t seconds;
} bd_sandbox_limits;

/// A wall that could not be put up.
typedef enum {
  bd_sandbox_whole = 0,
  bd_sandbox_no_limits,
  bd_sandbox_no_privileges,
  bd_sandbox_no_landlock,
  bd_sandbox_no_filter,
} bd_sandbox_fault;

/// Puts up the walls round the calling process, for good. It must have one thread.
///
/// Closes all descriptors but `kept`. Landlock is left out where the kernel has none; `landlock` becomes its version, or 0.
/// Returns the wall that failed, with `errno`.
bd_sandbox_fault bd_sandbox_enter(bd_sandbox_limits limits, int kept, int *landlock);

/// Memory of so many bytes that several processes can map and none can make smaller or larger; -1 and `errno` if there is none.
int bd_shared_memory(size_t byte_count);

/// A copy of the calling process, which must have one thread, as another child of its parent.
///
/// Returns 0 in the copy, its number in the caller, or -1 with `errno`.
int bd_fork_sibling(void);

/// A message between two processes.
typedef struct {
  uint32_t kind;
  uint32_t slot;
  uint64_t values[4];
} bd_message;

/// Both ends of a connection, which no program inherits; false with `errno`.
bool bd_connection(int ends[2]);

/// Sends a message, with a descriptor unless it is -1; false with `errno`.
bool bd_send(int connection, const bd_message *message, int descriptor);

/// Waits for a message at most so long, or for ever where `milliseconds` is negative.
///
/// `descriptor` becomes the one that came with it, or -1; where it is NULL none is taken.
/// Returns 1, or 0 where the other end is closed, or -1 with `errno`: `ETIMEDOUT`, `EBADMSG` for anything that is no message.
int bd_receive(int connection, bd_message *message, int *descriptor, int milliseconds);

#endif
