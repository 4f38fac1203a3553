#pragma once

/// Exchanges two files or folders: each name then leads to what the other led to.
///
/// Returns 0, or -1 with the reason in errno, which is ENOSYS or EINVAL where the system or the file system does not do that.
int bd_exchange(const char *path, const char *other);
