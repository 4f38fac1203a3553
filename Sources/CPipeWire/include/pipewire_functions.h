#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// The part of PipeWire's C interface (0.3: pipewire/stream.h, core.h, node.h, thread-loop.h; spa/utils/hook.h, dict.h,
// spa/buffer/buffer.h, meta.h) that Backdrop uses, as function pointers, with layouts that are fixed for 0.3 and 1.x.
// The library is opened at run time, so nothing is linked and its headers are not needed.

enum { BD_PW_ANY = -1 };
enum { BD_PW_INPUT = 0, BD_PW_OUTPUT = 1 };
enum { BD_PW_ERROR = -1, BD_PW_UNCONNECTED = 0, BD_PW_PAUSED = 2, BD_PW_STREAMING = 3 };
enum { BD_PW_AUTOCONNECT = 1, BD_PW_MAP_BUFFERS = 4, BD_PW_DRIVER = 8, BD_PW_DONT_RECONNECT = 128 };
enum { BD_PW_PARAM_ENUM_FORMAT = 3, BD_PW_PARAM_FORMAT = 4 };
enum { BD_PW_META_HEADER = 1 };
enum { BD_PW_CHUNK_CORRUPTED = 1, BD_PW_HEADER_CORRUPTED = 2 };

struct bd_pw_hook {
  void *link[2];
  const void *functions;
  void *data;
  void *removed;
  void *owner;
};

struct bd_pw_dict_item {
  const char *key, *value;
};

struct bd_pw_dict {
  uint32_t flags, count;
  const struct bd_pw_dict_item *items;
};

struct bd_pw_meta {
  uint32_t type, size;
  void *data;
};

struct bd_pw_header {
  uint32_t flags, offset;
  int64_t pts, dts_offset;
  uint64_t seq;
};

struct bd_pw_chunk {
  uint32_t offset, size;
  int32_t stride, flags;
};

struct bd_pw_data {
  uint32_t type, flags;
  int64_t fd;
  uint32_t map_offset, max_size;
  void *data;
  struct bd_pw_chunk *chunk;
};

struct bd_pw_spa_buffer {
  uint32_t meta_count, data_count;
  struct bd_pw_meta *metas;
  struct bd_pw_data *datas;
};

struct bd_pw_buffer {
  struct bd_pw_spa_buffer *buffer;
  void *user_data;
  uint64_t size, requested;
};

/// Larger than the library's own structure, which grows over time.
struct bd_pw_time {
  int64_t now;
  uint32_t rate_numerator, rate_denominator;
  uint64_t ticks;
  int64_t delay;
  uint64_t queued, more[8];
};

struct bd_pw_stream_events {
  uint32_t version;
  void (*destroy)(void *data);
  void (*state_changed)(void *data, int old, int state, const char *error);
  void (*control_info)(void *data, uint32_t id, const void *control);
  void (*io_changed)(void *data, uint32_t id, void *area, uint32_t size);
  void (*param_changed)(void *data, uint32_t id, const void *param);
  void (*add_buffer)(void *data, struct bd_pw_buffer *buffer);
  void (*remove_buffer)(void *data, struct bd_pw_buffer *buffer);
  void (*process)(void *data);
  void (*drained)(void *data);
  void (*command)(void *data, const void *command);
  void (*trigger_done)(void *data);
};

struct bd_pw_core_events {
  uint32_t version;
  void (*info)(void *data, const void *info);
  void (*done)(void *data, uint32_t id, int seq);
  void (*ping)(void *data, uint32_t id, int seq);
  void (*error)(void *data, uint32_t id, int seq, int result, const char *message);
  void (*remove_id)(void *data, uint32_t id);
  void (*bound_id)(void *data, uint32_t id, uint32_t global_id);
  void (*add_mem)(void *data, uint32_t id, uint32_t type, int fd, uint32_t flags);
  void (*remove_mem)(void *data, uint32_t id);
};

struct bd_pw_registry_events {
  uint32_t version;
  void (*global)(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                 const struct bd_pw_dict *properties);
  void (*global_remove)(void *data, uint32_t id);
};

struct bd_pw_node_events {
  uint32_t version;
  void (*info)(void *data, const void *info);
  void (*param)(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, const void *param);
};

/// All functions with their result, name and parameters. Functions that return a number return a negative `errno` if they fail.
#define BD_PW_FUNCTIONS(F)                                                                          \
  F(void, pw_init, (int *argument_count, char ***arguments))                                        \
  F(const char *, pw_get_library_version, (void))                                                   \
  F(void, pw_log_set_level, (int level))                                                            \
  F(void *, pw_thread_loop_new, (const char *name, const struct bd_pw_dict *properties))            \
  F(void, pw_thread_loop_destroy, (void *loop))                                                     \
  F(void *, pw_thread_loop_get_loop, (void *loop))                                                  \
  F(int, pw_thread_loop_start, (void *loop))                                                        \
  F(void, pw_thread_loop_stop, (void *loop))                                                        \
  F(void, pw_thread_loop_lock, (void *loop))                                                        \
  F(void, pw_thread_loop_unlock, (void *loop))                                                      \
  F(void, pw_thread_loop_signal, (void *loop, bool waits))                                          \
  F(int, pw_thread_loop_get_time, (void *loop, struct timespec *time, int64_t nanoseconds))         \
  F(int, pw_thread_loop_timed_wait_full, (void *loop, struct timespec *time))                       \
  F(void *, pw_context_new, (void *loop, void *properties, size_t user_bytes))                      \
  F(void, pw_context_destroy, (void *context))                                                      \
  F(void *, pw_context_connect, (void *context, void *properties, size_t user_bytes))               \
  F(int, pw_core_disconnect, (void *core))                                                          \
  F(void, pw_proxy_destroy, (void *proxy))                                                          \
  F(void *, pw_properties_new_dict, (const struct bd_pw_dict *properties))                          \
  F(void *, pw_stream_new, (void *core, const char *name, void *properties))                        \
  F(void, pw_stream_destroy, (void *stream))                                                        \
  F(void, pw_stream_add_listener,                                                                   \
    (void *stream, struct bd_pw_hook *hook, const struct bd_pw_stream_events *events, void *data))  \
  F(int, pw_stream_connect,                                                                         \
    (void *stream, int direction, uint32_t target, int flags, const void **params, uint32_t count)) \
  F(uint32_t, pw_stream_get_node_id, (void *stream))                                                \
  F(int, pw_stream_update_params, (void *stream, const void **params, uint32_t count))              \
  F(struct bd_pw_buffer *, pw_stream_dequeue_buffer, (void *stream))                                \
  F(int, pw_stream_queue_buffer, (void *stream, struct bd_pw_buffer *buffer))                       \
  F(int, pw_stream_trigger_process, (void *stream))                                                 \
  F(int, pw_stream_get_time, (void *stream, struct bd_pw_time *time))

struct bd_pipewire {
#define F(result, name, parameters) result(*name) parameters;
  BD_PW_FUNCTIONS(F)
#undef F
};

/// Finds all functions in an opened library; returns the name of the first missing one, or null.
const char *bd_pipewire_resolve(void *library, struct bd_pipewire *functions);

// Methods that PipeWire's headers call through an object's own table.
int bd_pw_core_add_listener(void *core, struct bd_pw_hook *hook, const struct bd_pw_core_events *events, void *data);
int bd_pw_core_sync(void *core, uint32_t id, int seq);
void *bd_pw_core_get_registry(void *core);
int bd_pw_registry_add_listener(void *registry, struct bd_pw_hook *hook, const struct bd_pw_registry_events *events,
                                void *data);
void *bd_pw_registry_bind_node(void *registry, uint32_t id);
int bd_pw_node_add_listener(void *node, struct bd_pw_hook *hook, const struct bd_pw_node_events *events, void *data);
int bd_pw_node_enum_params(void *node, int seq, uint32_t id);
