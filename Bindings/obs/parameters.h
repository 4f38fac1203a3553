/* What bd_describe() says of sessions, as properties of a filter in OBS: ranges, defaults and choices stand in the library alone. */
#pragma once

#include <obs-module.h>

/* Values for a session, by name; NULL for what is at its default. */
struct session_values {
  size_t count;
  const char **names;
  char **values;
  int threads;
};

/* Reads the library's description; false, and a line in the log, where it cannot say. */
bool parameters_load(void);
void parameters_unload(void);

/* The parameters' and the background's part of a filter's settings. */
void parameters_set_defaults(obs_data_t *settings);
void parameters_add(obs_properties_t *properties);
struct session_values *parameters_read(obs_data_t *settings);
void session_values_free(struct session_values *values);
