/* A filter's session of the library, and the settings on their way to it. */
#pragma once

#include <backdrop.h>

#include "gstbackdropdescription.h"
#include "gstbackdropfilter.h"

/* The library's description, shared by all filters. */
extern BackdropDescription *description;
/* The indices of these parameters in the description. */
extern guint look_index, background_index;

/* A property that the library defines. */
typedef struct {
  /* The requested value, and the session's value. */
  GValue wanted, applied;
  gboolean has_changed;
} Property;

struct _GstBackdropFilter {
  GstVideoFilter parent;

  /* Requested settings, protected by the object's lock. The streaming thread applies them before each picture. */
  Property *properties;
  gchar *parameters, *applied_parameters;
  gboolean have_parameters_changed;
  guint threads;
  GstClockTime frame_duration;
  /* Whether the next picture begins another stream. */
  gboolean is_cut;
  /* Whether creating a session with the requested settings failed. The error was posted. */
  gboolean is_impossible;

  /* Used by the streaming thread, and by state changes while nothing streams. */
  bd_session *session;
  gint width, height;
  gdouble rate;
  guint session_threads;
  gboolean is_standby;
  guint64 frame_count;
};

/* Whether the requested background is transparent. Call it with the object's lock. */
gboolean wants_alpha (GstBackdropFilter *self);

/* The factor by which the requested look widens pictures. Call it with the object's lock. */
gint wanted_views (GstBackdropFilter *self);

gboolean is_none (const GValue *background);

/* Posts the problem of the library's last call on this thread, as an error or, if the stream continues, as a warning. */
void post_problem (GstBackdropFilter *self, bd_status status, gboolean is_error);

/* Posts a problem that the filter found itself. */
void post_refusal (GstBackdropFilter *self, gboolean is_error, gchar *message, const gchar *hint);

void free_session (GstBackdropFilter *self);

gboolean create_session (GstBackdropFilter *self, gint width, gint height, gdouble rate);

/* Applies the settings that changed since the last picture. If they change the output's width or alpha, they wait for the negotiation. */
void apply_changes (GstBackdropFilter *self);
