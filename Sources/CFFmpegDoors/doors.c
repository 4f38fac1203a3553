// FFmpeg's functions, each a door: the first call opens FFmpeg's libraries and goes on to the real function, later ones go there at
// once. So programs that read no video do not load FFmpeg's hundred and forty libraries, which takes longer than all else when
// they start, and those without FFmpeg run. Where it is not installed, functions that make or find something answer NULL, others
// ENOSYS, and avformat_version() 0: FFmpegLibraries.swift asks for that first.
//
// A function that is missing here is named by the linker.
#include "doors.h"

#include <dlfcn.h>
#include <errno.h>
#include <libavcodec/version.h>
#include <libavfilter/version.h>
#include <libavformat/version.h>
#include <libavutil/version.h>
#include <libswresample/version.h>
#include <libswscale/version.h>
#include <pthread.h>
#include <stddef.h>

// The library, the function, and what it answers where there is no library.
#define DOORS \
  DOOR(format, av_find_best_stream, number) \
  DOOR(format, av_guess_format, pointer) \
  DOOR(format, av_guess_sample_aspect_ratio, pointer) \
  DOOR(format, av_interleaved_write_frame, number) \
  DOOR(format, av_read_frame, number) \
  DOOR(format, av_seek_frame, number) \
  DOOR(format, av_stream_get_side_data, pointer) \
  DOOR(format, av_stream_new_side_data, pointer) \
  DOOR(format, av_write_trailer, number) \
  DOOR(format, avformat_alloc_context, pointer) \
  DOOR(format, avformat_alloc_output_context2, pointer) \
  DOOR(format, avformat_close_input, number) \
  DOOR(format, avformat_find_stream_info, number) \
  DOOR(format, avformat_free_context, number) \
  DOOR(format, avformat_new_stream, pointer) \
  DOOR(format, avformat_open_input, number) \
  DOOR(format, avformat_query_codec, number) \
  DOOR(format, avformat_version, pointer) \
  DOOR(format, avformat_write_header, number) \
  DOOR(format, avio_alloc_context, pointer) \
  DOOR(format, avio_context_free, number) \
  DOOR(format, avio_flush, number) \
  DOOR(format, avio_seek, number) \
  DOOR(format, avio_size, number) \
  DOOR(codec, av_get_audio_frame_duration2, number) \
  DOOR(codec, av_new_packet, number) \
  DOOR(codec, av_packet_alloc, pointer) \
  DOOR(codec, av_packet_free, number) \
  DOOR(codec, av_packet_get_side_data, pointer) \
  DOOR(codec, av_packet_rescale_ts, number) \
  DOOR(codec, av_packet_unref, number) \
  DOOR(codec, avcodec_align_dimensions2, number) \
  DOOR(codec, avcodec_alloc_context3, pointer) \
  DOOR(codec, avcodec_default_get_buffer2, number) \
  DOOR(codec, avcodec_find_decoder, pointer) \
  DOOR(codec, avcodec_find_decoder_by_name, pointer) \
  DOOR(codec, avcodec_find_encoder_by_name, pointer) \
  DOOR(codec, avcodec_flush_buffers, number) \
  DOOR(codec, avcodec_free_context, number) \
  DOOR(codec, avcodec_get_name, pointer) \
  DOOR(codec, avcodec_open2, number) \
  DOOR(codec, avcodec_parameters_copy, number) \
  DOOR(codec, avcodec_parameters_from_context, number) \
  DOOR(codec, avcodec_parameters_to_context, number) \
  DOOR(codec, avcodec_receive_frame, number) \
  DOOR(codec, avcodec_receive_packet, number) \
  DOOR(codec, avcodec_send_frame, number) \
  DOOR(codec, avcodec_send_packet, number) \
  DOOR(filter, av_buffersink_get_frame, number) \
  DOOR(filter, av_buffersrc_add_frame_flags, number) \
  DOOR(filter, avfilter_get_by_name, pointer) \
  DOOR(filter, avfilter_graph_alloc, pointer) \
  DOOR(filter, avfilter_graph_config, number) \
  DOOR(filter, avfilter_graph_create_filter, number) \
  DOOR(filter, avfilter_graph_free, number) \
  DOOR(filter, avfilter_link, number) \
  DOOR(util, av_buffer_create, pointer) \
  DOOR(util, av_buffer_pool_get, pointer) \
  DOOR(util, av_buffer_pool_init, pointer) \
  DOOR(util, av_buffer_pool_uninit, pointer) \
  DOOR(util, av_buffer_ref, pointer) \
  DOOR(util, av_buffer_unref, number) \
  DOOR(util, av_calloc, pointer) \
  DOOR(util, av_dict_copy, number) \
  DOOR(util, av_dict_free, number) \
  DOOR(util, av_dict_get, pointer) \
  DOOR(util, av_dict_set, number) \
  DOOR(util, av_frame_alloc, pointer) \
  DOOR(util, av_frame_free, number) \
  DOOR(util, av_frame_get_buffer, number) \
  DOOR(util, av_frame_get_side_data, pointer) \
  DOOR(util, av_frame_move_ref, number) \
  DOOR(util, av_frame_ref, number) \
  DOOR(util, av_frame_unref, number) \
  DOOR(util, av_free, number) \
  DOOR(util, av_freep, number) \
  DOOR(util, av_gcd, number) \
  DOOR(util, av_get_pix_fmt_name, pointer) \
  DOOR(util, av_image_copy_plane, number) \
  DOOR(util, av_log_set_callback, number) \
  DOOR(util, av_malloc, pointer) \
  DOOR(util, av_mallocz, pointer) \
  DOOR(util, av_opt_set_int, number) \
  DOOR(util, av_pix_fmt_desc_get, pointer) \
  DOOR(util, av_rescale_delta, number) \
  DOOR(util, av_rescale_q, number) \
  DOOR(util, av_strdup, pointer) \
  DOOR(util, av_strerror, number) \
  DOOR(codec, avcodec_decode_subtitle2, number) \
  DOOR(codec, avcodec_encode_subtitle, number) \
  DOOR(codec, avsubtitle_free, number) \
  DOOR(util, av_opt_set_double, number) \
  DOOR(sound, swr_alloc_set_opts, pointer) \
  DOOR(sound, swr_alloc_set_opts2, pointer) \
  DOOR(sound, swr_convert, number) \
  DOOR(sound, swr_free, number) \
  DOOR(sound, swr_init, number) \
  DOOR(scale, sws_alloc_context, pointer) \
  DOOR(scale, sws_freeContext, number) \
  DOOR(scale, sws_getCoefficients, pointer) \
  DOOR(scale, sws_init_context, number) \
  DOOR(scale, sws_scale, number) \
  DOOR(scale, sws_setColorspaceDetails, number)

#define TEXT_(text) #text
#define TEXT(text) TEXT_(text)

enum library { format, codec, util, scale, sound, filter };
static const char *const names[] = {
    "libavformat.so." TEXT(LIBAVFORMAT_VERSION_MAJOR),
    "libavcodec.so." TEXT(LIBAVCODEC_VERSION_MAJOR),
    "libavutil.so." TEXT(LIBAVUTIL_VERSION_MAJOR),
    "libswscale.so." TEXT(LIBSWSCALE_VERSION_MAJOR),
    "libswresample.so." TEXT(LIBSWRESAMPLE_VERSION_MAJOR),
    "libavfilter.so." TEXT(LIBAVFILTER_VERSION_MAJOR),
};
enum { library_count = sizeof(names) / sizeof(*names) };
static void *libraries[library_count];

struct door {
  void *target;
  const char *name;
  enum library library;
  void *otherwise;
};

static void *pointer(void) { return NULL; }
static int number(void) { return -ENOSYS; }

static void open_libraries(void) {
  // Filters bring as many libraries again, and few videos need them.
  for (int i = 0; i < filter; i++) libraries[i] = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
}

static void open_filters(void) { libraries[filter] = dlopen(names[filter], RTLD_LAZY | RTLD_LOCAL); }

/// Where a door leads to, from now on.
__attribute__((visibility("hidden"), used)) void *bd_find_behind_door(struct door *door) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_libraries);
  static pthread_once_t filters = PTHREAD_ONCE_INIT;
  if (door->library == filter) pthread_once(&filters, open_filters);
  void *library = libraries[door->library];
  void *found = library ? dlsym(library, door->name) : NULL;
  if (!found) found = door->otherwise;
  __atomic_store_n(&door->target, found, __ATOMIC_RELEASE);
  return found;
}

// A door jumps to its target, which at first is what looks for it: with the arguments as they came, so that is no C.
#if defined(__x86_64__)
#define DOOR(library, name, otherwise) \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n  endbr64\n" \
          "  jmp *bd_door_" #name "(%rip)\n.size " #name ", .-" #name "\n" \
          "bd_closed_" #name ":\n  endbr64\n  leaq bd_door_" #name "(%rip), %r11\n  jmp bd_open_door\n");
__asm__(".text\n.type bd_open_door, @function\nbd_open_door:\n"
        "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n  pushq %rax\n  subq $128, %rsp\n"
        "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
        "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
        "  movq %r11, %rdi\n  call bd_find_behind_door\n  movq %rax, %r11\n"
        "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
        "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
        "  addq $128, %rsp\n  popq %rax\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n"
        "  jmp *%r11\n.size bd_open_door, .-bd_open_door\n");
#elif defined(__aarch64__)
#define DOOR(library, name, otherwise) \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" \
          "  adrp x16, bd_door_" #name "\n  ldr x16, [x16, :lo12:bd_door_" #name "]\n  br x16\n.size " #name ", .-" #name "\n" \
          "bd_closed_" #name ":\n  adrp x17, bd_door_" #name "\n  add x17, x17, :lo12:bd_door_" #name "\n  b bd_open_door\n");
__asm__(".text\n.type bd_open_door, %function\nbd_open_door:\n"
        "  stp x29, x30, [sp, #-208]!\n  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n"
        "  stp x6, x7, [sp, #64]\n  str x8, [sp, #192]\n  stp q0, q1, [sp, #80]\n  stp q2, q3, [sp, #112]\n"
        "  stp q4, q5, [sp, #144]\n  sub sp, sp, #32\n  stp q6, q7, [sp]\n"
        "  mov x0, x17\n  bl bd_find_behind_door\n  mov x16, x0\n"
        "  ldp q6, q7, [sp]\n  add sp, sp, #32\n  ldp q4, q5, [sp, #144]\n  ldp q2, q3, [sp, #112]\n  ldp q0, q1, [sp, #80]\n"
        "  ldr x8, [sp, #192]\n  ldp x6, x7, [sp, #64]\n  ldp x4, x5, [sp, #48]\n  ldp x2, x3, [sp, #32]\n"
        "  ldp x0, x1, [sp, #16]\n  ldp x29, x30, [sp], #208\n  br x16\n.size bd_open_door, .-bd_open_door\n");
#else
#error "write doors to FFmpeg's functions for this processor"
#endif
DOORS
#undef DOOR

#define DOOR(library, name, otherwise) \
  extern void bd_closed_##name(void) __attribute__((visibility("hidden"))); \
  __attribute__((visibility("hidden"), used)) struct door bd_door_##name = {(void *)bd_closed_##name, #name, library, (void *)otherwise};
DOORS
