#pragma once
#include <stddef.h>
#include <stdint.h>

/// Columns that the variable blur processes at once.
#define BD_LENS_BLOCK 32
/// Blurred levels between which a variable blur mixes.
#define BD_LENS_LEVELS 3
/// Cells of a shrunk plane before the first pixel: the outermost lies entirely in the replicated edge.
#define BD_LENS_MARGIN 2
/// The largest radius of the convolutions, in cells or pixels.
#define BD_LENS_RADIUS 16
/// The largest factor.
#define BD_LENS_FACTOR 128

/// One plane of a picture: 1 to 4 interleaved channels of bytes.
struct bd_lens_picture {
  const uint8_t *samples;
  ptrdiff_t stride;
  int width, height, channels;
};

/// A shrunk plane in Q7, 0 ... 32640. Cell j of an axis lies at pixel (j - BD_LENS_MARGIN) factor; (n - 1) / factor + 6
/// cells for n pixels. Kernels write up to 64 samples after the end of a row.
struct bd_lens_cells {
  int16_t *samples;
  ptrdiff_t stride;
  int width, height;
};

/// One blurred level of a picture.
struct bd_lens_level {
  /// The cells are this far apart, a power of two; with 1, the level is computed from the picture itself, row by row.
  int factor;
  struct bd_lens_cells cells;
  /// For each phase of a pixel between cells, four weights in Q15; with a factor of 1, the Gaussian's 2 radius + 1 weights.
  const int16_t *weights;
  int radius;
};

/// A picture and its levels, mixed row by row.
struct bd_lens_mix {
  struct bd_lens_picture picture;
  uint8_t *output;
  ptrdiff_t output_stride;
  struct bd_lens_level levels[BD_LENS_LEVELS];
  /// Whether the fourth channel is copied.
  int keeps_alpha;
};

/// Samples that a row of the picture's width takes in the scratch memory of `mix`.
static inline ptrdiff_t bd_lens_row(const struct bd_lens_picture *picture) {
  return ((ptrdiff_t)(picture->width + BD_LENS_BLOCK + BD_LENS_FACTOR) * picture->channels + 64 + 31) / 32 * 32;
}

/// Rows of a level that `mix` keeps.
static inline ptrdiff_t bd_lens_rows(const struct bd_lens_level *level) {
  return level->factor > 1 ? 4 : 2 * level->radius + 1;
}

/// Bytes of scratch memory for `mix`: the kept rows, and one more with space for the replicated edges or for the phases.
static inline ptrdiff_t bd_lens_scratch(const struct bd_lens_mix *mix) {
  ptrdiff_t rows = 1, edge = 0;
  for (int l = 0; l < BD_LENS_LEVELS; l++) {
    rows += bd_lens_rows(mix->levels + l);
    if (mix->levels[l].radius > edge) edge = mix->levels[l].radius;
  }
  return 2 * (rows * bd_lens_row(&mix->picture) + 2 * edge * mix->picture.channels + 64 * BD_LENS_FACTOR);
}

/// Kernels of topic "lens"; see lens.inc. Row numbers refer to the output; scratch memory is 64-byte aligned.
struct bd_lens_kernels {
  /// Cells half as dense as the picture's pixels, each weighted 1 4 6 4 1. Scratch: 16 (width + 64) channels bytes.
  void (*halve_picture)(const struct bd_lens_picture *picture, const struct bd_lens_cells *half, int from, int to,
                        void *scratch);
  /// Cells a quarter as dense: the same twice, without storing the half. Scratch: 32 (width + 64) channels bytes.
  void (*quarter_picture)(const struct bd_lens_picture *picture, const struct bd_lens_cells *quarter, int from, int to,
                          void *scratch);
  /// Cells half as dense as those of `cells`. Scratch: 8 (cells->width + 64) channels bytes.
  void (*halve)(const struct bd_lens_cells *cells, int channels, const struct bd_lens_cells *half, int from, int to,
                void *scratch);
  /// Convolves with 2 radius + 1 taps, `BD_LENS_RADIUS` at most, on both axes, edges replicated. Scratch: (2 radius + 3) rows of floats for
  /// (width + 2 radius + 64) channels.
  void (*blur)(const struct bd_lens_cells *cells, int channels, const struct bd_lens_cells *blurred, const float *taps,
               int radius, int from, int to, void *scratch);
  /// Mixes picture and levels by the strength of the blur, Q15 for each pixel of rows `from ..< to`, first row first: 0 is the picture,
  /// 32768 the last level. Rows of strengths must be readable in whole blocks. Scratch: `bd_lens_scratch`.
  void (*mix)(const struct bd_lens_mix *mix, const uint16_t *strength, ptrdiff_t strength_stride, int from, int to,
              void *scratch);
};
