// A decoder that a file has taken over: it tries every way to more memory and threads than its sandbox allows.
//
// It is compiled with Sources/CSandbox, so each way is tried in a process with exactly the restrictions of a decoder, while this process
// watches as Backdrop does. Prints a line for each way: its name, the bound, the measured value; returns 1 if one is above its bound.
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEGABYTE = 1 << 20, BLOCK = 16 * MEGABYTE, PAGE = 4096, THREADS = 40 };
static const uint64_t USUAL = 512ull * MEGABYTE;
// More than any way may get, and less than this machine has: the end of a way without a bound.
static const uint64_t ENOUGH = 2048ull * MEGABYTE;

static void say(uint32_t kind, uint64_t value) {
  bd_message message = {.kind = kind, .values = {value}};
  bd_send(0, &message, -1);
}

static char *block(int protection, int flags) {
  void *made = mmap(NULL, BLOCK, protection, flags, -1, 0);
  return made == MAP_FAILED ? NULL : made;
}

static const int PLAIN = MAP_PRIVATE | MAP_ANONYMOUS, BOTH = PROT_READ | PROT_WRITE;

// MARK: - Ways to memory. Each takes until nothing more comes.

static void take(int flags) {
  char *made;
  for (uint64_t got = 0; got < ENOUGH && (made = block(BOTH, flags)); got += BLOCK) memset(made, 1, BLOCK);
}

static void anonymous(void) { take(PLAIN); }
static void growing_down(void) { take(PLAIN | 0x100); }
static void droppable(void) { take(0x08 | MAP_ANONYMOUS); }
static void locked(void) { take(PLAIN | MAP_LOCKED); }
static void without_reserve(void) { take(PLAIN | MAP_NORESERVE | MAP_POPULATE); take(PLAIN | MAP_NORESERVE); }
static void huge(void) { take(PLAIN | MAP_HUGETLB); }
static void shared_anonymous(void) { take(MAP_SHARED | MAP_ANONYMOUS); }

/// Memory that has been written, and then counts as no data.
static void protect_again(int protection) {
  char *made;
  for (uint64_t got = 0; got < ENOUGH && (made = block(BOTH, PLAIN)); got += BLOCK) {
    memset(made, 1, BLOCK);
    if (mprotect(made, BLOCK, protection) != 0) mprotect(made, BLOCK, protection | 0x01000000);
  }
}

static void read_only_again(void) { protect_again(PROT_READ); }
static void hidden_again(void) { protect_again(PROT_NONE); }

static void writable_later(void) {
  char *made;
  for (uint64_t got = 0; got < ENOUGH && (made = block(PROT_NONE, PLAIN)); got += BLOCK)
    if (mprotect(made, BLOCK, BOTH) == 0) memset(made, 1, BLOCK);
}

static void heap(void) {
  char *made;
  for (uint64_t got = 0; got < ENOUGH && (made = sbrk(BLOCK)) != (void *)-1; got += BLOCK) memset(made, 1, BLOCK);
}

static void remapped(void) {
  char *made = block(BOTH, PLAIN);
  for (uint64_t size = BLOCK; made && size < ENOUGH; size += BLOCK) {
    char *moved = mremap(made, size, size + BLOCK, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) break;
    made = moved;
    memset(made + size, 1, BLOCK);
  }
}

static void remapped_and_left(void) {
  char *made = block(BOTH, PLAIN), *moved;
  if (!made) return;
  memset(made, 1, BLOCK);
  for (uint64_t got = BLOCK; got < ENOUGH; got += BLOCK) {
    // MREMAP_DONTUNMAP
    moved = mremap(made, BLOCK, BLOCK, MREMAP_MAYMOVE | 4, NULL);
    if (moved == MAP_FAILED) break;
    memset(made, 1, BLOCK);
  }
}

/// The memory that came with the first message, mapped as own copies.
static int given;

static void copies_of_a_file(void) {
  for (uint64_t got = 0; got < ENOUGH; got += MEGABYTE) {
    char *made = mmap(NULL, MEGABYTE, BOTH, MAP_PRIVATE, given, 0);
    if (made == MAP_FAILED) break;
    memset(made, 1, MEGABYTE);
  }
}

static void a_file_again_and_again(void) {
  for (uint64_t got = 0; got < ENOUGH; got += MEGABYTE) {
    char *made = mmap(NULL, MEGABYTE, BOTH, MAP_SHARED, given, 0);
    if (made == MAP_FAILED) break;
    memset(made, 1, MEGABYTE);
  }
}

static sigjmp_buf fault;
static void on_fault(int signal) { siglongjmp(fault, signal); }
static volatile char sink;

__attribute__((noinline)) static void descend(uint64_t depth) {
  volatile char room[64 * 1024];
  for (size_t each = 0; each < sizeof room; each += PAGE) room[each] = (char)depth;
  if (depth * sizeof room < ENOUGH) descend(depth + 1);
  sink = room[0];
}

static void deep_stack(void) {
  static char other[64 * 1024];
  stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
  if (sigsetjmp(fault, 1) == 0) descend(1);
  anonymous();
}

/// Pages far apart, so that each needs tables of its own: reading takes the tables and no page.
static void page_tables(void) {
  const size_t far = (size_t)1 << 30;
  for (int each = 0; each < 60000; each++) {
    volatile char *made = mmap(NULL, far + PAGE, PROT_READ, PLAIN, -1, 0);
    if (made == MAP_FAILED) break;
    sink = made[0];
    munmap((void *)(made + PAGE), far);
  }
  anonymous();
}

/// The same below other private memory.
static void page_tables_later(void) {
  anonymous();
  page_tables();
}

/// Parts of huge pages: all but one page is given back, and the kernel keeps the whole.
static void parts_of_huge_pages(void) {
  enum { HUGE = 2 * MEGABYTE };
  for (int each = 0; each < 1000; each++) {
    char *made = mmap(NULL, 2 * HUGE, BOTH, PLAIN, -1, 0);
    if (made == MAP_FAILED) break;
    char *start = (char *)(((uintptr_t)made + HUGE - 1) / HUGE * HUGE);
    madvise(start, HUGE, 14);
    madvise(start, HUGE, 25);
    start[0] = 1;
    munmap(start + PAGE, HUGE - PAGE);
  }
}

static void messages(void) {
  char text[60000];
  memset(text, 1, sizeof text);
  struct iovec part = {text, sizeof text};
  struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
  while (sendmsg(0, &header, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {}
}

static void signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int each = 0; each < 100000; each++) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGRTMIN + each % 30);
}

// MARK: - Ways to threads.

static void *stay(void *unused) {
  while (1) pause(), sleep(60);
  return unused;
}

static bool start_thread(void *(*body)(void *)) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  return pthread_create(&thread, &attributes, body, NULL) == 0;
}

static void threads_in_turn(void) {
  for (int each = 0; each < 20000 && start_thread(stay); each++) {}
}

static void *start_more(void *unused) {
  for (int each = 0; each < 1000; each++) start_thread(start_more);
  return stay(unused);
}

static void threads_at_once(void) {
  for (int each = 0; each < 1000; each++) start_thread(start_more);
}

// MARK: - Calls for memory that no limit counts; each is refused, or ends the process.

static long number;
static void call(void) {
  long result = syscall(number, 0, 1 << 20, 0600, 0, 0);
  say(3, result >= 0);
}

static const struct { const char *name; long number; } CALLS[] = {
    {"memfd_create", SYS_memfd_create}, {"shmget", SYS_shmget},       {"pipe2", SYS_pipe2},
    {"socketpair", SYS_socketpair},     {"vmsplice", SYS_vmsplice},   {"userfaultfd", SYS_userfaultfd},
    {"io_uring_setup", 425},            {"mlockall", SYS_mlockall},   {"remap_file_pages", SYS_remap_file_pages},
    {"process_madvise", 440},           {"fallocate", SYS_fallocate}, {"ftruncate", SYS_ftruncate},
    {"setrlimit", SYS_setrlimit},       {"prlimit64", SYS_prlimit64}, {"timer_create", SYS_timer_create},
    {"epoll_create1", SYS_epoll_create1}, {"eventfd2", SYS_eventfd2}, {"dup", SYS_dup},
    {"msgget", SYS_msgget},             {"clone3", 435},              {"prctl", SYS_prctl},
    {"map_shadow_stack", 453},          {"setsockopt", SYS_setsockopt}, {"add_key", SYS_add_key},
};

static const struct { const char *name; void (*body)(void); } WAYS[] = {
    {"anonymous memory", anonymous}, {"memory that grows down", growing_down}, {"droppable memory", droppable},
    {"locked memory", locked}, {"memory without reserve", without_reserve}, {"huge pages", huge},
    {"shared anonymous memory", shared_anonymous}, {"memory made read-only", read_only_again},
    {"memory made inaccessible", hidden_again}, {"memory made writable later", writable_later}, {"the heap", heap},
    {"memory enlarged by mremap", remapped}, {"memory left by mremap", remapped_and_left},
    {"private copies of a file", copies_of_a_file}, {"a file mapped again and again", a_file_again_and_again},
    {"a deep stack", deep_stack},
    {"parts of huge pages", parts_of_huge_pages}, {"messages that nobody reads", messages}, {"pending signals", signals},
};

// MARK: - The process that watches.

static bool broken = false;

static void tell(const char *name, uint64_t bound, uint64_t measured, const char *unit) {
  const bool is_kept = measured <= bound;
  printf("%s  %-44s  bound: %-34llu  measured: %llu%s\n", is_kept ? "kept  " : "BROKEN", name, (unsigned long long)bound,
         (unsigned long long)measured, unit);
  fflush(stdout);
  if (!is_kept) broken = true;
}

static uint64_t line(const char *status, const char *name) {
  const char *found = strstr(status, name);
  return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

typedef struct {
  uint64_t bytes, threads, rights;
  bool has_huge_pages, was_allowed;
} outcome;

static outcome attempt(void (*body)(void), uint64_t limit) {
  int ends[2], listener;
  if (!bd_connection(ends)) exit(2);
  pid_t process = fork();
  if (process == 0) {
    // A sibling that hangs ends with its parent.
    alarm(120);
    dup2(ends[1], 0);
    bd_sandbox_separate();
    int landlock;
    if (bd_sandbox_enter((bd_sandbox_limits){limit, 3600, THREADS}, 0, &landlock) != bd_sandbox_whole) _exit(9);
    bd_message message;
    say(1, 0);
    if (bd_receive(0, NULL, &message, &given, -1) != 1) _exit(9);
    body();
    say(2, 0);
    while (1) sleep(60);
  }
  close(ends[1]);
  outcome result = {0};
  bd_watch watch = bd_watch_begin(process, THREADS, limit + limit / 32);
  bd_message message;
  int came, file = bd_shared_memory(MEGABYTE);
  while ((came = bd_receive(ends[0], &watch, &message, &listener, 60000)) == 1 && message.kind != 2) {
    if (message.kind == bd_message_threads) watch.listener = listener;
    if (message.kind == 3) result.was_allowed = message.values[0];
    if (message.kind == 1) bd_send(ends[0], &message, file);
  }
  char status[4096] = {0};
  if (pread(watch.status, status, sizeof status - 1, 0) <= 0) exit(3);
  // The file of this process has its size, however often the other maps it.
  result.bytes = MEGABYTE + 1024 * (line(status, "\nRssAnon:") + line(status, "\nVmSwap:") + line(status, "\nVmPTE:"));
  result.threads = line(status, "\nThreads:");
  for (int each = 0; each < 4; each++) {
    const char *const sets[] = {"\nCapInh:\t", "\nCapPrm:\t", "\nCapEff:\t", "\nCapAmb:\t"};
    const char *found = strstr(status, sets[each]);
    result.rights |= found ? strtoull(found + strlen(sets[each]), NULL, 16) : 0;
  }
  result.has_huge_pages = line(status, "\nTHP_enabled:");
  kill(process, SIGKILL);
  int end;
  waitpid(process, &end, 0);
  if (WIFEXITED(end)) exit(WEXITSTATUS(end));
  bd_watch_end(&watch);
  close(ends[0]);
  close(file);
  return result;
}

static void tell_memory(const char *name, void (*body)(void), uint64_t limit) {
  tell(name, (limit + limit / 10) / MEGABYTE, attempt(body, limit).bytes / MEGABYTE, " MB");
}

int main(void) {
  for (size_t each = 0; each < sizeof WAYS / sizeof *WAYS; each++) tell_memory(WAYS[each].name, WAYS[each].body, USUAL);
  // The watching process measures them from time to time, so more comes between two measurements.
  tell_memory("tables of scattered pages", page_tables, 2 * USUAL);
  tell_memory("the same after other memory", page_tables_later, 2 * USUAL);
  const outcome usual = attempt(anonymous, USUAL);
  tell("huge pages are allowed", 0, usual.has_huge_pages, "");
  tell("capabilities", 0, usual.rights, "");
  tell("threads, one after another", THREADS, attempt(threads_in_turn, USUAL).threads, "");
  tell("threads, all at once", THREADS, attempt(threads_at_once, USUAL).threads, "");
  for (size_t each = 0; each < sizeof CALLS / sizeof *CALLS; each++) {
    number = CALLS[each].number;
    tell(CALLS[each].name, 0, attempt(call, USUAL).was_allowed, "");
  }
  return broken;
}
