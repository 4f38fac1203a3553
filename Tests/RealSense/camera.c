// A library that forwards to librealsense2, except for the list of cameras, which contains a software device with generated frames.
//
// It is linked to the whole library, and replaces the functions at the end of this file. The file BACKDROP_TEST_REALSENSE_LINES describes
// the camera, one property a line: "depth WIDTH HEIGHT RATE", "color WIDTH HEIGHT RATE FORMAT", "infrared WIDTH HEIGHT RATE", "usb TYPE",
// "unit METRES", "lag FRAMES" (the delay of colour), "frames COUNT" (the total). Without the file no camera is connected; removing it
// unplugs the cable.

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 1, COLOR = 2, INFRARED = 3 };

struct intrinsics {
  int width, height;
  float ppx, ppy, fx, fy;
  int distortion;
  float coefficients[5];
};

struct extrinsics {
  float rotation[9], translation[3];
};

struct video_stream {
  int type, index, identity, width, height, rate, bytes, format;
  struct intrinsics camera;
};

struct video_frame {
  void *pixels;
  void (*deleter)(void *);
  int stride, bytes;
  double milliseconds;
  int domain, number;
  const void *profile;
  float unit;
};

/// Defines `name` as librealsense2's own function.
#define REAL(result, name, parameters) result(*name) parameters = (result(*) parameters)dlsym(RTLD_NEXT, "rs2_" #name)

static void *device, *sensors[2];
static const void *profiles[8];
static struct video_stream streams[8];
static int count, limit, number;
static double unit;
static int lag;
static const char *path;
static char usb[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int format_of(const char *name) {
  static const struct {
    const char *name;
    int number;
  } all[] = {{"z16", 1},  {"yuyv", 4}, {"rgb8", 5}, {"bgr8", 6}, {"rgba8", 7}, {"bgra8", 8}, {"y8", 9}, {"uyvy", 14}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(all[i].name, name)) return all[i].number;
  return 0;
}

static int bytes_of(int format) { return format == 9 ? 1 : format == 5 || format == 6 ? 3 : format == 7 || format == 8 ? 4 : 2; }

/// A stream's pixels, which tests know: depth is a wall at 2 m with a box at 1 m in the middle, and increases with each frame; the grey of
/// pictures depends on the column.
static uint8_t *pixels_of(const struct video_stream *s, int number) {
  uint8_t *pixels = malloc((size_t)s->width * s->height * s->bytes);
  for (int y = 0; y < s->height; y++) {
    for (int x = 0; x < s->width; x++) {
      uint8_t *p = pixels + ((size_t)y * s->width + x) * s->bytes;
      if (s->type == DEPTH) {
        int is_box = x * 4 >= s->width && x * 4 < 3 * s->width && y * 4 >= s->height;
        uint16_t units = (uint16_t)((is_box ? 1.0 : 2.0) / unit + number % 100);
        if (x == 0) units = 0;
        memcpy(p, &units, 2);
      } else if (s->format == 4) {
        p[0] = (uint8_t)(x & 0xFF), p[1] = 128;
      } else if (s->format == 14) {
        p[0] = 128, p[1] = (uint8_t)(x & 0xFF);
      } else {
        memset(p, x & 0xFF, s->bytes);
      }
    }
  }
  return pixels;
}

static void unplug(void) {
  REAL(void, delete_sensor, (void *));
  REAL(void, delete_device, (void *));
  delete_sensor(sensors[0]), delete_sensor(sensors[1]), delete_device(device);
  device = 0;
}

/// Sends a frame of each stream in order, like two sensors.
static void send_frames(void) {
  REAL(void, software_sensor_on_video_frame, (void *, struct video_frame, void **));
  if (access(path, F_OK)) return unplug();
  if (++number > limit) return;
  for (int i = 0; i < count; i++) {
    int is_color = streams[i].type == COLOR, shown = number - (is_color ? lag : 0);
    if (streams[i].rate != streams[0].rate || shown < 1) continue;
    void *error = 0;
    struct video_frame frame = {pixels_of(&streams[i], shown), free, streams[i].width * streams[i].bytes, streams[i].bytes,
                                1000.0 + shown * 1000.0 / streams[0].rate + 2 * is_color, 0, shown, profiles[i], (float)unit};
    software_sensor_on_video_frame(sensors[is_color], frame, &error);
  }
}

static void *feed(void *unused) {
  (void)unused;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (;;) {
    pthread_mutex_lock(&lock);
    if (device) send_frames();
    long long nanoseconds = next.tv_nsec + 1000000000LL / (count ? streams[0].rate : 100);
    pthread_mutex_unlock(&lock);
    next.tv_sec += nanoseconds / 1000000000, next.tv_nsec = nanoseconds % 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, 0);
  }
  return 0;
}

static void add_stream(int type, int width, int height, int rate, const char *name) {
  REAL(const void *, software_sensor_add_video_stream_ex, (void *, struct video_stream, int, void **));
  void *error = 0;
  int format = format_of(name);
  struct video_stream s = {type, type == INFRARED, count + 1, width, height, rate, bytes_of(format), format,
                           {width, height, width / 2 - 0.5f, height / 2 - 0.5f, width * 0.8f, width * 0.8f, type == COLOR ? 2 : 4, {0}}};
  streams[count] = s;
  profiles[count++] = software_sensor_add_video_stream_ex(sensors[type == COLOR], s, type == DEPTH, &error);
}

/// Plugs in the camera that the file describes.
static void plug_in(FILE *file) {
  REAL(void *, create_software_device, (void **));
  REAL(void *, software_device_add_sensor, (void *, const char *, void **));
  REAL(void, software_device_register_info, (void *, int, const char *, void **));
  REAL(void, software_sensor_add_read_only_option, (void *, int, float, void **));
  REAL(void, software_sensor_add_option, (void *, int, float, float, float, float, int, void **));
  REAL(void, register_extrinsics, (const void *, const void *, struct extrinsics, void **));
  void *error = 0;
  count = 0, limit = 1000000000, number = 0, lag = 0, unit = 0.001;
  strcpy(usb, "3.2");
  device = create_software_device(&error);
  sensors[0] = software_device_add_sensor(device, "Stereo Module", &error);
  sensors[1] = software_device_add_sensor(device, "RGB Camera", &error);
  char line[128], name[16];
  int width, height, rate;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "depth %d %d %d", &width, &height, &rate) == 3) add_stream(DEPTH, width, height, rate, "z16");
    if (sscanf(line, "infrared %d %d %d", &width, &height, &rate) == 3) add_stream(INFRARED, width, height, rate, "y8");
    if (sscanf(line, "color %d %d %d %15s", &width, &height, &rate, name) == 4) add_stream(COLOR, width, height, rate, name);
    sscanf(line, "usb %15s", usb);
    sscanf(line, "unit %lf", &unit);
    sscanf(line, "lag %d", &lag);
    sscanf(line, "frames %d", &limit);
  }
  software_device_register_info(device, 0, "RealSense D400 of the tests", &error);
  software_device_register_info(device, 1, "012345678901", &error);
  software_device_register_info(device, 9, usb, &error);
  software_sensor_add_read_only_option(sensors[0], 28, (float)unit, &error);
  software_sensor_add_option(sensors[0], 12, 0, 6, 1, 0, 1, &error);
  software_sensor_add_option(sensors[0], 18, 0, 1, 1, 1, 1, &error);
  struct extrinsics place = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.015f, 0, 0}};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < count; k++)
      if (streams[i].type == DEPTH && streams[k].type == COLOR) register_extrinsics(profiles[i], profiles[k], place, &error);
}

void *rs2_create_context(int version, void **error) {
  REAL(void *, create_context, (int, void **));
  path = getenv("BACKDROP_TEST_REALSENSE_LINES");
  pthread_t thread;
  pthread_create(&thread, 0, feed, 0);
  return create_context(version, error);
}

/// Plugs the camera in or out, and locks its state until the list is deleted.
void *rs2_query_devices(const void *context, void **error) {
  (void)context, (void)error;
  FILE *file = fopen(path, "r");
  pthread_mutex_lock(&lock);
  if (file && !device) plug_in(file);
  if (!file && device) unplug();
  if (file) fclose(file);
  return &lock;
}

void rs2_delete_device_list(void *list) { pthread_mutex_unlock(list); }

int rs2_get_device_count(const void *list, void **error) {
  (void)list, (void)error;
  return device ? 1 : 0;
}

void *rs2_create_device(const void *list, int index, void **error) {
  (void)list, (void)index;
  REAL(void *, create_device_from_sensor, (const void *, void **));
  return create_device_from_sensor(sensors[0], error);
}

/// Names of the presets, which software devices lack.
const char *rs2_get_option_value_description(const void *sensor, int option, float value, void **error) {
  (void)sensor, (void)error;
  static const char *const names[] = {"Custom", "Default", "Hand", "High Accuracy", "High Density", "Medium Density", "Remove Ir Pattern"};
  return option == 12 && value >= 0 && value < 7 ? names[(int)value] : 0;
}
