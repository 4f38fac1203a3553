#pragma once
#include <stddef.h>
#include <stdint.h>

#include "bd_matte.h"

/// What one step of a grade does to the channels, which are 0...1 and may leave that range between matrices.
enum { BD_GRADE_MATRIX = 0, BD_GRADE_CURVE = 1, BD_GRADE_VIBRANCE = 2 };

/// Intervals in the table of a curve.
#define BD_CURVE_INTERVALS 1024

struct bd_grade_step {
  int kind;
  /// Matrix: red, green and blue of the output, each as weights of red, green, blue and a constant.
  float matrix[12];
  /// Curve: the values at 0, 1/1024 ... 1 and the last one once more; what lies between is on straight lines.
  const float *curve;
  /// Vibrance: how much colours of saturation s are strengthened, by 1 + amount (1 - s).
  float amount;
};

/// One of two pictures that are blended: where its pixels are, and what is done to them on the way.
struct bd_paint_side {
  const uint8_t *base;
  /// 0: one row stands for all.
  ptrdiff_t stride;
  const struct bd_grade_step *steps;
  int step_count;
  /// Light: pixels are multiplied by `light_floor + (1 - light_floor) light_columns[x] light_rows[y]`; none if null.
  /// There are `width` rounded up to 32 columns.
  const float *light_columns, *light_rows;
  float light_floor;
};

/// Interleaved pixels of 3 or 4 bytes, the fourth of which is alpha.
struct bd_paint {
  const uint16_t *matte;
  ptrdiff_t matte_stride;
  const struct bd_upsample *upsample;
  struct bd_paint_side front, back;
  uint8_t *output;
  ptrdiff_t output_stride;
  int channels;
  /// The byte of a pixel that is red: 0 or 2; 0 with 3 channels.
  int red;
  /// What the matte is multiplied by, Q15; 32767 leaves it as it is.
  int opacity;
};

struct bd_paint_kernels {
  /// Scales the matte, grades both pictures where they are seen, and blends rows `from ..< to`:
  /// output = back + matte (front - back), rounded half up. Alpha is that of the pictures.
  ///
  /// `scratch` is 64-byte aligned and has room for `bd_composite_scratch(upsample)` bytes. The output may be either picture.
  void (*rows)(const struct bd_paint *paint, int from, int to, void *scratch);
};
