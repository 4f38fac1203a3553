#include "scenery.h"

// Clang has supported `#embed` since version 19; it is part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char dunes[] = {
#embed "pictures/dunes.avif"
};
static const unsigned char loft[] = {
#embed "pictures/loft.avif"
};
static const unsigned char northern[] = {
#embed "pictures/northern.avif"
};

struct scenery_file scenery_dunes(void) { return (struct scenery_file){dunes, sizeof dunes}; }

struct scenery_file scenery_loft(void) { return (struct scenery_file){loft, sizeof loft}; }

struct scenery_file scenery_northern(void) { return (struct scenery_file){northern, sizeof northern}; }
