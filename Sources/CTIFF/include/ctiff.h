#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is used of libtiff 4.5 and later, which is opened at the first call: it brings ten libraries of its own, and few programs
// read such a file. Files are read from memory. The library prints nothing: its first complaint is kept with the file.

/// An open file.
typedef struct bd_tiff bd_tiff;

/// What a directory says, with the library's defaults; addresses hold until the next page or the end.
typedef struct {
  /// Where the directory lies in the file.
  uint64_t offset;
  uint32_t width, height;
  uint16_t bits, samples, compression, photometric, planes, sample_format, orientation, ink_set;
  /// NewSubfileType: bit 0 says that it is a smaller picture of another one, bit 2 that it is a mask.
  uint32_t subfile;
  /// Directories that the page points to.
  uint16_t inner_count;
  /// Whether it has the mark of a digital negative.
  bool is_negative;
  bool is_tiled;
  /// Of a tile, or a strip.
  uint32_t chunk_width, chunk_height;
  /// Chunks of all planes, and the bytes of one that is decoded.
  uint32_t chunk_count;
  uint64_t chunk_bytes;
  /// What samples beyond the colours are.
  uint16_t extra_count;
  const uint16_t *extra;
  /// Of each index its colour in 16 bits; NULL without a palette.
  const uint16_t *red, *green, *blue;
  const uint8_t *profile, *xmp;
  uint32_t profile_count, xmp_count;
} bd_tiff_page;

/// Whether the library is installed.
bool bd_tiff_is_there(void);

/// Opens a file at its first directory; NULL if that cannot be read, with the reason in `message`.
/// - `bytes`: the file, which must stay where it is.
/// - `most`: bytes that the library may allocate at a time.
bd_tiff *bd_tiff_open(const uint8_t *bytes, size_t count, size_t most, char *message, size_t message_count);
void bd_tiff_close(bd_tiff *file);

/// Goes to the next directory; false after the last one.
bool bd_tiff_next(bd_tiff *file);
/// Reads what the directory says; false if it says no size.
bool bd_tiff_describe(bd_tiff *file, bd_tiff_page *page);
/// Has JPEG's Y'CbCr samples decoded to R'G'B', which changes the bytes of a chunk.
void bd_tiff_want_rgb(bd_tiff *file);

/// Where a chunk's bytes lie in the file.
void bd_tiff_place(bd_tiff *file, uint32_t chunk, uint64_t *offset, uint64_t *count);
/// Decodes a chunk; the number of bytes that it gave, below 0 where it is damaged. Samples have the processor's byte order.
int64_t bd_tiff_decode(bd_tiff *file, uint32_t chunk, void *buffer, size_t size);
/// Decodes the whole page to R, G, B and A of 8 bits, not turned, packed; false where it is damaged.
bool bd_tiff_decode_rgba(bd_tiff *file, uint32_t *pixels, uint32_t width, uint32_t height, uint16_t orientation);

/// The first complaint since it was asked to forget; empty without any.
const char *bd_tiff_complaint(const bd_tiff *file);
void bd_tiff_forget(bd_tiff *file);
