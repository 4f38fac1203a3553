// Cases of mattes and foregrounds.
#include "kernels.h"

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

void mattes(int size) {
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

void shapes(int size) {
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

void foregrounds(int size) {
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

// Two steps of the solution of closed-form matting.
void laplacians(int size) {
  const int height = 9, group = BD_LAPLACIAN_GROUP, columns = (size + group - 1) / group;
  const ptrdiff_t stride = (columns + 1) * group;
  uint8_t *unknown = zeroed((size_t)(size * height));
  int32_t *windows = zeroed(4 * (size_t)(size * height)), *window_rows = zeroed(4 * (size_t)(height + 1));
  int32_t *groups = zeroed(4 * (size_t)(columns * height)), *positions = zeroed(4 * (size_t)(columns * height));
  int count = 0, found = 0;
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < size; x++) {
      unknown[y * size + x] = next() % 3 != 0;
      if (x % group == 0) groups[y * columns + x / group] = count, positions[count++] = (int32_t)((y + 2) * stride + group + x);
      if (x > 0 && y > 0 && x < size - 1 && y < height - 1) windows[found++] = x;
    }
    window_rows[y + 1] = found;
  }
  const size_t samples = (size_t)(count * group);
  float *plane = zeroed(4 * (size_t)(stride * (height + 4) + 2 * group)), *fidelities = zeroed(4 * samples);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < size; x++) {
      plane[(y + 2) * stride + group + x] = fraction();
      if (unknown[y * size + x]) fidelities[groups[y * columns + x / group] * group + x % group] = 0.1f + fraction();
    }
  const struct bd_laplacian job = {
      .picture = bytes(4 * (size_t)(size * height)), .picture_stride = 4 * size, .width = size, .height = height,
      .unknown = unknown, .unknown_stride = size, .windows = windows, .window_rows = window_rows, .ridge = 1e-3, .groups = groups,
      .groups_stride = columns, .couplings = zeroed(4 * samples * BD_LAPLACIAN_COUPLINGS), .plane = plane, .plane_stride = stride,
      .positions = positions, .fidelities = fidelities, .scales = zeroed(4 * samples), .solution = zeroed(4 * samples),
      .residual = zeroed(4 * samples), .direction = zeroed(4 * samples), .product = zeroed(4 * samples),
      .sums = zeroed(4 * (size_t)count)};
  k->laplacian.couple(&job, 0, height), MADE("laplacian.couple", job.couplings, FLOATS, samples * BD_LAPLACIAN_COUPLINGS);
  k->laplacian.scale(&job, 0, count), MADE("laplacian.scale", job.scales, FLOATS, samples);
  for (int step = 0; step < 2; step++) {
    k->laplacian.multiply(&job, 0, count), MADE("laplacian.multiply", job.product, FLOATS, samples);
    k->laplacian.move(&job, 0.5f, 0, count), MADE("laplacian.move", job.residual, FLOATS, samples);
    k->laplacian.turn(&job, 0.25f, 0, count), MADE("laplacian.turn", job.direction, FLOATS, samples);
  }
  MADE("laplacian.solution", job.solution, FLOATS, samples), MADE("laplacian.sums", job.sums, FLOATS, count);
}

void refining(int size) {
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
    // Zero, partial and full values next to each other, also farther down.
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
