#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// Macros that Swift does not import.
static inline int bd_averror_eagain(void) { return AVERROR(EAGAIN); }
static inline int bd_averror_eof(void) { return AVERROR_EOF; }
static inline int64_t bd_nopts(void) { return AV_NOPTS_VALUE; }
