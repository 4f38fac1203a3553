#pragma once

/// Exchanges two files or folders: each name then refers to the other's file or folder.
///
/// Returns 0, or -1 with the reason in errno, which is ENOSYS or EINVAL if the system or the file system does not support it.
int bd_exchange(const char *path, const char *other);

/// Renames a file or folder to a name that must be free; EEXIST if it is taken, else returns as bd_exchange().
int bd_rename_new(const char *path, const char *other);

/// A new file without a name, in memory where the system can; returns its descriptor, or -1 with the reason in errno.
int bd_memory_file(void);
