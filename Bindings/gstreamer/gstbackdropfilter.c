#include "gstbackdropsession.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (backdrop_filter_debug);
#define GST_CAT_DEFAULT backdrop_filter_debug

#define FORMATS "{ I420, NV12, BGRA, RGBA }"
#define SIZE "[ 1, 32768 ]"
#define CAPS "video/x-raw, format = " FORMATS ", width = " SIZE ", height = " SIZE ", framerate = " GST_VIDEO_FPS_RANGE

/* The element's own properties, followed by the library's. */
enum { PROP_THREADS = 1, PROP_PARAMETERS, PROP_FIRST };

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate source_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE (GstBackdropFilter, gst_backdrop_filter, GST_TYPE_VIDEO_FILTER)

/* ---- negotiation ---- */

/* Multiplies or divides a width or a range of widths, and replaces a list with the full range. Returns FALSE if no width remains. */
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
      /* They describe the format of the other pad, not of this one. */
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

/* Describes a frame's memory for the library. */
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

/* The stream time of a picture in seconds. Resets the session after a seek; the session detects gaps in time itself. */
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

/* Posts a message when the standby frame replaces the scene, and when the scene returns. */
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

/* Whether the session's output fits the negotiated format. It does not fit if the session refused a look that was already negotiated, or if
   a look from a file makes wider pictures, because only the session knows the width of such a look. */
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

/* Drawing a picture may take as long as the picture is shown, so the latency is one frame. */
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

/* Keeps the session, and with it the loaded networks, from one stream to the next. */
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
