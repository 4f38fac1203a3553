#pragma once
#include <lcms2.h>

// The memory layouts of samples: macros that Swift does not import.
static const cmsUInt32Number bd_cms_rgb8 = TYPE_RGB_8;
static const cmsUInt32Number bd_cms_rgba8 = TYPE_RGBA_8;
static const cmsUInt32Number bd_cms_rgb_double = TYPE_RGB_DBL;
static const cmsUInt32Number bd_cms_cmyk8 = TYPE_CMYK_8;
static const cmsUInt32Number bd_cms_cmyk8_inverted = TYPE_CMYK_8_REV;
