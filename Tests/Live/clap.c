// Plays a click into PipeWire every two seconds, for testing a microphone of the machine. Uses Backdrop's own declarations of PipeWire's
// library (Sources/CPipeWire).
//
//     clap        prints the time of each click a second ahead, in seconds of the monotonic clock
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipewire_functions.h"

static struct bd_pipewire pw;
static void *stream;
// The time of the next click, in seconds of the monotonic clock.
static double next;
static const int rate = 48000;
// One channel of floats, 48,000 a second, as `spa_format_audio_raw_build` of libspa 0.3.65 describes it.
static const char format[] =
    "a00000000f0000000300040003000000010000000000000004000000030000000100000000000000020000000000000004000000030000000100000000"
    "000000010001000000000004000000030000001b010000000000000300010000000000040000000400000080bb00000000000004000100000000000400"
    "000004000000010000000000000005000100000000000c0000000d00000004000000030000000200000000000000";

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void process(void *data) {
  struct bd_pw_buffer *buffer = pw.pw_stream_dequeue_buffer(stream);
  if (!buffer) return;
  struct bd_pw_data *to = buffer->buffer->datas;
  int count = to->max_size / sizeof(float);
  if (buffer->requested && (int)buffer->requested < count) count = buffer->requested;
  struct bd_pw_time time = {0};
  pw.pw_stream_get_time(stream, &time);
  double start = time.now > 0 ? time.now / 1e9 : now();
  if (time.rate_denominator) start += (double)time.delay * time.rate_numerator / time.rate_denominator;
  float *samples = to->data;
  for (int i = 0; i < count; i++) {
    double at = start + (double)i / rate;
    if (!next) next = at + 1;
    if (at > next + 0.02) {
      next += 2;
      printf("%.6f\n", next);
      fflush(stdout);
    }
    // 1 kHz for 20 ms.
    samples[i] = at >= next && at <= next + 0.02 ? (((int)((at - next) * 2000) & 1) ? -0.8f : 0.8f) : 0;
  }
  to->chunk->offset = 0;
  to->chunk->stride = sizeof(float);
  to->chunk->size = count * sizeof(float);
  pw.pw_stream_queue_buffer(stream, buffer);
}

int main(void) {
  void *library = dlopen("libpipewire-0.3.so.0", RTLD_NOW);
  if (!library || bd_pipewire_resolve(library, &pw)) return 2;
  pw.pw_init(0, 0);
  void *loop = pw.pw_thread_loop_new("clap", 0);
  void *context = pw.pw_context_new(pw.pw_thread_loop_get_loop(loop), 0, 0);
  void *core = context ? pw.pw_context_connect(context, 0, 0) : 0;
  if (!core) return 2;
  struct bd_pw_dict_item items[] = {{"node.name", "clap"}, {"media.type", "Audio"}, {"media.category", "Playback"}, {"node.latency", "480/48000"}, {"node.autoconnect", "false"}};
  struct bd_pw_dict properties = {0, 5, items};
  stream = pw.pw_stream_new(core, "clap", pw.pw_properties_new_dict(&properties));
  static struct bd_pw_hook hook;
  static struct bd_pw_stream_events events = {.version = 2, .process = process};
  pw.pw_stream_add_listener(stream, &hook, &events, 0);
  uint64_t words[sizeof format / 16];
  for (size_t i = 0; i + 1 < sizeof format; i += 2) {
    unsigned byte;
    sscanf(format + i, "%2x", &byte);
    ((unsigned char *)words)[i / 2] = byte;
  }
  const void *formats[] = {words};
  // PW_STREAM_FLAG_RT_PROCESS: PipeWire's data thread calls `process`.
  enum { now_on_its_thread = 16 };
  if (pw.pw_stream_connect(stream, BD_PW_OUTPUT, BD_PW_ANY, BD_PW_MAP_BUFFERS | now_on_its_thread, formats, 1) < 0) return 2;
  pw.pw_thread_loop_start(loop);
  pause();
}
