#pragma once

/// Exchanges two files or folders: each name then refers to the other's file or folder.
///
/// Returns 0, or -1 with the reason in errno, which is ENOSYS or EINVAL if the system or the file system does not support it.
int bd_exchange(const char *path, const char *other);
