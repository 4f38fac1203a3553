#pragma once
#include "bd_align.h"
#include "bd_bokeh.h"
#include "bd_cloud.h"
#include "bd_colors.h"
#include "bd_convert.h"
#include "bd_cutout.h"
#include "bd_disc.h"
#include "bd_files.h"
#include "bd_filter.h"
#include "bd_foreground.h"
#include "bd_fuse.h"
#include "bd_guide.h"
#include "bd_key.h"
#include "bd_laplacian.h"
#include "bd_lens.h"
#include "bd_library.h"
#include "bd_light.h"
#include "bd_matte.h"
#include "bd_memory.h"
#include "bd_morphology.h"
#include "bd_paint.h"
#include "bd_pixel.h"
#include "bd_plate.h"
#include "bd_refine.h"
#include "bd_render.h"
#include "bd_resample.h"
#include "bd_spawn.h"
#include "bd_stereo.h"
#include "bd_temporal.h"
#include "bd_tone.h"
#include "bd_transfer.h"
#include "bd_views.h"
#include "bd_workers.h"

/// Every kernel, as compiled for one CPU level.
struct bd_kernels {
  struct bd_align_kernels align;
  struct bd_bokeh_kernels bokeh;
  struct bd_cloud_kernels cloud;
  struct bd_colors_kernels colors;
  struct bd_convert_kernels convert;
  struct bd_cutout_kernels cutout;
  struct bd_disc_kernels disc;
  struct bd_filter_kernels filter;
  struct bd_foreground_kernels foreground;
  struct bd_fuse_kernels fuse;
  struct bd_guide_kernels guide;
  struct bd_key_kernels key;
  struct bd_laplacian_kernels laplacian;
  struct bd_lens_kernels lens;
  struct bd_light_kernels light;
  struct bd_matte_kernels matte;
  struct bd_morphology_kernels morphology;
  struct bd_paint_kernels paint;
  struct bd_pixel_kernels pixel;
  struct bd_plate_kernels plate;
  struct bd_refine_kernels refine;
  struct bd_render_kernels render;
  struct bd_resample_kernels resample;
  struct bd_stereo_kernels stereo;
  struct bd_temporal_kernels temporal;
  struct bd_tone_kernels tone;
  struct bd_transfer_kernels transfer;
  struct bd_views_kernels views;
};

/// Highest CPU level of this machine: 0 baseline, 1 x86-64-v3 (AVX2, FMA), 2 x86-64-v4 (AVX-512 F/BW/CD/DQ/VL).
int bd_cpu_level(void);

/// The kernels for a level; the caller must have checked that the machine supports it.
const struct bd_kernels *bd_kernels_at(int level);
