/* Makes GObject properties of the session parameters that bd_describe() lists. Only the library defines ranges, defaults and choices. */
#pragma once

#include <gst/gst.h>

/* A parameter of sessions. */
typedef struct {
  gchar *name;
  GParamSpec *spec;
  /* Whether one value stands for "automatic", which is outside the library's range of the parameter. */
  gboolean is_automatic;
  /* Whether a look also has a parameter of that name. */
  gboolean is_shared;
} BackdropParameter;

/* A built-in look. */
typedef struct {
  gchar *name;
  /* The factor by which its pictures are wider than the input. */
  gint views;
  /* The names of its own parameters. */
  GPtrArray *parameters;
} BackdropLook;

/* The library's description. It lives as long as the process. */
typedef struct {
  BackdropParameter *parameters;
  guint parameter_count;
  BackdropLook *looks;
  guint look_count;
} BackdropDescription;

/* Reads the library's description. The type names of choices begin with `prefix`. If the library cannot describe itself, logs a warning and
   returns a description without parameters. */
BackdropDescription *backdrop_description_new (const gchar *prefix);

/* The built-in look of that name, or NULL. */
const BackdropLook *backdrop_description_look (const BackdropDescription *description, const gchar *name);

/* Whether the look has a parameter of that name. */
gboolean backdrop_look_has (const BackdropLook *look, const gchar *name);

/* A value in the library's text form, or NULL for the default. Free it with g_free(). */
gchar *backdrop_parameter_text (const BackdropParameter *parameter, const GValue *value);
