// Cases of depth, points and the simulated camera.
#include "kernels.h"

void filters(int size) {
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

void alignment(int size) {
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

void clouds(int size) {
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
  const struct bd_cloud_projected projected = {zeroed(padded_size), zeroed(padded_size), zeroed(padded_size)};
  float extent[2];
  k->cloud.project(&view, &points, 0, count, 1.3f, &projected, extent), MADE("cloud.project", extent, FLOATS, 2), MADE("cloud.project", projected.u, FLOATS, count);
  k->cloud.draw_points(&view, &points, &projected, 0, count, 1.3f, 0, height), MADE("cloud.draw_points", view.depth, FLOATS, width * height);
  MADE("cloud.draw_points", view.pixels, BYTES, 4 * width * height);
  // Projected corners, some outside the picture and behind the camera, drawn over the points.
  enum { across = 6, down = 5, corners = across * down, triangles = 2 * (across - 1) * (down - 1) };
  const struct bd_cloud_projected seen = {zeroed(4 * corners), zeroed(4 * corners), floats(corners, 0, 3)};
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

void rendering(int size) {
  const size_t n = (size_t)size;
  uint16_t *texels = zeroed(8 * n + 64), *alpha = zeroed(2 * n + 64);
  for (size_t i = 0; i < n; i++) {
    texels[4 * i + 3] = (uint16_t)(next() % 32769);
    for (int c = 0; c < 3; c++) texels[4 * i + (size_t)c] = (uint16_t)(next() % (texels[4 * i + 3] + 1u));
  }
  uint8_t *picture = bytes(4 * n + 64), *to = zeroed(4 * n + 64);
  k->render.finish_row(to, alpha, texels, picture, size), MADE("render.finish_row", to, BYTES, 4 * n), MADE("render.finish_row", alpha, SHORTS, n);
  if (size < 8) return;
  // The hole is filled with the most similar patches. Costs are integers, so the result must be exactly the same.
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

void sprites(int size) {
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
  // Rotated, and beyond the sprite at the edges.
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
    // Starting left of the mesh; half of them end beyond its right edge.
    const struct bd_render_depth_row to = {floats(n, 1, 3), bytes(n), size, -90000, i % 2 ? 50000 : 90000};
    const int32_t at = (int32_t[]){-26000, 0, 213000, 1048575, 1048576, 35 * 65536 + 7, 50 * 65536}[i / 2];
    k->render.depth_row(&to, at, &layer, &mesh, plane);
    MADE("render.depth_row", to.metres, FLOATS, n), MADE("render.depth_row", to.reflectance, BYTES, n);
  }
  // The farther surface is at the limit of its range.
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
