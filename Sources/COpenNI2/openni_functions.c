#include "openni_functions.h"

#include <dlfcn.h>

#define RESOLVE(name)                                      \
  *(void **)(&functions->name) = dlsym(library, #name);    \
  if (!functions->name) return #name

const char *bd_openni_resolve(void *library, struct bd_openni *functions) {
  RESOLVE(oniInitialize);
  RESOLVE(oniGetExtendedError);
  RESOLVE(oniSetLogConsoleOutput);
  RESOLVE(oniSetLogFileOutput);
  RESOLVE(oniGetDeviceList);
  RESOLVE(oniReleaseDeviceList);
  RESOLVE(oniDeviceOpen);
  RESOLVE(oniDeviceClose);
  RESOLVE(oniDeviceCreateStream);
  RESOLVE(oniDeviceEnableDepthColorSync);
  RESOLVE(oniDeviceSetProperty);
  RESOLVE(oniDeviceGetProperty);
  RESOLVE(oniDeviceIsImageRegistrationModeSupported);
  RESOLVE(oniStreamDestroy);
  RESOLVE(oniStreamStart);
  RESOLVE(oniStreamStop);
  RESOLVE(oniStreamReadFrame);
  RESOLVE(oniStreamSetProperty);
  RESOLVE(oniStreamGetProperty);
  RESOLVE(oniWaitForAnyStream);
  RESOLVE(oniFrameRelease);
  return 0;
}
