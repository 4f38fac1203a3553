#pragma once
#include <stddef.h>
#include <stdint.h>

#include "bd_matte.h"

/// The operation of one step of a grade. Channels are 0...1 and may leave that range between matrices.
enum { BD_GRADE_MATRIX = 0, BD_GRADE_CURVE = 1, BD_GRADE_VIBRANCE = 2 };

/// Intervals in the table of a curve.
#define BD_CURVE_INTERVALS 1024

struct bd_grade_step {
  int kind;
  /// Matrix: red, green and blue of the output, each as weights of red, green, blue and a constant.
  float matrix[12];
  /// Curve: the values at 0, 1/1024 ... 1 and the last one once more; interpolated linearly between.
  const float *curve;
  /// Vibrance: colours of saturation s are strengthened by 1 + amount (1 - s).
  float amount;
};

/// One of the two blended pictures: its pixels, and the grade and light applied to them.
struct bd_paint_input {
  const uint8_t *base;
  /// 0: the same row is used for all rows.
  ptrdiff_t stride;
  const struct bd_grade_step *steps;
  int step_count;
  /// Light: pixels are multiplied by `light_floor + (1 - light_floor) light_columns[x] light_rows[y]`; no light if null. There are `width`
  /// rounded up to 32 columns.
  const float *light_columns, *light_rows;
  float light_floor;
};

/// Interleaved pixels of 3 or 4 bytes, the fourth of which is alpha.
struct bd_paint {
  const uint16_t *matte;
  ptrdiff_t matte_stride;
  const struct bd_upsample *upsample;
  struct bd_paint_input front, back;
  uint8_t *output;
  ptrdiff_t output_stride;
  int channels;
  /// The position of red in a pixel: 0 or 2; 0 with 3 channels.
  int red;
  /// The factor for the matte, Q15; 32767 means no change.
  int opacity;
};

struct bd_paint_kernels {
  /// Scales the matte, grades both pictures where they are visible, and blends rows `from ..< to`: output = back + matte (front - back),
  /// rounded half up. Alpha comes from the pictures.
  ///
  /// `scratch` is 64-byte aligned and has `bd_composite_scratch(upsample)` bytes. The output may be either picture.
  void (*rows)(const struct bd_paint *paint, int from, int to, void *scratch);
};
