#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

#include <stddef.h>

/// The files of the studio's page, from the folder `page`.
struct studio_page {
  /// The text of `files.inc`, which names the files in order.
  const unsigned char *names;
  size_t name_count;
  /// The files in that order, each with a 0 after it.
  const unsigned char *contents;
  size_t content_count;
};

struct studio_page studio_page(void);

#endif
