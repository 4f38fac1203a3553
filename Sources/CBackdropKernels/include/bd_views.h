#pragma once
#include <stddef.h>
#include <stdint.h>

/// Pixels of the picture for each side of a cell of the field.
#define BD_VIEWS_CELL 8

/// Pixels of the picture for each side of a tile that differs from it; tiles have one row and one column more.
#define BD_VIEWS_TILE 64

/// One layer of a picture that is seen from elsewhere.
struct bd_views_layer {
  /// Three interleaved channels of bytes.
  const uint8_t *samples;
  ptrdiff_t stride;
  /// Null, or squares of BD_VIEWS_TILE pixels that stand in for the samples, null where the samples hold: BD_VIEWS_TILE + 1 rows
  /// of as many pixels, without gaps; `(width - 1) / BD_VIEWS_TILE + 1` tiles in a row.
  const uint8_t *const *tiles;
  /// Nearness, smooth, of `near_width` × `near_height` samples that cover the picture.
  const float *nearness;
  ptrdiff_t nearness_stride;
  /// Nearness of what is seen at each node of the cells, (width - 1) / BD_VIEWS_CELL + 2 in a row.
  float *field;
};

/// A picture in two layers, the nearer one over the farther one.
struct bd_views {
  struct bd_views_layer layers[2];
  /// How much of each pixel belongs to the nearer layer, Q15; where it has half of the picture's size, rounded up, the halving
  /// is 1, else 0. Null: nothing does.
  const uint16_t *cover;
  ptrdiff_t cover_stride;
  int cover_halving;
  int step, width, height, near_width, near_height;
  uint8_t *output;
  ptrdiff_t output_stride;
  /// By how many pixels nearness 1 moves against nearness 0, and the nearness that stays.
  float shift_x, shift_y, zero;
};

/// Pixels of a picture with a hole, and for those in the hole where a patch that looks alike lies.
struct bd_patches {
  /// Four bytes a pixel, rows without gaps; what is in the hole is the guess so far.
  uint8_t *pixels;
  int width, height, radius;
  /// 1 where a patch lies wholly in the picture and outside the hole.
  const uint8_t *usable;
  /// For each pixel the pixel that it looks like, as y · width + x, and how different their patches are.
  int32_t *match;
  uint32_t *cost;
  /// The pixels whose patches touch the hole, in row order.
  const int32_t *targets;
  int target_count;
};

/// Kernels of topic "views"; see views.inc.
struct bd_views_kernels {
  /// Finds what is seen at the nodes of rows `from ..< to` of a layer's field.
  void (*solve)(const struct bd_views *job, int layer, int from, int to);
  /// Draws rows `from ..< to` of the picture.
  void (*render)(const struct bd_views *job, int from, int to);
  /// One round over the targets `from ..< to`, forwards or backwards: neighbours' matches and random ones, ever nearer.
  void (*improve)(const struct bd_patches *job, int from, int to, int backwards, uint64_t seed);
};
