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
  /// The most threads at a time. With 0, the process starts no thread.
  uint64_t threads;
} bd_sandbox_limits;

/// The part of the sandbox that could not be set up.
typedef enum {
  bd_sandbox_whole = 0,
  bd_sandbox_no_limits,
  bd_sandbox_no_privileges,
  bd_sandbox_no_landlock,
  bd_sandbox_no_filter,
} bd_sandbox_fault;

/// Gives up what the calling process, which must have one thread, shares with others, and all rights of root: supplementary groups,
/// namespaces, the tree of files, capabilities.
///
/// Leaves out what the kernel or a container refuses, since the filter of `bd_sandbox_enter` alone suffices. After this, the process opens
/// no files, so it must have opened its libraries. Its copies inherit all of it.
void bd_sandbox_separate(void);

/// Puts the calling process, which must have one thread, into the sandbox for good.
///
/// Closes all descriptors but `kept`, a connection. Landlock is left out if the kernel has none; `landlock` becomes its version, or 0. If
/// `threads` is not 0, the kernel asks before each thread: a message of the kind `bd_message_threads` with a descriptor for `bd_watch`
/// goes through the connection. Kernels before 5.7 do not ask, and send no message. Returns the part that failed, with `errno`.
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

/// The kind of the message from `bd_sandbox_enter`.
enum { bd_message_threads = 14 };

/// What a process in the sandbox may take while another waits for its messages.
typedef struct {
  /// The descriptor on which the kernel asks before each thread; -1 for none.
  int listener;
  /// Its file /proc/PID/status; -1 for none.
  int status;
  /// The most threads, and bytes of private memory with page tables, that it may have.
  uint32_t threads;
  uint64_t memory;
  /// The number of threads that it has started. Without its file, all of them count as its threads.
  uint32_t started;
} bd_watch;

/// Starts to watch a process, which is not yet in the sandbox: after that, /proc may hide it.
bd_watch bd_watch_begin(int process, uint32_t threads, uint64_t memory);

/// Closes the descriptors.
void bd_watch_end(bd_watch *watch);

/// Creates both ends of a connection, which no started program inherits; returns false with `errno` if it fails.
bool bd_connection(int ends[2]);

/// Sends a message, with a descriptor unless it is -1; returns false with `errno` if it fails.
bool bd_send(int connection, const bd_message *message, int descriptor);

/// Waits for a message for at most `milliseconds`, or without limit if that is negative.
///
/// `descriptor` becomes the one that came with it, or -1; if it is NULL, none is received. Returns 1, or 0 if the other end is closed, or
/// -1 with `errno`: `ETIMEDOUT`, or `EBADMSG` for an invalid message. With `watch`, it meanwhile answers the kernel for the process and
/// measures its memory; `errno` also becomes `ENOMEM` if it has too much.
int bd_receive(int connection, bd_watch *watch, bd_message *message, int *descriptor, int milliseconds);

#endif
