#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

#include <stddef.h>

/// A file of the studio's page, as it is in the folder `page`.
struct studio_page_file {
  /// Where it is asked for, from the slash on.
  const char *path;
  /// Its Content-Type.
  const char *type;
  const unsigned char *bytes;
  size_t count;
};

/// How many files there are.
extern const size_t studio_page_file_count;

/// One of them; 0 past the last.
const struct studio_page_file *studio_page_file_at(size_t index);

#endif
