#pragma once
#include <stddef.h>
#include <stdint.h>

/// Extra elements that the arrays of a cloud need, because whole vectors are written.
#define BD_CLOUD_SLACK 16
/// The reach of the window of normals to each side, in pixels.
#define BD_CLOUD_REACH 3

/// The arrays that receive a cloud's points, one for each coordinate.
struct bd_cloud_points {
  float *x, *y, *z;
  /// R, G, B, A in memory; may be null.
  uint32_t *color;
  /// Three arrays, all or none null.
  float *nx, *ny, *nz;
  /// The map's pixel of each point; may be null.
  uint32_t *pixel;
};

/// A row of a depth map.
struct bd_cloud_row {
  const float *depth;
  /// Whether each pixel becomes a point; null for all that are not holes.
  const uint8_t *keep;
  /// (u - cx) / fx of each column, and (v - cy) / fy of the row.
  const float *ray_x;
  float ray_y;
  /// Colours and normals of the row's pixels, if the points have them.
  const uint32_t *color;
  const float *nx, *ny, *nz;
  uint32_t first_pixel;
  int width;
};

/// The projection of points and triangles: p = rotation · point + translation, then x · focal / z + center.
struct bd_cloud_view {
  float rotation[9], translation[3];
  float focal_x, focal_y, center_x, center_y;
  /// Points nearer than this are not drawn.
  float nearest;
  int width, height;
  /// Rows without gaps; a depth of infinity is empty.
  float *depth;
  uint32_t *pixels;
};

/// Projected points: column and row in pixels, and distance.
struct bd_cloud_projected {
  float *u, *v, *z;
};

/// A texture: four bytes a pixel, rows without gaps.
struct bd_cloud_texture {
  const uint32_t *pixels;
  int width, height;
};

/// Kernels of topic "cloud"; see cloud.inc and cloud_render.inc.
struct bd_cloud_kernels {
  /// Appends a row's points after the first `count`; returns the new count.
  ptrdiff_t (*gather_row)(const struct bd_cloud_points *to, ptrdiff_t count, const struct bd_cloud_row *row);
  /// Marks the pixels of a row: 1 on a surface, 0 for holes and pixels between two surfaces. Rows above and below may be null. A step in
  /// depth z is a difference larger than both jump · z and noise · z².
  void (*keep_row)(uint8_t *keep, const float *above, const float *row, const float *below, int width, float jump,
                   float noise);
  /// 1 / depth of a row, NaN for holes.
  void (*invert_row)(float *to, const float *depth, int width);
  /// Unit normals of a row, towards the camera. `inverse` is the row's first pixel in a map of 1 / depth that has
  /// BD_CLOUD_REACH more samples on each side, and BD_CLOUD_SLACK on the right, NaN where the map ends.
  void (*normals_row)(float *nx, float *ny, float *nz, const float *inverse, ptrdiff_t stride, const float *ray_x,
                      float ray_y, float fx, float fy, int width, float jump, float noise);
  /// Projects points `from ..< to`, and finds the rows that the discs of the visible ones cover; from infinity to minus infinity if none is
  /// visible.
  void (*project)(const struct bd_cloud_view *view, const struct bd_cloud_points *points, ptrdiff_t from, ptrdiff_t to,
                  float size, const struct bd_cloud_projected *projected, float *rows);
  /// Finds the first and the last row of the corners of triangles `from ..< to`.
  void (*triangle_rows)(const struct bd_cloud_projected *projected, const uint32_t *indices, ptrdiff_t from, ptrdiff_t to,
                        float nearest, float *rows);
  /// Draws points `from ..< to` into rows `first ..< end`, as discs of radius size · z / distance pixels, at most 32.
  void (*draw_points)(const struct bd_cloud_view *view, const struct bd_cloud_points *points,
                      const struct bd_cloud_projected *projected, ptrdiff_t from, ptrdiff_t to, float size, int first, int end);
  /// Draws triangles `from ..< to` with a texture into rows `first ..< end`; `uv` has two numbers 0…1 for each point.
  void (*draw_triangles)(const struct bd_cloud_view *view, const struct bd_cloud_projected *projected, const float *uv,
                         const uint32_t *indices, ptrdiff_t from, ptrdiff_t to, const struct bd_cloud_texture *texture,
                         int first, int end);
  /// Darkens pixels that lie behind their neighbours `reach` pixels away, fills empty ones with the colours `top` to `bottom`, and averages
  /// two by two pixels: rows `from ..< to` of half the view's size, which is even. `scratch` has two rows of it.
  void (*shade)(uint32_t *to_pixels, ptrdiff_t stride, const struct bd_cloud_view *view, int from, int to, int reach,
                float strength, uint32_t top, uint32_t bottom, uint32_t *scratch);
};
