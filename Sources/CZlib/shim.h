#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

// Inflates a raw deflate stream (RFC 1951) that must be exactly `out_count` bytes long and end with the input; returns 1 if it is.
static inline int bd_inflate_exactly(const uint8_t *in, size_t in_count, uint8_t *out, size_t out_count) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (in_count > UINT32_MAX || out_count > UINT32_MAX) return 0;
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return 0;
  // The library does not accept null, and writes nothing past the given size.
  uint8_t none = 0;
  stream.next_in = (Bytef *)in;
  stream.avail_in = (uInt)in_count;
  stream.next_out = out_count ? out : &none;
  stream.avail_out = (uInt)out_count;
  const int code = inflate(&stream, Z_FINISH);
  const int whole = code == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole;
}

static inline uint32_t bd_crc32(const uint8_t *bytes, size_t count) {
  return (uint32_t)crc32_z(0, bytes, count);
}
