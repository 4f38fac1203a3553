#pragma once
#include <stddef.h>
#include <stdint.h>

/// Samples on each side of a cell, the finest level at which the two sides' colours are collected.
#define BD_FOREGROUND_CELL 4
/// Columns that are processed together.
#define BD_FOREGROUND_GROUP 16
/// The level whose samples are as wide as a group.
#define BD_FOREGROUND_FILL_LEVEL 2
/// The number of levels needed for any size below 2^17.
#define BD_FOREGROUND_LEVELS 18

/// The content of a group of columns in one row of cells.
enum { BD_FOREGROUND_CLEAR = 0, BD_FOREGROUND_SOLID = 1, BD_FOREGROUND_MIXED = 2 };

/// One level of the pyramid: colours of foreground and background, multiplied by their weights until `push` divides them.
struct bd_foreground_level {
  float *front[3], *back[3], *front_weight, *back_weight;
  /// In floats, for all planes.
  ptrdiff_t stride;
  int width, height;
};

/// Planes of one size: up to three channels.
struct bd_foreground {
  /// The picture and the result, each channel; both have `step` bytes from one sample to the next. With a step of 4 the fourth byte of
  /// three channels is copied. Three bytes past the picture's last sample may be read.
  const uint8_t *picture[3];
  uint8_t *output[3];
  ptrdiff_t picture_stride, output_stride;
  int step, channels;
  /// Opacity of the planes' samples, Q15; values above 32768 count as 1.
  const uint16_t *opacity;
  ptrdiff_t opacity_stride;
  int width, height;
  /// One state for each group of each row of cells.
  uint8_t *states;
  int groups;
  /// From the cells, halved until one sample is left.
  struct bd_foreground_level levels[BD_FOREGROUND_LEVELS];
  int level_count;
  /// The factor for a colour's weight relative to its surroundings.
  float trust;
  /// The foreground colour if there is no foreground at all.
  uint8_t nothing[3];
};

struct bd_foreground_kernels {
  /// Computes rows `from ..< to` of the cells, and their groups' states.
  void (*cells)(const struct bd_foreground *job, int from, int to);
  /// Computes rows `from ..< to` of a level above the cells from the level below.
  void (*pull)(const struct bd_foreground *job, int level, int from, int to);
  /// Fills rows `from ..< to` of a level from the one above, which must have been filled. `scratch` has two floats more than the level
  /// above has columns.
  void (*push)(const struct bd_foreground *job, int level, int from, int to, float *scratch);
  /// Writes the foreground in rows `from ..< to` of cells.
  void (*solve)(const struct bd_foreground *job, int from, int to);
};
