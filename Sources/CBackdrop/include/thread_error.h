#ifndef BACKDROP_THREAD_ERROR_H
#define BACKDROP_THREAD_ERROR_H

/// Keeps the error of this thread's last call, each text cut to at most 1,023 bytes at the end of a character.
void bd_keep_error(const char *message, const char *hint, const char *path);

/// Forgets it.
void bd_forget_error(void);

#endif
