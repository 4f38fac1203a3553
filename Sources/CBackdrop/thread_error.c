#include "thread_error.h"

#include <string.h>

#include "backdrop.h"

enum { LIMIT = 1024 };

static _Thread_local char message[LIMIT], hint[LIMIT], path[LIMIT];

static void keep(char *to, const char *text) {
  size_t length = strlen(text);
  if (length >= LIMIT) {
    length = LIMIT - 1;
    // Do not cut within a UTF-8 character.
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
  }
  memcpy(to, text, length);
  to[length] = 0;
}

void bd_keep_error(const char *new_message, const char *new_hint, const char *new_path) {
  keep(message, new_message);
  keep(hint, new_hint);
  keep(path, new_path);
}

void bd_forget_error(void) { message[0] = hint[0] = path[0] = 0; }

const char *bd_error_message(void) { return message; }
const char *bd_error_hint(void) { return hint; }
const char *bd_error_path(void) { return path; }
