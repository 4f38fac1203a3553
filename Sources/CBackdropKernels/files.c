// _GNU_SOURCE is defined by the package, for renameat2.
#include "bd_files.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

int bd_exchange(const char *path, const char *other) {
#if defined(__linux__) && defined(SYS_renameat2)
  // RENAME_EXCHANGE, which some headers lack.
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 2);
#else
  (void)path, (void)other;
  errno = ENOSYS;
  return -1;
#endif
}
