#ifndef SCENERY_H
#define SCENERY_H

#include <stddef.h>

/// An AVIF file of 3840×2160 pixels, embedded from the folder `pictures`.
struct scenery_file {
  const unsigned char *bytes;
  size_t count;
};

struct scenery_file scenery_dunes(void);
struct scenery_file scenery_loft(void);
struct scenery_file scenery_northern(void);

#endif
