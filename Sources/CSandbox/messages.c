#include "sandbox.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int bd_shared_memory(size_t byte_count) {
  int descriptor = memfd_create("backdrop", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, (off_t)byte_count) == 0 &&
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

bool bd_connection(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0; }

/// Room for one descriptor beside a message.
typedef union {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
} control_data;

bool bd_send(int connection, const bd_message *message, int descriptor) {
  struct iovec part = {(void *)message, sizeof *message};
  struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
  control_data control;
  memset(&control, 0, sizeof control);
  if (descriptor >= 0) {
    header.msg_control = &control;
    header.msg_controllen = sizeof control.bytes;
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(first), &descriptor, sizeof descriptor);
  }
  ssize_t count;
  do {
    count = sendmsg(connection, &header, MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  return count == (ssize_t)sizeof *message;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int wait_for(int connection, bd_watch *watch, int milliseconds) {
  int64_t end = now() + milliseconds, measured = now();
  while (true) {
    struct pollfd waiting[2] = {{.fd = connection, .events = POLLIN}, {.fd = watch ? watch->listener : -1, .events = POLLIN}};
    int left = milliseconds < 0 ? INT_MAX : (int)(end > now() ? end - now() : 0);
    int found = poll(waiting, 2, watch && left > BD_WATCH_INTERVAL ? BD_WATCH_INTERVAL : milliseconds < 0 ? -1 : left);
    if (found < 0 && errno != EINTR) return -1;
    if (found > 0 && waiting[1].revents) bd_watch_answer(watch, waiting[1].revents);
    if (found > 0 && waiting[0].revents) return 0;
    if (watch && now() - measured >= BD_WATCH_INTERVAL) {
      measured = now();
      if (bd_watch_exceeds(watch)) {
        errno = ENOMEM;
        return -1;
      }
    }
    if (found == 0 && milliseconds >= 0 && now() >= end) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
}

int bd_receive(int connection, bd_watch *watch, bd_message *message, int *descriptor, int milliseconds) {
  if (descriptor) *descriptor = -1;
  if (wait_for(connection, watch, milliseconds) != 0) return -1;
  struct iovec part = {message, sizeof *message};
  struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
  control_data control;
  if (descriptor) {
    header.msg_control = &control;
    header.msg_controllen = sizeof control.bytes;
  }
  ssize_t count;
  do {
    count = recvmsg(connection, &header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  // A process that ends with unread messages resets the connection.
  if (count == 0 || (count < 0 && errno == ECONNRESET)) return 0;
  if (count < 0) return -1;
  if (descriptor) {
    for (struct cmsghdr *each = CMSG_FIRSTHDR(&header); each; each = CMSG_NXTHDR(&header, each)) {
      if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS && each->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(descriptor, CMSG_DATA(each), sizeof *descriptor);
    }
  }
  if (count == (ssize_t)sizeof *message && !(header.msg_flags & MSG_TRUNC)) return 1;
  errno = EBADMSG;
  return -1;
}
