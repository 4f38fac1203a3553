#include "gstbackdropsession.h"

#include <string.h>

BackdropDescription *description;
guint look_index, background_index;

/* ---- requested settings ---- */

/* The requested value of a property in the library's text form, or NULL for the default. Call it with the object's lock. */
static gchar *
wanted_text (GstBackdropFilter *self, guint index)
{
  return backdrop_parameter_text (&description->parameters[index], &self->properties[index].wanted);
}

/* The requested look if it is a built-in one, otherwise NULL. Call it with the object's lock. */
static const BackdropLook *
wanted_look (GstBackdropFilter *self)
{
  if (!description->parameter_count)
    return NULL;
  return backdrop_description_look (description, g_value_get_string (&self->properties[look_index].wanted));
}

gboolean
is_none (const GValue *background)
{
  return g_strcmp0 (g_value_get_string (background), "none") == 0;
}

gboolean
wants_alpha (GstBackdropFilter *self)
{
  return description->parameter_count && is_none (&self->properties[background_index].wanted);
}

gint
wanted_views (GstBackdropFilter *self)
{
  const BackdropLook *look = wanted_look (self);
  return look ? look->views : 1;
}

/* Whether a property goes to the session. If the look has a parameter of the same name, the library would set that parameter instead. */
static gboolean
reaches_session (GstBackdropFilter *self, guint index)
{
  const BackdropLook *look = wanted_look (self);
  return !description->parameters[index].is_shared || !look || !backdrop_look_has (look, description->parameters[index].name);
}

/* ---- errors ---- */

void
post_problem (GstBackdropFilter *self, bd_status status, gboolean is_error)
{
  GQuark domain = GST_LIBRARY_ERROR;
  gint code = GST_LIBRARY_ERROR_SETTINGS;
  switch (status) {
    case BD_BAD_DATA: domain = GST_STREAM_ERROR, code = GST_STREAM_ERROR_FAILED; break;
    case BD_UNSUPPORTED: domain = GST_RESOURCE_ERROR, code = GST_RESOURCE_ERROR_NOT_FOUND; break;
    case BD_OVER_LIMIT: domain = GST_RESOURCE_ERROR, code = GST_RESOURCE_ERROR_NO_SPACE_LEFT; break;
    case BD_SYSTEM: domain = GST_RESOURCE_ERROR, code = GST_RESOURCE_ERROR_FAILED; break;
    default: break;
  }
  const char *path = bd_error_path ();
  gchar *message = g_strdup_printf (*path ? "%s: %s" : "%s%s", bd_error_message (), path);
  gchar *hint = *bd_error_hint () ? g_strdup_printf ("hint: %s", bd_error_hint ()) : NULL;
  gst_element_message_full (GST_ELEMENT (self), is_error ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING, domain, code, message, hint,
      __FILE__, GST_FUNCTION, __LINE__);
}

void
post_refusal (GstBackdropFilter *self, gboolean is_error, gchar *message, const gchar *hint)
{
  gst_element_message_full (GST_ELEMENT (self), is_error ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, message, g_strconcat ("hint: ", hint, NULL), __FILE__, GST_FUNCTION, __LINE__);
}

/* ---- parameters of looks ---- */

/* Splits "radius=8,gamma=0.7" into names and values. For unreadable text or the name of a property, posts a message and returns NULL. */
static GPtrArray *
read_parameters (GstBackdropFilter *self, const gchar *text, const BackdropLook *look, gboolean is_error)
{
  GPtrArray *result = g_ptr_array_new_with_free_func (g_free);
  gchar **items = g_strsplit (text ? text : "", ",", -1);
  for (gchar **item = items; *item && result; item++) {
    gchar **pair = g_strsplit (g_strstrip (*item), "=", 2);
    const gchar *name = pair[0] ? g_strstrip (pair[0]) : "", *property = NULL;
    for (guint i = 0; i < description->parameter_count; i++)
      if (strcmp (description->parameters[i].name, name) == 0 && !(look && backdrop_look_has (look, name)))
        property = name;
    if (property) {
      post_refusal (self, is_error, g_strdup_printf ("'%s' is no parameter of the look", name), "it is a property of the element");
      g_clear_pointer (&result, g_ptr_array_unref);
    } else if (*name && pair[1]) {
      g_ptr_array_add (result, g_strdup (name));
      g_ptr_array_add (result, g_strdup (g_strstrip (pair[1])));
    } else if (*name || items[1]) {
      post_refusal (self, is_error, g_strdup_printf ("cannot read '%s' of the look's parameters", *item),
          "write name=value, with commas between: radius=8,gamma=0.7");
      g_clear_pointer (&result, g_ptr_array_unref);
    }
    g_strfreev (pair);
  }
  g_strfreev (items);
  return result;
}

/* ---- the session ---- */

void
free_session (GstBackdropFilter *self)
{
  bd_session_free (self->session);
  self->session = NULL;
}

/* Notes that the session has the requested value of a property. Call it with the object's lock. */
static void
mark_applied (GstBackdropFilter *self, guint index)
{
  g_value_copy (&self->properties[index].wanted, &self->properties[index].applied);
  self->properties[index].has_changed = FALSE;
}

gboolean
create_session (GstBackdropFilter *self, gint width, gint height, gdouble rate)
{
  GArray *options = g_array_new (FALSE, FALSE, sizeof (bd_option));
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  GST_OBJECT_LOCK (self);
  const BackdropLook *look = wanted_look (self);
  for (guint i = 0; i < description->parameter_count; i++) {
    gchar *text = reaches_session (self, i) ? wanted_text (self, i) : NULL;
    mark_applied (self, i);
    if (!text)
      continue;
    bd_option option = {description->parameters[i].name, text};
    g_array_append_val (options, option);
    g_ptr_array_add (texts, text);
  }
  gchar *own = g_strdup (self->parameters);
  g_free (self->applied_parameters);
  self->applied_parameters = g_strdup (own);
  self->have_parameters_changed = FALSE;
  guint threads = self->threads;
  GST_OBJECT_UNLOCK (self);

  GPtrArray *parameters = read_parameters (self, own, look, TRUE);
  for (guint i = 0; parameters && i < parameters->len; i += 2) {
    bd_option option = {g_ptr_array_index (parameters, i), g_ptr_array_index (parameters, i + 1)};
    g_array_append_val (options, option);
  }
  free_session (self);
  if (parameters) {
    bd_session_options all = BD_SESSION_OPTIONS;
    all.width = width, all.height = height, all.rate = rate;
    all.threads = (int32_t) threads;
    all.options = (bd_option *) (void *) options->data, all.option_count = options->len;
    bd_status status = bd_session_create (&all, &self->session);
    if (status != BD_OK)
      post_problem (self, status, TRUE);
    self->width = width, self->height = height, self->rate = rate, self->session_threads = threads;
    g_ptr_array_unref (parameters);
  }
  g_free (own);
  g_array_unref (options);
  g_ptr_array_unref (texts);
  return self->session != NULL;
}

/* Sets a changed property in the session. If the library refuses, posts a warning, restores the old value and returns FALSE. */
static gboolean
apply_property (GstBackdropFilter *self, guint index)
{
  BackdropParameter *parameter = &description->parameters[index];
  Property *property = &self->properties[index];
  GValue tried = G_VALUE_INIT;
  g_value_init (&tried, parameter->spec->value_type);
  GST_OBJECT_LOCK (self);
  gchar *text = wanted_text (self, index);
  g_value_copy (&property->wanted, &tried);
  property->has_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  bd_status status = bd_session_set (self->session, parameter->name, text);
  gboolean is_refused = status != BD_OK, is_put_back = FALSE;
  if (is_refused)
    post_problem (self, status, FALSE);
  GST_OBJECT_LOCK (self);
  if (!is_refused)
    g_value_copy (&tried, &property->applied);
  else if (!property->has_changed) {
    g_value_copy (&property->applied, &property->wanted);
    is_put_back = TRUE;
  }
  GST_OBJECT_UNLOCK (self);
  g_value_unset (&tried);
  g_free (text);
  if (is_put_back) {
    g_object_notify_by_pspec (G_OBJECT (self), parameter->spec);
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
  }
  return !is_refused;
}

/* Sets the look's parameters from the property. Parameters that it does not name get their defaults. */
static void
apply_parameters (GstBackdropFilter *self)
{
  GST_OBJECT_LOCK (self);
  gchar *text = g_strdup (self->parameters), *before = g_strdup (self->applied_parameters);
  const BackdropLook *look = wanted_look (self);
  self->have_parameters_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  GPtrArray *old = read_parameters (self, before, look, FALSE), *new = read_parameters (self, text, look, FALSE);
  gboolean is_refused = new == NULL;
  for (guint i = 0; old && new && i < old->len; i += 2)
    bd_session_set (self->session, g_ptr_array_index (old, i), NULL);
  for (guint i = 0; new && !is_refused && i < new->len; i += 2) {
    bd_status status = bd_session_set (self->session, g_ptr_array_index (new, i), g_ptr_array_index (new, i + 1));
    if (status == BD_OK)
      continue;
    is_refused = TRUE;
    post_problem (self, status, FALSE);
    for (guint k = 0; k < i; k += 2)
      bd_session_set (self->session, g_ptr_array_index (new, k), NULL);
    for (guint k = 0; old && k < old->len; k += 2)
      bd_session_set (self->session, g_ptr_array_index (old, k), g_ptr_array_index (old, k + 1));
  }
  GST_OBJECT_LOCK (self);
  gboolean is_put_back = is_refused && !self->have_parameters_changed;
  gchar **place = is_put_back ? &self->parameters : &self->applied_parameters;
  if (is_put_back || !is_refused) {
    g_free (*place);
    *place = g_strdup (is_put_back ? before : text);
  }
  GST_OBJECT_UNLOCK (self);
  g_clear_pointer (&old, g_ptr_array_unref);
  g_clear_pointer (&new, g_ptr_array_unref);
  g_free (text);
  g_free (before);
  if (is_put_back)
    g_object_notify (G_OBJECT (self), "parameters");
}

/* Sets another look. Clears the old look's parameters unless new ones were set with the look, because each look has its own. */
static void
apply_look (GstBackdropFilter *self)
{
  if (!apply_property (self, look_index))
    return;
  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->applied_parameters, g_free);
  gboolean are_forgotten = self->parameters && !self->have_parameters_changed;
  if (are_forgotten)
    g_clear_pointer (&self->parameters, g_free);
  /* A property that the old look shadowed may reach the session with the new one. */
  for (guint i = 0; i < description->parameter_count; i++)
    self->properties[i].has_changed |= description->parameters[i].is_shared;
  GST_OBJECT_UNLOCK (self);
  if (are_forgotten)
    g_object_notify (G_OBJECT (self), "parameters");
}

void
apply_changes (GstBackdropFilter *self)
{
  GstVideoFilter *filter = GST_VIDEO_FILTER (self);
  GST_OBJECT_LOCK (self);
  gboolean is_due = wanted_views (self) * filter->in_info.width == filter->out_info.width
      && (!wants_alpha (self) || GST_VIDEO_INFO_HAS_ALPHA (&filter->out_info));
  gboolean is_other_look = description->parameter_count && self->properties[look_index].has_changed;
  GST_OBJECT_UNLOCK (self);
  if (!is_due)
    return;
  if (is_other_look)
    apply_look (self);
  for (guint i = 0; i < description->parameter_count; i++) {
    GST_OBJECT_LOCK (self);
    is_due = self->properties[i].has_changed && reaches_session (self, i);
    self->properties[i].has_changed = FALSE;
    GST_OBJECT_UNLOCK (self);
    if (is_due)
      apply_property (self, i);
  }
  GST_OBJECT_LOCK (self);
  is_due = self->have_parameters_changed;
  GST_OBJECT_UNLOCK (self);
  if (is_due)
    apply_parameters (self);
}
