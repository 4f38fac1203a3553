#pragma once
#include <stddef.h>
#include <stdint.h>

// The part of OpenVINO's C API (2026.4, https://docs.openvino.ai, group "OpenVINO Runtime C API") that Backdrop uses, as function pointers.
// The library is opened at run time, so nothing is linked and its headers are not needed.

struct bd_ov_version {
  const char *build_number, *description;
};

struct bd_ov_shape {
  int64_t rank;
  int64_t *dims;
};

struct bd_ov_dimension {
  int64_t min, max;
};

struct bd_ov_partial_shape {
  struct bd_ov_dimension rank;
  struct bd_ov_dimension *dims;
};

struct bd_ov_property {
  const char *key;
  const void *value;
};

/// Element types, as numbered by the library.
enum { BD_OV_F16 = 3, BD_OV_F32 = 4, BD_OV_I32 = 9, BD_OV_I64 = 10, BD_OV_U8 = 16 };

/// All functions with their result, name and parameters. Each returns 0 or a negative status unless stated otherwise.
/// `ov_core_set_property` is variadic, which Swift cannot call; `bd_openvino_set` calls it.
#define BD_OV_FUNCTIONS(F)                                                                                           \
  F(int, ov_get_openvino_version, (struct bd_ov_version *version))                                                   \
  F(void, ov_version_free, (struct bd_ov_version *version))                                                          \
  F(const char *, ov_get_last_err_msg, (void))                                                                       \
  F(const char *, ov_get_error_info, (int status))                                                                   \
  F(void, ov_free, (const char *content))                                                                            \
  F(int, ov_core_create, (void **core))                                                                              \
  F(int, ov_core_read_model, (const void *core, const char *path, const char *weights, void **model))                \
  F(int, ov_core_read_model_from_memory_buffer,                                                                      \
    (const void *core, const char *bytes, size_t count, const void *weights, void **model))                          \
  F(int, ov_core_compile_model_props,                                                                                \
    (const void *core, const void *model, const char *device, size_t count, const struct bd_ov_property *properties, \
     void **compiled))                                                                                               \
  F(void, ov_core_set_property, (void))                                                                              \
  F(int, ov_core_import_model,                                                                                       \
    (const void *core, const char *bytes, size_t count, const char *device, void **compiled))                        \
  F(void, ov_core_free, (void *core))                                                                                \
  F(void, ov_model_free, (void *model))                                                                              \
  F(int, ov_model_inputs_size, (const void *model, size_t *count))                                                   \
  F(int, ov_model_outputs_size, (const void *model, size_t *count))                                                  \
  F(int, ov_model_const_input_by_index, (const void *model, size_t index, void **port))                              \
  F(int, ov_model_const_output_by_index, (const void *model, size_t index, void **port))                             \
  F(int, ov_model_reshape,                                                                                           \
    (const void *model, const char **names, const struct bd_ov_partial_shape *shapes, size_t count))                 \
  F(int, ov_port_get_any_name, (const void *port, char **name))                                                      \
  F(int, ov_port_get_partial_shape, (const void *port, struct bd_ov_partial_shape *shape))                           \
  F(int, ov_port_get_element_type, (const void *port, int *type))                                                    \
  F(void, ov_output_const_port_free, (void *port))                                                                   \
  F(int, ov_partial_shape_create_static, (int64_t rank, const int64_t *dims, struct bd_ov_partial_shape *shape))     \
  F(void, ov_partial_shape_free, (struct bd_ov_partial_shape *shape))                                                \
  F(int, ov_compiled_model_inputs_size, (const void *compiled, size_t *count))                                       \
  F(int, ov_compiled_model_outputs_size, (const void *compiled, size_t *count))                                      \
  F(int, ov_compiled_model_input_by_index, (const void *compiled, size_t index, void **port))                        \
  F(int, ov_compiled_model_output_by_index, (const void *compiled, size_t index, void **port))                       \
  F(int, ov_compiled_model_export_model, (const void *compiled, const char *path))                                   \
  F(int, ov_compiled_model_create_infer_request, (const void *compiled, void **request))                             \
  F(void, ov_compiled_model_free, (void *compiled))                                                                  \
  F(int, ov_infer_request_get_input_tensor_by_index, (const void *request, size_t index, void **tensor))             \
  F(int, ov_infer_request_get_output_tensor_by_index, (const void *request, size_t index, void **tensor))            \
  F(int, ov_infer_request_set_output_tensor_by_index, (void *request, size_t index, const void *tensor))             \
  F(int, ov_infer_request_infer, (void *request))                                                                    \
  F(void, ov_infer_request_free, (void *request))                                                                    \
  F(int, ov_tensor_create, (int type, struct bd_ov_shape shape, void **tensor))                                      \
  F(int, ov_tensor_get_shape, (const void *tensor, struct bd_ov_shape *shape))                                       \
  F(int, ov_tensor_get_element_type, (const void *tensor, int *type))                                                \
  F(int, ov_tensor_data, (const void *tensor, void **data))                                                          \
  F(void, ov_tensor_free, (void *tensor))                                                                            \
  F(int, ov_shape_create, (int64_t rank, const int64_t *dims, struct bd_ov_shape *shape))                            \
  F(int, ov_shape_free, (struct bd_ov_shape *shape))

struct bd_openvino {
#define F(result, name, parameters) result(*name) parameters;
  BD_OV_FUNCTIONS(F)
#undef F
};

/// Finds all functions in a library opened by `dlopen`; returns the name of the first missing one, or null.
const char *bd_openvino_resolve(void *library, struct bd_openvino *functions);

/// Sets a property of a core's CPU device, since Swift cannot call variadic functions; returns 0 or a negative status.
int bd_openvino_set(const struct bd_openvino *functions, const void *core, const char *key, const char *value);
