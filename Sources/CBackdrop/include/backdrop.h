/*
 * backdrop.h: replace the background of pictures, videos and cameras, and change focus, light and depth.
 *
 * The C interface of Backdrop (libbackdrop.so.1). C11 and C++17.
 *
 *     bd_session_options options = BD_SESSION_OPTIONS;
 *     bd_option values[] = {{"look", "backdrop"}, {"background", "scene:dunes"}};
 *     options.width = 1280, options.height = 720, options.options = values, options.option_count = 2;
 *     bd_session *session;
 *     if (bd_session_create(&options, &session) != BD_OK) fprintf(stderr, "%s\n", bd_error_message());
 *     bd_status status = bd_session_render(session, &frame, NULL, &result);
 *
 * Statuses. Every function that can fail returns a bd_status: BD_OK, a positive status that is not an error (BD_STANDBY, BD_END), or
 * a negative error. bd_error_message(), bd_error_hint() and bd_error_path() on the same thread then describe the error.
 *
 * Handles. Use a handle on one thread at a time: a second thread gets BD_WRONG_ARGUMENT. You may call bd_job_cancel() at any time,
 * and any number of threads may read a frame. Two threads can use two handles at once. A freed handle, or one of the wrong kind,
 * gives BD_WRONG_ARGUMENT. In a child made by fork(), the parent's handles give BD_FORKED. Make the child's own handles after the
 * fork; the parent must not have used the library before it.
 *
 * Memory. The library borrows your arguments until the function returns, and writes only to results. You own texts that a function
 * returns through a char **: pass them to bd_free().
 *
 * Privacy. The library never downloads anything: if it needs a network that is not installed, it returns BD_UNSUPPORTED. A session
 * for other people ("audience": "others", the default for cameras) gives the standby frame and BD_STANDBY instead of a picture that
 * would show the real background.
 *
 * Versions. Structs begin with their size, so that they can grow. A library whose name ends in .so.1 only gains functions.
 */
#ifndef BACKDROP_H
#define BACKDROP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BD_API __attribute__((visibility("default")))
#else
#define BD_API
#endif

/* ---- statuses ------------------------------------------------------------------------------------------------------------- */

/* The result of a call. */
typedef int32_t bd_status;
enum {
  /* The call succeeded. */
  BD_OK = 0,
  /* The picture is the standby frame, not the scene; bd_error_message() gives the reason. */
  BD_STANDBY = 1,
  /* The end of the stream, or a part that does not exist. */
  BD_END = 2,
  /* An argument is wrong. */
  BD_WRONG_ARGUMENT = -1,
  /* The file or picture is damaged, or shows nobody. */
  BD_BAD_DATA = -2,
  /* This build does not handle the data, or a network is missing. */
  BD_UNSUPPORTED = -3,
  /* The call would exceed a limit of size, count or memory. */
  BD_OVER_LIMIT = -4,
  /* The system, a device or another library refused. */
  BD_SYSTEM = -5,
  /* The job was cancelled. */
  BD_INTERRUPTED = -6,
  /* The handle belongs to the process that this one was forked from. */
  BD_FORKED = -7
};

/* The message of this thread's last call that did not return BD_OK: one line, valid until its next call; "" for none. */
BD_API const char *bd_error_message(void);
/* The hint, in one line; "" for none. */
BD_API const char *bd_error_hint(void);
/* The file or device concerned; "" for none. */
BD_API const char *bd_error_path(void);

/* ---- the library ---------------------------------------------------------------------------------------------------------- */

/* The library's version, as "0.9.0". */
BD_API const char *bd_version(void);

/* All choices by name, as JSON: {"version", "session": [parameters], "job": [parameters], "source": [parameters],
   "looks": [{"id", "summary", "parameters", …}], "sceneries": [names], "pictures": [{"name", "title", "fileExtensions", …}]}. A parameter
   has a name, a summary, a kind (number, toggle, choice, color, file, text), a default or a description of its automatic value, and a
   range or choices. Where only numbers can be chosen, as on a slider, "automaticNumber" stands for what is automatic: give NULL for
   it. Jobs write pictures of formats with "isWritten", and bd_picture_encode() those with "isEncoded". */
BD_API bd_status bd_describe(char **json);

/* Frees a text, or the bytes of a file. NULL is allowed. */
BD_API void bd_free(void *memory);

/* Receives warnings and notes, on the thread of the call that they concern. */
typedef void (*bd_log_function)(void *context, const char *message, const char *hint);
/* Sets the receiver of warnings and notes; NULL, the default, for none. */
BD_API void bd_set_log(bd_log_function function, void *context);

/* A parameter of bd_describe() with its value; NULL is its default. Write numbers as "0.5", switches as "on" and "off", and colours
   as "#RRGGBB" or by their CSS names. */
typedef struct bd_option {
  const char *name;
  const char *value;
} bd_option;

/* ---- pictures: sRGB, or Y'CbCr of it -------------------------------------------------------------------------------------- */

/* The layout of samples in memory. */
enum {
  /* 8-bit Y', Cb, Cr in three planes, chroma at half width and height (rounded up). */
  BD_I420 = 1,
  /* 8-bit Y', then interleaved Cb Cr at half width and height. */
  BD_NV12 = 2,
  /* 8-bit blue, green, red, alpha. */
  BD_BGRA = 3,
  /* 8-bit red, green, blue, alpha. */
  BD_RGBA = 4,
  /* 8-bit red, green, blue. */
  BD_RGB = 5,
  /* 8-bit grey; mattes are 0…255. */
  BD_GRAY8 = 6,
  /* 32-bit float: mattes are 0…1, depth is in metres, disparity in 1/metres or on the camera's own scale. NaN is a hole. */
  BD_FLOAT = 7
};

/* The matrix between Y'CbCr and R'G'B'. */
enum { BD_MATRIX_USUAL = 0, BD_BT601 = 1, BD_BT709 = 2, BD_BT2020 = 3 };
/* The samples of black and white: 16…235, or 0…255. */
enum { BD_RANGE_USUAL = 0, BD_LIMITED = 1, BD_FULL = 2 };
/* The kind of alpha, for formats with alpha. */
enum { BD_ALPHA_OPAQUE = 0, BD_ALPHA_STRAIGHT = 1, BD_ALPHA_PREMULTIPLIED = 2 };

/* A picture, matte or depth map in memory of the caller. */
typedef struct bd_image {
  /* sizeof(bd_image). */
  size_t size;
  /* BD_I420 … BD_FLOAT. */
  int32_t format;
  /* In pixels, 1…32768. */
  int32_t width, height;
  /* The first byte of each plane of the format. */
  void *planes[3];
  /* Bytes from one row of each plane to the next, at least the bytes of a row. */
  ptrdiff_t strides[3];
  /* BD_BT601 …; the default is BT.709 for Y'CbCr. */
  int32_t matrix;
  /* BD_LIMITED …; the default is limited for Y'CbCr. */
  int32_t range;
  /* BD_ALPHA_STRAIGHT … */
  int32_t alpha;
  int32_t reserved;
  /* The time in its stream, in seconds; ignored for single pictures. */
  double time;
} bd_image;

/* A picture with its depth and mattes, in memory of the library. */
typedef struct bd_frame bd_frame;

/* ---- sessions: pictures in memory ----------------------------------------------------------------------------------------- */

/* Makes mattes and draws looks, for the frames of one stream or for single pictures of one size. It keeps its networks and its memory of
   the stream. */
typedef struct bd_session bd_session;

/* The options of a session. */
typedef struct bd_session_options {
  /* sizeof(bd_session_options). */
  size_t size;
  /* The size of the pictures, in pixels; 0 and 0 for single pictures of any size. */
  int32_t width, height;
  /* 1 for single pictures, 0 for the frames of a stream. */
  int32_t is_still;
  /* 1 if you pass depth in metres with the pictures. */
  int32_t has_depth;
  /* Threads for drawing and networks; 0 for one per processor, or half of that with a rate: the program that takes and
     shows the frames needs the others. */
  int32_t threads;
  /* 1 for the frames of a file: each is analyzed, however long that takes, and drawn as a job draws it, so "audience" is "self" unless
     you set it. 0 for a camera. */
  int32_t is_file;
  /* Frames per second; 0 if unknown. The session makes as many mattes as it can at this rate. */
  double rate;
  /* Parameters by name: those that bd_describe() lists under "session" and under the look. */
  const bd_option *options;
  size_t option_count;
} bd_session_options;

#define BD_SESSION_OPTIONS {sizeof(bd_session_options), 0, 0, 0, 0, 0, 0, 0, NULL, 0}

/* Makes a session and loads the networks that it needs. */
BD_API bd_status bd_session_create(const bd_session_options *options, bd_session **session);
/* Frees it. NULL and a freed handle are allowed. */
BD_API void bd_session_free(bd_session *session);
/* Sets a parameter by name, from the next picture on; NULL resets it to its default. */
BD_API bd_status bd_session_set(bd_session *session, const char *name, const char *value);
/* Uses a picture in memory, of any size, as the background, until you set "background". */
BD_API bd_status bd_session_set_background(bd_session *session, const bd_image *picture);
/* The format and size of the output of bd_session_render() for pictures in a format: BD_BGRA with straight alpha without a background,
   twice as wide for looks with two views. If the session has no size, set the size of your pictures in output first. */
BD_API bd_status bd_session_output(bd_session *session, int32_t format, bd_image *output);
/* Draws a picture with the look. depth is BD_FLOAT in metres, of any size, or NULL. output has the size of bd_session_output(), and its
   format or another one that keeps alpha. BD_STANDBY: output is the standby frame. */
BD_API bd_status bd_session_render(bd_session *session, const bd_image *image, const bd_image *depth, bd_image *output);
/* The matte of a picture, as BD_GRAY8 or BD_FLOAT of any size. If a stream shows nobody, it is 0 everywhere; for a single picture that
   shows nobody, the call returns BD_BAD_DATA. */
BD_API bd_status bd_session_matte(bd_session *session, const bd_image *image, const bd_image *depth, bd_image *matte);
/* The same for a frame of the library, with its depth and a photo's mattes. */
BD_API bd_status bd_session_render_frame(bd_session *session, bd_frame *frame, bd_image *output);
BD_API bd_status bd_session_matte_frame(bd_session *session, bd_frame *frame, bd_image *matte);
/* The matte of the last picture. */
BD_API bd_status bd_session_last_matte(bd_session *session, bd_image *matte);
/* Draws the standby frame. */
BD_API bd_status bd_session_standby(bd_session *session, double time, bd_image *output);
/* Forgets the stream so far, for a cut or a seek; the networks stay loaded. */
BD_API bd_status bd_session_reset(bd_session *session);
/* The state of the session, as JSON: {"networks", "mattes", "subjectFrom", "cutoffMetres", "focus", "values", "warnings"}. */
BD_API bd_status bd_session_describe(bd_session *session, char **json);

/* ---- frames: pictures of the library's own -------------------------------------------------------------------------------- */

/* The parts of a frame. */
enum {
  BD_PART_IMAGE = 0,
  /* Metres. */
  BD_PART_DEPTH = 1,
  /* Inverse distances in 1/metres, or on the camera's own scale. */
  BD_PART_DISPARITY = 2,
  /* The mattes in a photo, 0…1. */
  BD_PART_PORTRAIT = 3,
  BD_PART_SKIN = 4,
  BD_PART_HAIR = 5,
  BD_PART_TEETH = 6,
  BD_PART_GLASSES = 7,
  BD_PART_SKY = 8
};

/* A view of a part of a frame: read-only, and valid until you free the frame. BD_END if the frame has no such part. */
BD_API bd_status bd_frame_view(bd_frame *frame, int32_t part, bd_image *view);
/* Draws depth (BD_FLOAT in metres) in colours, as BD_RGBA: with a palette ("spectrum", "turbo", "viridis", "grey"; NULL for
   the first) between two distances (0 and 0 for those of the map). */
BD_API bd_status bd_depth_colorize(const bd_image *depth, const char *palette, double nearest, double farthest, bd_frame **picture);
/* Whether the frame is the standby frame: BD_OK or BD_STANDBY. */
BD_API bd_status bd_frame_standing(bd_frame *frame);
/* Frees it. */
BD_API void bd_frame_free(bd_frame *frame);
/* Converts a picture to another format of the same size. It sets missing alpha to 255, and drops alpha that the format cannot hold. */
BD_API bd_status bd_picture_convert(const bd_image *image, bd_image *result);
/* Reads a picture file, upright, as BD_RGB, or BD_RGBA if it has alpha. */
BD_API bd_status bd_picture_read(const char *path, bd_frame **picture);
/* The same for a file in memory. */
BD_API bd_status bd_picture_decode(const void *bytes, size_t byte_count, bd_frame **picture);
/* The bytes of a file of a kind, such as "png" or "jpeg"; bd_describe() lists them under "pictures". */
BD_API bd_status bd_picture_encode(const bd_image *image, const char *kind, int32_t quality, void **bytes, size_t *byte_count);
/* Writes a picture in the format of the name's extension, and moves it into place when it is complete. quality is 1…100, or 0 for the
   default. */
BD_API bd_status bd_picture_write(const bd_image *image, const char *path, int32_t quality, int32_t overwrite);

/* ---- photos, videos, cameras ---------------------------------------------------------------------------------------------- */

/* A photo's file, with the parts that the camera stored. */
typedef struct bd_photo bd_photo;

/* Opens a photo and reads only its structure. depth is a file with the photo's distances, or NULL. */
BD_API bd_status bd_photo_open(const char *path, const char *depth, bd_photo **photo);
/* The contents, as JSON: {"path", "container", "width", "height", "parts", "mattes", "metadata"}. */
BD_API bd_status bd_photo_describe(bd_photo *photo, char **json);
/* The picture with its depth and mattes. */
BD_API bd_status bd_photo_frame(bd_photo *photo, bd_frame **frame);
/* Writes the photo with all its parts, in the format of the name's extension. */
BD_API bd_status bd_photo_write(bd_photo *photo, const char *path, int32_t quality, int32_t overwrite);
/* Frees it. */
BD_API void bd_photo_free(bd_photo *photo);

/* The scenes of a video, a recording, a picture, a camera or the simulated camera, in order. */
typedef struct bd_source bd_source;

/* Opens a file, a folder of pictures, "sim:talking", or a camera ("camera:/dev/video0", "camera:auto"). Options are those of
   bd_describe()'s "source": start, duration, size, fps, depth. */
BD_API bd_status bd_source_open(const char *name, const bd_option *options, size_t option_count, bd_source **source);
/* The properties, as JSON: {"name", "width", "height", "framesPerSecond", "frames", "isStill", "hasDepth"}. */
BD_API bd_status bd_source_describe(bd_source *source, char **json);
/* The next scene, or BD_END. */
BD_API bd_status bd_source_next(bd_source *source, bd_frame **frame);
/* Frees it. */
BD_API void bd_source_free(bd_source *source);

/* ---- jobs: files to files ------------------------------------------------------------------------------------------------- */

/* Applies a look to a photo or a video and writes a file. */
typedef struct bd_job bd_job;

/* Receives the number of finished frames; any result but 0 ends the job. */
typedef int32_t (*bd_progress_function)(void *context, int64_t frames);

/* The options of a job. */
typedef struct bd_job_options {
  /* sizeof(bd_job_options). */
  size_t size;
  /* The input, as for bd_source_open(). */
  const char *input;
  /* The output file; NULL to get a frame from bd_job_run() instead. */
  const char *output;
  /* The file for mattes; NULL for none. */
  const char *matte;
  /* 1 to replace existing files; a job never replaces its inputs. */
  int32_t overwrite;
  /* Threads for drawing and networks; 0 to let the library choose. */
  int32_t threads;
  /* The parameters of sessions, and those that bd_describe() lists under "job" and "source". */
  const bd_option *options;
  size_t option_count;
  /* NULL for no progress. */
  bd_progress_function progress;
  void *progress_context;
} bd_job_options;

#define BD_JOB_OPTIONS {sizeof(bd_job_options), NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL}

/* Checks all options and inputs before it decodes or writes anything. */
BD_API bd_status bd_job_create(const bd_job_options *options, bd_job **job);
/* Does the work on the caller's thread and on threads of its own. If it fails, it leaves no file behind. picture (or NULL) gets the
   result of a job without an output, summary (or NULL) the job's summary as JSON. A job runs once. */
BD_API bd_status bd_job_run(bd_job *job, bd_frame **picture, char **summary);
/* Ends the work soon; bd_job_run() then returns BD_INTERRUPTED. Call it from any thread, but not from a signal handler. */
BD_API bd_status bd_job_cancel(bd_job *job);
/* Frees it. */
BD_API void bd_job_free(bd_job *job);

/* ---- point clouds --------------------------------------------------------------------------------------------------------- */

/* The point cloud of a depth map, in metres: x right, y down, z forward. */
typedef struct bd_cloud bd_cloud;

/* A camera, for a picture of one size; lengths in pixels. */
typedef struct bd_camera {
  /* sizeof(bd_camera). */
  size_t size;
  int32_t width, height;
  double fx, fy, cx, cy;
} bd_camera;

/* The points of a frame with depth; BD_WRONG_ARGUMENT if it has no camera intrinsics. */
BD_API bd_status bd_cloud_create(bd_frame *frame, bd_cloud **cloud);
/* The points of a map of BD_FLOAT in metres; image (or NULL) gives the colours. */
BD_API bd_status bd_cloud_create_from(const bd_image *depth, const bd_image *image, const bd_camera *camera, bd_cloud **cloud);
/* The number of points; 0 for NULL. */
BD_API int64_t bd_cloud_count(bd_cloud *cloud);
/* Writes x, y, z of each point (3 floats), and R, G, B (3 bytes), for every point; either may be NULL. */
BD_API bd_status bd_cloud_points(bd_cloud *cloud, float *positions, uint8_t *colors);
/* Writes a file: .ply, .pcd, .glb. */
BD_API bd_status bd_cloud_write(bd_cloud *cloud, const char *path, int32_t overwrite);
/* Draws the cloud from yaw and pitch (degrees) at a zoom, as BD_RGB of that size. */
BD_API bd_status bd_cloud_draw(bd_cloud *cloud, int32_t width, int32_t height, double yaw, double pitch, double zoom, bd_frame **picture);
/* Frees it. */
BD_API void bd_cloud_free(bd_cloud *cloud);

#ifdef __cplusplus
}
#endif
#endif
