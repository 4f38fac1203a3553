#pragma once
#include <stdint.h>

// The part of librealsense2's C API (2.0 and later: rs_context.h, rs_device.h, rs_sensor.h, rs_frame.h, rs_option.h) that Backdrop uses, as
// function pointers. The library is opened at run time, so nothing is linked and its headers are not needed. Its objects are `void *` here,
// and its enumerations `int`.

enum { BD_RS2_INFO_NAME = 0, BD_RS2_INFO_SERIAL_NUMBER = 1, BD_RS2_INFO_USB_TYPE = 9 };
enum { BD_RS2_OPTION_VISUAL_PRESET = 12, BD_RS2_OPTION_EMITTER_ENABLED = 18 };

/// A camera (`rs2_intrinsics`). The centre of pixel (0, 0) is at (0, 0).
struct bd_rs2_intrinsics {
  int width, height;
  float ppx, ppy, fx, fy;
  int distortion;
  float coefficients[5];
};

/// From one camera to another (`rs2_extrinsics`): the rotation by columns, the translation in metres.
struct bd_rs2_extrinsics {
  float rotation[9], translation[3];
};

/// All functions with their result, name and parameters. Functions that can fail set the last parameter, an `rs2_error`.
#define BD_RS2_FUNCTIONS(F)                                                                                          \
  F(int, rs2_get_api_version, (void **error))                                                                        \
  F(const char *, rs2_get_error_message, (const void *error))                                                        \
  F(void, rs2_free_error, (void *error))                                                                             \
  F(void *, rs2_create_context, (int version, void **error))                                                         \
  F(void *, rs2_query_devices, (const void *context, void **error))                                                  \
  F(int, rs2_get_device_count, (const void *devices, void **error))                                                  \
  F(void *, rs2_create_device, (const void *devices, int index, void **error))                                       \
  F(void, rs2_delete_device_list, (void *devices))                                                                   \
  F(void, rs2_delete_device, (void *device))                                                                         \
  F(int, rs2_supports_device_info, (const void *device, int info, void **error))                                     \
  F(const char *, rs2_get_device_info, (const void *device, int info, void **error))                                 \
  F(void *, rs2_query_sensors, (const void *device, void **error))                                                   \
  F(int, rs2_get_sensors_count, (const void *sensors, void **error))                                                 \
  F(void *, rs2_create_sensor, (const void *sensors, int index, void **error))                                       \
  F(void, rs2_delete_sensor_list, (void *sensors))                                                                   \
  F(void, rs2_delete_sensor, (void *sensor))                                                                         \
  F(float, rs2_get_depth_scale, (void *sensor, void **error))                                                        \
  F(int, rs2_supports_option, (const void *sensor, int option, void **error))                                        \
  F(void, rs2_get_option_range,                                                                                      \
    (const void *sensor, int option, float *minimum, float *maximum, float *step, float *initial, void **error))     \
  F(const char *, rs2_get_option_value_description, (const void *sensor, int option, float value, void **error))     \
  F(void, rs2_set_option, (const void *sensor, int option, float value, void **error))                               \
  F(void *, rs2_get_stream_profiles, (void *sensor, void **error))                                                   \
  F(int, rs2_get_stream_profiles_count, (const void *profiles, void **error))                                        \
  F(const void *, rs2_get_stream_profile, (const void *profiles, int index, void **error))                           \
  F(void, rs2_delete_stream_profiles_list, (void *profiles))                                                         \
  F(void, rs2_get_stream_profile_data,                                                                               \
    (const void *profile, int *stream, int *format, int *index, int *identity, int *rate, void **error))             \
  F(void, rs2_get_video_stream_resolution, (const void *profile, int *width, int *height, void **error))             \
  F(int, rs2_is_stream_profile_default, (const void *profile, void **error))                                         \
  F(const char *, rs2_format_to_string, (int format))                                                                \
  F(const char *, rs2_distortion_to_string, (int distortion))                                                        \
  F(void, rs2_get_video_stream_intrinsics,                                                                           \
    (const void *profile, struct bd_rs2_intrinsics *intrinsics, void **error))                                       \
  F(void, rs2_get_extrinsics, (const void *from, const void *to, struct bd_rs2_extrinsics *place, void **error))     \
  F(void *, rs2_create_frame_queue, (int capacity, void **error))                                                    \
  F(void, rs2_delete_frame_queue, (void *queue))                                                                     \
  F(int, rs2_try_wait_for_frame, (void *queue, unsigned milliseconds, void **frame, void **error))                   \
  F(void, rs2_release_frame, (void *frame))                                                                          \
  F(void, rs2_open_multiple, (void *sensor, const void **profiles, int count, void **error))                         \
  F(void, rs2_start_queue, (const void *sensor, void *queue, void **error))                                          \
  F(void, rs2_stop, (const void *sensor, void **error))                                                              \
  F(void, rs2_close, (const void *sensor, void **error))                                                             \
  F(const void *, rs2_get_frame_stream_profile, (const void *frame, void **error))                                   \
  F(const void *, rs2_get_frame_data, (const void *frame, void **error))                                             \
  F(int, rs2_get_frame_data_size, (const void *frame, void **error))                                                 \
  F(int, rs2_get_frame_width, (const void *frame, void **error))                                                     \
  F(int, rs2_get_frame_height, (const void *frame, void **error))                                                    \
  F(int, rs2_get_frame_stride_in_bytes, (const void *frame, void **error))                                           \
  F(double, rs2_get_frame_timestamp, (const void *frame, void **error))                                              \
  F(int, rs2_get_frame_timestamp_domain, (const void *frame, void **error))                                          \
  F(unsigned long long, rs2_get_frame_number, (const void *frame, void **error))

struct bd_realsense {
#define F(result, name, parameters) result(*name) parameters;
  BD_RS2_FUNCTIONS(F)
#undef F
};

/// Finds all functions in an opened library; returns the name of the first missing one, or null.
const char *bd_realsense_resolve(void *library, struct bd_realsense *functions);
