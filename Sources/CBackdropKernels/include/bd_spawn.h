#pragma once
#include <spawn.h>

/// Makes a started program close all files from that number on, including those that other threads of this program open later.
///
/// Returns the error number, or 0.
int bd_spawn_close_from(posix_spawn_file_actions_t *actions, int first);
