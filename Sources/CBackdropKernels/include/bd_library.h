#pragma once

/// How libraries are opened: the mode for `dlopen`.
///
/// A program may hold two unwinders, libgcc's and libunwind's, which GStreamer brings along. An exception that libstdc++ raises with one
/// and a library goes on with by the other ends the program. Where the names that all libraries share would give a library opened now
/// another one than libstdc++ has, the mode has it look among its own first (`RTLD_DEEPBIND`).
int bd_library_mode(void);

