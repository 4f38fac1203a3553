/* Makes OBS filter properties of the session parameters that bd_describe() lists. Only the library defines ranges, defaults and choices. */
#pragma once

#include <obs-module.h>

/* Values for a session by name; NULL for a default. */
struct session_values {
  size_t count;
  const char **names;
  char **values;
  int threads;
};

/* Reads the library's description. If the library cannot describe itself, logs the error and returns false. */
bool parameters_load(void);
void parameters_unload(void);

/* The filter's settings for parameters and the background. */
void parameters_set_defaults(obs_data_t *settings);
void parameters_add(obs_properties_t *properties);
struct session_values *parameters_read(obs_data_t *settings);
void session_values_free(struct session_values *values);
