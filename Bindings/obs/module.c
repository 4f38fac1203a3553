/* The module that OBS loads. */
#include <backdrop.h>
#include <obs-module.h>

#include "filter.h"
#include "parameters.h"

OBS_DECLARE_MODULE()
OBS_MODULE_USE_DEFAULT_LOCALE("backdrop-obs", "en-US")
OBS_MODULE_AUTHOR("The Backdrop authors")

MODULE_EXPORT const char *obs_module_name(void) { return "Backdrop"; }
MODULE_EXPORT const char *obs_module_description(void) { return obs_module_text("Description"); }

static void tell(void *context, const char *message, const char *hint) {
  UNUSED_PARAMETER(context);
  blog(LOG_INFO, *hint ? "[backdrop] %s (%s)" : "[backdrop] %s%s", message, hint);
}

bool obs_module_load(void) {
  if (!parameters_load()) return false;
  bd_set_log(tell, NULL);
  filter_register();
  blog(LOG_INFO, "[backdrop] version %s, library %s", VERSION, bd_version());
  return true;
}

void obs_module_unload(void) {
  bd_set_log(NULL, NULL);
  parameters_unload();
}
