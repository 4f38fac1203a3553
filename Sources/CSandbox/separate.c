// What a process may leave behind before it enters the sandbox. The filter refuses every call that these layers would refuse; they are there
// for faults of the kernel in the calls that remain.
#include "sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The same numbers on all machines, and newer than some systems' headers: move_mount(2), fsopen(2), fsconfig(2), fsmount(2).
#define CALL_move_mount 429
#define CALL_fsopen 430
#define CALL_fsconfig 431
#define CALL_fsmount 432
#define CLOSE_on_exec 1
#define CONFIG_create 6
#define ATTRIBUTES_readonly_nosuid_nodev_noexec 0xF
#define MOVE_this 4

/// Makes an empty file system, which nobody can write to, the root of this process, which has a mount namespace of its own.
static void leave_files(void) {
  // Otherwise the new root would appear in the namespace that this one was copied from.
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return;
  int context = (int)syscall(CALL_fsopen, "tmpfs", CLOSE_on_exec);
  if (context < 0) return;
  int root = -1;
  if (syscall(CALL_fsconfig, context, CONFIG_create, NULL, NULL, 0) == 0)
    root = (int)syscall(CALL_fsmount, context, CLOSE_on_exec, ATTRIBUTES_readonly_nosuid_nodev_noexec);
  // To close a file system that is mounted nowhere takes some milliseconds.
  if (root >= 0 && syscall(CALL_move_mount, root, "", AT_FDCWD, "/", MOVE_this) == 0 && fchdir(root) == 0 && chroot(".") != 0)
    (void)!chdir("/");
  if (root >= 0) close(root);
  close(context);
}

/// Whether the process has a capability that it can give up. Service managers end processes that change capabilities or groups, even if
/// they have none to change, so this process asks first.
static bool has_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct now[2];
  memset(now, 0, sizeof now);
  return syscall(SYS_capget, &header, now) == 0 && (now[0].permitted | now[1].permitted) != 0;
}

static void drop_capabilities(void) {
  if (!has_capabilities()) return;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // The kernel knows no capability from the first number on that it refuses.
  for (unsigned long each = 0; each < 64 && prctl(PR_CAPBSET_DROP, each, 0, 0, 0) == 0; each++) {}
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2];
  memset(none, 0, sizeof none);
  syscall(SYS_capset, &header, none);
}

static void *nothing(void *unused) { return unused; }

/// Starts a thread, with which the C library finds out how to protect the ends of stacks. In the sandbox it can do so in one way only.
static void try_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
}

void bd_sandbox_separate(void) {
  // Only root may, and only before it is in another user namespace.
  if (has_capabilities()) (void)!setgroups(0, NULL);
  // The first gives a user the right to the others. Each can be turned off, so each is tried alone. A new process namespace would hold only
  // new processes, and then refuse threads to this one.
  const int spaces[] = {CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP};
  for (unsigned long each = 0; each < sizeof spaces / sizeof *spaces; each++) (void)!unshare(spaces[each]);
  if (unshare(CLONE_NEWNS) == 0) leave_files();
  drop_capabilities();
  try_thread();
}
