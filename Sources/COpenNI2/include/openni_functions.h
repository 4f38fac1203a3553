#pragma once
#include <stdint.h>

// The part of OpenNI2's C API (2.2, OniCAPI.h, OniCTypes.h) that Backdrop uses, as function pointers. The library is
// opened at run time, so nothing is linked and its headers, which are C++ only, are not needed.

enum { BD_ONI_API_VERSION = 2002 };
enum { BD_ONI_OK = 0, BD_ONI_TIME_OUT = 102 };
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
  BD_ONI_DEVICE_PLAYBACK_SPEED = 100,
  BD_ONI_DEVICE_PLAYBACK_REPEAT = 101,
  BD_ONI_STREAM_HORIZONTAL_FOV = 1,
  BD_ONI_STREAM_VERTICAL_FOV = 2,
  BD_ONI_STREAM_VIDEO_MODE = 3,
  BD_ONI_STREAM_MIRRORING = 7,
  BD_ONI_STREAM_FRAME_COUNT = 8
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

/// Each returns a status, 0 for success, unless stated otherwise.
struct bd_openni {
  int (*oniInitialize)(int version);
  const char *(*oniGetExtendedError)(void);
  int (*oniSetLogConsoleOutput)(int wanted);
  int (*oniSetLogFileOutput)(int wanted);
  int (*oniGetDeviceList)(struct bd_oni_device **devices, int *count);
  int (*oniReleaseDeviceList)(struct bd_oni_device *devices);
  int (*oniDeviceOpen)(const char *uri, void **device);
  int (*oniDeviceClose)(void *device);
  int (*oniDeviceCreateStream)(void *device, int sensor, void **stream);
  int (*oniDeviceEnableDepthColorSync)(void *device);
  int (*oniDeviceSetProperty)(void *device, int property, const void *data, int byte_count);
  int (*oniDeviceGetProperty)(void *device, int property, void *data, int *byte_count);
  int (*oniDeviceIsImageRegistrationModeSupported)(void *device, int mode);
  void (*oniStreamDestroy)(void *stream);
  int (*oniStreamStart)(void *stream);
  void (*oniStreamStop)(void *stream);
  int (*oniStreamReadFrame)(void *stream, struct bd_oni_frame **frame);
  int (*oniStreamSetProperty)(void *stream, int property, const void *data, int byte_count);
  int (*oniStreamGetProperty)(void *stream, int property, void *data, int *byte_count);
  int (*oniWaitForAnyStream)(void **streams, int count, int *ready, int milliseconds);
  void (*oniFrameRelease)(struct bd_oni_frame *frame);
};

/// Finds all functions in an opened library; returns the name of the first missing one, or null.
const char *bd_openni_resolve(void *library, struct bd_openni *functions);
