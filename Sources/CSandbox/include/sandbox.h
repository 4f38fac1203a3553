// The sandbox of a process that decodes files, and the memory and messages that it shares with the process that started it.
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The limits of the process.
typedef struct {
  /// Bytes of private memory.
  uint64_t memory;
  /// Seconds of processor time, all threads together.
  uint64_t seconds;
} bd_sandbox_limits;

/// The part of the sandbox that could not be set up.
typedef enum {
  bd_sandbox_whole = 0,
  bd_sandbox_no_limits,
  bd_sandbox_no_privileges,
  bd_sandbox_no_landlock,
  bd_sandbox_no_filter,
} bd_sandbox_fault;

/// Puts the calling process, which must have one thread, into the sandbox for good.
///
/// Closes all descriptors but `kept`. Landlock is left out if the kernel has none; `landlock` becomes its version, or 0. Returns the part
/// that failed, with `errno`.
bd_sandbox_fault bd_sandbox_enter(bd_sandbox_limits limits, int kept, int *landlock);

/// Creates memory that several processes can map and none can resize; returns its descriptor, or -1 with `errno`.
int bd_shared_memory(size_t byte_count);

/// Copies the calling process, which must have one thread, as another child of its parent.
///
/// Returns 0 in the copy, its process identifier in the caller, or -1 with `errno`.
int bd_fork_sibling(void);

/// A message between two processes.
typedef struct {
  uint32_t kind;
  uint32_t slot;
  uint64_t values[4];
} bd_message;

/// Creates both ends of a connection, which no started program inherits; returns false with `errno` if it fails.
bool bd_connection(int ends[2]);

/// Sends a message, with a descriptor unless it is -1; returns false with `errno` if it fails.
bool bd_send(int connection, const bd_message *message, int descriptor);

/// Waits for a message for at most `milliseconds`, or without limit if that is negative.
///
/// `descriptor` becomes the one that came with it, or -1; if it is NULL, none is received. Returns 1, or 0 if the other end is closed, or
/// -1 with `errno`: `ETIMEDOUT`, or `EBADMSG` for an invalid message.
int bd_receive(int connection, bd_message *message, int *descriptor, int milliseconds);

#endif
