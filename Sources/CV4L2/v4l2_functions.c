#include "v4l2_functions.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

int bd_v4l2_call(int descriptor, unsigned long request, void *argument) {
  while (ioctl(descriptor, request, argument) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int bd_v4l2_open(const char *path) {
  const int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}
