// Cases of pictures: pixels, formats, sizes, light and views.
#include "kernels.h"

void pixels(int size) {
  const size_t n = (size_t)size;
  uint8_t *a = bytes(8 * n), *b = bytes(8 * n), *to = zeroed(16 * n + 64);
  uint16_t *q15 = opacities(4 * n), *to16 = zeroed(8 * n);
  const struct bd_pixel_kernels *p = &k->pixel;
  p->blend_q15(to, a, b, q15, size), MADE("pixel.blend_q15", to, BYTES, n);
  for (int c = 2; c <= 4; c++) {
    p->blend_pixels_q15(to, a, b, q15, size, c), MADE("pixel.blend_pixels_q15", to, BYTES, n * c);
  }
  p->halve_q15(to16, q15, q15 + n, size), MADE("pixel.halve_q15", to16, SHORTS, (n + 1) / 2);
}

void conversions(int size) {
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
  // A table of noise, so differences in the steps of light show; the light itself must not differ.
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

void rows(int size) {
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

// Taps around each of `to` samples, at most `from` of them. With four taps the outer two are negative, as in a cubic kernel.
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

void scaling(int size) {
  const int height = 12;
  for (int i = 0; i < 24; i++) {
    const int channels = 1 + i / 6, kind = i % 3, target = i % 6 == 3 ? 2 : i % 6 == 5 ? 1 : kind;
    // The same width, narrower and wider.
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

void lighting(int size) {
  const size_t n = (size_t)size, half = (n + 1) / 2;
  const struct bd_light_kernels *l = &k->light;
  int16_t coarse[2][5], *above = zeroed(2 * half), *below = zeroed(2 * half), *gains = zeroed(2 * half);
  // As large as allowed for black and white of 16 and 235, and of 0 and 255.
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

void views(int size) {
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
      // Smooth: a step of disparity is smaller than the movement, so errors decrease in each iteration.
      const uint8_t **tiles = zeroed(sizeof *tiles * 2 * (size_t)across);
      for (int t = 0; t < 2 * across; t++) tiles[t] = (t + layer) % 2 ? bytes((size_t)(side * side * step)) : NULL;
      const float *disparity = floats((size_t)(near_width * near_height), layer ? 0.2f : 0.6f, layer ? 0.4f : 0.8f);
      job.layers[layer] = (struct bd_views_layer){
          bytes((size_t)(line * height)), line, halving ? tiles : NULL, disparity, near_width, zeroed(4 * (size_t)(columns * rows))};
      k->views.solve(&job, layer, 0, rows), MADE("views.solve", job.layers[layer].field, FLOATS, columns * rows);
    }
    k->views.render(&job, 0, 9), k->views.render(&job, 9, height), MADE("views.render", output, BYTES, line * height);
    job.cover = NULL;
    k->views.render(&job, 0, height), MADE("views.render", output, BYTES, line * height);
  }
}
