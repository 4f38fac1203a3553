#pragma once
#include <stddef.h>
#include <stdint.h>

#include "bd_transfer.h"

/// Steps of a sample between black and white.
enum { BD_TONE_SAMPLES = 16383 };

/// The conversion from samples of a high dynamic range to 8 bits of a standard one. Light is 1 at the peak of the source; its steps are
/// those of `bd_transfer.h`.
struct bd_tone {
  /// R'G'B' in 0 ... BD_TONE_SAMPLES from Y'CbCr samples: the values of black and of no colour, and the factors.
  float luma_offset, chroma_offset, luma, cr_red, cb_green, cr_green, cb_blue;
  /// The same from R'G'B' samples: one factor.
  float sample;
  /// Light of BD_TONE_SAMPLES + 1 samples.
  const float *light;
  /// The factor for light by its luminance, at each step, and the weights of luminance; null for no change.
  const float *system;
  float weights[3];
  /// The factor for light by its largest channel, at each step.
  const float *curve;
  /// From light to light, row by row.
  float matrix[9];
  /// BD_LIGHT_STEPS + 1 samples.
  const uint8_t *encoded;
};

/// The conversion from 8-bit R'G'B' to samples of a high dynamic range.
struct bd_tone_up {
  /// Light of the 256 samples of each channel.
  const float *linear[3];
  float matrix[9];
  /// The factor for light by its luminance, at each step, and the weights of luminance; null for no change.
  const float *system;
  float weights[3];
  /// BD_LIGHT_STEPS + 1 samples, 0 ... 1.
  const float *encoded;
};

/// R'G'B' of 0 ... 1 to Y'CbCr samples; the offsets round.
struct bd_tone_pack {
  float red, green, blue, luma_offset, cb, cr, chroma_offset, most;
};

struct bd_tone_kernels {
  /// Converts one row of luma to RGB. Chroma is 3/4 of the near row and 1/4 of the far one; it has `width` samples in a row, or half as
  /// many (rounded up) where `halved` is 1, and is then interpolated sideways too.
  void (*planes)(const uint16_t *luma, const uint16_t *cb_near, const uint16_t *cb_far, const uint16_t *cr_near,
                 const uint16_t *cr_far, int halved, ptrdiff_t width, const struct bd_tone *tone, uint8_t *rgb);
  /// Converts one row of interleaved R'G'B' samples to RGB; `channels` (3 or 4) is the distance between pixels.
  void (*pixels)(const uint16_t *row, int channels, ptrdiff_t width, const struct bd_tone *tone, uint8_t *rgb);
  /// Converts one row of pixels to planes of R'G'B' of a high dynamic range, 0 ... 1.
  void (*up)(const uint8_t *row, int order, ptrdiff_t width, const struct bd_tone_up *tone, float *red, float *green,
             float *blue);
  /// Converts two rows of such planes, the second `stride` elements after the first, to two rows of luma and the chroma of their 2x2 means.
  /// For the last row of an odd height, `stride` is 0 and `lower` is null.
  void (*pack)(const float *red, const float *green, const float *blue, ptrdiff_t stride, ptrdiff_t width,
               const struct bd_tone_pack *pack, uint16_t *upper, uint16_t *lower, uint16_t *cb, uint16_t *cr);
};
