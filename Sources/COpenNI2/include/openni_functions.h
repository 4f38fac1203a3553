#pragma once
#include <stdint.h>

// The part of OpenNI2's C API (2.2, OniCAPI.h, OniCTypes.h) that Backdrop uses, as function pointers. The library is
// opened at run time, so nothing is linked and its headers, which are C++ only, are not needed.

enum { BD_ONI_API_VERSION = 2002 };
enum { BD_ONI_OK = 0 };
enum { BD_ONI_COLOR = 2, BD_ONI_DEPTH = 3 };
enum {
  BD_ONI_DEPTH_1_MM = 100,
  BD_ONI_DEPTH_100_UM = 101,
  BD_ONI_RGB888 = 200,
  BD_ONI_GRAY8 = 202,
  BD_ONI_YUYV = 205
};
enum {
  BD_ONI_DEVICE_REGISTRATION = 5,
  BD_ONI_STREAM_HORIZONTAL_FOV = 1,
  BD_ONI_STREAM_VERTICAL_FOV = 2,
  BD_ONI_STREAM_VIDEO_MODE = 3,
  BD_ONI_STREAM_MIRRORING = 7
};

struct bd_oni_mode {
  int format, width, height, fps;
};

struct bd_oni_frame {
  int byte_count;
  void *data;
  int sensor;
  uint64_t microseconds;
  int index;
  int width, height;
  struct bd_oni_mode mode;
  int is_cropped, crop_x, crop_y;
  int bytes_per_row;
};

struct bd_oni_device {
  char uri[256], vendor[256], name[256];
  uint16_t usb_vendor, usb_product;
};

/// All functions with their result, name and parameters. Each returns a status, 0 for success, unless stated otherwise.
#define BD_ONI_FUNCTIONS(F)                                                                    \
  F(int, oniInitialize, (int version))                                                         \
  F(const char *, oniGetExtendedError, (void))                                                 \
  F(int, oniSetLogConsoleOutput, (int wanted))                                                 \
  F(int, oniSetLogFileOutput, (int wanted))                                                    \
  F(int, oniGetDeviceList, (struct bd_oni_device **devices, int *count))                       \
  F(int, oniReleaseDeviceList, (struct bd_oni_device *devices))                                \
  F(int, oniDeviceOpen, (const char *uri, void **device))                                      \
  F(int, oniDeviceClose, (void *device))                                                       \
  F(int, oniDeviceCreateStream, (void *device, int sensor, void **stream))                     \
  F(int, oniDeviceEnableDepthColorSync, (void *device))                                        \
  F(int, oniDeviceSetProperty, (void *device, int property, const void *data, int byte_count)) \
  F(int, oniDeviceIsImageRegistrationModeSupported, (void *device, int mode))                  \
  F(void, oniStreamDestroy, (void *stream))                                                    \
  F(int, oniStreamStart, (void *stream))                                                       \
  F(void, oniStreamStop, (void *stream))                                                       \
  F(int, oniStreamReadFrame, (void *stream, struct bd_oni_frame **frame))                      \
  F(int, oniStreamSetProperty, (void *stream, int property, const void *data, int byte_count)) \
  F(int, oniStreamGetProperty, (void *stream, int property, void *data, int *byte_count))      \
  F(int, oniWaitForAnyStream, (void **streams, int count, int *ready, int milliseconds))       \
  F(void, oniFrameRelease, (struct bd_oni_frame *frame))

struct bd_openni {
#define F(result, name, parameters) result(*name) parameters;
  BD_ONI_FUNCTIONS(F)
#undef F
};

/// Finds all functions in an opened library; returns the name of the first missing one, or null.
const char *bd_openni_resolve(void *library, struct bd_openni *functions);
