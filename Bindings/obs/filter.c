/* The filter: captures its source's frames and shows the worker's pictures some frames later. It never makes OBS's threads wait. */
#include <obs-module.h>
#include <util/platform.h>

#include "filter.h"
#include "worker.h"

struct filter {
  obs_source_t *source;
  struct worker *worker;

  /* Used by the graphics thread only. */
  uint64_t frame;
  bool has_begun;
  uint64_t begin;
  /* Two surfaces, so that one frame is read back from the graphics card while the next one is drawn. */
  gs_texrender_t *target;
  gs_stagesurf_t *staged[2];
  struct { bool is_full; uint64_t number; double time; } stages[2];
  uint64_t captured;
  gs_texture_t *shown;
};

static const char *get_name(void *unused) {
  UNUSED_PARAMETER(unused);
  return obs_module_text("Backdrop");
}

static void update(void *data, obs_data_t *settings) {
  struct filter *filter = data;
  worker_set(filter->worker, parameters_read(settings), (unsigned)obs_data_get_int(settings, "delay"));
}

static void destroy(void *data) {
  struct filter *filter = data;
  worker_destroy(filter->worker);
  obs_enter_graphics();
  gs_texrender_destroy(filter->target);
  for (size_t i = 0; i < 2; i++) gs_stagesurface_destroy(filter->staged[i]);
  gs_texture_destroy(filter->shown);
  obs_leave_graphics();
  bfree(filter);
}

static void *create(obs_data_t *settings, obs_source_t *source) {
  struct filter *filter = bzalloc(sizeof *filter);
  struct obs_video_info video;
  double rate = obs_get_video_info(&video) && video.fps_den ? (double)video.fps_num / video.fps_den : 30;
  filter->source = source;
  filter->worker = worker_create(obs_source_get_name(source), rate);
  if (!filter->worker) {
    blog(LOG_ERROR, "[backdrop] no thread can be started");
    bfree(filter);
    return NULL;
  }
  update(filter, settings);
  return filter;
}

static void get_defaults(obs_data_t *settings) {
  parameters_set_defaults(settings);
  obs_data_set_default_int(settings, "delay", 3);
}

static obs_properties_t *get_properties(void *data) {
  struct filter *filter = data;
  obs_properties_t *properties = obs_properties_create();
  char *problem = filter ? worker_problem(filter->worker) : NULL;
  if (problem) {
    obs_property_t *text = obs_properties_add_text(properties, "problem", problem, OBS_TEXT_INFO);
    obs_property_text_set_info_type(text, OBS_TEXT_INFO_WARNING);
    bfree(problem);
  }
  parameters_add(properties);
  obs_property_t *delay = obs_properties_add_int_slider(properties, "delay", obs_module_text("Delay"), 2, 15, 1);
  obs_property_set_long_description(delay, obs_module_text("Delay.Description"));
  obs_property_t *threads = obs_properties_add_int(properties, "threads", obs_module_text("Threads"), 0, 64, 1);
  obs_property_set_long_description(threads, obs_module_text("Threads.Description"));
  return properties;
}

static void video_tick(void *data, float seconds) {
  struct filter *filter = data;
  UNUSED_PARAMETER(seconds);
  filter->frame++;
}

/* Hands the frame that was read back to the worker. */
static void hand_over(struct filter *filter, size_t index) {
  gs_stagesurf_t *surface = filter->staged[index];
  uint8_t *rows;
  uint32_t stride;
  if (!filter->stages[index].is_full || !surface) return;
  filter->stages[index].is_full = false;
  uint32_t width = gs_stagesurface_get_width(surface), height = gs_stagesurface_get_height(surface);
  struct picture *picture = worker_take(filter->worker, (size_t)width * height * 4);
  if (!picture) return;
  if (!gs_stagesurface_map(surface, &rows, &stride)) {
    worker_give_back(filter->worker, picture);
    return;
  }
  for (uint32_t y = 0; y < height; y++) memcpy(picture->data + (size_t)y * width * 4, rows + (size_t)y * stride, (size_t)width * 4);
  gs_stagesurface_unmap(surface);
  picture->width = width, picture->height = height;
  picture->number = filter->stages[index].number;
  picture->time = filter->stages[index].time;
  worker_push(filter->worker, picture);
}

/* Draws the filter's source into a surface that is read back by the next frame. */
static void capture(struct filter *filter, obs_source_t *target, uint32_t width, uint32_t height) {
  size_t index = filter->frame % 2;
  hand_over(filter, 1 - index);
  if (!filter->target) filter->target = gs_texrender_create(GS_BGRA, GS_ZS_NONE);
  gs_texrender_reset(filter->target);
  if (!gs_texrender_begin(filter->target, width, height)) return;
  struct vec4 clear;
  vec4_zero(&clear);
  gs_clear(GS_CLEAR_COLOR, &clear, 0, 0);
  gs_ortho(0, (float)width, 0, (float)height, -100, 100);
  /* Colours are premultiplied, as in OBS's own filters. */
  gs_blend_state_push();
  gs_blend_function_separate(GS_BLEND_SRCALPHA, GS_BLEND_ZERO, GS_BLEND_ONE, GS_BLEND_ZERO);
  bool is_linear = gs_set_linear_srgb(false);
  /* OBS's own filters decide in the same way whether a source draws itself. */
  const uint32_t flags = obs_source_get_output_flags(target);
  if (target == obs_filter_get_parent(filter->source) && !(flags & (OBS_SOURCE_CUSTOM_DRAW | OBS_SOURCE_ASYNC)))
    obs_source_default_render(target);
  else
    obs_source_video_render(target);
  gs_set_linear_srgb(is_linear);
  gs_blend_state_pop();
  gs_texrender_end(filter->target);

  gs_stagesurf_t **surface = &filter->staged[index];
  if (*surface && (gs_stagesurface_get_width(*surface) != width || gs_stagesurface_get_height(*surface) != height)) {
    gs_stagesurface_destroy(*surface);
    *surface = NULL;
  }
  if (!*surface) *surface = gs_stagesurface_create(width, height, GS_BGRA);
  if (!*surface) return;
  gs_stage_texture(*surface, gs_texrender_get_texture(filter->target));
  uint64_t now = obs_get_video_frame_time();
  if (!filter->has_begun) filter->begin = now;
  filter->has_begun = true;
  filter->stages[index].is_full = true;
  filter->stages[index].number = filter->frame;
  filter->stages[index].time = (double)(now - filter->begin) / 1e9;
}

/* Copies the picture that is due into the texture. */
static void take_due(struct filter *filter) {
  struct picture *picture = worker_due(filter->worker, filter->frame);
  if (!picture) return;
  gs_texture_t *shown = filter->shown;
  if (shown && (gs_texture_get_width(shown) != picture->width || gs_texture_get_height(shown) != picture->height)) {
    gs_texture_destroy(shown);
    shown = NULL;
  }
  if (!shown) shown = gs_texture_create(picture->width, picture->height, GS_BGRA, 1, NULL, GS_DYNAMIC);
  if (shown) gs_texture_set_image(shown, picture->data, picture->width * 4, false);
  filter->shown = shown;
  worker_give_back(filter->worker, picture);
}

static void video_render(void *data, gs_effect_t *unused) {
  struct filter *filter = data;
  UNUSED_PARAMETER(unused);
  obs_source_t *target = obs_filter_get_target(filter->source);
  uint32_t width = obs_source_get_base_width(target), height = obs_source_get_base_height(target);
  if (!target || !width || !height) return;
  /* OBS may render a source several times in a frame. */
  if (filter->captured != filter->frame) {
    filter->captured = filter->frame;
    capture(filter, target, width, height);
    take_due(filter);
  }
  /* Before the first picture, shows nothing rather than the real background. */
  if (!filter->shown) return;
  gs_effect_t *effect = obs_get_base_effect(OBS_EFFECT_DEFAULT);
  bool was_linear = gs_framebuffer_srgb_enabled();
  gs_enable_framebuffer_srgb(false);
  gs_effect_set_texture(gs_effect_get_param_by_name(effect, "image"), filter->shown);
  while (gs_effect_loop(effect, "Draw")) gs_draw_sprite(filter->shown, 0, width, height);
  gs_enable_framebuffer_srgb(was_linear);
}

void filter_register(void) {
  static struct obs_source_info info = {
    .id = "backdrop_filter",
    .type = OBS_SOURCE_TYPE_FILTER,
    .output_flags = OBS_SOURCE_VIDEO,
    .get_name = get_name,
    .create = create,
    .destroy = destroy,
    .update = update,
    .get_defaults = get_defaults,
    .get_properties = get_properties,
    .video_tick = video_tick,
    .video_render = video_render,
  };
  obs_register_source(&info);
}
