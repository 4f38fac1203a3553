// A decoder process may compute, use memory, start threads, and use the connections that it has. The sandbox refuses everything else, and
// ends the process at calls that only an attacker would make.
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
// System calls from this number on belong to x32, another interface of the same kernel.
#define OTHER_CALLS 0x40000000u
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

// Calls that are newer than some systems' headers.
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_rseq
#ifdef __NR_rseq
#define SYS_rseq __NR_rseq
#endif
#endif
#define FILTER_FLAG_tsync_esrch (1UL << 4)
// The same numbers on all machines: landlock(7).
#define CALL_landlock_create_ruleset 444
#define CALL_landlock_restrict_self 446

/// The size of the address space without what decoding takes, from before the process lost sight of /proc.
static uint64_t own_addresses;

static void measure_addresses(void) {
  char text[32];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (count <= 0) return;
  text[count] = 0;
  own_addresses = strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool set_limit(int what, uint64_t value) {
  struct rlimit limit;
  // A lower existing limit stays.
  if (getrlimit(what, &limit) != 0) return false;
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value) limit.rlim_max = value;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(what, &limit) == 0;
}

static bool set_limits(bd_sandbox_limits limits) {
  measure_addresses();
  const uint64_t stack = (uint64_t)8 << 20, reserves = (uint64_t)512 << 20;
  // RLIMIT_DATA bounds private memory. Addresses also hold libraries, shared memory, the stacks of threads, and malloc's reserves.
  const uint64_t addresses = (own_addresses ? own_addresses : reserves) + 2 * limits.memory + limits.threads * stack + reserves;
  return set_limit(RLIMIT_DATA, limits.memory) && set_limit(RLIMIT_AS, addresses) && set_limit(RLIMIT_STACK, stack) &&
         set_limit(RLIMIT_CPU, limits.seconds) && set_limit(RLIMIT_FSIZE, 0) && set_limit(RLIMIT_CORE, 0) &&
         set_limit(RLIMIT_NOFILE, 16) && set_limit(RLIMIT_MEMLOCK, 0) && set_limit(RLIMIT_MSGQUEUE, 0) &&
         set_limit(RLIMIT_SIGPENDING, 64);
}

static bool close_all_but(int kept) {
  if (kept > 0 && syscall(SYS_close_range, 0, kept - 1, 0) != 0 && errno != ENOSYS) return false;
  if (syscall(SYS_close_range, kept + 1, ~0u, 0) == 0) return true;
  if (errno != ENOSYS) return false;
  for (int descriptor = 0; descriptor < 4096; descriptor++)
    if (descriptor != kept) close(descriptor);
  return true;
}

// Denies files, network and other processes by Landlock, whatever the filter below allows. Returns Landlock's version, 0 without it, or -1
// if it failed.
static int apply_landlock(void) {
  struct {
    uint64_t files, network, scoped;
  } rules = {0, 0, 0};
  long version = syscall(CALL_landlock_create_ruleset, NULL, 0, 1);
  // The kernel has no Landlock, or was started without it.
  if (version < 0) return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -1;
  // 13 rights from the first version; then REFER, TRUNCATE, none, IOCTL_DEV.
  const int rights[] = {0, 13, 14, 15, 15, 16};
  rules.files = ((uint64_t)1 << rights[version < 5 ? version : 5]) - 1;
  // Network: bind and connect by TCP. Scopes: abstract sockets and signals.
  size_t size = sizeof(uint64_t);
  if (version >= 4) {
    rules.network = 3;
    size = 2 * sizeof(uint64_t);
  }
  if (version >= 6) {
    rules.scoped = 3;
    size = 3 * sizeof(uint64_t);
  }
  long ruleset = syscall(CALL_landlock_create_ruleset, &rules, size, 0);
  if (ruleset < 0) return -1;
  long status = syscall(CALL_landlock_restrict_self, (int)ruleset, 0);
  close((int)ruleset);
  return status == 0 ? (int)version : -1;
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define END(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), ANSWER(SECCOMP_RET_KILL_PROCESS)
#define FAIL(call, error) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), REFUSE(error)
// The low half of an argument, where all flags are.
#define LOW(number) (offsetof(struct seccomp_data, args[number]))

/// Flags of clone(2) that every thread has, and those that it may have: pthread_create(3) of glibc and musl.
#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define THREAD_OPTIONS                                                                                                          \
  (CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED)
/// Flags of mmap(2) for memory that RLIMIT_DATA counts, and for memory of a descriptor.
#define MAP_FLAGS (MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK)
// Older headers lack them.
#define ADVICE_guard_install 102
#define ADVICE_guard_remove 103

/// Applies the filter. `threads` is the answer to a thread's start; returns the descriptor on which the kernel asks, or 0 if it does not.
/// Returns -1 if it failed.
static int apply_filter(uint32_t threads) {
  struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
      ANSWER(SECCOMP_RET_KILL_PROCESS),
      LOAD(nr),
#ifdef OTHER_CALLS
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_CALLS, 0, 1),
      ANSWER(SECCOMP_RET_KILL_PROCESS),
#endif
      // Waiting, waking and time.
      ALLOW(futex),
      ALLOW(sched_yield),
      ALLOW(clock_gettime),
      ALLOW(clock_nanosleep),
      ALLOW(nanosleep),
      ALLOW(gettimeofday),
      ALLOW(setitimer),
      ALLOW(restart_syscall),
#ifdef SYS_alarm
      ALLOW(alarm),
#endif
#ifdef SYS_poll
      ALLOW(poll),
#endif
      ALLOW(ppoll),
      // Descriptors that the process has or receives.
      ALLOW(read),
      ALLOW(pread64),
      ALLOW(lseek),
      ALLOW(fstat),
      ALLOW(close),
      ALLOW(recvmsg),
      ALLOW(sendmsg),
      // Memory.
      ALLOW(munmap),
      ALLOW(mremap),
      ALLOW(brk),
      // The process itself.
      ALLOW(getpid),
      ALLOW(gettid),
      ALLOW(getrandom),
      ALLOW(sched_getaffinity),
      ALLOW(getrusage),
      ALLOW(sysinfo),
      ALLOW(uname),
      ALLOW(set_robust_list),
#ifdef SYS_rseq
      ALLOW(rseq),
#endif
      ALLOW(rt_sigaction),
      ALLOW(rt_sigprocmask),
      ALLOW(rt_sigreturn),
      ALLOW(sigaltstack),
      ALLOW(exit),
      ALLOW(exit_group),
      // Programs and processes. The rule for clone below allows only threads. The flags of clone3 are in memory, which a filter cannot
      // read; without clone3 the C library uses clone.
      FAIL(clone3, ENOSYS),
      END(execve),
      END(execveat),
#ifdef SYS_fork
      END(fork),
      END(vfork),
#endif
      END(kill),
      END(tkill),
      END(ptrace),
      END(process_vm_readv),
      END(process_vm_writev),
      END(unshare),
      END(setns),
      END(bpf),
      END(userfaultfd),
      END(perf_event_open),
      END(keyctl),
      END(add_key),
      END(mount),
      // The network.
      END(socket),
      END(connect),
      END(bind),
      END(listen),
      END(accept),
      END(accept4),
      END(sendto),
      END(sendmmsg),
      // abort() sends a signal to its own process.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(0)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1),
      ANSWER(SECCOMP_RET_ALLOW),
      ANSWER(SECCOMP_RET_KILL_PROCESS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(0)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)THREAD_OPTIONS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THREAD_FLAGS, 0, 1),
      ANSWER(threads),
      ANSWER(SECCOMP_RET_KILL_PROCESS),
      // Refuses executable memory. Memory that has been written must stay writable, since RLIMIT_DATA counts only writable memory.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(2)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_READ | PROT_WRITE, 0, 1),
      ANSWER(SECCOMP_RET_ALLOW),
      REFUSE(EPERM),
      // Refuses executable memory, and kinds that no limit counts: stacks that grow, huge pages, anonymous shared memory.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 8),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(2)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)(PROT_READ | PROT_WRITE), 5, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(3)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)MAP_FLAGS, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1),
      // MAP_SHARED and MAP_SHARED_VALIDATE have bit 0.
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 1, 0),
      ANSWER(SECCOMP_RET_ALLOW),
      REFUSE(EPERM),
      // Other advice would let memory stay in use that is no longer mapped, such as parts of huge pages.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 6),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(2)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_DONTNEED, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_FREE, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ADVICE_guard_install, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ADVICE_guard_remove, 0, 1),
      ANSWER(SECCOMP_RET_ALLOW),
      REFUSE(EPERM),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (threads != SECCOMP_RET_USER_NOTIF) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  // The second flag changes nothing here. Kernels that know it (5.7) also know the answer that starts a thread (5.5).
  const unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | FILTER_FLAG_tsync_esrch;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/// Applies the filter, and sends the descriptor on which the kernel asks before each thread. Another filter of this kind can already be
/// there, from outside a container; then nothing counts the threads, as in an old kernel.
static bool filter_threads(uint64_t threads, int connection) {
  if (threads == 0) return apply_filter(SECCOMP_RET_ERRNO | EAGAIN) == 0;
  int listener = apply_filter(SECCOMP_RET_USER_NOTIF);
  if (listener < 0) return (errno == EBUSY || errno == EINVAL || errno == ENOSYS) && apply_filter(SECCOMP_RET_ALLOW) == 0;
  const bd_message message = {.kind = bd_message_threads};
  bool is_sent = bd_send(connection, &message, listener);
  close(listener);
  return is_sent;
}

int bd_fork_sibling(void) { return (int)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0); }

bd_sandbox_fault bd_sandbox_enter(bd_sandbox_limits limits, int kept, int *landlock) {
  *landlock = 0;
  if (!close_all_but(kept) || !set_limits(limits)) return bd_sandbox_no_limits;
  // A huge page stays whole as long as one part is in use, and limits count only that part. Kernels without huge pages have no such call.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  // Otherwise the process and another one of the same user could debug each other.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    return bd_sandbox_no_privileges;
  *landlock = apply_landlock();
  if (*landlock < 0) return bd_sandbox_no_landlock;
  return filter_threads(limits.threads, kept) ? bd_sandbox_whole : bd_sandbox_no_filter;
}
