#include "openvino_functions.h"

#include <dlfcn.h>

const char *bd_openvino_resolve(void *library, struct bd_openvino *functions) {
#define F(result, name, parameters)                     \
  *(void **)(&functions->name) = dlsym(library, #name); \
  if (!functions->name) return #name;
  BD_OV_FUNCTIONS(F)
#undef F
  return 0;
}

int bd_openvino_set(const struct bd_openvino *functions, const void *core, const char *key, const char *value) {
  int (*set)(const void *, const char *, ...) = (int (*)(const void *, const char *, ...))functions->ov_core_set_property;
  return set(core, "CPU", key, value);
}
