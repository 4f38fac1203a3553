/* A filter's session of the library: what was asked for, and how it reaches the session. */
#pragma once

#include <backdrop.h>

#include "gstbackdropdescription.h"
#include "gstbackdropfilter.h"

/* What can be chosen, which is the same for all filters. */
extern BackdropDescription *description;
/* Which of the description's parameters these are. */
extern guint look_index, background_index;

/* A property of the library's. */
typedef struct {
  /* What was asked for, and what the session has. */
  GValue wanted, applied;
  gboolean has_changed;
} Property;

struct _GstBackdropFilter {
  GstVideoFilter parent;

  /* Under the object's lock: what was asked for. The streaming thread takes it from here before each picture. */
  Property *properties;
  gchar *parameters, *applied_parameters;
  gboolean have_parameters_changed;
  guint threads;
  GstClockTime frame_duration;
  /* Whether the next picture begins another stream. */
  gboolean is_cut;
  /* Whether no session could be made of what is asked for, which was told. */
  gboolean is_impossible;

  /* The streaming thread's, and of nobody while nothing streams. */
  bd_session *session;
  gint width, height;
  gdouble rate;
  guint session_threads;
  gboolean is_standby;
  guint64 frame_count;
};

/* Whether the background is to be left out, and what the width is multiplied by; call with the object's lock. */
gboolean wants_alpha (GstBackdropFilter *self);

gint wanted_views (GstBackdropFilter *self);

gboolean is_none (const GValue *background);

/* Tells the application what went wrong in the library's last call on this thread: an error, or a warning where it goes on. */
void post_problem (GstBackdropFilter *self, bd_status status, gboolean is_error);

/* The same for what the library was not asked. */
void post_refusal (GstBackdropFilter *self, gboolean is_error, gchar *message, const gchar *hint);

void free_session (GstBackdropFilter *self);

gboolean create_session (GstBackdropFilter *self, gint width, gint height, gdouble rate);

/* Hands the session what was set since the last picture. What would change the kind of picture waits until that is negotiated. */
void apply_changes (GstBackdropFilter *self);
