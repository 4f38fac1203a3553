/* backdropfilter: puts the people of a video in front of another background. */
#pragma once

#include <gst/video/gstvideofilter.h>

#define GST_TYPE_BACKDROP_FILTER (gst_backdrop_filter_get_type ())
G_DECLARE_FINAL_TYPE (GstBackdropFilter, gst_backdrop_filter, GST, BACKDROP_FILTER, GstVideoFilter)
