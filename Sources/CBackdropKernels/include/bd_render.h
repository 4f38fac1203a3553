#pragma once
#include <stddef.h>
#include <stdint.h>

/// A painted sprite: `texels` holds blue, green, red and coverage, multiplied by coverage, 32768 = 1.
/// Its outermost two rows and columns are empty. `metres` and `reflectance` have the same size and stride.
struct bd_render_layer {
  const uint16_t *texels;
  const float *metres;
  const uint8_t *reflectance;
  int32_t stride, width, height;
};

/// The position of a sprite's texels: each node, 16 pixels of the output apart, holds the texel (u, v) seen there, 16.16. For each cell
/// between nodes, `active` says whether it shows none of the sprite (0), some (1), or only covered texels (2).
struct bd_render_mesh {
  const int32_t *nodes;
  const uint8_t *active;
  int32_t columns, rows;
  int32_t firstCell, cellCount;
};

/// The input of a depth row, one entry for each pixel.
struct bd_render_depth_row {
  float *metres;
  uint8_t *reflectance;
  int32_t count;
  /// Output column of entry 0, and output columns between entries, 16.16.
  int32_t x, dx;
};

/// The structured-light camera; lengths are in its pixels.
struct bd_render_sensor {
  int32_t width, height;
  /// Disparity of an object one metre away, and pixels of the projector for each pixel of the map.
  float disparityOfMetre, scale;
  float sigma;
  float far;
  uint32_t seed, frame;
};

struct bd_render_kernels {
  /// Draws a sprite over row `y` of `row` (blue, green, red, coverage; 32768 = 1; multiplied by coverage).
  void (*layer_row)(uint16_t *row, int32_t width, int32_t y, const struct bd_render_layer *layer,
                    const struct bd_render_mesh *mesh);
  /// The same for the depth of output row `y` (16.16): where the sprite covers at least half, its metres, plus
  /// `plane[0] + plane[1]·u + plane[2]·v` with u, v in texels, and its reflectance.
  void (*depth_row)(const struct bd_render_depth_row *row, int32_t y, const struct bd_render_layer *layer,
                    const struct bd_render_mesh *mesh, const float plane[3]);
  /// `bgra` = row + (1 − coverage) · background, rounded; `alpha` = coverage.
  void (*finish_row)(uint8_t *bgra, uint16_t *alpha, const uint16_t *row, const uint8_t *background, int32_t width);
  /// First half of the sensor: fills row `y` of `visible` with the nearest metres that both projector and camera see within one pixel to
  /// the side, or infinity. `scratch` has `width` floats.
  void (*illuminate_row)(float *visible, int32_t y, const float *metres, const uint8_t *reflectance,
                         const struct bd_render_sensor *sensor, float *scratch);
  /// Second half: row `y` of the measured map from all of `visible`; `scratch` has 3 · `width` + 16 floats.
  void (*measure_row)(float *out, int32_t y, const float *visible, ptrdiff_t stride,
                      const struct bd_render_sensor *sensor, float *scratch);
};
