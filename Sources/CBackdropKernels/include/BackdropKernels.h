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

/// All topics of kernels, each with a table of its kernels.
#define BD_TOPICS(TOPIC) \
  TOPIC(align) TOPIC(bokeh) TOPIC(cloud) TOPIC(colors) TOPIC(convert) TOPIC(cutout) TOPIC(disc) TOPIC(filter) \
  TOPIC(foreground) TOPIC(fuse) TOPIC(guide) TOPIC(key) TOPIC(laplacian) TOPIC(lens) TOPIC(light) TOPIC(matte) \
  TOPIC(morphology) TOPIC(paint) TOPIC(pixel) TOPIC(plate) TOPIC(refine) TOPIC(render) TOPIC(resample) TOPIC(stereo) \
  TOPIC(temporal) TOPIC(tone) TOPIC(transfer) TOPIC(views)

/// Every kernel, as compiled for one CPU level.
struct bd_kernels {
#define BD_TOPIC(name) struct bd_##name##_kernels name;
  BD_TOPICS(BD_TOPIC)
#undef BD_TOPIC
};

/// Highest CPU level of this machine: 0 baseline, 1 x86-64-v3 (AVX2, FMA), 2 x86-64-v4 (AVX-512 F/BW/CD/DQ/VL).
int bd_cpu_level(void);

/// The kernels for a level; the caller must have checked that the machine supports it.
const struct bd_kernels *bd_kernels_at(int level);
