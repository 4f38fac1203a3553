#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

#include <stddef.h>

/// A file of the studio's page, from the folder `page`.
struct studio_page_file {
  /// Its path in requests, beginning with a slash.
  const char *path;
  /// Its Content-Type.
  const char *type;
  const unsigned char *bytes;
  size_t count;
};

/// The number of files.
extern const size_t studio_page_file_count;

/// One of the files; 0 past the last.
const struct studio_page_file *studio_page_file_at(size_t index);

#endif
