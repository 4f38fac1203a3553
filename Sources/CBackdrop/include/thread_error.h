#ifndef BACKDROP_THREAD_ERROR_H
#define BACKDROP_THREAD_ERROR_H

/// Keeps what went wrong in this thread's last call, cut to 1,023 bytes each at the end of a character.
void bd_keep_error(const char *message, const char *hint, const char *path);

/// Forgets it.
void bd_forget_error(void);

#endif
