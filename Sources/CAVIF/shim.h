#pragma once
#include <avif/avif.h>

// The sides that an image swaps (ISO/IEC 23008-12, 6.5.12): 0 for top and bottom, 1 for left and right. The field was renamed with libavif
// 1.0.
static inline int bd_avif_mirror(const avifImage *image) {
#if AVIF_VERSION >= 1000000
  return image->imir.axis;
#else
  return image->imir.mode;
#endif
}

// Before libavif 1.0 these functions return nothing; from 1.0 on they return whether there was enough memory.
static inline void bd_avif_set_icc(avifImage *image, const uint8_t *bytes, size_t count) {
  (void)!(avifImageSetProfileICC(image, bytes, count), 0);
}
static inline void bd_avif_set_exif(avifImage *image, const uint8_t *bytes, size_t count) {
  (void)!(avifImageSetMetadataExif(image, bytes, count), 0);
}
static inline void bd_avif_set_xmp(avifImage *image, const uint8_t *bytes, size_t count) {
  (void)!(avifImageSetMetadataXMP(image, bytes, count), 0);
}
static inline void bd_avif_set_option(avifEncoder *encoder, const char *name, const char *value) {
  (void)!(avifEncoderSetCodecSpecificOption(encoder, name, value), 0);
}
