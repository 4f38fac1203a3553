#include "parameters.h"

#include <backdrop.h>
#include <string.h>
#include <util/dstr.h>
#include <util/platform.h>

enum kind { KIND_NUMBER, KIND_TOGGLE, KIND_CHOICE, KIND_FILE, KIND_TEXT };

/* A parameter of the library, with its description. */
struct parameter {
  obs_data_t *description;
  const char *name;
  enum kind kind;
  bool is_automatic;
  /* The range of a number. If the parameter can be automatic, the minimum stands for "automatic". */
  double minimum, maximum;
};

static obs_data_t *description;
static struct parameter *parameters;
static size_t parameter_count;

/* Whether the filter has no property for a parameter. The filter sets the background and the audience itself, because other people see its
   pictures. It offers no looks, never shows the real background, and gets no depth from OBS. */
static bool is_left_out(const char *name, const char *group) {
  static const char *const names[] = {"look", "background", "audience", "show-room"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return strcmp(group, "depth") == 0;
}

static enum kind kind_of(obs_data_t *item) {
  const char *kind = obs_data_get_string(item, "kind");
  if (strcmp(kind, "number") == 0) return KIND_NUMBER;
  if (strcmp(kind, "toggle") == 0) return KIND_TOGGLE;
  if (strcmp(kind, "choice") == 0) return KIND_CHOICE;
  /* Some file parameters also take words, which a button that opens files cannot enter. */
  return strcmp(kind, "file") == 0 && strcmp(obs_data_get_string(item, "of"), "a picture") == 0 ? KIND_FILE : KIND_TEXT;
}

bool parameters_load(void) {
  char *json = NULL;
  if (bd_describe(&json) != BD_OK) {
    blog(LOG_ERROR, "[backdrop] libbackdrop cannot describe itself: %s", bd_error_message());
    return false;
  }
  description = obs_data_create_from_json(json);
  bd_free(json);
  if (!description) {
    blog(LOG_ERROR, "[backdrop] what libbackdrop describes cannot be read");
    return false;
  }
  obs_data_array_t *list = obs_data_get_array(description, "session");
  size_t count = obs_data_array_count(list);
  parameters = bzalloc(count * sizeof *parameters + 1);
  for (size_t i = 0; i < count; i++) {
    obs_data_t *item = obs_data_array_item(list, i);
    if (is_left_out(obs_data_get_string(item, "name"), obs_data_get_string(item, "group"))) {
      obs_data_release(item);
      continue;
    }
    struct parameter *parameter = &parameters[parameter_count++];
    parameter->description = item;
    parameter->name = obs_data_get_string(item, "name");
    parameter->kind = kind_of(item);
    parameter->is_automatic = obs_data_has_user_value(item, "automatic");
    parameter->minimum = obs_data_get_double(item, "minimum");
    parameter->maximum = obs_data_get_double(item, "maximum");
    if (parameter->kind == KIND_NUMBER && parameter->is_automatic)
      parameter->minimum = obs_data_get_double(item, "automaticNumber");
  }
  obs_data_array_release(list);
  return true;
}

void parameters_unload(void) {
  for (size_t i = 0; i < parameter_count; i++) obs_data_release(parameters[i].description);
  bfree(parameters);
  parameters = NULL, parameter_count = 0;
  obs_data_release(description);
  description = NULL;
}

/* ---- properties ---- */

/* A parameter's translated label, or its title if there is none. */
static const char *label_of(const struct parameter *parameter, struct dstr *memory) {
  const char *text = NULL;
  dstr_printf(memory, "Parameter.%s", parameter->name);
  return obs_module_get_string(memory->array, &text) ? text : obs_data_get_string(parameter->description, "title");
}

static void add_items(obs_property_t *list, const struct parameter *parameter) {
  struct dstr line = {0};
  if (parameter->is_automatic) {
    dstr_printf(&line, "%s (%s)", obs_module_text("Automatic"), obs_data_get_string(parameter->description, "automatic"));
    obs_property_list_add_string(list, line.array, "");
  }
  if (parameter->kind == KIND_TOGGLE) {
    obs_property_list_add_string(list, obs_module_text("On"), "on");
    obs_property_list_add_string(list, obs_module_text("Off"), "off");
  }
  obs_data_array_t *choices = obs_data_get_array(parameter->description, "choices");
  for (size_t i = 0; i < obs_data_array_count(choices); i++) {
    obs_data_t *choice = obs_data_array_item(choices, i);
    dstr_printf(&line, "%s: %s", obs_data_get_string(choice, "name"), obs_data_get_string(choice, "summary"));
    obs_property_list_add_string(list, line.array, obs_data_get_string(choice, "name"));
    obs_data_release(choice);
  }
  obs_data_array_release(choices);
  dstr_free(&line);
}

static void add_parameter(obs_properties_t *group, const struct parameter *parameter) {
  obs_data_t *item = parameter->description;
  struct dstr label = {0}, text = {0};
  const char *shown = label_of(parameter, &label), *unit = obs_data_get_string(item, "unit");
  const char *of = obs_data_get_string(item, "of"), *automatic = obs_data_get_string(item, "automatic");
  obs_property_t *property = NULL;
  dstr_copy(&text, obs_data_get_string(item, "summary"));
  if (*of) dstr_catf(&text, " (%s)", of);
  switch (parameter->kind) {
    case KIND_NUMBER: {
      double span = parameter->maximum - parameter->minimum;
      property = obs_properties_add_float_slider(group, parameter->name, shown, parameter->minimum, parameter->maximum,
          span > 10 ? 0.5 : 0.01);
      if (*unit) {
        struct dstr suffix = {0};
        dstr_printf(&suffix, " %s", unit);
        obs_property_float_set_suffix(property, suffix.array);
        dstr_free(&suffix);
      }
      if (parameter->is_automatic) dstr_catf(&text, "; %g: %s", parameter->minimum, automatic);
      break;
    }
    case KIND_TOGGLE:
      if (!parameter->is_automatic) {
        property = obs_properties_add_bool(group, parameter->name, shown);
        break;
      }
      /* fallthrough */
    case KIND_CHOICE:
      property = obs_properties_add_list(group, parameter->name, shown, OBS_COMBO_TYPE_LIST, OBS_COMBO_FORMAT_STRING);
      add_items(property, parameter);
      break;
    case KIND_FILE: property = obs_properties_add_path(group, parameter->name, shown, OBS_PATH_FILE, NULL, NULL); break;
    case KIND_TEXT: property = obs_properties_add_text(group, parameter->name, shown, OBS_TEXT_DEFAULT); break;
  }
  if (parameter->kind >= KIND_FILE && parameter->is_automatic) dstr_catf(&text, "; %s: %s", obs_module_text("Unset"), automatic);
  obs_property_set_long_description(property, text.array);
  dstr_free(&label);
  dstr_free(&text);
}

/* Shows only the properties of the chosen background. */
static bool mode_changed(obs_properties_t *properties, obs_property_t *property, obs_data_t *settings) {
  static const char *const names[] = {"file", "scene", "color"};
  UNUSED_PARAMETER(property);
  const char *mode = obs_data_get_string(settings, "mode");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    obs_property_set_visible(obs_properties_get(properties, names[i]), strcmp(mode, names[i]) == 0);
  return true;
}

static void add_background(obs_properties_t *properties) {
  static const char *const modes[] = {"remove", "file", "scene", "color", "blur", "bokeh"};
  obs_property_t *list = obs_properties_add_list(properties, "mode", obs_module_text("Mode"), OBS_COMBO_TYPE_LIST,
      OBS_COMBO_FORMAT_STRING);
  struct dstr key = {0};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    dstr_printf(&key, "Mode.%s", modes[i]);
    obs_property_list_add_string(list, obs_module_text(key.array), modes[i]);
  }
  dstr_free(&key);
  obs_property_set_modified_callback(list, mode_changed);
  obs_properties_add_path(properties, "file", obs_module_text("File"), OBS_PATH_FILE, NULL, NULL);
  obs_property_t *scenes = obs_properties_add_list(properties, "scene", obs_module_text("Scene"), OBS_COMBO_TYPE_LIST,
      OBS_COMBO_FORMAT_STRING);
  obs_data_array_t *sceneries = obs_data_get_array(description, "sceneries");
  for (size_t i = 0; i < obs_data_array_count(sceneries); i++) {
    obs_data_t *scenery = obs_data_array_item(sceneries, i);
    obs_property_list_add_string(scenes, obs_data_get_string(scenery, "summary"), obs_data_get_string(scenery, "name"));
    obs_data_release(scenery);
  }
  obs_data_array_release(sceneries);
  obs_properties_add_color(properties, "color", obs_module_text("Color"));
}

void parameters_add(obs_properties_t *properties) {
  add_background(properties);
  struct dstr key = {0}, group_key = {0};
  for (size_t i = 0; i < parameter_count; i++) {
    const char *name = obs_data_get_string(parameters[i].description, "group");
    dstr_printf(&group_key, "group.%s", name);
    obs_property_t *group = obs_properties_get(properties, group_key.array);
    if (!group) {
      dstr_printf(&key, "Group.%s", name);
      group = obs_properties_add_group(properties, group_key.array, obs_module_text(key.array), OBS_GROUP_NORMAL,
          obs_properties_create());
    }
    add_parameter(obs_property_group_content(group), &parameters[i]);
  }
  dstr_free(&key);
  dstr_free(&group_key);
}

void parameters_set_defaults(obs_data_t *settings) {
  obs_data_set_default_string(settings, "mode", "remove");
  obs_data_set_default_string(settings, "scene", "dunes");
  obs_data_set_default_int(settings, "color", 0xFF00A000);
  for (size_t i = 0; i < parameter_count; i++) {
    const struct parameter *parameter = &parameters[i];
    if (parameter->kind == KIND_NUMBER)
      obs_data_set_default_double(settings, parameter->name,
          parameter->is_automatic ? parameter->minimum : obs_data_get_double(parameter->description, "default"));
    else if (parameter->kind == KIND_TOGGLE && !parameter->is_automatic)
      obs_data_set_default_bool(settings, parameter->name, obs_data_get_bool(parameter->description, "default"));
    else
      obs_data_set_default_string(settings, parameter->name, obs_data_get_string(parameter->description, "default"));
  }
}

/* ---- values ---- */

/* The background in the library's text form, or NULL. */
static char *background_of(obs_data_t *settings) {
  const char *mode = obs_data_get_string(settings, "mode");
  struct dstr text = {0};
  if (strcmp(mode, "file") == 0) {
    dstr_copy(&text, obs_data_get_string(settings, "file"));
  } else if (strcmp(mode, "scene") == 0) {
    dstr_printf(&text, "scene:%s", obs_data_get_string(settings, "scene"));
  } else if (strcmp(mode, "color") == 0) {
    /* OBS stores red in the lowest byte. */
    unsigned color = (unsigned)obs_data_get_int(settings, "color");
    dstr_printf(&text, "#%02X%02X%02X", color & 255, color >> 8 & 255, color >> 16 & 255);
  } else {
    dstr_copy(&text, strcmp(mode, "remove") == 0 ? "none" : mode);
  }
  if (!dstr_is_empty(&text)) return text.array;
  dstr_free(&text);
  return NULL;
}

/* A parameter's value in the library's text form, or NULL for its default. */
static char *value_of(const struct parameter *parameter, obs_data_t *settings) {
  if (parameter->kind == KIND_NUMBER) {
    double value = obs_data_get_double(settings, parameter->name);
    if (parameter->is_automatic ? value <= parameter->minimum : value == obs_data_get_double(parameter->description, "default"))
      return NULL;
    /* In the C locale, which may differ from OBS's. */
    char digits[64];
    os_dtostr(value, digits, sizeof digits);
    return bstrdup(digits);
  }
  if (parameter->kind == KIND_TOGGLE && !parameter->is_automatic) {
    bool value = obs_data_get_bool(settings, parameter->name);
    return value == obs_data_get_bool(parameter->description, "default") ? NULL : bstrdup(value ? "on" : "off");
  }
  const char *value = obs_data_get_string(settings, parameter->name);
  return *value && strcmp(value, obs_data_get_string(parameter->description, "default")) != 0 ? bstrdup(value) : NULL;
}

struct session_values *parameters_read(obs_data_t *settings) {
  struct session_values *result = bzalloc(sizeof *result);
  result->count = parameter_count + 1;
  result->names = bzalloc(result->count * sizeof *result->names);
  result->values = bzalloc(result->count * sizeof *result->values);
  result->names[0] = "background";
  result->values[0] = background_of(settings);
  for (size_t i = 0; i < parameter_count; i++) {
    result->names[i + 1] = parameters[i].name;
    result->values[i + 1] = value_of(&parameters[i], settings);
  }
  result->threads = (int)obs_data_get_int(settings, "threads");
  return result;
}

void session_values_free(struct session_values *values) {
  if (!values) return;
  for (size_t i = 0; i < values->count; i++) bfree(values->values[i]);
  bfree(values->values);
  bfree(values->names);
  bfree(values);
}
