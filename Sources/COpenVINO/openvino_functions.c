#include "openvino_functions.h"

#include <dlfcn.h>

#define RESOLVE(name)                                      \
  *(void **)(&functions->name) = dlsym(library, #name);    \
  if (!functions->name) return #name

const char *bd_openvino_resolve(void *library, struct bd_openvino *functions) {
  RESOLVE(ov_get_openvino_version);
  RESOLVE(ov_version_free);
  RESOLVE(ov_get_last_err_msg);
  RESOLVE(ov_get_error_info);
  RESOLVE(ov_free);
  RESOLVE(ov_core_create);
  RESOLVE(ov_core_read_model);
  RESOLVE(ov_core_read_model_from_memory_buffer);
  RESOLVE(ov_core_compile_model_props);
  RESOLVE(ov_core_set_property);
  RESOLVE(ov_core_import_model);
  RESOLVE(ov_core_free);
  RESOLVE(ov_model_free);
  RESOLVE(ov_model_inputs_size);
  RESOLVE(ov_model_outputs_size);
  RESOLVE(ov_model_const_input_by_index);
  RESOLVE(ov_model_const_output_by_index);
  RESOLVE(ov_model_reshape);
  RESOLVE(ov_port_get_any_name);
  RESOLVE(ov_port_get_partial_shape);
  RESOLVE(ov_port_get_element_type);
  RESOLVE(ov_output_const_port_free);
  RESOLVE(ov_partial_shape_create_static);
  RESOLVE(ov_partial_shape_free);
  RESOLVE(ov_compiled_model_inputs_size);
  RESOLVE(ov_compiled_model_outputs_size);
  RESOLVE(ov_compiled_model_input_by_index);
  RESOLVE(ov_compiled_model_output_by_index);
  RESOLVE(ov_compiled_model_export_model);
  RESOLVE(ov_compiled_model_create_infer_request);
  RESOLVE(ov_compiled_model_free);
  RESOLVE(ov_infer_request_get_input_tensor_by_index);
  RESOLVE(ov_infer_request_get_output_tensor_by_index);
  RESOLVE(ov_infer_request_set_output_tensor_by_index);
  RESOLVE(ov_infer_request_infer);
  RESOLVE(ov_infer_request_free);
  RESOLVE(ov_tensor_create);
  RESOLVE(ov_tensor_get_shape);
  RESOLVE(ov_tensor_get_element_type);
  RESOLVE(ov_tensor_data);
  RESOLVE(ov_tensor_free);
  RESOLVE(ov_shape_create);
  RESOLVE(ov_shape_free);
  return 0;
}

int bd_openvino_set(const struct bd_openvino *functions, const void *core, const char *key, const char *value) {
  int (*set)(const void *, const char *, ...) = (int (*)(const void *, const char *, ...))functions->ov_core_set_property;
  return set(core, "CPU", key, value);
}
