// A library for LD_PRELOAD that makes chosen system calls of a program fail, or kills the program at such a call.
//
//   FAULTS_KIND    open, read, write, close, truncate, rename (and link), remove, folder (mkdir, opendir), status (stat, access),
//                  sync, lock, map, thread, process (posix_spawn, pipe, socketpair), channel (sendmsg, recvmsg, poll), any
//   FAULTS_AT      the number of the call that fails, from 1; without it the library only counts calls
//   FAULTS_FOR     the number of successive calls that fail (1); 0 for all that follow
//   FAULTS_ERROR   the number of the error (errno); not used with FAULTS_KILL
//   FAULTS_KILL    1: kills the process (SIGKILL) before the call
//   FAULTS_SHORT   1: a read or write transfers half of its bytes, without an error
//   FAULTS_UNDER   counts only calls on files under this folder, by their name or their descriptor's
//   FAULTS_WHERE   program (the default), or children: the programs that it starts with posix_spawn, whatever their environment
//   FAULTS_FOLDER  the file system that the folder FAULTS_UNDER behaves like: nfs (locks fail), fat (no links, no rename onto an existing
//                  file, few characters in names, names in either case), fold (names in either case)
//   FAULTS_SLOW    the delay of each call on a file under FAULTS_UNDER, in microseconds
//   FAULTS_QUOTA   the number of bytes that may be written under FAULTS_UNDER; further writes fail with EDQUOT
//   FAULTS_REPORT  a file of REPORT_SIZE bytes, for the counts, and for the place of the fault
//
// The library does not see glibc's internal calls, such as reading libraries or writing its streams (FILE).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum kind {
  OPEN, READ, WRITE, CLOSE, TRUNCATE, RENAME, REMOVE, FOLDER, STATUS, SYNC, LOCK, MAP, THREAD, PROCESS, CHANNEL, ANY, KINDS
};
static const char *const kind_names[KINDS] = {"open", "read", "write", "close", "truncate", "rename", "remove", "folder",
  "status", "sync", "lock", "map", "thread", "process", "channel", "any"};
enum { REPORT_SIZE = 4096, PLACE_SIZE = 3072, QUOTA_FREE = -1 };

// The layout of the report, which Tests/Faults/test_faults.py reads.
struct report {
  _Atomic uint64_t counts[KINDS];
  _Atomic uint64_t fired;
  char place[PLACE_SIZE];
};
_Static_assert(sizeof(struct report) <= REPORT_SIZE, "the report is too long");

static struct report private_report;
static struct report *report = &private_report;
static int chosen = -1, failure, kills, halves, is_active, infects, manners, slowness;
static uint64_t first, length = 1;
static _Atomic int64_t quota = QUOTA_FREE;
static char under[PATH_MAX];
static size_t under_length;
enum { PLAIN, NFS, FAT, FOLD };

// The functions of libc.
#define REAL(result, name, ...) static result (*real_##name)(__VA_ARGS__)
REAL(int, open, const char *, int, ...);
REAL(int, openat, int, const char *, int, ...);
REAL(FILE *, fopen, const char *, const char *);
REAL(ssize_t, read, int, void *, size_t);
REAL(ssize_t, pread, int, void *, size_t, off_t);
REAL(ssize_t, readv, int, const struct iovec *, int);
REAL(ssize_t, write, int, const void *, size_t);
REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
REAL(ssize_t, writev, int, const struct iovec *, int);
REAL(int, close, int);
REAL(int, ftruncate, int, off_t);
REAL(int, fallocate, int, int, off_t, off_t);
REAL(int, rename, const char *, const char *);
REAL(int, renameat, int, const char *, int, const char *);
REAL(int, renameat2, int, const char *, int, const char *, unsigned);
REAL(int, link, const char *, const char *);
REAL(int, unlink, const char *);
REAL(int, rmdir, const char *);
REAL(int, mkdir, const char *, mode_t);
REAL(DIR *, opendir, const char *);
REAL(int, stat, const char *, struct stat *);
REAL(int, lstat, const char *, struct stat *);
REAL(int, fstat, int, struct stat *);
REAL(int, access, const char *, int);
REAL(int, fsync, int);
REAL(int, fdatasync, int);
REAL(int, flock, int, int);
REAL(void *, mmap, void *, size_t, int, int, int, off_t);
REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
REAL(int, posix_spawn, pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
  char *const[]);
REAL(int, pipe, int[2]);
REAL(int, socketpair, int, int, int, int[2]);
REAL(int, memfd_create, const char *, unsigned);
REAL(ssize_t, sendmsg, int, const struct msghdr *, int);
REAL(ssize_t, recvmsg, int, struct msghdr *, int);
REAL(ssize_t, send, int, const void *, size_t, int);
REAL(ssize_t, recv, int, void *, size_t, int);
REAL(int, poll, struct pollfd *, nfds_t, int);

static void find_functions(void) {
  if (real_poll) return;
#define FIND(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name)
  FIND(open); FIND(openat); FIND(fopen); FIND(read); FIND(pread); FIND(readv); FIND(write); FIND(pwrite); FIND(writev);
  FIND(close); FIND(ftruncate); FIND(fallocate); FIND(rename); FIND(renameat); FIND(renameat2); FIND(link); FIND(unlink);
  FIND(rmdir); FIND(mkdir); FIND(opendir); FIND(stat); FIND(lstat); FIND(fstat); FIND(access); FIND(fsync);
  FIND(fdatasync); FIND(flock); FIND(mmap); FIND(pthread_create); FIND(posix_spawn); FIND(pipe); FIND(socketpair);
  FIND(memfd_create); FIND(sendmsg); FIND(recvmsg); FIND(send); FIND(recv); FIND(poll);
}

static long long number(const char *name, long long otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoll(text) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
  find_functions();
  const char *kind = getenv("FAULTS_KIND"), *where = getenv("FAULTS_WHERE"), *folder = getenv("FAULTS_FOLDER");
  const char *prefix = getenv("FAULTS_UNDER"), *file = getenv("FAULTS_REPORT");
  for (int i = 0; kind && i < KINDS; i++) if (!strcmp(kind, kind_names[i])) chosen = i;
  first = number("FAULTS_AT", 0);
  length = number("FAULTS_FOR", 1);
  failure = number("FAULTS_ERROR", EIO);
  kills = number("FAULTS_KILL", 0);
  halves = number("FAULTS_SHORT", 0);
  slowness = number("FAULTS_SLOW", 0);
  quota = number("FAULTS_QUOTA", QUOTA_FREE);
  manners = !folder ? PLAIN : !strcmp(folder, "nfs") ? NFS : !strcmp(folder, "fat") ? FAT : !strcmp(folder, "fold") ? FOLD : PLAIN;
  if (prefix) snprintf(under, sizeof under, "%s", prefix);
  under_length = strlen(under);
  infects = where && !strcmp(where, "children");
  is_active = !infects;
  // In a child with FAULTS_WHERE=here the library acts, but does not load itself into further children.
  if (where && !strcmp(where, "here")) is_active = 1;
  if (file) {
    int descriptor = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
    if (descriptor >= 0) {
      void *memory = real_mmap(NULL, REPORT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
      if (memory != MAP_FAILED) report = memory;
      syscall(SYS_close, descriptor);
    }
  }
  // The first use of backtrace loads a library, which must not happen during a fault.
  void *frames[4];
  backtrace(frames, 4);
}

// The program exports no names of its own functions, so a place is an offset in its file, for addr2line.
static void note(enum kind kind, const char *name) {
  int length = snprintf(report->place, PLACE_SIZE, "%s %s", kind_names[kind], name ? name : "");
  void *frames[24];
  int count = backtrace(frames, 24);
  for (int i = 2; i < count && length > 0 && length < PLACE_SIZE - 300; i++) {
    Dl_info info;
    if (!dladdr(frames[i], &info) || !info.dli_fname) continue;
    const char *base = strrchr(info.dli_fname, '/');
    length += snprintf(report->place + length, PLACE_SIZE - length, "\n  %.60s+0x%zx %.120s", base ? base + 1 : info.dli_fname,
      (size_t)frames[i] - (size_t)info.dli_fbase, info.dli_sname ? info.dli_sname : "");
  }
}

/// The absolute name of a file.
static const char *full(const char *name, char place[PATH_MAX]) {
  if (!name || name[0] == '/') return name;
  if (syscall(SYS_getcwd, place, PATH_MAX) < 0) return name;
  size_t used = strlen(place);
  snprintf(place + used, PATH_MAX - used, "/%s", name);
  return place;
}

static int is_under(const char *name) {
  return name && !strncmp(name, under, under_length) && (name[under_length] == '/' || name[under_length] == 0);
}

/// Whether a name belongs to the kernel: such entries are not files, and libraries loop or end the process if they fail.
static int is_of_kernel(const char *name) { return name && (!strncmp(name, "/proc/", 6) || !strncmp(name, "/sys/", 5)); }

/// The name of an open file; NULL if it is unknown.
static const char *name_of(int descriptor, char place[PATH_MAX]) {
  if (descriptor < 0) return NULL;
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = syscall(SYS_readlinkat, AT_FDCWD, link, place, PATH_MAX - 1);
  if (count <= 0) return NULL;
  place[count] = 0;
  return place;
}

static int concerns(const char *name, int descriptor, char place[PATH_MAX]) {
  if (!under_length) return 1;
  return is_under(name ? full(name, place) : name_of(descriptor, place));
}

/// Counts this call; returns whether it must fail, or kills the process with FAULTS_KILL.
static int fails(enum kind kind, const char *name, int descriptor) {
  if (!is_active || is_of_kernel(name)) return 0;
  int kept = errno;
  char place[PATH_MAX];
  if (!concerns(name, descriptor, place)) {
    errno = kept;
    return 0;
  }
  if (slowness) {
    struct timespec wait = {slowness / 1000000, slowness % 1000000 * 1000};
    nanosleep(&wait, NULL);
  }
  uint64_t mine = atomic_fetch_add(&report->counts[kind], 1) + 1;
  uint64_t all = atomic_fetch_add(&report->counts[ANY], 1) + 1;
  uint64_t at = chosen == ANY ? all : mine;
  errno = kept;
  if (!first || (chosen != ANY && chosen != (int)kind) || at < first || (length && at >= first + length)) return 0;
  if (!kills && is_of_kernel(name_of(descriptor, place))) {
    errno = kept;
    return 0;
  }
  if (atomic_fetch_add(&report->fired, 1) == 0) note(kind, name ? name : name_of(descriptor, place));
  if (kills) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
  }
  if (halves) return 1;
  errno = failure;
  return 1;
}

/// The name of the entry that `name` matches in a folder that does not distinguish cases; `name` itself if there is none.
static const char *folded(const char *name, char place[PATH_MAX], char entry[PATH_MAX]) {
  if (!is_active || (manners != FAT && manners != FOLD) || !name) return name;
  const char *whole = full(name, place);
  if (!is_under(whole) || !strcmp(whole, under)) return name;
  int kept = errno;
  const char *slash = strrchr(whole, '/');
  snprintf(entry, PATH_MAX, "%.*s", (int)(slash - whole), whole);
  DIR *folder = real_opendir(entry);
  const char *result = name;
  if (folder) {
    struct dirent *item;
    while ((item = readdir(folder))) {
      if (strcasecmp(item->d_name, slash + 1)) continue;
      snprintf(entry, PATH_MAX, "%.*s/%s", (int)(slash - whole), whole, item->d_name);
      result = entry;
      // An exact match takes precedence.
      if (!strcmp(item->d_name, slash + 1)) break;
    }
    closedir(folder);
  }
  errno = kept;
  return result;
}
#define FOLDED(name) char name##_place[PATH_MAX], name##_entry[PATH_MAX]; name = folded(name, name##_place, name##_entry)

static int is_fat(const char *name) {
  char place[PATH_MAX];
  return is_active && manners == FAT && name && is_under(full(name, place));
}

static int is_bad_name(const char *name) {
  if (!is_fat(name)) return 0;
  const char *slash = strrchr(name, '/');
  return strpbrk(slash ? slash + 1 : name, "\"*:<>?|\\") != NULL;
}

/// The number of bytes of `count` that the quota allows; -1 with EDQUOT if none.
static ssize_t allowed(int descriptor, size_t count) {
  if (!is_active || quota == QUOTA_FREE || !count) return count;
  char place[PATH_MAX];
  if (!concerns(NULL, descriptor, place)) return count;
  int64_t rest = quota;
  size_t given;
  do {
    given = rest <= 0 ? 0 : (size_t)rest < count ? (size_t)rest : count;
    if (!given) {
      errno = EDQUOT;
      return -1;
    }
  } while (!atomic_compare_exchange_weak(&quota, &rest, rest - (int64_t)given));
  return given;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

static int open_here(const char *name, int flags, mode_t mode) {
  find_functions();
  if (fails(OPEN, name, -1)) return -1;
  FOLDED(name);
  if (flags & O_CREAT && is_bad_name(name)) { errno = EINVAL; return -1; }
  return real_open(name, flags, mode);
}
int open(const char *name, int flags, ...) { MODE(flags) return open_here(name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return open_here(name, flags | O_LARGEFILE, mode); }
int __open_2(const char *name, int flags) { return open_here(name, flags, 0); }
int __open64_2(const char *name, int flags) { return open_here(name, flags | O_LARGEFILE, 0); }
int creat(const char *name, mode_t mode) { return open_here(name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return open_here(name, O_CREAT | O_WRONLY | O_TRUNC | O_LARGEFILE, mode); }
static int openat_here(int folder, const char *name, int flags, mode_t mode) {
  find_functions();
  return folder == AT_FDCWD || name[0] == '/' ? open_here(name, flags, mode)
    : fails(OPEN, NULL, folder) ? -1 : real_openat(folder, name, flags, mode);
}
int openat(int folder, const char *name, int flags, ...) { MODE(flags) return openat_here(folder, name, flags, mode); }
int openat64(int folder, const char *name, int flags, ...) { MODE(flags) return openat_here(folder, name, flags, mode); }
FILE *fopen(const char *name, const char *mode) {
  find_functions();
  if (fails(OPEN, name, -1)) return NULL;
  FOLDED(name);
  return real_fopen(name, mode);
}
FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

ssize_t read(int file, void *bytes, size_t count) {
  find_functions();
  if (!fails(READ, NULL, file)) return real_read(file, bytes, count);
  return halves ? real_read(file, bytes, (count + 1) / 2) : -1;
}
ssize_t __read_chk(int file, void *bytes, size_t count, size_t space) { (void)space; return read(file, bytes, count); }
ssize_t pread(int file, void *bytes, size_t count, off_t at) {
  find_functions();
  if (!fails(READ, NULL, file)) return real_pread(file, bytes, count, at);
  return halves ? real_pread(file, bytes, (count + 1) / 2, at) : -1;
}
ssize_t pread64(int file, void *bytes, size_t count, off_t at) { return pread(file, bytes, count, at); }
ssize_t readv(int file, const struct iovec *parts, int count) {
  find_functions();
  return !fails(READ, NULL, file) || halves ? real_readv(file, parts, count) : -1;
}
ssize_t write(int file, const void *bytes, size_t count) {
  find_functions();
  // Messages do not count as output.
  if (file == STDERR_FILENO) return real_write(file, bytes, count);
  if (fails(WRITE, NULL, file)) return halves ? real_write(file, bytes, (count + 1) / 2) : -1;
  ssize_t fits = allowed(file, count);
  return fits < 0 ? -1 : real_write(file, bytes, fits);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  find_functions();
  if (fails(WRITE, NULL, file)) return halves ? real_pwrite(file, bytes, (count + 1) / 2, at) : -1;
  ssize_t fits = allowed(file, count);
  return fits < 0 ? -1 : real_pwrite(file, bytes, fits, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at) { return pwrite(file, bytes, count, at); }
ssize_t writev(int file, const struct iovec *parts, int count) {
  find_functions();
  if (file == STDERR_FILENO) return real_writev(file, parts, count);
  if (!fails(WRITE, NULL, file)) return real_writev(file, parts, count);
  return halves && count ? real_write(file, parts[0].iov_base, parts[0].iov_len) : -1;
}
int close(int file) {
  find_functions();
  int faulty = fails(CLOSE, NULL, file);
  int kept = errno;
  // close(2) releases the descriptor even if it fails.
  int result = real_close(file);
  if (!faulty || halves) return result;
  errno = kept;
  return -1;
}
int ftruncate(int file, off_t size) { find_functions(); return fails(TRUNCATE, NULL, file) ? -1 : real_ftruncate(file, size); }
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
int fallocate(int file, int mode, off_t at, off_t size) {
  find_functions();
  return fails(TRUNCATE, NULL, file) ? -1 : real_fallocate(file, mode, at, size);
}
int posix_fallocate(int file, off_t at, off_t size) { return fallocate(file, 0, at, size) ? errno : 0; }

int rename(const char *from, const char *to) {
  find_functions();
  if (fails(RENAME, to, -1)) return -1;
  FOLDED(from);
  if (is_fat(to)) {
    FOLDED(to);
    struct stat info;
    if (is_bad_name(to)) { errno = EINVAL; return -1; }
    if (real_lstat(to, &info) == 0) { errno = EEXIST; return -1; }
    return real_rename(from, to);
  }
  FOLDED(to);
  return real_rename(from, to);
}
int renameat(int folder, const char *from, int other, const char *to) {
  find_functions();
  return fails(RENAME, to, -1) ? -1 : real_renameat(folder, from, other, to);
}
int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
  find_functions();
  return fails(RENAME, to, -1) ? -1 : real_renameat2(folder, from, other, to, flags);
}
int link(const char *from, const char *to) {
  find_functions();
  if (fails(RENAME, to, -1)) return -1;
  if (is_fat(to)) { errno = EPERM; return -1; }
  FOLDED(from);
  FOLDED(to);
  return real_link(from, to);
}
int unlink(const char *name) {
  find_functions();
  if (fails(REMOVE, name, -1)) return -1;
  FOLDED(name);
  return real_unlink(name);
}
int rmdir(const char *name) { find_functions(); return fails(REMOVE, name, -1) ? -1 : real_rmdir(name); }
int mkdir(const char *name, mode_t mode) {
  find_functions();
  if (fails(FOLDER, name, -1)) return -1;
  FOLDED(name);
  return real_mkdir(name, mode);
}
DIR *opendir(const char *name) { find_functions(); return fails(FOLDER, name, -1) ? NULL : real_opendir(name); }

int stat(const char *restrict name, struct stat *restrict info) {
  find_functions();
  if (fails(STATUS, name, -1)) return -1;
  FOLDED(name);
  return real_stat(name, info);
}
int stat64(const char *restrict name, struct stat64 *restrict info) { return stat(name, (struct stat *)info); }
int lstat(const char *restrict name, struct stat *restrict info) {
  find_functions();
  if (fails(STATUS, name, -1)) return -1;
  FOLDED(name);
  return real_lstat(name, info);
}
int lstat64(const char *restrict name, struct stat64 *restrict info) { return lstat(name, (struct stat *)info); }
int fstat(int file, struct stat *info) { find_functions(); return fails(STATUS, NULL, file) ? -1 : real_fstat(file, info); }
int fstat64(int file, struct stat64 *info) { return fstat(file, (struct stat *)info); }
int access(const char *name, int rights) {
  find_functions();
  if (fails(STATUS, name, -1)) return -1;
  FOLDED(name);
  return real_access(name, rights);
}

int fsync(int file) { find_functions(); return fails(SYNC, NULL, file) ? -1 : real_fsync(file); }
int fdatasync(int file) { find_functions(); return fails(SYNC, NULL, file) ? -1 : real_fdatasync(file); }
int flock(int file, int operation) {
  find_functions();
  if (fails(LOCK, NULL, file)) return -1;
  char place[PATH_MAX];
  if (is_active && manners == NFS && concerns(NULL, file, place)) { errno = ENOLCK; return -1; }
  return real_flock(file, operation);
}

void *mmap(void *at, size_t size, int rights, int flags, int file, off_t from) {
  if (!real_poll) return (void *)syscall(SYS_mmap, at, size, rights, flags, file, from);
  return fails(MAP, NULL, file) ? MAP_FAILED : real_mmap(at, size, rights, flags, file, from);
}
void *mmap64(void *at, size_t size, int rights, int flags, int file, off_t from) {
  return mmap(at, size, rights, flags, file, from);
}
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict how, void *(*body)(void *), void *restrict with) {
  find_functions();
  return fails(THREAD, NULL, -1) ? failure : real_pthread_create(thread, how, body, with);
}

int posix_spawn(pid_t *restrict child, const char *restrict name, const posix_spawn_file_actions_t *actions,
  const posix_spawnattr_t *restrict how, char *const words[restrict], char *const variables[restrict]) {
  find_functions();
  if (fails(PROCESS, name, -1)) return failure;
  if (!infects) return real_posix_spawn(child, name, actions, how, words, variables);
  char *more[256];
  size_t count = 0;
  for (char *const *item = variables; item && *item && count < 200; item++) {
    if (strncmp(*item, "FAULTS_", 7) && strncmp(*item, "LD_PRELOAD=", 11)) more[count++] = *item;
  }
  for (char **item = environ; *item && count < 250; item++) {
    if (strncmp(*item, "FAULTS_WHERE=", 13) && (!strncmp(*item, "FAULTS_", 7) || !strncmp(*item, "LD_PRELOAD=", 11))) {
      more[count++] = *item;
    }
  }
  more[count++] = "FAULTS_WHERE=here";
  more[count] = NULL;
  return real_posix_spawn(child, name, actions, how, words, more);
}
int pipe(int ends[2]) { find_functions(); return fails(PROCESS, NULL, -1) ? -1 : real_pipe(ends); }
int socketpair(int family, int type, int protocol, int ends[2]) {
  find_functions();
  return fails(PROCESS, NULL, -1) ? -1 : real_socketpair(family, type, protocol, ends);
}
int memfd_create(const char *name, unsigned flags) {
  find_functions();
  return fails(MAP, NULL, -1) ? -1 : real_memfd_create(name, flags);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  find_functions();
  return fails(CHANNEL, NULL, socket) && !halves ? -1 : real_sendmsg(socket, message, flags);
}
ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  find_functions();
  return fails(CHANNEL, NULL, socket) && !halves ? -1 : real_recvmsg(socket, message, flags);
}
ssize_t send(int socket, const void *bytes, size_t count, int flags) {
  find_functions();
  if (!fails(CHANNEL, NULL, socket)) return real_send(socket, bytes, count, flags);
  return halves ? real_send(socket, bytes, (count + 1) / 2, flags) : -1;
}
ssize_t recv(int socket, void *bytes, size_t count, int flags) {
  find_functions();
  if (!fails(CHANNEL, NULL, socket)) return real_recv(socket, bytes, count, flags);
  return halves ? real_recv(socket, bytes, (count + 1) / 2, flags) : -1;
}
int poll(struct pollfd *items, nfds_t count, int within) {
  find_functions();
  return fails(CHANNEL, NULL, -1) && !halves ? -1 : real_poll(items, count, within);
}
