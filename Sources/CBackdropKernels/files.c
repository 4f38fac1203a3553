// _GNU_SOURCE is defined by the package, for renameat2.
#include "bd_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/syscall.h>
#endif

static int rename_with(const char *path, const char *other, unsigned flags) {
#if defined(__linux__) && defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, flags);
#else
  (void)path, (void)other, (void)flags;
  errno = ENOSYS;
  return -1;
#endif
}

// RENAME_EXCHANGE and RENAME_NOREPLACE, which some headers lack.
int bd_exchange(const char *path, const char *other) { return rename_with(path, other, 2); }
int bd_rename_new(const char *path, const char *other) { return rename_with(path, other, 1); }

int bd_memory_file(void) {
#ifdef __linux__
  return memfd_create("backdrop", MFD_CLOEXEC);
#else
  char name[] = "/tmp/backdrop-XXXXXX";
  int descriptor = mkstemp(name);
  if (descriptor >= 0) unlink(name), fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
#endif
}
