#pragma once
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Macros that Swift does not import.
static inline int bd_averror(int code) { return AVERROR(code); }
static inline int bd_averror_eof(void) { return AVERROR_EOF; }
static inline int bd_averror_invalid_data(void) { return AVERROR_INVALIDDATA; }
static inline int bd_averror_patchwelcome(void) { return AVERROR_PATCHWELCOME; }
static inline int64_t bd_nopts(void) { return AV_NOPTS_VALUE; }
static inline unsigned bd_tag(char a, char b, char c, char d) { return MKTAG(a, b, c, d); }
static inline int bd_sws_flags(void) { return SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT; }

// Passes on warnings and errors as text: Swift 6.2 cannot compile a function that takes a va_list for arm64.
typedef void (*bd_text_receiver)(const char *text);
static inline bd_text_receiver *bd_log_receiver(void) {
  static bd_text_receiver receiver;
  return &receiver;
}
static inline void bd_log_message(void *from, int level, const char *format, va_list arguments) {
  if (level > AV_LOG_WARNING || !format) return;
  char text[512] = "";
  vsnprintf(text, sizeof text, format, arguments);
  (*bd_log_receiver())(text);
}
static inline void bd_log_install(bd_text_receiver receiver) {
  *bd_log_receiver() = receiver;
  av_log_set_callback(bd_log_message);
}

// A type without a known content until FFmpeg 7, so that its pointers have two types in Swift.
typedef struct SwsContext *bd_scaler;

// The field's name changed with FFmpeg 6.
static inline int64_t *bd_frame_duration(AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  return &frame->duration;
#else
  return &frame->pkt_duration;
#endif
}

// A field until FFmpeg 6, a flag since.
static inline int bd_frame_is_interlaced(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
  return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame->interlaced_frame != 0;
#endif
}

static inline int bd_frame_is_key(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_KEY
  return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
  return frame->key_frame != 0;
#endif
}

// A layout with the usual positions of one to eight channels; Opus (RFC 7845, 5.1.1.2) and AAC both use them. More have no positions.
static inline AVChannelLayout bd_channel_layout(int count) {
  static const uint64_t masks[] = {0,
                                   AV_CH_LAYOUT_MONO,
                                   AV_CH_LAYOUT_STEREO,
                                   AV_CH_LAYOUT_SURROUND,
                                   AV_CH_LAYOUT_QUAD,
                                   AV_CH_LAYOUT_5POINT0_BACK,
                                   AV_CH_LAYOUT_5POINT1_BACK,
                                   AV_CH_LAYOUT_6POINT1,
                                   AV_CH_LAYOUT_7POINT1};
  AVChannelLayout layout = {0};
  layout.nb_channels = count;
  if (count < 1 || count > 8) return layout;
  layout.order = AV_CHANNEL_ORDER_NATIVE;
  layout.u.mask = masks[count];
  return layout;
}

// Creates a resampler from frames like this one to interleaved floats; NULL if that is not possible.
static inline SwrContext *bd_resampler(const AVFrame *from, int channels, int rate) {
  SwrContext *context = NULL;
  const AVChannelLayout to = bd_channel_layout(channels);
  // Some files do not state the positions of their channels.
  const AVChannelLayout own = from->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC
                                  ? bd_channel_layout(from->ch_layout.nb_channels)
                                  : from->ch_layout;
  swr_alloc_set_opts2(&context, &to, AV_SAMPLE_FMT_FLT, rate, &own, (enum AVSampleFormat)from->format,
                      from->sample_rate, 0, NULL);
  if (!context) return NULL;
  // Mixed channels stay below full scale.
  av_opt_set_double(context, "rematrix_maxval", 1.0, 0);
  if (swr_init(context) < 0) swr_free(&context);
  return context;
}

// Converts at most `capacity` samples for each channel from a frame and the remainder of earlier ones; without a frame, from the remainder,
// to the very end if `ends`. Returns the count, or an error.
static inline int bd_resample(SwrContext *context, float *out, int capacity, const AVFrame *in, int ends) {
  uint8_t *planes[] = {(uint8_t *)out};
  const uint8_t *none[AV_NUM_DATA_POINTERS] = {0};
  if (in) return swr_convert(context, planes, capacity, (const uint8_t **)in->extended_data, in->nb_samples);
  return swr_convert(context, planes, capacity, ends ? NULL : none, 0);
}

// Makes a decoder that is not open yet get its frames from `get`, on any of its threads.
static inline void bd_use_frame_memory(AVCodecContext *context, void *memory,
                                       int (*get)(AVCodecContext *, AVFrame *, int)) {
  context->opaque = memory;
  context->get_buffer2 = get;
  // Without it, one thread would wait for another; later versions always do this.
#if LIBAVCODEC_VERSION_MAJOR < 60
  context->thread_safe_callbacks = 1;
#endif
}

// A frame whose planes fit in `data` needs no separate list of them.
static inline void bd_frame_has_few_planes(AVFrame *frame) { frame->extended_data = frame->data; }

// Stream side data moved into the codec parameters with FFmpeg 6.1.
static inline const uint8_t *bd_stream_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 0)
  const AVPacketSideData *data =
      av_packet_side_data_get(stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
  *size = data ? data->size : 0;
  return data ? data->data : NULL;
#else
  return av_stream_get_side_data(stream, type, size);
#endif
}

// The profile of Dolby Vision; 0 if the stream has none.
static inline int bd_dolby_vision_profile(const AVStream *stream) {
  size_t size = 0;
  const uint8_t *data = bd_stream_side_data(stream, AV_PKT_DATA_DOVI_CONF, &size);
  if (!data || size < sizeof(AVDOVIDecoderConfigurationRecord)) return 0;
  return ((const AVDOVIDecoderConfigurationRecord *)data)->dv_profile;
}

static inline double bd_mastering_peak(const void *data, size_t size) {
  if (!data || size < sizeof(AVMasteringDisplayMetadata)) return 0;
  const AVMasteringDisplayMetadata *display = (const AVMasteringDisplayMetadata *)data;
  return display->has_luminance && display->max_luminance.den > 0 ? av_q2d(display->max_luminance) : 0;
}

static inline double bd_content_peak(const void *data, size_t size) {
  if (!data || size < sizeof(AVContentLightMetadata)) return 0;
  return ((const AVContentLightMetadata *)data)->MaxCLL;
}

// The brightest light of a stream in cd/m2: of its content, otherwise of the display that it was made on; 0 if unknown.
static inline double bd_brightest_light(const AVStream *stream, const AVFrame *frame) {
  const AVFrameSideData *light = av_frame_get_side_data(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
  const AVFrameSideData *display = av_frame_get_side_data(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
  size_t size = 0;
  const uint8_t *data = bd_stream_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, &size);
  double peak = bd_content_peak(data, size);
  if (peak <= 0 && light) peak = bd_content_peak(light->data, light->size);
  if (peak > 0) return peak;
  data = bd_stream_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, &size);
  peak = bd_mastering_peak(data, size);
  return peak <= 0 && display ? bd_mastering_peak(display->data, display->size) : peak;
}

// Whether a packet contains alpha in addition to its picture (https://www.webmproject.org/docs/container/#AlphaMode).
static inline int bd_packet_has_alpha(const AVPacket *packet) {
  size_t size = 0;
  const uint8_t *data = av_packet_get_side_data(packet, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, &size);
  // The number of the addition, which is 1 for alpha.
  return data && size > 8 && data[7] == 1;
}

static inline int bd_stream_set_display_matrix(AVStream *stream, const int32_t matrix[9]) {
  const size_t size = 9 * sizeof(int32_t);
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 0)
  AVPacketSideData *data = av_packet_side_data_new(&stream->codecpar->coded_side_data,
                                                   &stream->codecpar->nb_coded_side_data,
                                                   AV_PKT_DATA_DISPLAYMATRIX, size, 0);
  uint8_t *bytes = data ? data->data : NULL;
#else
  uint8_t *bytes = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, size);
#endif
  if (!bytes) return AVERROR(ENOMEM);
  memcpy(bytes, matrix, size);
  return 0;
}

// A file that is already open, written through FFmpeg's buffer. Its name and its lock are handled elsewhere.
#if LIBAVFORMAT_VERSION_MAJOR >= 61
static inline int bd_file_write(void *file, const uint8_t *bytes, int count) {
#else
static inline int bd_file_write(void *file, uint8_t *bytes, int count) {
#endif
  for (int done = 0; done < count;) {
    const ssize_t now = write((int)(intptr_t)file, bytes + done, (size_t)(count - done));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return AVERROR(errno);
    done += (int)now;
  }
  return count;
}

static inline int64_t bd_file_seek(void *file, int64_t offset, int from) {
  if (from == AVSEEK_SIZE) {
    struct stat info;
    return fstat((int)(intptr_t)file, &info) == 0 ? info.st_size : AVERROR(errno);
  }
  const off_t position = lseek((int)(intptr_t)file, offset, from & ~AVSEEK_FORCE);
  return position < 0 ? AVERROR(errno) : position;
}

// A context with a buffer of `size` bytes; NULL without memory.
static inline AVIOContext *bd_context(int size, int writes, void *of, int (*read)(void *, uint8_t *, int),
                                      __typeof__(bd_file_write) *write, int64_t (*seek)(void *, int64_t, int)) {
  unsigned char *buffer = (unsigned char *)av_malloc(size);
  AVIOContext *context = buffer ? avio_alloc_context(buffer, size, writes, of, read, write, seek) : NULL;
  if (!context) av_free(buffer);
  return context;
}

static inline AVIOContext *bd_file_open(int file) {
  return bd_context(1 << 16, 1, (void *)(intptr_t)file, NULL, bd_file_write, bd_file_seek);
}

// An open file to read, `size` bytes long, without asking the system for its length.
typedef struct {
  int file;
  int64_t size;
} bd_input;

static inline int bd_input_read(void *input, uint8_t *bytes, int count) {
  ssize_t now;
  do {
    now = read(((const bd_input *)input)->file, bytes, (size_t)count);
  } while (now < 0 && errno == EINTR);
  return now < 0 ? AVERROR(errno) : now == 0 ? AVERROR_EOF : (int)now;
}

static inline int64_t bd_input_seek(void *input, int64_t offset, int from) {
  const bd_input *known = (const bd_input *)input;
  if (from == AVSEEK_SIZE) return known->size;
  const off_t position = lseek(known->file, offset, from & ~AVSEEK_FORCE);
  return position < 0 ? AVERROR(errno) : position;
}

// Opens a context for such a file; returns NULL without memory. `input` is static, since a process reads only one file.
static inline AVFormatContext *bd_input_open(int file, int64_t size) {
  static bd_input input;
  input = (bd_input){file, size};
  AVFormatContext *context = avformat_alloc_context();
  if (!context) return NULL;
  context->pb = bd_context(1 << 16, 0, &input, bd_input_read, NULL, bd_input_seek);
  return context->pb ? context : NULL;
}

// A file without a function for writing, whose content is discarded.
static inline int64_t bd_nothing_seek(void *file, int64_t offset, int from) {
  return from == AVSEEK_SIZE ? 0 : offset;
}
static inline AVIOContext *bd_nothing_open(void) {
  return bd_context(1 << 12, 1, NULL, NULL, NULL, bd_nothing_seek);
}

// The text encoders take styles and fonts from the decoder's header (ASS), which they free.
static inline int bd_copy_subtitle_header(AVCodecContext *to, const AVCodecContext *from) {
  if (!from->subtitle_header || from->subtitle_header_size <= 0) return 0;
  to->subtitle_header = (uint8_t *)av_mallocz((size_t)from->subtitle_header_size + 1);
  if (!to->subtitle_header) return AVERROR(ENOMEM);
  memcpy(to->subtitle_header, from->subtitle_header, (size_t)from->subtitle_header_size);
  to->subtitle_header_size = from->subtitle_header_size;
  return 0;
}

// In some versions `avio_tell` is a macro or an inline function.
static inline int64_t bd_tell(AVIOContext *context) { return avio_tell(context); }

// Writes out the buffer, and frees the context; returns 0, or the first write error.
static inline int bd_file_close(AVIOContext **context) {
  avio_flush(*context);
  const int code = (*context)->error;
  av_freep(&(*context)->buffer);
  avio_context_free(context);
  return code;
}

// Adds a chapter; NULL if there is not enough memory.
static inline AVChapter *bd_add_chapter(AVFormatContext *to, int64_t id, AVRational base, int64_t start, int64_t end) {
  AVChapter *chapter = (AVChapter *)av_mallocz(sizeof(*chapter));
  if (!chapter) return NULL;
  chapter->id = id, chapter->time_base = base, chapter->start = start, chapter->end = end;
  int count = (int)to->nb_chapters;
  if (av_dynarray_add_nofree(&to->chapters, &count, chapter) < 0) {
    av_free(chapter);
    return NULL;
  }
  to->nb_chapters = (unsigned)count;
  return chapter;
}

// Chapters have no constructor in the public interface; those created here are freed with the output context. `start` is the time, in
// microseconds, that becomes 0; chapters before it or after `end` are left out.
static inline int bd_copy_chapters(AVFormatContext *to, const AVFormatContext *from, int64_t start, int64_t end) {
  for (unsigned i = 0; i < from->nb_chapters; i++) {
    const AVChapter *old = from->chapters[i];
    const int64_t shift = start ? av_rescale_q(start, AV_TIME_BASE_Q, old->time_base) : 0;
    const int64_t last = end < INT64_MAX ? av_rescale_q(end, AV_TIME_BASE_Q, old->time_base) : INT64_MAX;
    // A chapter without an end lasts until the next.
    const int64_t stop = old->end != AV_NOPTS_VALUE       ? old->end
                         : i + 1 < from->nb_chapters ? from->chapters[i + 1]->start
                                                     : INT64_MAX;
    if (old->start >= last || (shift && stop <= shift)) continue;
    const int64_t limited = old->end > last ? last : old->end;
    AVChapter *chapter =
        bd_add_chapter(to, old->id, old->time_base, shift && old->start < shift ? 0 : old->start - shift,
                       shift && limited < shift ? 0 : limited - shift);
    if (!chapter) return AVERROR(ENOMEM);
    int code = av_dict_copy(&chapter->metadata, old->metadata, 0);
    if (code < 0) return code;
  }
  return 0;
}
