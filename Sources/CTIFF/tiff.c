#include "ctiff.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#ifndef TIFFLIB_AT_LEAST
#error "libtiff 4.5 or later is needed, whose handlers of errors belong to a file"
#endif

#define FUNCTIONS \
  FUNCTION(TIFFClientOpenExt) \
  FUNCTION(TIFFClose) \
  FUNCTION(TIFFCurrentDirOffset) \
  FUNCTION(TIFFGetField) \
  FUNCTION(TIFFGetFieldDefaulted) \
  FUNCTION(TIFFGetStrileByteCount) \
  FUNCTION(TIFFGetStrileOffset) \
  FUNCTION(TIFFIsTiled) \
  FUNCTION(TIFFNumberOfStrips) \
  FUNCTION(TIFFNumberOfTiles) \
  FUNCTION(TIFFOpenOptionsAlloc) \
  FUNCTION(TIFFOpenOptionsFree) \
  FUNCTION(TIFFOpenOptionsSetErrorHandlerExtR) \
  FUNCTION(TIFFOpenOptionsSetMaxSingleMemAlloc) \
  FUNCTION(TIFFOpenOptionsSetWarningHandlerExtR) \
  FUNCTION(TIFFReadDirectory) \
  FUNCTION(TIFFReadEncodedStrip) \
  FUNCTION(TIFFReadEncodedTile) \
  FUNCTION(TIFFReadRGBAImageOriented) \
  FUNCTION(TIFFSetField) \
  FUNCTION(TIFFStripSize64) \
  FUNCTION(TIFFTileSize64)

// The library's functions, each under its own name.
static struct {
#define FUNCTION(name) __typeof__(&name) name;
  FUNCTIONS
#undef FUNCTION
} tiff;
static bool is_there;

static void open_library(void) {
  void *library = dlopen("libtiff.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return;
  is_there = true;
#define FUNCTION(name) \
  tiff.name = (__typeof__(&name))dlsym(library, #name); \
  if (!tiff.name) is_there = false;
  FUNCTIONS
#undef FUNCTION
}

bool bd_tiff_is_there(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return is_there;
}

struct bd_tiff {
  TIFF *handle;
  const uint8_t *bytes;
  uint64_t count, position;
  char complaint[200];
};

static tmsize_t read_bytes(thandle_t client, void *target, tmsize_t size) {
  bd_tiff *file = client;
  if (size <= 0 || file->position >= file->count) return 0;
  uint64_t left = file->count - file->position;
  size_t taken = (uint64_t)size < left ? (size_t)size : (size_t)left;
  memcpy(target, file->bytes + file->position, taken);
  file->position += taken;
  return (tmsize_t)taken;
}

static tmsize_t write_bytes(thandle_t client, void *source, tmsize_t size) {
  (void)client, (void)source, (void)size;
  return 0;
}

static toff_t seek(thandle_t client, toff_t offset, int from) {
  bd_tiff *file = client;
  switch (from) {
    case SEEK_SET: file->position = offset; break;
    case SEEK_CUR: file->position += offset; break;
    default: file->position = file->count + offset;
  }
  return file->position;
}

static int close_nothing(thandle_t client) {
  (void)client;
  return 0;
}

static toff_t size_of(thandle_t client) { return ((bd_tiff *)client)->count; }

static int map(thandle_t client, void **base, toff_t *size) {
  bd_tiff *file = client;
  *base = (void *)file->bytes;
  *size = file->count;
  return 1;
}

static void unmap(thandle_t client, void *base, toff_t size) { (void)client, (void)base, (void)size; }

static void complain(bd_tiff *file, const char *module, const char *format, va_list values) {
  if (file->complaint[0]) return;
  int count = snprintf(file->complaint, sizeof file->complaint, "%s: ", module ? module : "libtiff");
  if (count < 0 || (size_t)count >= sizeof file->complaint) return;
  vsnprintf(file->complaint + count, sizeof file->complaint - (size_t)count, format, values);
  for (char *each = file->complaint; *each; each++)
    if (*each < ' ' || *each > '~') *each = ' ';
}

static int on_error(TIFF *handle, void *user, const char *module, const char *format, va_list values) {
  (void)handle;
  complain(user, module, format, values);
  return 1;
}

// If the library continues after a warning, the file is usually odd but valid. A warning of the JPEG decoder, however,
// means invented pixels.
static int on_warning(TIFF *handle, void *user, const char *module, const char *format, va_list values) {
  (void)handle;
  if (module && (!strcmp(module, "JPEGLib") || !strcmp(module, "LibJpeg"))) complain(user, module, format, values);
  return 1;
}

bd_tiff *bd_tiff_open(const uint8_t *bytes, size_t count, size_t most, char *message, size_t message_count) {
  if (!bd_tiff_is_there()) return NULL;
  bd_tiff *file = calloc(1, sizeof *file);
  TIFFOpenOptions *options = file ? tiff.TIFFOpenOptionsAlloc() : NULL;
  if (!options) {
    free(file);
    snprintf(message, message_count, "out of memory");
    return NULL;
  }
  file->bytes = bytes;
  file->count = count;
  tiff.TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
  tiff.TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, file);
  tiff.TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, file);
  // The mode `c` leaves strips whole, because they are counted and checked here.
  file->handle = tiff.TIFFClientOpenExt(
      "TIFF", "rc", file, read_bytes, write_bytes, seek, close_nothing, size_of, map, unmap, options);
  tiff.TIFFOpenOptionsFree(options);
  if (!file->handle) {
    snprintf(message, message_count, "%s", file->complaint);
    free(file);
    return NULL;
  }
  return file;
}

void bd_tiff_close(bd_tiff *file) {
  tiff.TIFFClose(file->handle);
  free(file);
}

bool bd_tiff_next(bd_tiff *file) { return tiff.TIFFReadDirectory(file->handle) == 1; }

bool bd_tiff_describe(bd_tiff *file, bd_tiff_page *page) {
  TIFF *handle = file->handle;
  memset(page, 0, sizeof *page);
  page->offset = tiff.TIFFCurrentDirOffset(handle);
  if (!tiff.TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &page->width)) return false;
  if (!tiff.TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &page->height)) return false;
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_BITSPERSAMPLE, &page->bits);
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLESPERPIXEL, &page->samples);
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_COMPRESSION, &page->compression);
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_PLANARCONFIG, &page->planes);
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_SAMPLEFORMAT, &page->sample_format);
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_ORIENTATION, &page->orientation);
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_INKSET, &page->ink_set);
  tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_SUBFILETYPE, &page->subfile);
  // If it is missing, readers take 0 for black.
  page->photometric = PHOTOMETRIC_MINISBLACK;
  tiff.TIFFGetField(handle, TIFFTAG_PHOTOMETRIC, &page->photometric);
  uint64_t *directories = NULL;
  if (!tiff.TIFFGetField(handle, TIFFTAG_SUBIFD, &page->inner_count, &directories)) page->inner_count = 0;
  const uint8_t *version = NULL;
  page->is_negative = tiff.TIFFGetField(handle, TIFFTAG_DNGVERSION, &version) == 1;
  if (tiff.TIFFIsTiled(handle)) {
    tiff.TIFFGetField(handle, TIFFTAG_TILEWIDTH, &page->chunk_width);
    tiff.TIFFGetField(handle, TIFFTAG_TILELENGTH, &page->chunk_height);
    page->chunk_count = tiff.TIFFNumberOfTiles(handle);
    page->chunk_bytes = tiff.TIFFTileSize64(handle);
  } else {
    page->chunk_width = page->width;
    tiff.TIFFGetFieldDefaulted(handle, TIFFTAG_ROWSPERSTRIP, &page->chunk_height);
    if (page->chunk_height > page->height) page->chunk_height = page->height;
    page->chunk_count = tiff.TIFFNumberOfStrips(handle);
    page->chunk_bytes = tiff.TIFFStripSize64(handle);
  }
  tiff.TIFFGetField(handle, TIFFTAG_EXTRASAMPLES, &page->extra_count, &page->extra);
  if (!page->extra) page->extra_count = 0;
  tiff.TIFFGetField(handle, TIFFTAG_COLORMAP, &page->red, &page->green, &page->blue);
  void *bytes = NULL;
  if (tiff.TIFFGetField(handle, TIFFTAG_ICCPROFILE, &page->profile_count, &bytes)) page->profile = bytes;
  if (!page->profile) page->profile_count = 0;
  bytes = NULL;
  if (tiff.TIFFGetField(handle, TIFFTAG_XMLPACKET, &page->xmp_count, &bytes)) page->xmp = bytes;
  if (!page->xmp) page->xmp_count = 0;
  return true;
}

void bd_tiff_want_rgb(bd_tiff *file) { tiff.TIFFSetField(file->handle, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB); }

void bd_tiff_chunk_range(bd_tiff *file, uint32_t chunk, uint64_t *offset, uint64_t *count) {
  *offset = tiff.TIFFGetStrileOffset(file->handle, chunk);
  *count = tiff.TIFFGetStrileByteCount(file->handle, chunk);
}

int64_t bd_tiff_decode(bd_tiff *file, uint32_t chunk, void *buffer, size_t size) {
  return tiff.TIFFIsTiled(file->handle)
             ? tiff.TIFFReadEncodedTile(file->handle, chunk, buffer, (tmsize_t)size)
             : tiff.TIFFReadEncodedStrip(file->handle, chunk, buffer, (tmsize_t)size);
}

bool bd_tiff_decode_rgba(bd_tiff *file, uint32_t *pixels, uint32_t width, uint32_t height, uint16_t orientation) {
  // With the file's own orientation, the library rotates nothing.
  return tiff.TIFFReadRGBAImageOriented(file->handle, width, height, pixels, orientation, 1) == 1;
}

const char *bd_tiff_complaint(const bd_tiff *file) { return file->complaint; }

void bd_tiff_forget(bd_tiff *file) { file->complaint[0] = 0; }
