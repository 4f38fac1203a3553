#include "openni_functions.h"

#include <dlfcn.h>

const char *bd_openni_resolve(void *library, struct bd_openni *functions) {
#define F(result, name, parameters)                     \
  *(void **)(&functions->name) = dlsym(library, #name); \
  if (!functions->name) return #name;
  BD_ONI_FUNCTIONS(F)
#undef F
  return 0;
}
