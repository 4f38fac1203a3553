#pragma once
#include <spawn.h>

/// Has a program that is started close all files from that number on, whoever of this one's threads opened them, and when.
///
/// Returns the error's number, or 0.
int bd_spawn_close_from(posix_spawn_file_actions_t *actions, int first);
