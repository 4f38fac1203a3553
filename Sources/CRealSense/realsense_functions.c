#include "realsense_functions.h"

#include <dlfcn.h>

const char *bd_realsense_resolve(void *library, struct bd_realsense *functions) {
#define F(result, name, parameters)                     \
  *(void **)(&functions->name) = dlsym(library, #name); \
  if (!functions->name) return #name;
  BD_RS2_FUNCTIONS(F)
#undef F
  return 0;
}
