#pragma once
#include <stddef.h>
#include <stdint.h>

/// Pixels of the picture on each side of a cell of the field.
#define BD_VIEWS_CELL 8

/// Pixels on each side of a tile that replaces a part of the picture; tiles have one more row and column.
#define BD_VIEWS_TILE 64

/// One layer of a picture that is seen from another viewpoint.
struct bd_views_layer {
  /// Three interleaved channels of bytes.
  const uint8_t *samples;
  ptrdiff_t stride;
  /// Null, or squares of BD_VIEWS_TILE pixels that replace the samples, null where the samples are used: BD_VIEWS_TILE + 1 rows of as many
  /// pixels, without gaps; `(width - 1) / BD_VIEWS_TILE + 1` tiles in a row.
  const uint8_t *const *tiles;
  /// Normalized disparity, smooth, in `near_width` × `near_height` samples that cover the picture.
  const float *disparity;
  ptrdiff_t disparity_stride;
  /// The disparity seen at each node of the cells, (width - 1) / BD_VIEWS_CELL + 2 in a row.
  float *field;
};

/// A picture in two layers, the nearer one over the farther one.
struct bd_views {
  struct bd_views_layer layers[2];
  /// The fraction of each pixel that belongs to the nearer layer, Q15; null if that layer is empty. If it has half of the picture's size,
  /// rounded up, the halving is 1, otherwise 0.
  const uint16_t *cover;
  ptrdiff_t cover_stride;
  int cover_halving;
  int step, width, height, near_width, near_height;
  uint8_t *output;
  ptrdiff_t output_stride;
  /// The shift of disparity 1 relative to disparity 0, in pixels, and the disparity that does not move.
  float shift_x, shift_y, zero;
};

/// Pixels of a picture with a hole, and for each pixel in the hole the position of a similar patch.
struct bd_patches {
  /// Four bytes for each pixel, rows without gaps; the hole contains the current guess.
  uint8_t *pixels;
  int width, height, radius;
  /// 1 where a patch lies entirely in the picture and outside the hole.
  const uint8_t *usable;
  /// For each pixel the most similar pixel, as y · width + x, and the difference of their patches.
  int32_t *match;
  uint32_t *cost;
  /// The pixels whose patches touch the hole, in row order.
  const int32_t *targets;
  int target_count;
};

struct bd_views_kernels {
  /// Finds the disparity seen at the nodes of rows `from ..< to` of a layer's field.
  void (*solve)(const struct bd_views *job, int layer, int from, int to);
  /// Draws rows `from ..< to` of the picture.
  void (*render)(const struct bd_views *job, int from, int to);
  /// One pass over the targets `from ..< to`, forwards or backwards: tries neighbours' matches, and random ones at decreasing distances.
  void (*improve)(const struct bd_patches *job, int from, int to, int backwards, uint64_t seed);
};
