#include "gstbackdropfilter.h"

#include <backdrop.h>
#include <string.h>

#include "gstbackdropdescription.h"

GST_DEBUG_CATEGORY_STATIC (backdrop_filter_debug);
#define GST_CAT_DEFAULT backdrop_filter_debug

#define FORMATS "{ I420, NV12, BGRA, RGBA }"
#define SIZE "[ 1, 32768 ]"
#define CAPS "video/x-raw, format = " FORMATS ", width = " SIZE ", height = " SIZE ", framerate = " GST_VIDEO_FPS_RANGE

/* Its own properties; those of the library follow. */
enum { PROP_THREADS = 1, PROP_PARAMETERS, PROP_FIRST };

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate source_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

static BackdropDescription *description;
/* Which of the description's parameters these are. */
static guint look_index, background_index;

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

G_DEFINE_TYPE (GstBackdropFilter, gst_backdrop_filter, GST_TYPE_VIDEO_FILTER)

/* ---- what was asked for ---- */

/* The session's option of that name, in the library's words; call with the object's lock. */
static gchar *
wanted_text (GstBackdropFilter *self, guint index)
{
  return backdrop_parameter_text (&description->parameters[index], &self->properties[index].wanted);
}

/* The look that is asked for where it is a built-in one, else NULL; call with the object's lock. */
static const BackdropLook *
wanted_look (GstBackdropFilter *self)
{
  if (!description->parameter_count)
    return NULL;
  return backdrop_description_look (description, g_value_get_string (&self->properties[look_index].wanted));
}

static gboolean
is_none (const GValue *background)
{
  return g_strcmp0 (g_value_get_string (background), "none") == 0;
}

/* Whether the background is to be left out, and what the width is multiplied by; call with the object's lock. */
static gboolean
wants_alpha (GstBackdropFilter *self)
{
  return description->parameter_count && is_none (&self->properties[background_index].wanted);
}

static gint
wanted_views (GstBackdropFilter *self)
{
  const BackdropLook *look = wanted_look (self);
  return look ? look->views : 1;
}

/* A property goes to the session unless the look has a parameter of that name, which then is what the library would set. */
static gboolean
reaches_session (GstBackdropFilter *self, guint index)
{
  const BackdropLook *look = wanted_look (self);
  return !description->parameters[index].is_shared || !look || !backdrop_look_has (look, description->parameters[index].name);
}

/* ---- errors ---- */

/* Tells the application what went wrong in the library's last call on this thread: an error, or a warning where it goes on. */
static void
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

/* The same for what the library was not asked. */
static void
post_refusal (GstBackdropFilter *self, gboolean is_error, gchar *message, const gchar *hint)
{
  gst_element_message_full (GST_ELEMENT (self), is_error ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, message, g_strconcat ("hint: ", hint, NULL), __FILE__, GST_FUNCTION, __LINE__);
}

/* ---- parameters of looks ---- */

/* Reads "radius=8,gamma=0.7" into names and values; NULL, and a message, for what cannot be read or is a property. */
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

static void
free_session (GstBackdropFilter *self)
{
  bd_session_free (self->session);
  self->session = NULL;
}

/* What was asked for is what the session has; call with the object's lock. */
static void
mark_applied (GstBackdropFilter *self, guint index)
{
  g_value_copy (&self->properties[index].wanted, &self->properties[index].applied);
  self->properties[index].has_changed = FALSE;
}

static gboolean
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

/* Sets a changed property; puts it back, with a warning, where the library refuses. Whether it was set. */
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

/* Sets the look's parameters as the property says, those that it does not name to their defaults. */
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

/* Sets another look. It has parameters of its own: those of the one before are forgotten, unless new ones came along. */
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
  /* What the look before had of its own is now the session's. */
  for (guint i = 0; i < description->parameter_count; i++)
    self->properties[i].has_changed |= description->parameters[i].is_shared;
  GST_OBJECT_UNLOCK (self);
  if (are_forgotten)
    g_object_notify (G_OBJECT (self), "parameters");
}

/* Hands the session what was set since the last picture. What would change the kind of picture waits until that is negotiated. */
static void
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

/* ---- negotiation ---- */

/* Multiplies or divides a width, a range of widths or a list of them; FALSE where nothing is left. */
static gboolean
scale_width (GstStructure *structure, gint factor, gboolean is_up)
{
  const GValue *value = gst_structure_get_value (structure, "width");
  if (!value || factor == 1)
    return TRUE;
  gint least = 1, most = 32768;
  if (G_VALUE_HOLDS_INT (value))
    least = most = g_value_get_int (value);
  else if (GST_VALUE_HOLDS_INT_RANGE (value))
    least = gst_value_get_int_range_min (value), most = gst_value_get_int_range_max (value);
  gint low = is_up ? MIN (least, 32768 / factor) * factor : (least + factor - 1) / factor;
  gint high = is_up ? MIN (most, 32768 / factor) * factor : most / factor;
  if (low < high)
    gst_structure_set (structure, "width", GST_TYPE_INT_RANGE, low, high, NULL);
  else if (low == high)
    gst_structure_set (structure, "width", G_TYPE_INT, low, NULL);
  return low <= high;
}

static GstCaps *
transform_caps (GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (transform);
  GST_OBJECT_LOCK (self);
  gboolean has_alpha = wants_alpha (self);
  gint views = wanted_views (self);
  GST_OBJECT_UNLOCK (self);

  GstCaps *result = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *structure = gst_structure_copy (gst_caps_get_structure (caps, i));
    gboolean is_possible = scale_width (structure, views, direction == GST_PAD_SINK);
    if (has_alpha) {
      GstCaps *formats = gst_caps_from_string (direction == GST_PAD_SINK ? "video/x-raw, format = { BGRA, RGBA }" : "video/x-raw, format = " FORMATS);
      gst_structure_set_value (structure, "format", gst_structure_get_value (gst_caps_get_structure (formats, 0), "format"));
      /* Those of the format on the other side do not hold on this one. */
      gst_structure_remove_fields (structure, "colorimetry", "chroma-site", NULL);
      gst_caps_unref (formats);
    }
    if (is_possible)
      gst_caps_append_structure_full (result, structure, gst_caps_features_copy (gst_caps_get_features (caps, i)));
    else
      gst_structure_free (structure);
  }
  if (filter) {
    GstCaps *both = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (result);
    result = both;
  }
  return result;
}

static gboolean
set_info (GstVideoFilter *filter, GstCaps *in_caps, GstVideoInfo *in, GstCaps *out_caps, GstVideoInfo *out)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (filter);
  (void) in_caps, (void) out_caps, (void) out;
  gdouble rate = in->fps_d > 0 ? (gdouble) in->fps_n / in->fps_d : 0;
  GstClockTime duration = in->fps_n > 0 ? gst_util_uint64_scale_int (GST_SECOND, in->fps_d, in->fps_n) : 0;
  GST_OBJECT_LOCK (self);
  gboolean is_other_latency = duration != self->frame_duration;
  self->frame_duration = duration;
  guint threads = self->threads;
  gboolean is_impossible = self->is_impossible;
  GST_OBJECT_UNLOCK (self);
  if (is_other_latency)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  if (self->session && self->width == in->width && self->height == in->height && self->rate == rate && self->session_threads == threads)
    return TRUE;
  if (!is_impossible && create_session (self, in->width, in->height, rate))
    return TRUE;
  GST_OBJECT_LOCK (self);
  self->is_impossible = TRUE;
  GST_OBJECT_UNLOCK (self);
  return FALSE;
}

/* ---- pictures ---- */

/* A frame's memory, as the library is told of it. */
static bd_image
image_of (GstVideoFrame *frame, gdouble time)
{
  bd_image image = {.size = sizeof (bd_image), .time = time};
  const GstVideoInfo *info = &frame->info;
  image.width = GST_VIDEO_FRAME_WIDTH (frame), image.height = GST_VIDEO_FRAME_HEIGHT (frame);
  switch (GST_VIDEO_FRAME_FORMAT (frame)) {
    case GST_VIDEO_FORMAT_I420: image.format = BD_I420; break;
    case GST_VIDEO_FORMAT_NV12: image.format = BD_NV12; break;
    case GST_VIDEO_FORMAT_RGBA: image.format = BD_RGBA; break;
    default: image.format = BD_BGRA; break;
  }
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (frame); i++) {
    image.planes[i] = GST_VIDEO_FRAME_PLANE_DATA (frame, i);
    image.strides[i] = GST_VIDEO_FRAME_PLANE_STRIDE (frame, i);
  }
  switch (info->colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT601: image.matrix = BD_BT601; break;
    case GST_VIDEO_COLOR_MATRIX_BT2020: image.matrix = BD_BT2020; break;
    default: image.matrix = BD_BT709; break;
  }
  image.range = info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 ? BD_FULL : BD_LIMITED;
  if (GST_VIDEO_INFO_HAS_ALPHA (info))
    image.alpha = GST_VIDEO_INFO_FLAG_IS_SET (info, GST_VIDEO_FLAG_PREMULTIPLIED_ALPHA) ? BD_ALPHA_PREMULTIPLIED : BD_ALPHA_STRAIGHT;
  return image;
}

/* When a picture is shown, in seconds of its stream. After a seek the session forgets what it has learned; it sees gaps in time itself. */
static gdouble
take_time (GstBackdropFilter *self, GstBuffer *buffer)
{
  GST_OBJECT_LOCK (self);
  gboolean is_cut = self->is_cut;
  self->is_cut = FALSE;
  GST_OBJECT_UNLOCK (self);
  GstClockTime time = gst_segment_to_stream_time (&GST_BASE_TRANSFORM (self)->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  if (is_cut) {
    bd_session_reset (self->session);
    self->frame_count = 0;
  }
  gdouble counted = (gdouble) self->frame_count++ / (self->rate > 0 ? self->rate : 30);
  return GST_CLOCK_TIME_IS_VALID (time) ? (gdouble) time / GST_SECOND : counted;
}

/* Tells the application when the standby frame takes the place of the scene, and when the scene is back. */
static void
post_standing (GstBackdropFilter *self, gboolean is_standby, GstBuffer *buffer)
{
  if (is_standby == self->is_standby)
    return;
  self->is_standby = is_standby;
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClockTime time = GST_BUFFER_PTS (buffer);
  GstStructure *structure = gst_structure_new (is_standby ? "backdrop-standby" : "backdrop-shown",
      "timestamp", G_TYPE_UINT64, time,
      "stream-time", G_TYPE_UINT64, gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time),
      "running-time", G_TYPE_UINT64, gst_segment_to_running_time (segment, GST_FORMAT_TIME, time), NULL);
  if (is_standby)
    gst_structure_set (structure, "reason", G_TYPE_STRING, bd_error_message (), "hint", G_TYPE_STRING, bd_error_hint (), NULL);
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), structure));
}

/* Whether what the session draws goes into what was negotiated. It does not where a look was refused that was negotiated already, and
   where the pictures of a look of the user's own are wider, which is not known beforehand. */
static GstFlowReturn
check_output (GstBackdropFilter *self, const bd_image *image, const bd_image *place)
{
  bd_image drawn = {.size = sizeof (bd_image)};
  bd_status status = bd_session_output (self->session, image->format, &drawn);
  if (status != BD_OK) {
    post_problem (self, status, TRUE);
    return GST_FLOW_ERROR;
  }
  GST_OBJECT_LOCK (self);
  gboolean is_as_wanted = wanted_views (self) * image->width == place->width;
  gboolean has_alpha = description->parameter_count && is_none (&self->properties[background_index].applied);
  GST_OBJECT_UNLOCK (self);
  if (drawn.width == place->width && (!has_alpha || place->alpha != BD_ALPHA_OPAQUE))
    return GST_FLOW_OK;
  if (is_as_wanted && drawn.width != place->width) {
    post_refusal (self, TRUE, g_strdup ("the look's pictures are of another width"), "use the built-in look side-by-side");
    return GST_FLOW_ERROR;
  }
  gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

static GstFlowReturn
transform_frame (GstVideoFilter *filter, GstVideoFrame *in, GstVideoFrame *out)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (filter);
  apply_changes (self);
  gdouble time = take_time (self, in->buffer);
  bd_image image = image_of (in, time), output = image_of (out, time);
  GstFlowReturn result = check_output (self, &image, &output);
  if (result != GST_FLOW_OK)
    return result;
  bd_status status = bd_session_render (self->session, &image, NULL, &output);
  if (status != BD_OK && status != BD_STANDBY) {
    post_problem (self, status, TRUE);
    return GST_FLOW_ERROR;
  }
  post_standing (self, status == BD_STANDBY, in->buffer);
  return GST_FLOW_OK;
}

/* ---- events, queries, states ---- */

static gboolean
sink_event (GstBaseTransform *transform, GstEvent *event)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (transform);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT
      || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    GST_OBJECT_LOCK (self);
    self->is_cut = TRUE;
    GST_OBJECT_UNLOCK (self);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_backdrop_filter_parent_class)->sink_event (transform, event);
}

/* A picture comes out when it is drawn, which may take as long as it is shown: live pipelines leave that much time. */
static gboolean
query (GstBaseTransform *transform, GstPadDirection direction, GstQuery *query)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (transform);
  if (!GST_BASE_TRANSFORM_CLASS (gst_backdrop_filter_parent_class)->query (transform, direction, query))
    return FALSE;
  if (direction == GST_PAD_SRC && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gboolean is_live;
    GstClockTime least, most;
    gst_query_parse_latency (query, &is_live, &least, &most);
    GST_OBJECT_LOCK (self);
    GstClockTime own = self->frame_duration;
    GST_OBJECT_UNLOCK (self);
    gst_query_set_latency (query, is_live, least + own, GST_CLOCK_TIME_IS_VALID (most) ? most + own : most);
  }
  return TRUE;
}

static gboolean
start (GstBaseTransform *transform)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (transform);
  self->is_cut = TRUE;
  self->is_impossible = FALSE;
  self->is_standby = FALSE;
  self->frame_count = 0;
  return TRUE;
}

/* Networks are kept from one stream to the next. */
static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn result = GST_ELEMENT_CLASS (gst_backdrop_filter_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    free_session (GST_BACKDROP_FILTER (element));
  return result;
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (object);
  gboolean is_other_picture = FALSE;
  GST_OBJECT_LOCK (self);
  self->is_impossible = FALSE;
  if (id == PROP_THREADS)
    self->threads = g_value_get_uint (value);
  else if (id == PROP_PARAMETERS) {
    g_free (self->parameters);
    self->parameters = g_value_dup_string (value);
    self->have_parameters_changed = TRUE;
  } else if (id - PROP_FIRST < description->parameter_count) {
    gboolean had_alpha = wants_alpha (self);
    gint views = wanted_views (self);
    g_value_copy (value, &self->properties[id - PROP_FIRST].wanted);
    self->properties[id - PROP_FIRST].has_changed = TRUE;
    is_other_picture = had_alpha != wants_alpha (self) || views != wanted_views (self);
  } else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  GST_OBJECT_UNLOCK (self);
  if (is_other_picture)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (object);
  GST_OBJECT_LOCK (self);
  if (id == PROP_THREADS)
    g_value_set_uint (value, self->threads);
  else if (id == PROP_PARAMETERS)
    g_value_set_string (value, self->parameters);
  else if (id - PROP_FIRST < description->parameter_count)
    g_value_copy (&self->properties[id - PROP_FIRST].wanted, value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  GST_OBJECT_UNLOCK (self);
}

static void
finalize (GObject *object)
{
  GstBackdropFilter *self = GST_BACKDROP_FILTER (object);
  free_session (self);
  for (guint i = 0; i < description->parameter_count; i++) {
    g_value_unset (&self->properties[i].wanted);
    g_value_unset (&self->properties[i].applied);
  }
  g_free (self->properties);
  g_free (self->parameters);
  g_free (self->applied_parameters);
  G_OBJECT_CLASS (gst_backdrop_filter_parent_class)->finalize (object);
}

static void
gst_backdrop_filter_init (GstBackdropFilter *self)
{
  self->properties = g_new0 (Property, description->parameter_count);
  for (guint i = 0; i < description->parameter_count; i++) {
    GParamSpec *spec = description->parameters[i].spec;
    g_value_init (&self->properties[i].wanted, spec->value_type);
    g_value_init (&self->properties[i].applied, spec->value_type);
    g_param_value_set_default (spec, &self->properties[i].wanted);
    g_param_value_set_default (spec, &self->properties[i].applied);
  }
}

static void
gst_backdrop_filter_class_init (GstBackdropFilterClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GstElementClass *element_class = GST_ELEMENT_CLASS (class);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (class);
  GstVideoFilterClass *filter_class = GST_VIDEO_FILTER_CLASS (class);
  GST_DEBUG_CATEGORY_INIT (backdrop_filter_debug, "backdropfilter", 0, "people before another background");

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  g_object_class_install_property (object_class, PROP_THREADS, g_param_spec_uint ("threads", "threads",
      "Threads for drawing and networks; 0 for half of the processors", 0, 1024, 0, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (object_class, PROP_PARAMETERS, g_param_spec_string ("parameters", "parameters",
      "What the look's own parameters are set to: radius=8,gamma=0.7", NULL, flags | GST_PARAM_MUTABLE_PLAYING));
  description = backdrop_description_new ("GstBackdropFilter");
  for (guint i = 0; i < description->parameter_count; i++) {
    g_object_class_install_property (object_class, PROP_FIRST + i, description->parameters[i].spec);
    if (strcmp (description->parameters[i].name, "look") == 0)
      look_index = i;
    if (strcmp (description->parameters[i].name, "background") == 0)
      background_index = i;
  }

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &source_template);
  gst_element_class_set_static_metadata (element_class, "Backdrop", "Filter/Effect/Video",
      "Puts the people of a video before another background, or plays with focus and light", "The Backdrop authors");
  element_class->change_state = change_state;
  transform_class->start = start;
  transform_class->transform_caps = transform_caps;
  transform_class->sink_event = sink_event;
  transform_class->query = query;
  filter_class->set_info = set_info;
  filter_class->transform_frame = transform_frame;
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  return gst_element_register (plugin, "backdropfilter", GST_RANK_NONE, GST_TYPE_BACKDROP_FILTER);
}

/* Apache-2.0, which GStreamer has no name for. */
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, backdrop, "People before another background", plugin_init, VERSION,
    GST_LICENSE_UNKNOWN, PACKAGE, "https://backdrop.example.org")
