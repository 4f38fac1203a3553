// Cases of lens blur.
#include "kernels.h"

// Mixes the picture, its own blur, and the half and quarter resolution cells, with strengths of all kinds.
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
  // Rows between two levels, and rows of the last level alone.
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

void lenses(int size) {
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
    if (size < 2) continue;
    const struct bd_columns columns = {.width = size / 2, .channels = channels};
    const int samples = size / 2 * channels;
    const struct bd_resample_job halving = {picture.samples, (ptrdiff_t)line, 2 * samples, to, samples, samples, NULL, &columns, NULL, 0, 0, 0, 0, 0, height / 2};
    k->resample.halve(&halving), MADE("resample.halve", to, BYTES, samples * (height / 2));
  }
}

// Half of a circle's chord through a row.
static double chord(double radius, int row) { return sqrt(fmax(0, radius * radius - row * row)); }

void discs(int size) {
  const int height = 19;
  const size_t n = (size_t)size;
  // Radii in samples of the shrunk picture. With small discs neighbours differ, so interpolation between them shows.
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
    // Conversion from luma and chroma may round the other way; there, bytes are compared.
    for (int c = 0; c < 3 && !is_yuv; c++) MADE("disc.blur", job.found[c], FLOATS, job.found_stride * lines);
    k->disc.store(&job, 0, 8), k->disc.store(&job, 8, height);
    MADE("disc.store", output, BYTES, all), MADE("disc.store", chroma_output, BYTES, chroma_all);
  }
}

void apertures(int size) {
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
      // Coarse steps: otherwise tiny numbers are divided by tiny numbers.
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
