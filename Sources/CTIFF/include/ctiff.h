#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The part of libtiff 4.5 and later that Backdrop uses. The library is opened at the first call: it loads ten other libraries, and few
// programs read such files. Files are read from memory. The library prints nothing; its first message is kept with the file.

/// An open file.
typedef struct bd_tiff bd_tiff;

/// The content of a directory, with the library's defaults; pointers are valid until the next page or until the file is closed.
typedef struct {
  /// The offset of the directory in the file.
  uint64_t offset;
  uint32_t width, height;
  uint16_t bits, samples, compression, photometric, planes, sample_format, orientation, ink_set;
  /// NewSubfileType: bit 0 marks a smaller version of another picture, bit 2 a mask.
  uint32_t subfile;
  /// The number of directories that the page points to.
  uint16_t inner_count;
  /// Whether it is marked as a digital negative.
  bool is_negative;
  /// The size of a tile, or of a strip.
  uint32_t chunk_width, chunk_height;
  /// The number of chunks in all planes, and the bytes of a decoded chunk.
  uint32_t chunk_count;
  uint64_t chunk_bytes;
  /// The meaning of the samples beyond the colours.
  uint16_t extra_count;
  const uint16_t *extra;
  /// The 16-bit colour of each index; NULL without a palette.
  const uint16_t *red, *green, *blue;
  const uint8_t *profile, *xmp;
  uint32_t profile_count, xmp_count;
} bd_tiff_page;

/// Whether the library is installed.
bool bd_tiff_is_there(void);

/// Opens a file at its first directory; NULL if that cannot be read, with the reason in `message`.
/// - `bytes`: the file, which must stay in memory until it is closed.
/// - `most`: the maximum number of bytes that the library may allocate at a time.
bd_tiff *bd_tiff_open(const uint8_t *bytes, size_t count, size_t most, char *message, size_t message_count);
void bd_tiff_close(bd_tiff *file);

/// Goes to the next directory; returns false after the last one.
bool bd_tiff_next(bd_tiff *file);
/// Reads the directory; returns false if it has no size.
bool bd_tiff_describe(bd_tiff *file, bd_tiff_page *page);
/// Makes the library decode JPEG's Y'CbCr samples to R'G'B', which changes the bytes of a chunk.
void bd_tiff_want_rgb(bd_tiff *file);

/// The range of a chunk's bytes in the file.
void bd_tiff_chunk_range(bd_tiff *file, uint32_t chunk, uint64_t *offset, uint64_t *count);
/// Decodes a chunk; returns the number of bytes, below 0 if it is damaged. Samples have the processor's byte order.
int64_t bd_tiff_decode(bd_tiff *file, uint32_t chunk, void *buffer, size_t size);
/// Decodes the whole page to packed 8-bit R, G, B and A, not rotated; returns false if it is damaged.
bool bd_tiff_decode_rgba(bd_tiff *file, uint32_t *pixels, uint32_t width, uint32_t height, uint16_t orientation);

/// The library's first message since `bd_tiff_forget`; empty if there is none.
const char *bd_tiff_complaint(const bd_tiff *file);
void bd_tiff_forget(bd_tiff *file);
