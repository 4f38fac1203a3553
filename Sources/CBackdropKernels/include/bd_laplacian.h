#pragma once
#include <stddef.h>
#include <stdint.h>

/// Columns that are processed together.
#define BD_LAPLACIAN_GROUP 8
/// The samples within two columns and rows of a sample, without itself.
#define BD_LAPLACIAN_COUPLINGS 24

/// The equations of closed-form matting for the unknown samples of a picture. Arrays with a value for each sample of a group have the
/// groups one after the other. Values of known samples are 0.
struct bd_laplacian {
  /// R, G, B and another byte of each sample.
  const uint8_t *picture;
  ptrdiff_t picture_stride;
  int width, height;
  /// Nonzero for unknown samples, each with a group.
  const uint8_t *unknown;
  ptrdiff_t unknown_stride;
  /// Columns of the middles of the windows of 3×3 samples; those of row y are `window_rows[y] ..< window_rows[y + 1]`.
  const int32_t *windows, *window_rows;
  /// The addition to the diagonal of the windows' covariance of colours in 0…1.
  double ridge;
  /// For each group of columns of each row its number, or -1 if it has no unknown samples.
  const int32_t *groups;
  ptrdiff_t groups_stride;
  /// The negative entries of the matrix beside its diagonal: for each group a row of values for each sample around, row by row.
  float *couplings;
  /// The opacities or directions of all samples, with two more columns and rows on each side.
  float *plane;
  ptrdiff_t plane_stride;
  /// For each group the position in `plane` of its first sample.
  const int32_t *positions;
  /// The addition to the matrix's diagonal, and the reciprocal of the whole diagonal.
  const float *fidelities;
  float *scales;
  float *solution, *residual, *direction, *product;
  /// A sum of each group.
  float *sums;
};

struct bd_laplacian_kernels {
  /// Adds the couplings of the samples in rows `from ..< to` of the picture.
  void (*couple)(const struct bd_laplacian *job, int from, int to);
  /// Computes the scales of some groups from their couplings.
  void (*scale)(const struct bd_laplacian *job, int from, int to);
  /// Sets product = matrix · plane + fidelity · direction, and sums = direction · product.
  void (*multiply)(const struct bd_laplacian *job, int from, int to);
  /// Adds `length` · direction to the solution, subtracts `length` · product from the residual, and sets sums = scale · residual².
  void (*move)(const struct bd_laplacian *job, float length, int from, int to);
  /// Sets direction = scale · residual + `share` · direction, also in the plane.
  void (*turn)(const struct bd_laplacian *job, float share, int from, int to);
};
