// _GNU_SOURCE is defined by the package, for dladdr and dlinfo.
#include "bd_library.h"

#include <dlfcn.h>

#if defined(__GLIBC__) && defined(__x86_64__)
#include <link.h>
#include <stdint.h>
#include <string.h>

/// The function that a loaded library calls under that name; NULL if it calls none.
static void *bound_function(const struct link_map *library, const char *name) {
  const ElfW(Rela) *relocations = NULL;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  size_t bytes = 0;
  for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_JMPREL) relocations = (const void *)entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) symbols = (const void *)entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = (const void *)entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
  }
  if (!relocations || !symbols || !names) return NULL;
  for (size_t i = 0; i < bytes / sizeof *relocations; i++) {
    const char *symbol = names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name;
    if (strcmp(symbol, name) == 0) return *(void **)(library->l_addr + relocations[i].r_offset);
  }
  return NULL;
}

/// The start in memory of the library that contains a function; NULL if there is none.
static const void *home(void *function) {
  Dl_info info;
  return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

int bd_library_mode(void) {
  const int mode = RTLD_NOW | RTLD_LOCAL;
  void *handle = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return mode;
  struct link_map *library = NULL;
  const void *raising = NULL, *own = NULL;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0) {
    raising = home(bound_function(library, "_Unwind_RaiseException"));
    own = home(dlsym(handle, "__cxa_throw"));
  }
  dlclose(handle);
  const void *shared = home(dlsym(RTLD_DEFAULT, "_Unwind_Resume"));
  // A pointer to libstdc++ itself has not been resolved yet, and will resolve to the shared one.
  return raising && raising != own && shared && shared != raising ? mode | RTLD_DEEPBIND : mode;
}
#else
int bd_library_mode(void) { return RTLD_NOW | RTLD_LOCAL; }
#endif
