#include "studio_page.h"

// Clang has supported `#embed` since version 19; it is part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char names[] = {
#embed "page/files.inc"
};
static const unsigned char contents[] = {
#include "page/files.inc"
};

struct studio_page studio_page(void) {
  return (struct studio_page){names, sizeof names, contents, sizeof contents};
}
