#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Newer than some systems' headers.
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif

bd_watch bd_watch_begin(int process, uint32_t threads, uint64_t memory) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/status", process);
  return (bd_watch){.listener = -1, .status = open(path, O_RDONLY | O_CLOEXEC), .threads = threads, .memory = memory};
}

void bd_watch_end(bd_watch *watch) {
  if (watch->listener >= 0) close(watch->listener);
  if (watch->status >= 0) close(watch->status);
  watch->listener = watch->status = -1;
}

/// Reads the status of the process, a text of 4096 bytes (proc(5)); empty without it.
static void read_status(const bd_watch *watch, char text[4096]) {
  ssize_t count = watch->status < 0 ? 0 : pread(watch->status, text, 4095, 0);
  text[count > 0 ? count : 0] = 0;
}

/// The number in a line of a status; 0 without the line.
static uint64_t number(const char *status, const char *line) {
  const char *found = strstr(status, line);
  return found ? strtoull(found + strlen(line), NULL, 10) : 0;
}

/// The threads of the process now.
static uint64_t threads(const bd_watch *watch) {
  char now[4096];
  read_status(watch, now);
  const uint64_t count = number(now, "\nThreads:");
  return count > 0 ? count : (uint64_t)watch->started + 1;
}

void bd_watch_answer(bd_watch *watch, short events) {
  if (!(events & POLLIN)) {
    // All threads have ended.
    close(watch->listener);
    watch->listener = -1;
    return;
  }
  struct seccomp_notif question;
  memset(&question, 0, sizeof question);
  // A thread that has ended meanwhile needs no answer.
  if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return;
  struct seccomp_notif_resp answer = {.id = question.id};
  const uint64_t before = threads(watch);
  // The filter has checked the flags in the registers, which no other thread can change.
  if (before < watch->threads) {
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    watch->started++;
  } else {
    answer.error = -EAGAIN;
  }
  if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0 || answer.error) return;
  // Several threads that start others at once could all be counted before the first has started.
  struct pollfd others = {.fd = watch->listener, .events = POLLIN};
  for (int tries = 0; tries < 8000 && poll(&others, 1, 0) > 0 && threads(watch) == before; tries++) usleep(250);
}

bool bd_watch_exceeds(const bd_watch *watch) {
  char now[4096];
  read_status(watch, now);
  return 1024 * (number(now, "\nRssAnon:") + number(now, "\nVmSwap:") + number(now, "\nVmPTE:")) > watch->memory;
}
