/* What bd_describe() says of sessions, as GObject properties: ranges, defaults and choices stand in the library alone. */
#pragma once

#include <gst/gst.h>

/* A parameter of sessions. */
typedef struct {
  gchar *name;
  GParamSpec *spec;
  /* Whether there is a value that stands for "automatic": it has no range of its own in the library. */
  gboolean is_automatic;
  /* Whether a look has a parameter of that name, too. */
  gboolean is_shared;
} BackdropParameter;

/* A built-in look. */
typedef struct {
  gchar *name;
  /* What its pictures' width is multiplied by. */
  gint views;
  /* The names of its own parameters. */
  GPtrArray *parameters;
} BackdropLook;

/* Everything that is described. It lives as long as the process. */
typedef struct {
  BackdropParameter *parameters;
  guint parameter_count;
  BackdropLook *looks;
  guint look_count;
} BackdropDescription;

/* Reads the library's description; the types of choices begin with `prefix`. Without parameters, and with a warning, where the library
   cannot say. */
BackdropDescription *backdrop_description_new (const gchar *prefix);

/* The built-in look of that name, or NULL. */
const BackdropLook *backdrop_description_look (const BackdropDescription *description, const gchar *name);

/* Whether the look has a parameter of that name. */
gboolean backdrop_look_has (const BackdropLook *look, const gchar *name);

/* A value as the library reads it; NULL for its default. Free it with g_free(). */
gchar *backdrop_parameter_text (const BackdropParameter *parameter, const GValue *value);
