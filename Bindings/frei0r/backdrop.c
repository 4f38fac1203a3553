/* Replaces the background in editors: Kdenlive, Shotcut, FFmpeg, MLT and all others that load frei0r's filters. */
#include <backdrop.h>
/* The host finds these functions by name. */
#pragma GCC visibility push(default)
#include <frei0r.h>
#pragma GCC visibility pop
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, SWITCH, TEXT };

/* A parameter of sessions. */
struct parameter {
  const char *name, *explanation;
  enum kind kind;
  /* The numbers for frei0r's 0 and 1. Numbers below `minimum` stand for the automatic value. */
  double least, minimum, most;
  /* The default. An empty text stands for the automatic value. */
  double number;
  const char *text;
};

static const struct parameter parameters[] = {
#include "parameters.inc"
};
#define COUNT (sizeof parameters / sizeof *parameters)

/* A larger step in time, in frames, is a seek. */
#define MOST_FRAMES 12.5
/* Steps of a larger number are milliseconds, as FFmpeg passes them, and not frei0r's seconds. */
#define MOST_SECONDS 4

struct filter {
  pthread_mutex_t mutex;
  unsigned width, height;
  /* Numbers of the parameters, switches as 0 and 1, and texts. */
  double numbers[COUNT];
  char *texts[COUNT];
  /* The parameters that the session does not have yet. */
  bool is_changed[COUNT];
  /* NULL if there is none, because of the values. */
  bd_session *session;
  /* The host's time of the last frame, its shortest step so far (0 if unknown), and the session's time of it in seconds. */
  bool has_frame;
  double last, step, seconds;
  /* The last message. */
  char *message;
};

static char *copy_of(const char *text) {
  char *copy = strdup(text ? text : "");
  if (!copy) abort();
  return copy;
}

/* Prints the library's last error, unless it was the last message too. */
static void report(struct filter *filter) {
  char text[1024];
  const char *path = bd_error_path(), *hint = bd_error_hint();
  snprintf(text, sizeof text, "backdrop: %s%s%s%s%s%s", bd_error_message(), *path ? ": " : "", path, *hint ? " (" : "", hint,
           *hint ? ")" : "");
  if (filter->message && strcmp(filter->message, text) == 0) return;
  free(filter->message);
  filter->message = copy_of(text);
  fprintf(stderr, "%s\n", text);
}

/* The value of a parameter in the library's form, or NULL for its default. `digits` has room for a number. */
static const char *value_of(const struct filter *filter, size_t index, char digits[32]) {
  const struct parameter *parameter = &parameters[index];
  double number = filter->numbers[index];
  const char *text = filter->texts[index];
  switch (parameter->kind) {
    case NUMBER:
      if (number < parameter->minimum || number == parameter->number) return NULL;
      snprintf(digits, 32, "%.6g", number);
      /* The host may have set another language. */
      for (char *letter = digits; *letter; letter++)
        if (*letter == ',') *letter = '.';
      return digits;
    case SWITCH: return number == parameter->number ? NULL : number >= 0.5 ? "on" : "off";
    default: return *text && strcmp(text, "auto") != 0 ? text : NULL;
  }
}

/* The value of "parameters": sets the look's own from "NAME=VALUE,…". */
static bd_status set_look(bd_session *session, const char *text) {
  char *list = copy_of(text), *rest = NULL;
  bd_status status = BD_OK;
  for (char *word = strtok_r(list, ",", &rest); word && status >= 0; word = strtok_r(NULL, ",", &rest)) {
    char *value = strchr(word, '=');
    if (value) *value++ = 0;
    while (*word == ' ') word++;
    status = bd_session_set(session, word, value);
  }
  free(list);
  return status;
}

static void create_session(struct filter *filter) {
  bd_option options[COUNT];
  char digits[COUNT][32];
  size_t count = 0;
  const char *of_look = NULL;
  for (size_t i = 0; i < COUNT; i++) {
    const char *value = value_of(filter, i, digits[i]);
    filter->is_changed[i] = false;
    if (strcmp(parameters[i].name, "parameters") == 0) of_look = value;
    else if (value) options[count++] = (bd_option){parameters[i].name, value};
  }
  bd_session_options all = BD_SESSION_OPTIONS;
  all.width = (int32_t)filter->width, all.height = (int32_t)filter->height, all.is_file = 1;
  all.options = options, all.option_count = count;
  bd_session_free(filter->session);
  filter->session = NULL, filter->has_frame = false;
  bd_session *session;
  bd_image output = {.size = sizeof output};
  if (bd_session_create(&all, &session) != BD_OK) return report(filter);
  if (bd_session_output(session, BD_RGBA, &output) != BD_OK || (of_look && set_look(session, of_look) < 0)) {
    report(filter);
  } else if (output.width != all.width || output.height != all.height) {
    fprintf(stderr, "backdrop: the look needs a frame of another size (choose another look)\n");
  } else {
    filter->session = session;
    return;
  }
  bd_session_free(session);
}

/* Gives the session the values that changed. Another look gets a session of its own. */
static void apply(struct filter *filter) {
  bool is_changed = false, is_other_look = false;
  for (size_t i = 0; i < COUNT; i++) {
    if (!filter->is_changed[i]) continue;
    is_changed = true;
    is_other_look |= strcmp(parameters[i].name, "look") == 0 || strcmp(parameters[i].name, "parameters") == 0;
  }
  if (is_other_look || (is_changed && !filter->session)) return create_session(filter);
  for (size_t i = 0; is_changed && i < COUNT; i++) {
    char digits[32];
    if (!filter->is_changed[i]) continue;
    filter->is_changed[i] = false;
    if (bd_session_set(filter->session, parameters[i].name, value_of(filter, i, digits)) < 0) report(filter);
  }
}

/* Moves the session's time on to that of the host. After a seek, the session forgets the stream. */
static void move(struct filter *filter, double time) {
  double step = time - filter->last;
  if (filter->has_frame && (step <= 0 || (filter->step > 0 && step > MOST_FRAMES * filter->step))) {
    bd_session_reset(filter->session);
    filter->has_frame = false;
  }
  if (filter->has_frame) {
    if (filter->step == 0 || step < filter->step) filter->step = step;
    filter->seconds += filter->step > MOST_SECONDS ? step / 1000 : step;
  } else {
    filter->seconds = 0;
  }
  filter->has_frame = true, filter->last = time;
}

int f0r_init(void) { return 1; }
void f0r_deinit(void) {}

void f0r_get_plugin_info(f0r_plugin_info_t *info) {
  *info = (f0r_plugin_info_t){
    .name = "Backdrop", .author = "The Backdrop authors", .plugin_type = F0R_PLUGIN_TYPE_FILTER,
    .color_model = F0R_COLOR_MODEL_RGBA8888, .frei0r_version = FREI0R_MAJOR_VERSION, .major_version = 0, .minor_version = 1,
    .num_params = COUNT,
    .explanation = "Replaces the background behind people, blurs it, or makes it transparent",
  };
}

void f0r_get_param_info(f0r_param_info_t *info, int index) {
  static const int types[] = {[NUMBER] = F0R_PARAM_DOUBLE, [SWITCH] = F0R_PARAM_BOOL, [TEXT] = F0R_PARAM_STRING};
  const struct parameter *parameter = &parameters[index];
  *info = (f0r_param_info_t){.name = parameter->name, .type = types[parameter->kind], .explanation = parameter->explanation};
}

f0r_instance_t f0r_construct(unsigned width, unsigned height) {
  struct filter *filter = calloc(1, sizeof *filter);
  if (!filter || pthread_mutex_init(&filter->mutex, NULL) != 0) {
    free(filter);
    return NULL;
  }
  filter->width = width, filter->height = height;
  for (size_t i = 0; i < COUNT; i++) {
    filter->numbers[i] = parameters[i].number;
    filter->texts[i] = copy_of(parameters[i].text);
    filter->is_changed[i] = true;
  }
  return filter;
}

void f0r_destruct(f0r_instance_t instance) {
  struct filter *filter = instance;
  bd_session_free(filter->session);
  for (size_t i = 0; i < COUNT; i++) free(filter->texts[i]);
  free(filter->message);
  pthread_mutex_destroy(&filter->mutex);
  free(filter);
}

void f0r_set_param_value(f0r_instance_t instance, f0r_param_t value, int index) {
  struct filter *filter = instance;
  const struct parameter *parameter = &parameters[index];
  pthread_mutex_lock(&filter->mutex);
  if (parameter->kind == TEXT) {
    const char *text = *(f0r_param_string *)value;
    if (strcmp(filter->texts[index], text ? text : "") != 0) {
      free(filter->texts[index]);
      filter->texts[index] = copy_of(text);
      filter->is_changed[index] = true;
    }
  } else {
    double number = *(f0r_param_double *)value;
    number = !(number > 0) ? 0 : number > 1 ? 1 : number;
    number = parameter->kind == SWITCH ? number >= 0.5 : parameter->least + number * (parameter->most - parameter->least);
    filter->is_changed[index] |= filter->numbers[index] != number;
    filter->numbers[index] = number;
  }
  pthread_mutex_unlock(&filter->mutex);
}

void f0r_get_param_value(f0r_instance_t instance, f0r_param_t value, int index) {
  struct filter *filter = instance;
  const struct parameter *parameter = &parameters[index];
  pthread_mutex_lock(&filter->mutex);
  if (parameter->kind == TEXT) *(f0r_param_string *)value = filter->texts[index];
  else if (parameter->kind == SWITCH) *(f0r_param_double *)value = filter->numbers[index];
  else *(f0r_param_double *)value = (filter->numbers[index] - parameter->least) / (parameter->most - parameter->least);
  pthread_mutex_unlock(&filter->mutex);
}

void f0r_update(f0r_instance_t instance, double time, const uint32_t *input, uint32_t *output) {
  struct filter *filter = instance;
  pthread_mutex_lock(&filter->mutex);
  apply(filter);
  bd_status status = BD_UNSUPPORTED;
  if (filter->session) {
    move(filter, time);
    bd_image image = {.size = sizeof image, .format = BD_RGBA, .width = (int32_t)filter->width, .height = (int32_t)filter->height,
                      .planes = {(void *)input}, .strides = {4 * (ptrdiff_t)filter->width}, .alpha = BD_ALPHA_STRAIGHT,
                      .time = filter->seconds};
    bd_image result = image;
    result.planes[0] = output;
    status = bd_session_render(filter->session, &image, NULL, &result);
    if (status < 0) report(filter);
  }
  /* Transparent, and black where nothing shows through; never the room. */
  if (status < 0) memset(output, 0, 4 * (size_t)filter->width * filter->height);
  pthread_mutex_unlock(&filter->mutex);
}
