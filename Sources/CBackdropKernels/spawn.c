#include "bd_spawn.h"

#include <errno.h>

int bd_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
  (void)actions, (void)first;
  return ENOSYS;
#endif
}
