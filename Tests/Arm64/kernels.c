// Runs every kernel of the baseline on pseudo-random inputs of small sizes and odd places, and writes what they make, or compares it.
// Plans that Swift makes (of taps, discs, apertures, meshes) are made here in a plainer way, and fulfil what the headers ask for.
//
//   kernels record FILE     what the kernels of this processor make
//   kernels compare FILE    the same, beside what another processor's kernels made
//
// Bytes may differ by one, opacities in Q15 by two and fractions by a hundred-thousandth, where one processor rounds a product that
// another adds unrounded. No sanitizer: kernels may read, and do not use, what is behind a row.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "BackdropKernels.h"

// Inputs and plans are the same on all processors: only the kernels may add products unrounded.
#pragma STDC FP_CONTRACT OFF

static FILE *file;
static int compares, cases, failures, equal;
extern const struct bd_kernels bd_kernels_baseline;
static const struct bd_kernels *const k = &bd_kernels_baseline;

static uint64_t state;
static uint32_t next(void) {
  // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (uint32_t)((z ^ z >> 31) >> 32);
}
static float fraction(void) { return (float)(next() >> 8) / 16777216; }

// Memory with a margin on both sides, at an odd place where bytes allow it.
enum { MARGIN = 4096 };
static void *zeroed(size_t bytes) {
  char *memory = calloc(1, bytes + 2 * MARGIN);
  if (!memory) exit(2);
  return memory + MARGIN;
}
static uint8_t *bytes(size_t n) {
  uint8_t *p = (uint8_t *)zeroed(n + 1) + 1;
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)next();
  return p;
}
// Mattes: a third nothing, a third all.
static uint16_t *opacities(size_t n) {
  uint16_t *p = zeroed(2 * n);
  for (size_t i = 0; i < n; i++) p[i] = i / 40 % 3 == 0 ? (uint16_t)(next() % 32769) : i / 40 % 3 == 1 ? 32768 : 0;
  return p;
}
static float *floats(size_t n, float low, float high) {
  float *p = zeroed(4 * n);
  for (size_t i = 0; i < n; i++) p[i] = low + (high - low) * fraction();
  return p;
}
// Distances in metres on two surfaces, one in ten unknown.
static float *distances(size_t n, float none) {
  float *p = floats(n, 0, 1);
  for (size_t i = 0; i < n; i++) p[i] = next() % 10 == 0 ? none : (i / 23 % 2 ? 1 : 2.5f) + 0.01f * p[i];
  return p;
}

enum kind { BYTES, SHORTS, INTS, FLOATS };
static const int widths[] = {1, 2, 4, 4};

static double value(const void *p, enum kind kind, size_t i) {
  switch (kind) {
    case BYTES: return ((const uint8_t *)p)[i];
    case SHORTS: return ((const uint16_t *)p)[i];
    case INTS: return ((const int32_t *)p)[i];
    default: return ((const float *)p)[i];
  }
}

static void made(const char *name, int size, const void *found, enum kind kind, size_t n) {
  cases++;
  if (!compares) {
    fwrite(found, (size_t)widths[kind], n, file);
    return;
  }
  void *other = zeroed(n * (size_t)widths[kind]);
  if (fread(other, (size_t)widths[kind], n, file) != n) {
    printf("%s: the other has no such case\n", name);
    exit(2);
  }
  equal += memcmp(other, found, n * (size_t)widths[kind]) == 0;
  for (size_t i = 0; i < n; i++) {
    const double a = value(found, kind, i), b = value(other, kind, i);
    const double most = kind == FLOATS ? 1e-5 * fmax(1, fabs(b)) : kind == SHORTS ? 2 : 1;
    if (isnan(a) ? isnan(b) : a == b || fabs(a - b) <= most) continue;
    printf("%s, size %d: %.9g at %zu, where the other has %.9g\n", name, size, a, i, b);
    failures++;
    break;
  }
}

#define MADE(name, p, kind, n) made(name, size, p, kind, (size_t)(n))

static void pixels(int size) {
  const size_t n = (size_t)size;
  uint8_t *a = bytes(8 * n), *b = bytes(8 * n), *to = zeroed(16 * n + 64), *mask = bytes(4 * n);
  uint16_t *q15 = opacities(4 * n), *to16 = zeroed(8 * n);
  const struct bd_pixel_kernels *p = &k->pixel;
  p->blend_8(to, a, b, mask, size), MADE("pixel.blend_8", to, BYTES, n);
  p->blend_q15(to, a, b, q15, size), MADE("pixel.blend_q15", to, BYTES, n);
  for (int c = 2; c <= 4; c++) {
    p->blend_pixels_8(to, a, b, mask, size, c), MADE("pixel.blend_pixels_8", to, BYTES, n * c);
    p->blend_pixels_q15(to, a, b, q15, size, c), MADE("pixel.blend_pixels_q15", to, BYTES, n * c);
  }
  p->halve_8(to, a, b, size), MADE("pixel.halve_8", to, BYTES, (n + 1) / 2);
  p->halve_q15(to16, q15, q15 + n, size), MADE("pixel.halve_q15", to16, SHORTS, (n + 1) / 2);
  const float m[12] = {0.7f, 0.2f, 0.1f, 3, -0.1f, 1.2f, 0.3f, -20, 0.3f, 0.3f, 0.3f, 0.5f};
  for (int c = 3; c <= 4; c++) p->matrix(to, a, size, c, m), MADE("pixel.matrix", to, BYTES, n * c);
  uint8_t *y0 = zeroed(2 * n), *y1 = zeroed(2 * n), *cb = zeroed(4 * n), *cr = zeroed(4 * n);
  const float limits[4] = {16, 235, 16, 240}, decode[12] = {0.0046f, 0, 0.0063f, -0.87f, 0.0046f, -0.0015f, -0.0032f, 0.53f, 0.0046f, 0.008f, 0, -1.1f};
  const float encode[12] = {65, 128, 25, 16, -38, -74, 112, 128, 112, -94, -18, 128};
  uint8_t *table = bytes(256);
  float *gains = floats(256, 0, 2);
  for (int step = 1; step <= 2; step++) {
    const struct bd_yuv_rows rows = {y0, y1, cb, step == 2 ? cb + 1 : cr, 1, step};
    const struct bd_yuv_source one = {a, a + n, b, b + (step == 2 ? 1 : 2 * n), 1, step}, two = {b, b + n, a, a + (step == 2 ? 1 : 2 * n), 1, step};
#define ROWS(name) \
  MADE(name, y0, BYTES, n), MADE(name, y1, BYTES, n), MADE(name, cb, BYTES, step * ((n + 1) / 2)), \
      MADE(name, cr, BYTES, step == 1 ? (n + 1) / 2 : 0)
    p->yuv_matrix(&rows, &one, size, m, limits), ROWS("pixel.yuv_matrix");
    p->yuv_curve(&rows, &one, size, table, gains, limits), ROWS("pixel.yuv_curve");
    p->yuv_darken(&rows, &one, &two, size, decode, encode), ROWS("pixel.yuv_darken");
  }
  p->lookup(to, a, size, 1, table), MADE("pixel.lookup", to, BYTES, n);
  p->lookup(to, a, 4 * size, 4, table), MADE("pixel.lookup", to, BYTES, 4 * n);
  float *f = floats(n, -0.1f, 1), *g = zeroed(4 * n);
  p->power(g, f, size, 0.5f), MADE("pixel.power", g, FLOATS, n);
  p->power(g, f, size, 1.7f), MADE("pixel.power", g, FLOATS, n);
  p->least(to, a, b, size), MADE("pixel.least", to, BYTES, n);
  p->split_yuyv(to, to + 2 * n, a, size), MADE("pixel.split_yuyv", to, BYTES, 4 * n);
  p->merge_yuyv(to, a, b, size), MADE("pixel.merge_yuyv", to, BYTES, 4 * n);
}

static void conversions(int size) {
  const size_t n = (size_t)size, h = (n + 1) / 2;
  uint8_t *a = bytes(4 * n + 8), *b = bytes(4 * n + 8), *to = zeroed(4 * n + 64), *y0 = zeroed(n + 8), *y1 = zeroed(n + 8), *cb = zeroed(2 * n + 8), *cr = zeroed(2 * n + 8);
  const struct bd_convert_kernels *c = &k->convert;
  const struct bd_to_yuv to_yuv = {9798, 19235, 3736, 128 * 128, 16384, 5530, 10854, 16384, 13720, 2664};
  const struct bd_from_yuv from_yuv = {16384, 128 * 32, 11485, 2819, 5850, 14516};
  const struct bd_recolor recolor = {16384, 700, -500, 128 * 32, 8000, 300, -200, 8100};
  for (int order = 0; order < 3; order++) {
    c->rgb_to_yuv420(a, b, size, order, &to_yuv, y0, y1, cb, cr, 1);
    MADE("convert.rgb_to_yuv420", y0, BYTES, n), MADE("convert.rgb_to_yuv420", y1, BYTES, n);
    MADE("convert.rgb_to_yuv420", cb, BYTES, h), MADE("convert.rgb_to_yuv420", cr, BYTES, h);
    c->rgb_to_yuyv(a, size, order, &to_yuv, to), MADE("convert.rgb_to_yuyv", to, BYTES, 4 * (n / 2));
    c->yuv_to_rgb(a, 1, b, b + n, a + n, a + 2 * n, 1, size, &from_yuv, order, to), MADE("convert.yuv_to_rgb", to, BYTES, n * (order == 2 ? 3 : 4));
    for (int other = 0; other < 3; other++)
      c->reorder(a, order, size, to, other), MADE("convert.reorder", to, BYTES, n * (other == 2 ? 3 : 4));
  }
  c->split(a, size, y0, y1), MADE("convert.split", y0, BYTES, n), MADE("convert.split", y1, BYTES, n);
  c->join(a, b, size, to), MADE("convert.join", to, BYTES, 2 * n);
  const int even = size / 2 * 2;
  if (even) {
    c->yuyv_to_yuv420(a, b, even, y0, y1, cb, cr, 1);
    MADE("convert.yuyv_to_yuv420", y0, BYTES, even), MADE("convert.yuyv_to_yuv420", cr, BYTES, even / 2);
    c->yuv420_to_yuyv(a, b, b + n, a + n, a + 2 * n, 1, even, to), MADE("convert.yuv420_to_yuyv", to, BYTES, 2 * even);
  }
  c->recolor_luma(a, b, b + n, a + n, a + 2 * n, 1, size, &recolor, to), MADE("convert.recolor_luma", to, BYTES, n);
  c->recolor_chroma(a, b, 1, size, &recolor, cb, cr, 1), MADE("convert.recolor_chroma", cb, BYTES, n), MADE("convert.recolor_chroma", cr, BYTES, n);
  const float *linear = floats(256, 0, 1);
  const uint8_t *encoded = bytes(BD_LIGHT_STEPS + 1);
  const struct bd_transfer transfer = {{linear, linear, linear}, {0.6f, 0.3f, 0.1f, 0.1f, 0.8f, 0.1f, 0, 0.1f, 0.9f}, {encoded, encoded, encoded}};
  // Its table is of noise, so that steps of light that differ would show: the light itself is what must not.
  uint8_t *ramp = zeroed(BD_LIGHT_STEPS + 1);
  for (int i = 0; i <= BD_LIGHT_STEPS; i++) ramp[i] = (uint8_t)(i * 255 / BD_LIGHT_STEPS);
  struct bd_transfer smooth = transfer;
  smooth.encoded[0] = smooth.encoded[1] = smooth.encoded[2] = ramp;
  k->transfer.row(a, 0, size, to, 2, &smooth), MADE("transfer.row", to, BYTES, 3 * n);
  k->transfer.row(a, 2, size, to, 1, &smooth), MADE("transfer.row", to, BYTES, 4 * n);
  uint16_t *deep = zeroed(2 * 8 * n);
  for (size_t i = 0; i < 8 * n; i++) deep[i] = (uint16_t)(next() % 1024);
  float *light = zeroed(4 * (BD_TONE_SAMPLES + 1)), *gain = zeroed(4 * (BD_LIGHT_STEPS + 1));
  for (int i = 0; i <= BD_TONE_SAMPLES; i++) light[i] = (float)i / BD_TONE_SAMPLES;
  for (int i = 0; i <= BD_LIGHT_STEPS; i++) gain[i] = 1 - 0.5f * (float)i / BD_LIGHT_STEPS;
  struct bd_tone tone = {64, 512, 18.7f, 27, 3, 10, 34, 16, light, gain, {0.25f, 0.7f, 0.05f}, gain, {1.6f, -0.5f, -0.1f, -0.1f, 1.1f, 0, 0, -0.1f, 1.1f}, ramp};
  k->tone.planes(deep, deep + n, deep + 2 * n, deep + 3 * n, deep + 4 * n, 1, size, &tone, to), MADE("tone.planes", to, BYTES, 3 * n);
  k->tone.planes(deep, deep + n, deep + 2 * n, deep + 3 * n, deep + 4 * n, 0, size, &tone, to), MADE("tone.planes", to, BYTES, 3 * n);
  tone.system = NULL;
  k->tone.pixels(deep, 4, size, &tone, to), MADE("tone.pixels", to, BYTES, 3 * n);
  struct bd_tone_up up = {{linear, linear, linear}, {0.6f, 0.3f, 0.1f, 0.1f, 0.8f, 0.1f, 0, 0.1f, 0.9f}, gain, {0.25f, 0.7f, 0.05f}, gain};
  float *tones = zeroed(4 * 6 * n);
  for (int row = 0; row < 2; row++) k->tone.up(row ? b : a, BD_BGRA, size, &up, tones + n * (size_t)row, tones + n * (size_t)(2 + row), tones + n * (size_t)(4 + row));
  // A step of light more or less is less than a level.
  uint8_t *levels = zeroed(6 * n);
  for (size_t i = 0; i < 6 * n; i++) levels[i] = (uint8_t)(tones[i] * 255);
  MADE("tone.up", levels, BYTES, 6 * n);
  const struct bd_tone_pack pack = {230, 594, 52, 64.5f, 476, 607, 512.5f, 1023};
  uint16_t *packed = zeroed(2 * 4 * n);
  k->tone.pack(tones, tones + 2 * n, tones + 4 * n, (ptrdiff_t)n, size, &pack, packed, packed + n, packed + 2 * n, packed + 3 * n);
  for (size_t i = 0; i < 4 * n; i++) levels[i] = (uint8_t)(packed[i] >> 2);
  MADE("tone.pack", levels, BYTES, 4 * n);
}

static void rows(int size) {
  const size_t n = (size_t)size;
  uint32_t *colors = zeroed(4 * n + 64);
  float *f = floats(n, -0.2f, 1.2f), *g = floats(n, 0, 1), *h = floats(n, 0, 1), *to = zeroed(4 * n + 64);
  uint16_t *matte = opacities(n), *to16 = zeroed(2 * n + 64);
  uint8_t *b = bytes(4 * n), *to8 = zeroed(4 * n + 64);
  uint32_t *table = (uint32_t *)zeroed(4 * 256);
  for (int i = 0; i < 256; i++) table[i] = next();
  k->colors.spectrum(colors, f, size, 0, 900), MADE("colors.spectrum", colors, BYTES, 4 * n);
  k->colors.overlay(colors, table, f, size < 256 ? size : 256, 77), MADE("colors.overlay", colors, BYTES, 4 * n);
  k->colors.table(colors, f, size, 0, 255, 255, table), MADE("colors.table", colors, BYTES, 4 * n);
  k->cutout.cut(to8, b, matte, size), MADE("cutout.cut", to8, BYTES, 4 * n);
  const struct bd_key_settings key = {8, 0, 16, 0.1f, 0.9f, 0.8f};
  float *screen = floats(3 * n, 20, 60);
  for (size_t i = 0; i < n; i++) screen[i] += 140;
  float *below = floats(3 * n, 20, 60);
  for (size_t i = 0; i < n; i++) below[i] += 120;
  k->key.row((uint32_t *)b, size, screen, below, 0.3f, &key, to16, colors), MADE("key.row", to16, SHORTS, n), MADE("key.row", colors, BYTES, 4 * n);
  float *powers = floats(64 * 16 + 1, 0.3f, 3);
  memcpy(to16, matte, 2 * n);
  float *ratio = floats(n, -3, 3);
  k->fuse.row(ratio, g, h, size, 0.01f, 8, powers, to16), MADE("fuse.row", to16, SHORTS, n);
  const struct bd_temporal_kernels *s = &k->temporal;
  s->brightness(b, 4, size, to), MADE("temporal.brightness", to, FLOATS, n);
  s->brightness(b, 1, size, to), MADE("temporal.brightness", to, FLOATS, n);
  float sum = s->difference(f, g, size, to);
  MADE("temporal.difference", to, FLOATS, n), MADE("temporal.difference", &sum, FLOATS, 1);
  sum = s->largest(f, size), MADE("temporal.largest", &sum, FLOATS, 1);
  memcpy(to16, matte, 2 * n), memcpy(to, g, 4 * n);
  s->settle(to16, to, h, size, 0.1f, 0.05f, 3), MADE("temporal.settle", to16, SHORTS, n), MADE("temporal.settle", to, FLOATS, n);
  uint16_t *past = opacities(n + 60) + 60;
  int32_t *columns = zeroed(4 * n + 64);
  for (int i = 0; i < size; i++) columns[i] = i % 5 == 4 ? -1 : i / 2;
  memcpy(to16, matte, 2 * n), s->calm(to16, past, g, columns, size, 0.1f, 3), MADE("temporal.calm", to16, SHORTS, n);
  s->quantise(f, size, to16), MADE("temporal.quantise", to16, SHORTS, n);
  uint32_t *sums = zeroed(4 * n + 64);
  s->accumulate(matte, size, sums), MADE("temporal.accumulate", sums, INTS, n);
  s->stretch(matte, size, 0.1f, 1.4f, to), MADE("temporal.stretch", to, FLOATS, n);
  s->channel(b, 4, 0, size, to), MADE("temporal.channel", to, FLOATS, n);
  s->channel(b, 1, 1, size, to), MADE("temporal.channel", to, FLOATS, n);
  int32_t total = (int32_t)s->sum(matte, size);
  MADE("temporal.sum", &total, INTS, 1);
  const struct bd_movement_bounds bounds_of_people = {3000, 29000, 0.25f};
  for (int i = 0; i < 4; i++) {
    struct bd_movement moved = {0};
    s->movement(i & 1 ? matte : NULL, f, g, i & 2 ? h : NULL, size, &bounds_of_people, &moved);
    const int64_t others = s->others(i & 1 ? matte : NULL, f, g, size, &bounds_of_people, 0.8f, 0.1f);
    const int64_t counts[5] = {moved.round, moved.within, moved.round_changed, moved.within_changed, others};
    const double sums[4] = {moved.sum, moved.sum_before, moved.squares, moved.products};
    int32_t counted[5];
    float means[4];
    for (int j = 0; j < 5; j++) counted[j] = (int32_t)counts[j];
    for (int j = 0; j < 4; j++) means[j] = (float)(sums[j] / size);
    MADE("temporal.movement and others", counted, INTS, 5), MADE("temporal.movement", means, FLOATS, 4);
  }
  total = (int32_t)s->uncertainty(matte, size), MADE("temporal.uncertainty", &total, INTS, 1);
  for (int i = 0; i < 4; i++) {
    // Twice each, so that a sample off is not within what numbers may differ by.
    total = 2 * (int32_t)s->next(matte, i & 2 ? size / 3 : 0, size, i & 2 ? 32768 : 20000, i & 1);
    MADE("temporal.next", &total, INTS, 1);
  }
  const int32_t order[3] = {2, 1, 0};
  const float factor[3] = {1 / 255.0f, 0.5f, 2}, offset[3] = {0, -1, 3};
  const ptrdiff_t place[3] = {0, (ptrdiff_t)n, 2 * (ptrdiff_t)n};
  float *tensor = zeroed(16 * n + 64);
  s->tensor(b, size, order, factor, offset, tensor, place, 1), MADE("temporal.tensor", tensor, FLOATS, 3 * n);
  const ptrdiff_t beside[3] = {0, 1, 2};
  for (int step = 3; step <= 4; step++)
    s->tensor(b, size, order, factor, offset, tensor, beside, step), MADE("temporal.tensor", tensor, FLOATS, step * (n - 1) + 3);
  const struct bd_plate_kernels *p = &k->plate;
  float *red = zeroed(4 * n + 64), *green = zeroed(4 * n + 64), *blue = zeroed(4 * n + 64);
  p->split(b, size, red, green, blue), MADE("plate.split", red, FLOATS, n), MADE("plate.split", blue, FLOATS, n);
  p->add(red, green, blue, size, to), MADE("plate.add", to, FLOATS, n);
  p->across(red, size, 0.33f, to), MADE("plate.across", to, FLOATS, n);
  float *bounds[9];
  for (int i = 0; i < 9; i++) bounds[i] = (float *)zeroed(4 * n + 256) + 16;
  for (int c = 0; c < 3; c++) {
    p->bounds(red, green, blue, size, 1.1f, c, bounds[3 * c], bounds[3 * c + 1], bounds[3 * c + 2]);
    for (int i = 0; i < 2; i++) MADE("plate.bounds", bounds[3 * c + i], FLOATS, n + 2);
    MADE("plate.bounds", bounds[3 * c + 2], FLOATS, n);
  }
  const float *frame[3] = {blue, red, green};
  p->squares(frame, 0, (const float *const *)bounds, size, 0.5f, 100, to), MADE("plate.squares", to, FLOATS, n);
  float *variance = floats(n, 1, 20);
  p->deviations(to, variance, size, 4), MADE("plate.deviations", to, FLOATS, n);
  float *ratios = zeroed(4 * n + 64), *ramp = floats(4096, -2, 2);
  for (int i = 0; i < 4096; i++) ramp[i] = (float)i / 1000 - 2;
  float *small = floats(n, 0, 9);
  for (size_t i = 0; i < n; i++) small[i] = floorf(small[i] * 16) / 16;
  p->ratios(small, size, 12, ramp, 0.7f, ratios), MADE("plate.ratios", ratios, FLOATS, n);
  float *seen = floats(n, 0, 30);
  p->weigh(ratios, g, h, seen, size, 8, to), MADE("plate.weigh", to, FLOATS, n);
  uint8_t *bins = zeroed(4096);
  for (int i = 0; i < 4096; i++) bins[i] = (uint8_t)(i / 16 < 20 ? i / 16 : 19);
  int32_t *counts = zeroed(4 * 60);
  float *cells = zeroed(4 * 5 * (n / 8 + 2));
  const struct bd_plate_limits limits = {8, 3, 0.8f, 12};
  p->census(small, g, seen, h, size, &limits, bins, counts, 20, cells);
  MADE("plate.census", counts, INTS, 60), MADE("plate.census", cells, FLOATS, 5 * ((n + 7) / 8));
  float fit[5] = {0};
  p->fit(red, green, size, 1, 0, 0.01f, fit);
  // Sums of large terms of both signs.
  for (int i = 0; i < 5; i++) fit[i] /= (float)n * 16384;
  MADE("plate.fit", fit, FLOATS, 5);
}

static struct bd_upsample *upsampling(int from_width, int from_height, int width, int height) {
  struct bd_upsample *u = zeroed(sizeof *u);
  const int padded = (width + 15) / 16 * 16;
  float *weights = zeroed(16 * (size_t)padded);
  int32_t *indices = zeroed(16 * (size_t)padded), *bases = zeroed(4 * (size_t)padded), *lines = zeroed(16 * (size_t)height);
  int16_t *shares = zeroed(8 * (size_t)height);
  for (int x = 0; x < padded; x++)
    for (int i = 0; i < 4; i++) {
      const int at = (x < width ? x : width - 1) * from_width / width + i - 1;
      weights[i * padded + x] = (float[]){-0.1f, 0.7f, 0.5f, -0.1f}[i];
      indices[i * padded + x] = at < 0 ? 0 : at >= from_width ? from_width - 1 : at;
    }
  for (int x = 0; x < padded; x += 16) bases[x / 16] = indices[x];
  for (int y = 0; y < height; y++)
    for (int i = 0; i < 4; i++) {
      const int at = y * from_height / height + i - 1;
      shares[4 * y + i] = (int16_t[]){-3277, 22938, 16384, -3277}[i];
      lines[4 * y + i] = at < 0 ? 0 : at >= from_height ? from_height - 1 : at;
    }
  const int mode = from_width == width ? BD_UPSAMPLE_NONE : from_width == 2 * width ? BD_UPSAMPLE_HALF : BD_UPSAMPLE_CUBIC;
  *u = (struct bd_upsample){mode, from_width, from_height, width, height, padded, weights, indices, bases, 1, shares, lines};
  return u;
}

static void mattes(int size) {
  const int height = 9;
  const size_t n = (size_t)size, stride = n + 130;
  float *depth = distances(n * height, NAN), *padded = zeroed(4 * (n + 256)), *blurred = zeroed(4 * stride * height);
  const float taps[4] = {0.4f, 0.2f, 0.07f, 0.03f};
  const int blocks = (size + 63) / 64;
  uint8_t *states = zeroed((size_t)blocks * height + 64);
  uint16_t *to16 = zeroed(2 * (n + 128));
  for (int y = 0; y < height; y++) {
    k->matte.mask_blur_row(depth + y * size, size, 2, taps, 3, padded, blurred + y * stride, states + y * blocks);
    MADE("matte.mask_blur_row", blurred + y * stride, FLOATS, n);
  }
  for (int i = 0; i < 5 * height; i++) {
    const float gamma = (float[]){1.5f, 0.5f, 2, 0.7f, 1}[i / height];
    k->matte.blur_column_gamma_row(blurred, (ptrdiff_t)stride, states, blocks, size, height, i % height, taps, 3, gamma, to16);
    MADE("matte.blur_column_gamma_row", to16, SHORTS, n);
  }
  k->matte.focus_row(depth, size, 0.9, 1.1, 7, to16), MADE("matte.focus_row", to16, SHORTS, n);
  uint16_t *matte = opacities(4 * n * height + 64), *scaled = zeroed(2 * (n + 64) * height);
  const int from_widths[] = {size / 2 + 1, size, 2 * size};
  for (int i = 0; i < 3; i++) {
    if (i == 0 && size < 3) continue;
    const int from_height = i == 0 ? 4 : i == 1 ? height : 2 * height;
    const struct bd_upsample *u = upsampling(from_widths[i], from_height, size, height);
    void *scratch = aligned_alloc(64, (bd_composite_scratch(u) + 63) / 64 * 64);
    k->matte.upsample_rows(matte, from_widths[i], u, scaled, size, 0, height, scratch);
    MADE("matte.upsample_rows", scaled, SHORTS, n * height);
    for (int c = 1; c <= 4; c++) {
      const ptrdiff_t line = size * c;
      uint8_t *front = bytes((size_t)line * height + 64), *back = bytes((size_t)line * height + 64), *out = zeroed((size_t)line * height + 64);
      const struct bd_composite_plane plane = {matte, from_widths[i], u, {front, front}, {back, back}, {out, out}, line, line, line, c, 1};
      k->matte.composite_rows(&plane, 0, height, scratch), MADE("matte.composite_rows", out, BYTES, line * height);
      if (c < 3) continue;
      float curve[BD_CURVE_INTERVALS + 2], *columns = floats(n + 64, 0, 1), *lines = floats(height, 0, 1);
      for (int j = 0; j < BD_CURVE_INTERVALS + 2; j++) curve[j] = sqrtf(fminf(1, (float)j / BD_CURVE_INTERVALS));
      const struct bd_grade_step steps[4] = {
          {.kind = BD_GRADE_MATRIX, .matrix = {0.3f, 0.6f, 0.1f, 0, 0.3f, 0.6f, 0.1f, 0, 0.3f, 0.6f, 0.1f, 0}},
          {.kind = BD_GRADE_MATRIX, .matrix = {0.9f, 0.2f, 0, 0.01f, 0, 1.1f, 0, -0.1f, 0.1f, 0, 0.7f, 0}},
          {.kind = BD_GRADE_CURVE, .curve = curve}, {.kind = BD_GRADE_VIBRANCE, .amount = 0.6f}};
      for (int from = 0; from < 2; from++) {
        const struct bd_paint paint = {
            .matte = matte, .matte_stride = from_widths[i], .upsample = u, .front = {.base = front, .stride = line},
            .back = {.base = back, .stride = line, .steps = steps + from, .step_count = from ? 3 : 1,
                     .light_columns = from ? columns : NULL, .light_rows = lines, .light_floor = 0.3f},
            .output = out, .output_stride = line, .channels = c, .red = 0, .opacity = from ? 20000 : 32767};
        k->paint.rows(&paint, 0, height, scratch), MADE("paint.rows", out, BYTES, line * height);
      }
    }
    free(scratch);
  }
}

static void filters(int size) {
  const int height = 19;
  const ptrdiff_t padded = (size + 15) / 16 * 16, stride = padded + 16;
  const size_t all = (size_t)stride * height + 32;
  float *from = distances((size_t)size * height, NAN), *plane = (float *)zeroed(4 * all) + 16, *scratch = zeroed(4 * 64 * (size_t)padded);
  const struct bd_filter_kernels *f = &k->filter;
#define PLANE(name) for (int y = 0; y < height; y++) MADE(name, plane + y * stride, FLOATS, size)
#define ENTER for (int y = 0; y < height; y++) f->enter(from + y * size, size, plane + y * stride)
  for (int raw = 0; raw < 2; raw++) {
    const struct bd_filter_line line = {0.4f, raw ? 20 : 0.02f, raw};
    ENTER;
    PLANE("filter.enter");
    if (raw) for (int y = 0; y < height; y++) f->invert(plane + y * stride, padded, 960);
    PLANE("filter.invert");
    for (int y = 0; y < height; y += 16) f->along_rows(plane + y * stride, stride, height - y < 16 ? height - y : 16, padded, &line, scratch);
    PLANE("filter.along_rows");
    f->across_rows(plane, stride, height, padded, &line);
    PLANE("filter.across_rows");
  }
  ENTER;
  float *last = (float *)zeroed(4 * all) + 16;
  uint8_t *history = bytes((size_t)padded * height);
  for (int y = 0; y < height; y++) {
    memcpy(last + y * stride, plane + (height - 1 - y) * stride, 4 * (size_t)size);
    f->over_time(plane + y * stride, last + y * stride, history + y * padded, padded, 0.4f, 0.02f, 0x0f, y % 3 == 2 ? 8 : y % 3);
    MADE("filter.over_time", history + y * padded, BYTES, size), MADE("filter.over_time", last + y * stride, FLOATS, size);
  }
  PLANE("filter.over_time");
  for (int nearest = 0; nearest < 2; nearest++) {
    ENTER;
    for (int y = 1; y + 1 < height; y++) f->fill_around(plane + y * stride, plane + (y - 1) * stride, plane + (y + 1) * stride, size, nearest);
    PLANE("filter.fill_around");
  }
  for (int y = 0; y < height; y++) f->stretch(plane + y * stride, size, 3);
  PLANE("filter.stretch");
  for (int y = 0; y < height; y++) f->fill_left(plane + y * stride, size), f->limit(plane + y * stride, padded, 1, 2);
  PLANE("filter.limit");
  float *to = zeroed(4 * (size_t)padded + 256);
  for (int scale = 2; scale <= 4 && size >= scale; scale++) {
    ENTER;
    f->decimate(plane, stride, scale, size / scale, to), MADE("filter.decimate", to, FLOATS, size / scale);
  }
  for (int y = 0; y < height; y++) f->leave(plane + y * stride, size, to), MADE("filter.leave", to, FLOATS, size);

  const struct bd_guide_kernels *g = &k->guide;
  uint32_t *above = (uint32_t *)bytes(8 * (size_t)size + 3), *below = (uint32_t *)bytes(8 * (size_t)size + 3), *guide = zeroed(4 * (size_t)padded + 256), *line = zeroed(8 * (size_t)padded + 256);
  above = (uint32_t *)((uintptr_t)above & ~(uintptr_t)3), below = (uint32_t *)((uintptr_t)below & ~(uintptr_t)3);
  int32_t *left = zeroed(4 * (size_t)padded), *right = zeroed(4 * (size_t)padded);
  for (int x = 0; x < size; x++) left[x] = 2 * x, right[x] = 2 * x + 1;
  g->shrink(above, below, 2 * size, left, right, size, guide, line), MADE("guide.shrink", guide, BYTES, 4 * (size_t)size);
  for (int x = 0; x < size; x++) left[x] = x, right[x] = x;
  g->shrink(above, below, size + 1, left, right, size, guide, line), MADE("guide.shrink", guide, BYTES, 4 * (size_t)size);
  ENTER;
  float *low[3], *high[3], *wide = zeroed(4 * (size_t)padded + 512);
  for (int i = 0; i < 3; i++) {
    low[i] = zeroed(4 * (size_t)padded + 256), high[i] = zeroed(4 * (size_t)padded + 256);
    g->extremes(plane + i * stride, size, 2, low[i], high[i], wide);
    MADE("guide.extremes", low[i], FLOATS, size), MADE("guide.extremes", high[i], FLOATS, size);
  }
  g->distrust(plane, (const float *const *)low, (const float *const *)high, 3, size, 1.5f), MADE("guide.distrust", plane, FLOATS, size);
  ENTER;
  float *mean = distances((size_t)padded + 16, 0), *frames = floats((size_t)padded + 16, 0, 9), *age = floats((size_t)padded + 16, 0, 5), noise[2] = {0};
  g->adaptive_mean(plane, mean, frames, age, padded, 8, 0.05f, 4, noise);
  MADE("guide.adaptive_mean", plane, FLOATS, size), MADE("guide.adaptive_mean", mean, FLOATS, size), MADE("guide.adaptive_mean", frames, FLOATS, size);
  MADE("guide.adaptive_mean", age, FLOATS, size), MADE("guide.adaptive_mean", noise, FLOATS, 2);
  const struct bd_guide_falloff falloff = {0.03f, 0.1f, 20};
  float *links = (float *)zeroed(4 * all) + 16, *value = (float *)zeroed(4 * all) + 16, *weight = (float *)zeroed(4 * all) + 16;
  ENTER;
  for (int y = 0; y < height; y++) {
    if (size > 1) g->links(above + 1, below, plane + y * stride + 1, plane + y * stride, size - 1, &falloff, links + y * stride + 1);
    MADE("guide.links", links + y * stride, FLOATS, size);
  }
  for (int y = 0; y < height; y += 16)
    g->spread_rows(plane + y * stride, links + y * stride, value + y * stride, weight + y * stride, stride, height - y < 16 ? height - y : 16, padded, scratch);
  for (int y = 0; y < height; y++) {
    MADE("guide.spread_rows", value + y * stride, FLOATS, size), MADE("guide.spread_rows", weight + y * stride, FLOATS, size);
    if (y == 0) continue;
    g->spread_across(value + y * stride, weight + y * stride, value + (y - 1) * stride, weight + (y - 1) * stride, links + y * stride, padded, y & 1);
    g->resolve(value + y * stride, weight + y * stride, padded, 0.8f, plane + y * stride);
  }
  PLANE("guide.resolve");
}

static void alignment(int size) {
  const int width = 2 * size + 3, height = 31, rows = 17;
  const ptrdiff_t padded = (size + 15) / 16 * 16, stride = (width + 15) / 16 * 16 + 16;
  float *view = (float *)zeroed(4 * (size_t)stride * height + 256) + 16, *line = (float *)zeroed(4 * (size_t)stride + 256) + 16, *there = (float *)zeroed(4 * (size_t)padded + 256) + 16;
  int32_t *left = (int32_t *)zeroed(16 * (size_t)padded + 256) + 16, *right = left + padded, *top = right + padded, *bottom = top + padded;
  for (ptrdiff_t i = -16; i < stride * height + 16; i++) view[i] = NAN;
  for (ptrdiff_t i = 0; i < stride; i++) line[i] = NAN;
  there[-1] = NAN;
  float *depth = distances((size_t)size * rows, NAN), *to = zeroed(4 * (size_t)width + 64);
  struct bd_align_row row = {.step = {0.02f, 0.0003f, 0}, .offset = {0.03f, 0.01f, 0}, .fx = 90, .fy = 80, .cx = 0.5f * (float)width, .cy = 15, .half_width = 0.95f, .half_height = 0.87f, .width = width, .height = height, .farthest = 4, .lens = {0.05f, -0.01f, 0.001f, 0.001f, 0}};
  for (int y = 0; y < rows; y++) {
    row.start[0] = -0.01f * (float)size, row.start[1] = 0.02f * (float)(y - 8), row.start[2] = 1, row.distorts = y & 1;
    k->align.project(depth + y * size, size, &row, left, right, top, bottom, there);
    k->align.splat(left, right, top, bottom, there, size, 1.03f, view, stride, line);
  }
  for (int y = 0; y < height; y++) {
    k->align.close(view + (y > 0 ? y - 1 : 0) * stride, view + y * stride, view + (y + 1 < height ? y + 1 : y) * stride, width, 1.03f, to);
    MADE("align", to, FLOATS, width);
  }
}

static void clouds(int size) {
  const size_t n = (size_t)size, padded_size = 4 * (n + 64);
  float *above = distances(n, NAN), *row = distances(n, NAN), *below = distances(n, NAN), *rays = floats(n + 16, -1, 1);
  uint8_t *keep = zeroed(n + 64);
  k->cloud.keep_row(keep, above, row, below, size, 0.05f, 0.01f), MADE("cloud.keep_row", keep, BYTES, n);
  const ptrdiff_t stride = size + 2 * BD_CLOUD_REACH + BD_CLOUD_SLACK;
  float *inverse = (float *)zeroed(4 * 7 * (size_t)stride + 256) + 16;
  for (ptrdiff_t i = 0; i < 7 * stride; i++) inverse[i] = NAN;
  for (int y = 0; y < 7; y++) k->cloud.invert_row(inverse + y * stride + BD_CLOUD_REACH, y == 3 ? row : distances(n, NAN), size);
  for (int y = 0; y < 7; y++) MADE("cloud.invert_row", inverse + y * stride + BD_CLOUD_REACH, FLOATS, n);
  for (int y = 0; y < 7; y++) for (ptrdiff_t x = BD_CLOUD_REACH + size; x < stride; x++) inverse[y * stride + x] = NAN;
  float *nx = zeroed(padded_size), *ny = zeroed(padded_size), *nz = zeroed(padded_size);
  k->cloud.normals_row(nx, ny, nz, inverse + 3 * stride + BD_CLOUD_REACH, stride, rays, 0.1f, 60, 60, size, 0.05f, 0.01f);
  MADE("cloud.normals_row", nx, FLOATS, n), MADE("cloud.normals_row", ny, FLOATS, n);
  MADE("cloud.normals_row", nz, FLOATS, n);
  const uint32_t *colors = (uint32_t *)(bytes(4 * n + 3) + 3);
  const struct bd_cloud_points points = {zeroed(padded_size), zeroed(padded_size), zeroed(padded_size), zeroed(padded_size), NULL, NULL, NULL, zeroed(padded_size)};
  const struct bd_cloud_row line = {.depth = row, .keep = keep, .ray_x = rays, .ray_y = 0.1f, .color = colors, .first_pixel = 7, .width = size};
  int32_t count = (int32_t)k->cloud.gather_row(&points, 0, &line);
  MADE("cloud.gather_row", &count, INTS, 1), MADE("cloud.gather_row", points.x, FLOATS, count), MADE("cloud.gather_row", points.pixel, INTS, count);
  struct bd_cloud_points turned = points;
  struct bd_cloud_row all = line;
  turned.nx = zeroed(padded_size), turned.ny = zeroed(padded_size), turned.nz = zeroed(padded_size);
  all.nx = nx, all.ny = ny, all.nz = nz, all.keep = NULL;
  const int32_t known = (int32_t)k->cloud.gather_row(&turned, 0, &all);
  MADE("cloud.gather_row", &known, INTS, 1), MADE("cloud.gather_row", turned.ny, FLOATS, known);
  count = (int32_t)k->cloud.gather_row(&points, 0, &line);
  const int width = 40, height = 30;
  struct bd_cloud_view view = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, 20, 20, 20.25f, 15.75f, 0.1f, width, height, zeroed(4 * 40 * 30), zeroed(4 * 40 * 30)};
  for (int i = 0; i < width * height; i++) view.depth[i] = INFINITY;
  const struct bd_cloud_places places = {zeroed(padded_size), zeroed(padded_size), zeroed(padded_size)};
  float extent[2];
  k->cloud.project(&view, &points, 0, count, 1.3f, &places, extent), MADE("cloud.project", extent, FLOATS, 2), MADE("cloud.project", places.u, FLOATS, count);
  k->cloud.draw_points(&view, &points, &places, 0, count, 1.3f, 0, height), MADE("cloud.draw_points", view.depth, FLOATS, width * height);
  MADE("cloud.draw_points", view.pixels, BYTES, 4 * width * height);
  // Corners where they are seen, some of them beyond the picture and behind the camera, over what the points have left.
  enum { across = 6, down = 5, corners = across * down, triangles = 2 * (across - 1) * (down - 1) };
  const struct bd_cloud_places seen = {zeroed(4 * corners), zeroed(4 * corners), floats(corners, 0, 3)};
  uint32_t indices[3 * triangles], *texels = zeroed(4 * 16 * 8), *index = indices;
  for (int i = 0; i < 16 * 8; i++) texels[i] = next() & 0x7f7f7f7f;
  for (int i = 0; i < corners; i++)
    seen.u[i] = (float)(i % across) * 9 - 3 + 3 * fraction(), seen.v[i] = (float)(i / across) * 9 - 4 + 3 * fraction();
  for (int i = 0; i < corners - across; i++) {
    if (i % across == across - 1) continue;
    const uint32_t a = (uint32_t)i, below = a + across;
    *index++ = a, *index++ = a + 1, *index++ = below, *index++ = below, *index++ = a + 1, *index++ = below + 1;
  }
  const float *uv = floats(2 * corners, 0, 1);
  const struct bd_cloud_texture texture = {texels, 16, 8};
  k->cloud.triangle_rows(&seen, indices, 1, triangles, 0.1f, extent), MADE("cloud.triangle_rows", extent, FLOATS, 2);
  k->cloud.draw_triangles(&view, &seen, uv, indices, 0, triangles, &texture, 0, 13);
  k->cloud.draw_triangles(&view, &seen, uv, indices, 0, triangles, &texture, 13, height);
  MADE("cloud.draw_triangles", view.depth, FLOATS, width * height);
  MADE("cloud.draw_triangles", view.pixels, BYTES, 4 * width * height);
  uint32_t *picture = zeroed(4 * 20 * 15), *scratch = zeroed(8 * 40);
  k->cloud.shade(picture, 20, &view, 0, 15, 2, 2.5f, 0xff804020u, 0xff102030u, scratch), MADE("cloud.shade", picture, BYTES, 4 * 20 * 15);
}

static void shapes(int size) {
  const int height = 11, radius = 3;
  const size_t n = (size_t)size;
  const int32_t chords[4] = {3, 3, 2, 1};
  for (int kind = 0; kind < 3; kind++) {
    const size_t each = (size_t)(kind == 0 ? 1 : kind == 1 ? 2 : 4);
    const void *from = kind == 0 ? (void *)bytes(n * height) : kind == 1 ? (void *)opacities(n * height) : (void *)distances(n * height, NAN);
    void *to = zeroed(n * height * 4);
    const ptrdiff_t row = (ptrdiff_t)(((n + 2 * radius + 64) * each + 63) / 64 * 64);
    void *scratch = aligned_alloc(64, (size_t)row * 40);
    memset(scratch, 0, (size_t)row * 40);
    for (int i = 0; i < 4; i++) {
      const struct bd_morphology_job job = {from, (ptrdiff_t)(n * each), to, (ptrdiff_t)(n * each), i & 2 ? chords : NULL, scratch, row, kind, i & 1, size, height, radius, radius};
      k->morphology.extreme(&job), MADE("morphology.extreme", to, (enum kind)(kind == 2 ? FLOATS : kind), n * height);
    }
    free(scratch);
  }
  for (int channels = 1; channels <= 4; channels++) {
    const size_t line = n * (size_t)channels;
    uint8_t *from = bytes(line * height + 64), *to = zeroed(line * height + 64);
    double *sums = zeroed((2 * n + 2 * radius + 1) * (size_t)channels * 8);
    const struct bd_box_job box = {from, (ptrdiff_t)line, to, (ptrdiff_t)line, sums, 0, size, height, channels, radius, 2};
    k->resample.box(&box), MADE("resample.box", to, BYTES, line * height);
    float taps_x[7] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f}, taps_y[13] = {0, 0, 0, 0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f, 0, 0, 0};
    const ptrdiff_t strip_row = (ptrdiff_t)((line + 64 + 15) / 16 * 16);
    float *padded = zeroed(4 * ((n + 6) * (size_t)channels + 128)), *ring = aligned_alloc(64, 4 * (size_t)strip_row * 16);
    const float **order = zeroed(8 * 16);
    const struct bd_fir_job fir = {from, (ptrdiff_t)line, to, (ptrdiff_t)line, taps_x, taps_y, padded, ring, order, strip_row, 0, 0, size, height, channels, radius, radius, size};
    k->resample.fir(&fir), MADE("resample.fir", to, BYTES, line * height);
    free(ring);
  }
}

static void foregrounds(int size) {
  const int height = 13, width = size;
  struct bd_foreground job = {.step = 4, .channels = 3, .width = width, .height = height, .trust = 8, .nothing = {1, 2, 3}};
  const size_t line = 4 * (size_t)width;
  uint8_t *picture = bytes(line * height + 64), *output = zeroed(line * height + 64);
  for (int c = 0; c < 3; c++) job.picture[c] = picture + c, job.output[c] = output + c;
  job.picture_stride = job.output_stride = (ptrdiff_t)line;
  job.opacity = opacities((size_t)width * height + 64), job.opacity_stride = width;
  int w = (width + 3) / 4, h = (height + 3) / 4;
  job.groups = (width + BD_FOREGROUND_GROUP - 1) / BD_FOREGROUND_GROUP;
  job.states = zeroed((size_t)job.groups * (size_t)h + 64);
  for (;; w = (w + 1) / 2, h = (h + 1) / 2) {
    struct bd_foreground_level *level = job.levels + job.level_count++;
    level->width = w, level->height = h, level->stride = (w + 15) / 16 * 16 + 32;
    const size_t each = 4 * (size_t)level->stride * (size_t)(h + 2) + 256;
    for (int c = 0; c < 3; c++) level->front[c] = zeroed(each), level->back[c] = zeroed(each);
    level->front_weight = zeroed(each), level->back_weight = zeroed(each);
    if (w == 1 && h == 1) break;
  }
  float *scratch = zeroed(4 * (size_t)(width + 64));
  k->foreground.cells(&job, 0, job.levels[0].height);
  for (int y = 0; y < job.levels[0].height; y++) MADE("foreground.cells", job.states + y * job.groups, BYTES, job.groups);
  for (int i = 1; i < job.level_count; i++) k->foreground.pull(&job, i, 0, job.levels[i].height);
  for (int i = job.level_count - 2; i >= 0; i--) k->foreground.push(&job, i, 0, job.levels[i].height, scratch);
  k->foreground.solve(&job, 0, job.levels[0].height), MADE("foreground.solve", output, BYTES, line * height);
}

// The picture, blurred itself, cells half as dense and a quarter as dense, from strengths of all kinds.
static void mixing(const struct bd_lens_picture *picture, const struct bd_lens_cells *half,
                   const struct bd_lens_cells *quarter) {
  const int size = picture->width, height = picture->height, channels = picture->channels;
  const int16_t gaussian[5] = {1800, 7900, 13368, 7900, 1800};
  int16_t splines[2][16];
  for (int i = 0; i < 2; i++)
    for (int phase = 0, count = 2 + 2 * i; phase < count; phase++) {
      // The cubic B-spline at -1 - t, -t, 1 - t, 2 - t.
      const double t = (double)phase / count, u = 1 - t;
      int16_t *w = splines[i] + 4 * phase;
      w[0] = (int16_t)(u * u * u / 6 * 32768 + 0.5), w[3] = (int16_t)(t * t * t / 6 * 32768 + 0.5);
      w[1] = (int16_t)((3 * t * t * t - 6 * t * t + 4) / 6 * 32768 + 0.5), w[2] = (int16_t)(32768 - w[0] - w[1] - w[3]);
    }
  const ptrdiff_t stride = (size + 31) / 32 * 32;
  uint16_t *strength = opacities((size_t)stride * (size_t)height);
  // From one level on to the next, and only the last.
  for (ptrdiff_t i = 0; i < stride * height; i++) {
    const ptrdiff_t y = i / stride;
    if (y % 4 == 1) strength[i] = (uint16_t)(10922 + next() % 10923);
    if (y % 4 == 2) strength[i] = (uint16_t)(21844 + next() % 10925);
    if (y % 4 == 3 && y > 6) strength[i] = i % 64 < 32 ? 10922 : 32768;
  }
  const ptrdiff_t line = size * channels;
  for (int keeps_alpha = 0; keeps_alpha <= (channels == 4); keeps_alpha++) {
    uint8_t *output = zeroed((size_t)(line * height));
    const struct bd_lens_level levels[] = {{1, {0}, gaussian, 2}, {2, *half, splines[0], 0}, {4, *quarter, splines[1], 3}};
    const struct bd_lens_mix mix = {*picture, output, line, {levels[0], levels[1], levels[2]}, keeps_alpha};
    const size_t most = ((size_t)bd_lens_scratch(&mix) + 63) / 64 * 64;
    void *scratch = aligned_alloc(64, most);
    memset(scratch, 0, most);
    k->lens.mix(&mix, strength, stride, 0, 5, scratch);
    k->lens.mix(&mix, strength + 5 * stride, stride, 5, height, scratch);
    MADE("lens.mix", output, BYTES, line * height);
    free(scratch);
  }
}

static void lenses(int size) {
  const int height = 13, radius = 3;
  for (int channels = 1; channels <= 4; channels++) {
    const size_t line = (size_t)size * (size_t)channels;
    const struct bd_lens_picture picture = {bytes(line * height + 64), (ptrdiff_t)line, size, height, channels};
    struct bd_lens_cells cells[4];
    for (int i = 0; i < 4; i++) {
      const int factor = i == 0 ? 2 : 4, width = (size - 1) / factor + 6, lines = (height - 1) / factor + 6;
      const ptrdiff_t stride = width * channels + 96;
      cells[i] = (struct bd_lens_cells){zeroed(2 * (size_t)stride * (size_t)lines + 256), stride, width, lines};
    }
    const size_t most = 64 * ((size_t)size + 128) * 4;
    void *scratch = aligned_alloc(64, most);
    memset(scratch, 0, most);
#define CELLS(name, c) \
  for (int y = 0; y < (c).height; y++) MADE(name, (c).samples + y * (c).stride, SHORTS, (c).width * channels)
    k->lens.halve_picture(&picture, cells, 0, cells[0].height, scratch);
    CELLS("lens.halve_picture", cells[0]);
    k->lens.halve(cells, channels, cells + 1, 0, cells[1].height, scratch);
    CELLS("lens.halve", cells[1]);
    k->lens.quarter_picture(&picture, cells + 2, 0, cells[2].height, scratch);
    CELLS("lens.quarter_picture", cells[2]);
    const float taps[7] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
    k->lens.blur(cells + 2, channels, cells + 3, taps, radius, 0, cells[3].height, scratch);
    CELLS("lens.blur", cells[3]);
    free(scratch);
    mixing(&picture, cells, cells + 3);
    uint8_t *to = zeroed(line * height + 64);
    const int32_t reach[4] = {3, 2, 2, 1};
    const struct bd_disc_mean mean = {picture.samples, to, (ptrdiff_t)line, (ptrdiff_t)line, channels, size, height, 3, reach};
    scratch = aligned_alloc(64, (k->disc.mean_scratch(&mean) + 63) / 64 * 64);
    k->disc.mean(&mean, 0, height, scratch), MADE("disc.mean", to, BYTES, line * height);
    free(scratch);
    if (size < 2) continue;
    const struct bd_columns columns = {.width = size / 2, .channels = channels};
    const int samples = size / 2 * channels;
    const struct bd_resample_job halving = {picture.samples, (ptrdiff_t)line, 2 * samples, to, samples, samples, NULL, &columns, NULL, 0, 0, 0, 0, 0, height / 2};
    k->resample.halve(&halving), MADE("resample.halve", to, BYTES, samples * (height / 2));
  }
}

static void rendering(int size) {
  const size_t n = (size_t)size;
  uint16_t *texels = zeroed(8 * n + 64), *alpha = zeroed(2 * n + 64);
  for (size_t i = 0; i < n; i++) {
    texels[4 * i + 3] = (uint16_t)(next() % 32769);
    for (int c = 0; c < 3; c++) texels[4 * i + (size_t)c] = (uint16_t)(next() % (texels[4 * i + 3] + 1u));
  }
  uint8_t *picture = bytes(4 * n + 64), *to = zeroed(4 * n + 64);
  k->render.finish_row(to, alpha, texels, picture, size), MADE("render.finish_row", to, BYTES, 4 * n), MADE("render.finish_row", alpha, SHORTS, n);
  if (size < 8) return;
  // What is in the hole gets the patches that look most alike: costs are whole, so all of it must be the same.
  const int height = 16;
  uint8_t *pixels = bytes(4 * n * height), *usable = zeroed(n * height);
  pixels = (uint8_t *)((uintptr_t)pixels & ~(uintptr_t)3);
  int32_t *match = zeroed(4 * n * height), *targets = zeroed(4 * n * height);
  uint32_t *cost = zeroed(4 * n * height);
  struct bd_patches patches = {pixels, size, height, 1, usable, match, cost, targets, 0};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < size; x++) {
      const int at = y * size + x, touches = y >= 6 && y <= 9 && x <= size - 3;
      usable[at] = !touches && x > 0 && y > 0 && x < size - 1 && y < height - 1;
      match[at] = touches ? 2 * size + 2 + (at % (size - 4)) : at;
      cost[at] = touches ? 0x7fffffff : 0;
      if (touches) targets[patches.target_count++] = at;
    }
  for (int backwards = 0; backwards < 2; backwards++) {
    k->views.improve(&patches, 0, patches.target_count, backwards, 9);
    MADE("views.improve", match, INTS, n * height), MADE("views.improve", cost, INTS, n * height);
  }
}

// Half of what a circle cuts out of the middle of a row.
static double chord(double radius, int row) { return sqrt(fmax(0, radius * radius - row * row)); }

static void discs(int size) {
  const int height = 19;
  const size_t n = (size_t)size;
  // Radii in samples of the shrunk picture. Small discs leave neighbours different, so that what lies between them shows.
  static const int factors[] = {1, 1, 2, 4, 8, 16};
  static const double radii[] = {0.7, 2.3, 1.3, 5.1, 0.9, 4.4};
  for (int i = 0; i < 24; i++) {
    // Three and four interleaved channels, chroma in two planes and in one.
    const int kind = i % 4, step = kind == 0 ? 3 : kind == 1 ? 4 : 1, is_yuv = kind > 1;
    const int factor = factors[i / 4];
    const double radius = radii[i / 4];
    const int width = (size + factor - 1) / factor, lines = (height + factor - 1) / factor;
    const int reach = (int)ceil(radius + 0.5) - 1, margin = (reach + 2 + 15) / 16 * 16;
    int32_t whole[16];
    float part[16];
    double area = 0;
    for (int away = 0; away <= reach; away++) {
      const double half = chord(radius, away);
      whole[away] = (int32_t)floor(half - 0.5);
      part[away] = (float)(whole[away] < 0 ? 2 * half : half - 0.5 - whole[away]);
      area += (away ? 4 : 2) * half;
    }
    const int chroma_step = kind == 3 ? 2 : 1;
    const ptrdiff_t line = size * step + 5, chroma_line = (size + 1) / 2 * chroma_step + 3, red = kind == 3 ? 1 : 10 * chroma_line;
    const size_t all = (size_t)line * height, chroma_all = 20 * (size_t)chroma_line;
    const uint8_t *picture = bytes(all), *chroma = bytes(chroma_all);
    uint8_t *output = zeroed(all), *chroma_output = zeroed(chroma_all);
    struct bd_disc job = {
        .step = step, .chroma_step = chroma_step, .is_yuv = is_yuv, .width = size, .height = height, .black = 16, .luma = 1.164f,
        .red_cr = 1.596f, .green_cb = -0.392f, .green_cr = -0.813f, .blue_cb = 2.017f, .kr = 0.299f, .kg = 0.587f, .kb = 0.114f,
        .to_cb = 0.496f, .to_cr = 0.627f, .factor = factor, .stride = (margin + width + reach + 32 + 15) / 16 * 16,
        .found_stride = (width + 1 + 15) / 16 * 16, .small_width = width, .small_height = lines, .reach = reach, .whole = whole,
        .part = part, .scale = (float)(1 / area)};
    for (int c = 0; c < 3; c++) {
      const int apart = is_yuv && c > 0;
      job.picture[c] = apart ? chroma + (c - 1) * red : picture + (is_yuv ? 0 : c);
      job.output[c] = apart ? chroma_output + (c - 1) * red : output + (is_yuv ? 0 : c);
      job.picture_stride[c] = job.output_stride[c] = apart ? chroma_line : line;
      job.light[c] = (int32_t *)zeroed(4 * (size_t)(job.stride * lines)) + margin;
      job.sums[c] = (int32_t *)zeroed(4 * (size_t)(job.stride * lines)) + margin;
      job.found[c] = zeroed(4 * (size_t)(job.found_stride * lines));
    }
    for (int c = 0; c < 2; c++) {
      int32_t *column = zeroed(4 * n);
      float *fraction = zeroed(4 * n);
      for (int x = 0; x < (c ? (size + 1) / 2 : size); x++) {
        const double at = fmax(0, (x + 0.5) * (c + 1) / factor - 0.5);
        column[x] = width < 2 ? 0 : at < width - 2 ? (int32_t)at : width - 2;
        fraction[x] = width < 2 ? 0 : (float)fmin(1, at - column[x]);
      }
      job.column[c] = column, job.fraction[c] = fraction;
    }
    k->disc.load(&job, 0, lines);
    for (int c = 0; c < 3; c++) MADE("disc.load", job.light[c] - margin, INTS, job.stride * lines);
    k->disc.blur(&job, 0, lines);
    // Light out of luma and chroma may be rounded the other way: of that the bytes are compared.
    for (int c = 0; c < 3 && !is_yuv; c++) MADE("disc.blur", job.found[c], FLOATS, job.found_stride * lines);
    k->disc.store(&job, 0, 8), k->disc.store(&job, 8, height);
    MADE("disc.store", output, BYTES, all), MADE("disc.store", chroma_output, BYTES, chroma_all);
  }
}

static void apertures(int size) {
  const int height = 17;
  float light[256];
  uint8_t *encode = zeroed(65536);
  for (int i = 0; i < 256; i++) light[i] = (float)(i * i) / 65025;
  for (int i = 0; i < 65536; i++) encode[i] = (uint8_t)(sqrt(i / 65535.0) * 255 + 0.5);
  for (int i = 0; i < 6; i++) {
    const int factor = 1 << i % 3, step = 3 + i % 2, halving = i / 3;
    const int width = (size + factor - 1) / factor, lines = (height + factor - 1) / factor;
    const ptrdiff_t line = size * step + 3, stride = (width + 15) / 16 * 16, all = stride * lines;
    const size_t plane = 4 * (size_t)(all + 32);
    uint8_t *output = zeroed((size_t)(line * height));
    struct bd_bokeh job = {
        .picture = bytes((size_t)(line * height)), .sharp = bytes((size_t)(line * height)), .output = output, .picture_stride = line,
        .sharp_stride = line, .output_stride = line, .step = step, .width = size, .height = height, .light = light, .encode = encode,
        .factor = factor, .small_width = width, .small_height = lines, .stride = stride, .margin = 32, .sums_stride = stride + 96,
        .edge = floats((size_t)all + 32, 0, 1), .around = floats((size_t)all + 32, 0.05f, 0.3f), .bloom = 3, .spacing = 2,
        .cover_halving = halving};
    for (int c = 0; c < 4; c++) job.sums[c] = (uint32_t *)zeroed(4 * (size_t)(job.sums_stride * lines)) + job.margin;
    const uint16_t *covers[2];
    for (int layer = 0; layer < 2; layer++) {
      struct bd_bokeh_layer *l = job.layers + layer;
      l->cover_stride = ((size + halving) >> halving) + 2;
      uint16_t *cover = opacities((size_t)l->cover_stride * height);
      // Coarse steps: next to nothing is divided by next to nothing otherwise.
      for (ptrdiff_t x = 0; x < l->cover_stride * height; x++) cover[x] &= 0xfc00;
      l->cover = covers[layer] = cover;
      float *radius = zeroed(plane);
      for (ptrdiff_t x = 0; x < all; x++) radius[x] = (float)(next() % 41) / 8;
      l->radius = radius;
      for (int c = 0; c < 4; c++) l->light[c] = zeroed(plane), l->found[c] = zeroed(plane);
      k->bokeh.load(&job, layer, 0, lines);
      for (int c = 0; c < 4; c++) MADE("bokeh.load", l->light[c], FLOATS, all);
      k->bokeh.boost(&job, layer, 0, lines);
      for (int c = 0; c < 3; c++) MADE("bokeh.boost", l->light[c], FLOATS, all);
      for (int level = 2; level <= 4; level += 2) {
        float left[16], right[16], area = 0;
        job.level = (float)level, job.is_first = level == 2, job.reach = level, job.left = left, job.right = right;
        for (int y = 0; y <= 2 * level; y++) {
          const double half = chord(level, y - level);
          left[y] = (float)(-0.9 * half), right[y] = (float)half, area += right[y] - left[y];
        }
        job.scale = fminf(1.5e9f / (area + 4) / (1 + job.bloom), 16777216), job.gain = 1 / area / job.scale;
        k->bokeh.sums(&job, layer, 0, lines), k->bokeh.spread(&job, layer, 0, lines);
        for (int c = 0; c < 4; c++) MADE("bokeh.sums and spread", l->found[c], FLOATS, all);
      }
    }
    k->bokeh.divide(&job, 0, lines);
    for (int c = 0; c < 4; c++) MADE("bokeh.divide", job.layers[0].found[c], FLOATS, all);
    for (int empty = 2; empty >= 0; empty--) {
      for (int layer = 0; layer < 2; layer++) job.layers[layer].cover = layer == empty ? NULL : covers[layer];
      k->bokeh.store(&job, 0, 6), k->bokeh.store(&job, 6, height), MADE("bokeh.store", output, BYTES, line * height);
    }
  }
}

static void refining(int size) {
  const int height = 13, blocks = (size + BD_GUIDED_BLOCK - 1) / BD_GUIDED_BLOCK, margin = BD_GUIDED_BLOCK;
  const ptrdiff_t stride = (blocks + 2) * BD_GUIDED_BLOCK, all = stride * (height + 2 * margin);
  const ptrdiff_t first = margin * stride + BD_GUIDED_BLOCK;
  for (int kind = 0; kind < 4; kind++) {
    float *planes[21];
    for (int i = 0; i < 21; i++) planes[i] = (float *)zeroed(4 * (size_t)all) + first;
    uint8_t *states = zeroed(2 * (size_t)(blocks * height)), *shown = zeroed((size_t)(blocks * height * BD_GUIDED_BLOCK));
    uint16_t *mixed = zeroed(2 * (size_t)(blocks * height));
    const int radius = kind % 2 ? 5 : 2;
    struct bd_guided job = {
        .matte = planes[3], .background = planes[10], .trust = planes[20], .stride = stride, .found_states = states,
        .mean_states = states + blocks * height, .mixed = mixed, .width = size, .height = height, .blocks = blocks, .radius = radius,
        .epsilon = 0.01f, .strength = 0.9f, .sees_pixels = kind < 3, .texture_radius = 2 * radius, .texture_scale = 40,
        .own_slope = 3};
    for (int i = 0; i < 3; i++) job.guide[i] = planes[i];
    for (int i = 0; i < 6; i++) job.product[i] = planes[4 + i];
    for (int i = 0; i < 5; i++) job.found[i] = planes[11 + i];
    for (int i = 0; i < 4; i++) job.mean[i] = planes[16 + i];
    // Nothing, something and all of it side by side, and elsewhere further down.
    for (int y = 0; y < height; y++)
      for (int x = 0; x < size; x++) {
        const int place = (3 * x / size + y / 8) % 3;
        for (int c = 0; c < 3; c++) planes[c][y * stride + x] = fraction();
        planes[3][y * stride + x] = place == 1 ? fraction() : (float)(place / 2);
      }
    // Three and four interleaved channels, chroma in two planes and in one.
    const int width = kind % 2 ? size : 2 * size + 1, lines = kind % 2 ? height : 29, columns = (width + 15) / 16 * 16;
    const int is_yuv = kind > 1, step = kind == 0 ? 3 : kind == 1 ? 4 : 1;
    const ptrdiff_t line = width * step + 5, chroma_line = width + 3;
    const uint8_t *picture = bytes((size_t)(line * lines)), *chroma = bytes((size_t)(2 * chroma_line * lines));
    int32_t *index = zeroed(4 * (size_t)columns);
    float *fractions = zeroed(4 * (size_t)columns);
    for (int x = 0; x < columns; x++) {
      const double at = fmax(0, ((x < width ? x : width - 1) + 0.5) * size / width - 0.5);
      index[x] = size < 2 ? 0 : at < size - 2 ? (int32_t)at : size - 2;
      fractions[x] = size < 2 ? 0 : (float)fmin(1, at - index[x]);
    }
    uint16_t *output = zeroed(2 * (size_t)(width * lines));
    struct bd_guided_picture p = {
        .width = width, .height = lines, .x_index = index, .x_fraction = fractions, .sharpness = 1.4f, .threshold = 0.45f,
        .output = output, .output_stride = width};
    for (int c = 0; c < 3; c++) {
      p.halved[c] = is_yuv && c > 0;
      p.channel[c] = p.halved[c] ? chroma + (c == 1 ? 0 : kind == 3 ? 1 : chroma_line * lines) : picture + (is_yuv ? 0 : c);
      p.stride[c] = p.halved[c] ? chroma_line : line, p.step[c] = p.halved[c] && kind == 3 ? 2 : step;
    }
    k->refine.guided_states(&job, 0, height);
    for (int i = 0; i < blocks * height; i++) shown[i] = (uint8_t)(100 * states[i]);
    MADE("refine.guided_states", shown, BYTES, blocks * height);
    for (int i = 0; i < blocks * height * BD_GUIDED_BLOCK; i++)
      shown[i] = mixed[i / BD_GUIDED_BLOCK] >> i % BD_GUIDED_BLOCK & 1 ? 100 : 0;
    MADE("refine.guided_states", shown, BYTES, blocks * height * BD_GUIDED_BLOCK);
    k->refine.guided_texture(&job, &p, 0, height);
    for (int i = 4; i < 11; i++) MADE("refine.guided_texture", planes[i] - first, FLOATS, all);
    k->refine.guided_windows(&job, 0, height);
    for (int i = 11; i < 16; i++) MADE("refine.guided_windows", planes[i] - first, FLOATS, all);
    k->refine.guided_means(&job, 0, height);
    for (int i = 16; i < 21; i++) MADE("refine.guided_means", planes[i] - first, FLOATS, all);
    for (int i = 0; i < blocks * height; i++) shown[i] = (uint8_t)(100 * job.mean_states[i]);
    MADE("refine.guided_means", shown, BYTES, blocks * height);
    k->refine.guided_apply(&job, &p, 0, 8, zeroed(4 * (size_t)bd_guided_scratch(blocks, width)));
    k->refine.guided_apply(&job, &p, 8, lines, zeroed(4 * (size_t)bd_guided_scratch(blocks, width)));
    MADE("refine.guided_apply", output, SHORTS, width * lines);
  }
}

static void lighting(int size) {
  const size_t n = (size_t)size, half = (n + 1) / 2;
  const struct bd_light_kernels *l = &k->light;
  int16_t coarse[2][5], *above = zeroed(2 * half), *below = zeroed(2 * half), *gains = zeroed(2 * half);
  // As large as they may be for black and white of 16 and 235, and of 0 and 255.
  for (int full = 0; full < 2; full++) {
    const int most = (1 << 22) / (full ? 255 : 219);
    for (int i = 0; i < 10; i++) coarse[i / 5][i % 5] = (int16_t)((int)(next() % (2 * (uint32_t)most + 1)) - most);
    const int32_t pace = 5 * 65536 / (int32_t)half;
    l->spread(coarse[0], 5, (pace - 65536) / 2, pace, (ptrdiff_t)half, above), MADE("light.spread", above, SHORTS, half);
    l->spread(coarse[1], 5, (pace - 65536) / 2, pace, (ptrdiff_t)half, below), MADE("light.spread", below, SHORTS, half);
    l->between(above, below, 37, (ptrdiff_t)half, gains), MADE("light.between", gains, SHORTS, half);
    uint8_t *a = bytes(4 * n), *b = bytes(n), *to = zeroed(4 * n), *other = zeroed(n), *blue = zeroed(half), *red = zeroed(half);
    struct bd_light_levels levels = {full ? 0 : 16, full ? 255 : 235, {0}, {0}, {0}};
    for (int i = 0; i < 8; i++) {
      int16_t *const part = i < 2 ? &levels.tint[i] : i < 5 ? &levels.blue[i - 2] : &levels.red[i - 5];
      *part = (int16_t)((int)(next() % 129) - 64);
    }
    for (int lone = 0; lone < 2; lone++) {
      const struct bd_light_rows rows = {a, lone ? a : a + n, b, b + half - n % 2, to, other, blue, red};
      l->planar(&rows, gains, size, &levels), MADE("light.planar", to, BYTES, n), MADE("light.planar", other, BYTES, n);
      MADE("light.planar", blue, BYTES, half), MADE("light.planar", red, BYTES, half);
    }
    const int16_t scales[3] = {310, 256, 201}, weights[3] = {54, 184, 18};
    for (int i = 0; i < 4 && full; i++) {
      l->pixels(a, gains, size, 3 + i % 2, i & 2, scales, weights, to), MADE("light.pixels", to, BYTES, n * (3 + i % 2));
    }
  }
}

static void views(int size) {
  const int height = 67, columns = (size - 1) / BD_VIEWS_CELL + 2, rows = (height - 1) / BD_VIEWS_CELL + 2;
  const int near_width = size / 8 + 1, near_height = 9;
  const int across = (size - 1) / BD_VIEWS_TILE + 1, side = BD_VIEWS_TILE + 1;
  for (int i = 0; i < 4; i++) {
    const int step = 3 + i % 2, halving = i / 2;
    const ptrdiff_t line = size * step + 7, cover_stride = ((size + halving) >> halving) + 3;
    uint8_t *output = zeroed((size_t)(line * height));
    struct bd_views job = {
        .cover = opacities((size_t)cover_stride * height), .cover_stride = cover_stride, .cover_halving = halving, .step = step,
        .width = size, .height = height, .near_width = near_width, .near_height = near_height, .output = output,
        .output_stride = line, .shift_x = i % 2 ? -3.3f : 2.9f, .shift_y = halving ? 1.7f : -0.4f, .zero = 0.3f};
    for (int layer = 0; layer < 2; layer++) {
      // Smooth: a step of nearness is less than a place moves by, so that errors vanish from round to round.
      const uint8_t **tiles = zeroed(sizeof *tiles * 2 * (size_t)across);
      for (int t = 0; t < 2 * across; t++) tiles[t] = (t + layer) % 2 ? bytes((size_t)(side * side * step)) : NULL;
      const float *nearness = floats((size_t)(near_width * near_height), layer ? 0.2f : 0.6f, layer ? 0.4f : 0.8f);
      job.layers[layer] = (struct bd_views_layer){
          bytes((size_t)(line * height)), line, halving ? tiles : NULL, nearness, near_width, zeroed(4 * (size_t)(columns * rows))};
      k->views.solve(&job, layer, 0, rows), MADE("views.solve", job.layers[layer].field, FLOATS, columns * rows);
    }
    k->views.render(&job, 0, 9), k->views.render(&job, 9, height), MADE("views.render", output, BYTES, line * height);
    job.cover = NULL;
    k->views.render(&job, 0, height), MADE("views.render", output, BYTES, line * height);
  }
}

static void sprites(int size) {
  const int width = 40, height = 30, lines = 37, columns = (size + 15) / 16 + 1, rows = (lines + 15) / 16 + 1;
  const size_t n = (size_t)size;
  uint16_t *texels = zeroed(8 * 40 * 30), *row = zeroed(8 * n);
  for (int y = 2; y < height - 2; y++)
    for (int x = 2; x < width - 2; x++) {
      uint16_t *t = texels + 4 * (y * width + x);
      t[3] = next() % 4 == 0 ? 0 : next() % 3 == 0 ? (uint16_t)(next() % 32769) : 32768;
      for (int c = 0; c < 3; c++) t[c] = (uint16_t)(next() % (t[3] + 1u));
    }
  const struct bd_render_layer layer = {texels, floats(40 * 30, 0.8f, 1.2f), bytes(40 * 30), width, width, height};
  // Turned, and beyond the sprite at the edges.
  int32_t *nodes = zeroed(8 * (size_t)(columns * rows));
  uint8_t *active = zeroed((size_t)(columns * rows));
  for (int i = 0; i < columns * rows; i++) {
    const int x = 16 * (i % columns), y = 16 * (i / columns);
    nodes[2 * i] = 24000 * x - 9000 * y + 70000 + (int32_t)(next() % 9999);
    nodes[2 * i + 1] = 52000 * y + 7000 * x - 40000 + (int32_t)(next() % 9999);
    active[i] = (uint8_t[]){0, 1, 1, 2}[next() % 4];
  }
  const struct bd_render_mesh mesh = {nodes, active, columns, rows, 0, columns - 1};
  for (int y = 0; y < lines; y++) {
    for (size_t i = 0; i < n; i++) {
      row[4 * i + 3] = (uint16_t)(next() % 32769);
      for (size_t c = 0; c < 3; c++) row[4 * i + c] = (uint16_t)(next() % (row[4 * i + 3] + 1u));
    }
    k->render.layer_row(row, size, y, &layer, &mesh), MADE("render.layer_row", row, SHORTS, 4 * n);
  }
  const float plane[3] = {0.01f, 1e-4f, -2e-4f};
  for (int i = 0; i < 14; i++) {
    // From left of the mesh on, half of them to beyond its right edge.
    const struct bd_render_depth_row to = {floats(n, 1, 3), bytes(n), size, -90000, i % 2 ? 50000 : 90000};
    const int32_t at = (int32_t[]){-26000, 0, 213000, 1048575, 1048576, 35 * 65536 + 7, 50 * 65536}[i / 2];
    k->render.depth_row(&to, at, &layer, &mesh, plane);
    MADE("render.depth_row", to.metres, FLOATS, n), MADE("render.depth_row", to.reflectance, BYTES, n);
  }
  // The farther surface is as far away as it sees.
  const struct bd_render_sensor sensor = {size, lines, 2.5f, 9.5f, 0.035f, 2.5f, 77, 13};
  float *metres = distances(n * lines, NAN), *visible = zeroed(4 * n * lines), *out = zeroed(4 * n), *scratch = zeroed(4 * (3 * n + 16));
  const uint8_t *reflectance = bytes(n * lines);
  for (int y = 0; y < lines; y++) {
    k->render.illuminate_row(visible + y * size, y, metres + y * size, reflectance + y * size, &sensor, scratch);
    MADE("render.illuminate_row", visible + y * size, FLOATS, n);
  }
  for (int y = 0; y < lines; y++) {
    k->render.measure_row(out, y, visible, size, &sensor, scratch);
    MADE("render.measure_row", out, FLOATS, n);
  }
}

// Taps round each of `to` samples, no more than there are. The outer ones of four take off, as a cubic's do.
static struct bd_rows taps_of(int from, int to, int taps) {
  if (taps > from) taps = from;
  int32_t *first = zeroed(4 * (size_t)to);
  float *weights = zeroed(4 * (size_t)(to * taps)), *w = weights;
  for (int i = 0; i < to; i++, w += taps) {
    const int at = i * from / to - taps / 2;
    first[i] = at < 0 ? 0 : at > from - taps ? from - taps : at;
    float sum = 0;
    for (int t = 0; t < taps; t++) sum += w[t] = taps == 4 && t % 3 == 0 ? -0.1f : 0.2f + fraction();
    for (int t = 0; t < taps; t++) w[t] /= sum;
  }
  return (struct bd_rows){taps, first, weights};
}

// The same across pixels, in blocks of eight samples.
static struct bd_columns columns_of(int from, int to, int wanted, int channels) {
  const struct bd_rows axis = taps_of(from, to, wanted);
  const int samples = to * channels, blocks = (samples + 7) / 8, taps = axis.taps;
  int32_t *base = zeroed(4 * (size_t)blocks), *index = zeroed(32 * (size_t)blocks);
  float *weights = zeroed(32 * (size_t)(blocks * taps));
  int narrow = 1;
  for (int b = 0; b < blocks; b++) {
    const int inside = samples - 8 * b < 8 ? samples - 8 * b : 8;
    int32_t *at = index + 8 * b;
    base[b] = INT32_MAX;
    for (int j = 0; j < inside; j++) {
      const int x = (8 * b + j) / channels;
      at[j] = axis.first[x] * channels + (8 * b + j) % channels;
      if (at[j] < base[b]) base[b] = at[j];
      for (int t = 0; t < taps; t++) weights[(b * taps + t) * 8 + j] = axis.weights[x * taps + t];
    }
    for (int j = 0; j < inside; j++) at[j] -= base[b], narrow &= at[j] < 8;
  }
  return (struct bd_columns){to, channels, taps, 8, narrow, axis.first, axis.weights, base, index, weights};
}

static void scaling(int size) {
  const int height = 12;
  for (int i = 0; i < 24; i++) {
    const int channels = 1 + i / 6, kind = i % 3, target = i % 6 == 3 ? 2 : i % 6 == 5 ? 1 : kind;
    // As wide as it was, narrower and wider.
    const int way = (i + i / 6) % 3, width = way == 0 ? size : way == 1 ? 2 * size + 1 : size / 2 + 1;
    const int from_height = i / 3 % 2 ? 23 : 7, to_samples = size * channels;
    const size_t samples = (size_t)(width * channels), all = samples * (size_t)from_height, each[] = {1, 2, 4};
    const void *from = kind == 0 ? (void *)bytes(all) : kind == 1 ? (void *)opacities(all) : (void *)floats(all, 0, 200);
    const size_t line = (size_t)to_samples * each[target];
    void *to = zeroed(line * height);
    const struct bd_rows rows = taps_of(from_height, height, i % 2 ? 4 : 5);
    const struct bd_columns columns = columns_of(width, size, i % 4 < 2 ? 4 : 7, channels);
    const ptrdiff_t row = (ptrdiff_t)(samples + (size_t)to_samples + 64 + 15) / 16 * 16;
    for (int rows_first = way == 0; rows_first < 2; rows_first++) {
      const size_t most = 4 * (size_t)row * (size_t)(rows_first ? 2 : 1 + rows.taps);
      float *scratch = aligned_alloc(64, most);
      memset(scratch, 0, most);
      const struct bd_resample_job job = {
          from, (ptrdiff_t)(samples * each[kind]), (ptrdiff_t)samples, to, (ptrdiff_t)line, to_samples, &rows,
          way ? &columns : NULL, scratch, row, kind, target, rows_first, 0, height};
      k->resample.resample(&job), MADE("resample.resample", to, (enum kind)(target == 2 ? FLOATS : target), to_samples * height);
      free(scratch);
    }
  }
}

int main(int count, char **arguments) {
  if (count != 3 || (strcmp(arguments[1], "record") && strcmp(arguments[1], "compare"))) {
    fputs("usage: kernels record|compare FILE\n", stderr);
    return 2;
  }
  compares = arguments[1][0] == 'c';
  file = fopen(arguments[2], compares ? "rb" : "wb");
  if (!file) {
    perror(arguments[2]);
    return 2;
  }
  static const int sizes[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 64, 70, 129};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    static void (*const topics[])(int) = {pixels,      conversions, rows,      mattes, filters,   alignment, clouds,   shapes,
                                          foregrounds, lenses,      rendering, discs,  apertures, refining,  lighting, views,
                                          sprites,     scaling};
    for (size_t t = 0; t < sizeof topics / sizeof *topics; t++) {
      state = 1000 * t + i;
      topics[t](sizes[i]);
    }
  }
  if (fclose(file)) return 2;
  if (compares) printf("%d cases, %d of them equal to the last bit, %d wrong\n", cases, equal, failures);
  return failures != 0;
}
