#include "pipewire_functions.h"

#include <dlfcn.h>

const char *bd_pipewire_resolve(void *library, struct bd_pipewire *functions) {
#define F(result, name, parameters)                     \
  *(void **)(&functions->name) = dlsym(library, #name); \
  if (!functions->name) return #name;
  BD_PW_FUNCTIONS(F)
#undef F
  return 0;
}

// spa/utils/hook.h: the beginning of every PipeWire object.
struct interface {
  const char *type;
  uint32_t version;
  const void *methods;
  void *object;
};

struct core_methods {
  uint32_t version;
  int (*add_listener)(void *, struct bd_pw_hook *, const struct bd_pw_core_events *, void *);
  int (*hello)(void *, uint32_t);
  int (*sync)(void *, uint32_t, int);
  int (*pong)(void *, uint32_t, int);
  int (*error)(void *, uint32_t, int, int, const char *);
  void *(*get_registry)(void *, uint32_t, size_t);
};

struct registry_methods {
  uint32_t version;
  int (*add_listener)(void *, struct bd_pw_hook *, const struct bd_pw_registry_events *, void *);
  void *(*bind)(void *, uint32_t, const char *, uint32_t, size_t);
};

struct node_methods {
  uint32_t version;
  int (*add_listener)(void *, struct bd_pw_hook *, const struct bd_pw_node_events *, void *);
  int (*subscribe_params)(void *, uint32_t *, uint32_t);
  int (*enum_params)(void *, int, uint32_t, uint32_t, uint32_t, const void *);
};

#define OBJECT(pointer) (((const struct interface *)(pointer))->object)
#define METHODS(kind, pointer) ((const struct kind##_methods *)((const struct interface *)(pointer))->methods)

#define ADD_LISTENER(kind) \
  int bd_pw_##kind##_add_listener(void *of, struct bd_pw_hook *hook, const struct bd_pw_##kind##_events *events, \
                                  void *data) { \
    return METHODS(kind, of)->add_listener(OBJECT(of), hook, events, data); \
  }
ADD_LISTENER(core)
ADD_LISTENER(registry)
ADD_LISTENER(node)

int bd_pw_core_sync(void *core, uint32_t id, int seq) { return METHODS(core, core)->sync(OBJECT(core), id, seq); }

void *bd_pw_core_get_registry(void *core) { return METHODS(core, core)->get_registry(OBJECT(core), 3, 0); }

void *bd_pw_registry_bind_node(void *registry, uint32_t id) {
  return METHODS(registry, registry)->bind(OBJECT(registry), id, "PipeWire:Interface:Node", 3, 0);
}

int bd_pw_node_enum_params(void *node, int seq, uint32_t id) {
  return METHODS(node, node)->enum_params(OBJECT(node), seq, id, 0, UINT32_MAX, 0);
}
