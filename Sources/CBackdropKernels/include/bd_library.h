#pragma once

/// The mode for opening libraries with `dlopen`.
///
/// A program may contain two unwinders: libgcc's, and libunwind's, which GStreamer loads. If libstdc++ raises an exception with one and a
/// library continues it with the other, the program ends. If the global names would give an opened library another unwinder than libstdc++
/// uses, the mode makes it search its own libraries first (`RTLD_DEEPBIND`).
int bd_library_mode(void);
