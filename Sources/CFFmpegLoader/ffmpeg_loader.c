// Stubs of FFmpeg's functions: the first call opens FFmpeg's libraries and jumps to the real function, later ones jump there at once.
// Programs that read no video thus do not load FFmpeg and the libraries that it needs, which would take most of their start-up time, and
// programs run without FFmpeg. If it is not installed, functions that create or find something return NULL, others ENOSYS, and
// avformat_version() 0, which FFmpegLibraries.swift checks first.
//
// The linker reports any function that is missing here.
#include "ffmpeg_loader.h"

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

// The library, the function, and its return value without the library.
#define STUBS \
  STUB(format, av_find_best_stream, number) \
  STUB(format, av_guess_format, pointer) \
  STUB(format, av_guess_sample_aspect_ratio, pointer) \
  STUB(format, av_interleaved_write_frame, number) \
  STUB(format, av_write_frame, number) \
  STUB(format, av_read_frame, number) \
  STUB(format, av_seek_frame, number) \
  STUB(format, av_stream_get_side_data, pointer) \
  STUB(format, av_stream_new_side_data, pointer) \
  STUB(format, av_write_trailer, number) \
  STUB(format, avformat_alloc_context, pointer) \
  STUB(format, avformat_alloc_output_context2, pointer) \
  STUB(format, avformat_close_input, number) \
  STUB(format, avformat_find_stream_info, number) \
  STUB(format, avformat_free_context, number) \
  STUB(format, avformat_index_get_entries_count, number) \
  STUB(format, avformat_index_get_entry, pointer) \
  STUB(format, avformat_new_stream, pointer) \
  STUB(format, avformat_open_input, number) \
  STUB(format, avformat_query_codec, number) \
  STUB(format, avformat_version, pointer) \
  STUB(format, avformat_write_header, number) \
  STUB(format, avio_alloc_context, pointer) \
  STUB(format, avio_context_free, number) \
  STUB(format, avio_flush, number) \
  STUB(format, avio_seek, number) \
  STUB(format, avio_size, number) \
  STUB(codec, av_get_audio_frame_duration2, number) \
  STUB(codec, av_new_packet, number) \
  STUB(codec, av_packet_alloc, pointer) \
  STUB(codec, av_packet_free, number) \
  STUB(codec, av_packet_get_side_data, pointer) \
  STUB(codec, av_packet_move_ref, number) \
  STUB(codec, av_packet_new_side_data, pointer) \
  STUB(codec, av_packet_rescale_ts, number) \
  STUB(codec, av_packet_side_data_get, pointer) \
  STUB(codec, av_packet_side_data_new, pointer) \
  STUB(codec, av_packet_unref, number) \
  STUB(codec, avcodec_align_dimensions2, number) \
  STUB(codec, avcodec_alloc_context3, pointer) \
  STUB(codec, avcodec_default_get_buffer2, number) \
  STUB(codec, avcodec_descriptor_get_by_name, pointer) \
  STUB(codec, avcodec_find_decoder, pointer) \
  STUB(codec, avcodec_find_decoder_by_name, pointer) \
  STUB(codec, avcodec_find_encoder_by_name, pointer) \
  STUB(codec, avcodec_flush_buffers, number) \
  STUB(codec, avcodec_free_context, number) \
  STUB(codec, avcodec_get_name, pointer) \
  STUB(codec, avcodec_open2, number) \
  STUB(codec, avcodec_parameters_copy, number) \
  STUB(codec, avcodec_parameters_from_context, number) \
  STUB(codec, avcodec_parameters_to_context, number) \
  STUB(codec, avcodec_receive_frame, number) \
  STUB(codec, avcodec_receive_packet, number) \
  STUB(codec, avcodec_send_frame, number) \
  STUB(codec, avcodec_send_packet, number) \
  STUB(filter, av_buffersink_get_frame, number) \
  STUB(filter, av_buffersrc_add_frame_flags, number) \
  STUB(filter, avfilter_get_by_name, pointer) \
  STUB(filter, avfilter_graph_alloc, pointer) \
  STUB(filter, avfilter_graph_config, number) \
  STUB(filter, avfilter_graph_create_filter, number) \
  STUB(filter, avfilter_graph_free, number) \
  STUB(filter, avfilter_link, number) \
  STUB(util, av_buffer_create, pointer) \
  STUB(util, av_buffer_pool_get, pointer) \
  STUB(util, av_buffer_pool_init, pointer) \
  STUB(util, av_buffer_pool_uninit, pointer) \
  STUB(util, av_buffer_ref, pointer) \
  STUB(util, av_buffer_unref, number) \
  STUB(util, av_calloc, pointer) \
  STUB(util, av_dict_copy, number) \
  STUB(util, av_dict_free, number) \
  STUB(util, av_dict_get, pointer) \
  STUB(util, av_dict_set, number) \
  STUB(util, av_dynarray_add_nofree, number) \
  STUB(util, av_frame_alloc, pointer) \
  STUB(util, av_frame_free, number) \
  STUB(util, av_frame_get_buffer, number) \
  STUB(util, av_frame_get_side_data, pointer) \
  STUB(util, av_frame_move_ref, number) \
  STUB(util, av_frame_ref, number) \
  STUB(util, av_frame_unref, number) \
  STUB(util, av_free, number) \
  STUB(util, av_freep, number) \
  STUB(util, av_gcd, number) \
  STUB(util, av_get_pix_fmt_name, pointer) \
  STUB(util, av_image_copy_plane, number) \
  STUB(util, av_log_set_callback, number) \
  STUB(util, av_malloc, pointer) \
  STUB(util, av_mallocz, pointer) \
  STUB(util, av_opt_set_int, number) \
  STUB(util, av_pix_fmt_desc_get, pointer) \
  STUB(util, av_rescale_delta, number) \
  STUB(util, av_rescale_q, number) \
  STUB(util, av_strdup, pointer) \
  STUB(util, av_strerror, number) \
  STUB(codec, avcodec_decode_subtitle2, number) \
  STUB(codec, avcodec_encode_subtitle, number) \
  STUB(codec, avsubtitle_free, number) \
  STUB(util, av_opt_set_double, number) \
  STUB(sound, swr_alloc_set_opts2, pointer) \
  STUB(sound, swr_convert, number) \
  STUB(sound, swr_free, number) \
  STUB(sound, swr_init, number) \
  STUB(scale, sws_alloc_context, pointer) \
  STUB(scale, sws_freeContext, number) \
  STUB(scale, sws_getCoefficients, pointer) \
  STUB(scale, sws_init_context, number) \
  STUB(scale, sws_scale, number) \
  STUB(scale, sws_setColorspaceDetails, number)

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

struct stub {
  void *target;
  const char *name;
  enum library library;
  void *otherwise;
};

static void *pointer(void) { return NULL; }
static int number(void) { return -ENOSYS; }

static void open_libraries(void) {
  // Filters load as many libraries again, and few videos need them.
  for (int i = 0; i < filter; i++) libraries[i] = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
}

static void open_filters(void) { libraries[filter] = dlopen(names[filter], RTLD_LAZY | RTLD_LOCAL); }

/// Finds the function of a stub and makes the stub jump to it from then on.
__attribute__((visibility("hidden"), used)) void *bd_find_function(struct stub *stub) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_libraries);
  static pthread_once_t filters = PTHREAD_ONCE_INIT;
  if (stub->library == filter) pthread_once(&filters, open_filters);
  void *library = libraries[stub->library];
  void *found = library ? dlsym(library, stub->name) : NULL;
  if (!found) found = stub->otherwise;
  __atomic_store_n(&stub->target, found, __ATOMIC_RELEASE);
  return found;
}

// A stub jumps to its target, which is initially the code that looks the function up. It must preserve all arguments, so it is written in
// assembly.
#if defined(__x86_64__)
#define STUB(library, name, otherwise) \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n  endbr64\n" \
          "  jmp *bd_stub_" #name "(%rip)\n.size " #name ", .-" #name "\n" \
          "bd_unresolved_" #name ":\n  endbr64\n  leaq bd_stub_" #name "(%rip), %r11\n  jmp bd_resolve_stub\n");
__asm__(".text\n.type bd_resolve_stub, @function\nbd_resolve_stub:\n"
        "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n  pushq %rax\n  subq $128, %rsp\n"
        "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
        "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
        "  movq %r11, %rdi\n  call bd_find_function\n  movq %rax, %r11\n"
        "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
        "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
        "  addq $128, %rsp\n  popq %rax\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n"
        "  jmp *%r11\n.size bd_resolve_stub, .-bd_resolve_stub\n");
#elif defined(__aarch64__)
#define STUB(library, name, otherwise) \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" \
          "  adrp x16, bd_stub_" #name "\n  ldr x16, [x16, :lo12:bd_stub_" #name "]\n  br x16\n.size " #name ", .-" #name "\n" \
          "bd_unresolved_" #name ":\n  adrp x17, bd_stub_" #name "\n  add x17, x17, :lo12:bd_stub_" #name "\n  b bd_resolve_stub\n");
__asm__(".text\n.type bd_resolve_stub, %function\nbd_resolve_stub:\n"
        "  stp x29, x30, [sp, #-208]!\n  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n"
        "  stp x6, x7, [sp, #64]\n  str x8, [sp, #192]\n  stp q0, q1, [sp, #80]\n  stp q2, q3, [sp, #112]\n"
        "  stp q4, q5, [sp, #144]\n  sub sp, sp, #32\n  stp q6, q7, [sp]\n"
        "  mov x0, x17\n  bl bd_find_function\n  mov x16, x0\n"
        "  ldp q6, q7, [sp]\n  add sp, sp, #32\n  ldp q4, q5, [sp, #144]\n  ldp q2, q3, [sp, #112]\n  ldp q0, q1, [sp, #80]\n"
        "  ldr x8, [sp, #192]\n  ldp x6, x7, [sp, #64]\n  ldp x4, x5, [sp, #48]\n  ldp x2, x3, [sp, #32]\n"
        "  ldp x0, x1, [sp, #16]\n  ldp x29, x30, [sp], #208\n  br x16\n.size bd_resolve_stub, .-bd_resolve_stub\n");
#else
#error "write stubs for FFmpeg's functions for this processor"
#endif
STUBS
#undef STUB

#define STUB(library, name, otherwise) \
  extern void bd_unresolved_##name(void) __attribute__((visibility("hidden"))); \
  __attribute__((visibility("hidden"), used)) struct stub bd_stub_##name = {(void *)bd_unresolved_##name, #name, library, (void *)otherwise};
STUBS
