/*
 * backdrop.h: replace the background of pictures, videos and cameras, and play with focus and light afterwards.
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
 * Statuses. Every function that can fail returns a bd_status: BD_OK, a positive one that is no error (BD_STANDBY, BD_END), or a
 * negative error. What went wrong is then told by bd_error_message(), bd_error_hint() and bd_error_path() on the same thread.
 *
 * Handles. A handle is used by one thread at a time: a second one gets BD_WRONG_ARGUMENT, but bd_job_cancel() may be called at
 * any time, and frames are read by any number of threads. Two handles can be used by two threads at once. A handle that was freed, or is of another kind, is found out and gives
 * BD_WRONG_ARGUMENT. In a child made by fork() handles of the parent give BD_FORKED; make the child's own after the fork, before
 * which the parent must not have used any.
 *
 * Memory. What you pass in is borrowed until the function returns, and not written to unless its parameter is a result. Texts that
 * are returned through a char ** are yours: give them back to bd_free().
 *
 * Privacy. Nothing is downloaded, ever: where a network is needed and none is installed, BD_UNSUPPORTED says so. A session for other
 * people's eyes ("audience": "others", the usual of streams) gives the standby frame and BD_STANDBY where the real background would be seen.
 *
 * Versions. Structs begin with their size, so that they can grow; functions are only added as long as the library's name ends
 * in .so.1.
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

/* How a call ended. */
typedef int32_t bd_status;
enum {
  /* It is done. */
  BD_OK = 0,
  /* The picture is the standby frame, not the scene; bd_error_message() says why. */
  BD_STANDBY = 1,
  /* There is no more. */
  BD_END = 2,
  /* The caller asked for something that makes no sense. */
  BD_WRONG_ARGUMENT = -1,
  /* The file or picture is damaged, or nobody is in it. */
  BD_BAD_DATA = -2,
  /* The data is fine, but this build does not handle it, or a network is missing. */
  BD_UNSUPPORTED = -3,
  /* A size, count or memory limit would be exceeded. */
  BD_OVER_LIMIT = -4,
  /* The system, a device or another library refused. */
  BD_SYSTEM = -5,
  /* It was cancelled. */
  BD_INTERRUPTED = -6,
  /* The handle is of the process that this one was forked from. */
  BD_FORKED = -7
};

/* What was wrong in this thread's last call that did not return BD_OK: one line, valid until its next call; "" where nothing was. */
BD_API const char *bd_error_message(void);
/* What to do about it, in one line; "" where there is nothing to say. */
BD_API const char *bd_error_hint(void);
/* The file or device concerned; "" where there is none. */
BD_API const char *bd_error_path(void);

/* ---- the library ---------------------------------------------------------------------------------------------------------- */

/* The library's version, as "0.9.0". */
BD_API const char *bd_version(void);

/* Everything that can be chosen by name, as JSON: {"version", "session": [parameters], "job": [parameters], "source": [parameters],
   "looks": [{"id", "summary", "parameters", …}], "sceneries": [names]}. A parameter has a name, a summary, a kind (number, toggle,
   choice, color, file, text), a default or words for what is automatic, and a range or choices. Where only numbers can be chosen, as on
   a slider, "automaticNumber" stands for what is automatic: give NULL for it. */
BD_API bd_status bd_describe(char **json);

/* Gives back a text, or the bytes of a file. NULL is fine. */
BD_API void bd_free(void *memory);

/* Told of what is worth knowing and no error; called on the thread of the call that it is about. */
typedef void (*bd_log_function)(void *context, const char *message, const char *hint);
/* Where messages go from now on; NULL for nowhere, as at first. */
BD_API void bd_set_log(bd_log_function function, void *context);

/* Something that is set by its name, as bd_describe() lists them; a NULL value is its default. Numbers are written as "0.5",
   switches as "on" and "off", colours as "#RRGGBB" or by their names in CSS. */
typedef struct bd_option {
  const char *name;
  const char *value;
} bd_option;

/* ---- pictures: sRGB, or Y'CbCr of it -------------------------------------------------------------------------------------- */

/* How samples lie in memory. */
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
  /* 8-bit grey; of mattes 0…255. */
  BD_GRAY8 = 6,
  /* 32-bit float; of mattes 0…1, of depth metres, of disparity 1/metres or the camera's own scale, with NaN where nothing is known. */
  BD_FLOAT = 7
};

/* How Y'CbCr relates to R'G'B'. */
enum { BD_MATRIX_USUAL = 0, BD_BT601 = 1, BD_BT709 = 2, BD_BT2020 = 3 };
/* Which samples mean black and white: 16…235, or 0…255. */
enum { BD_RANGE_USUAL = 0, BD_LIMITED = 1, BD_FULL = 2 };
/* What alpha means; of formats that have it. */
enum { BD_ALPHA_OPAQUE = 0, BD_ALPHA_STRAIGHT = 1, BD_ALPHA_PREMULTIPLIED = 2 };

/* A picture, matte or depth map in memory that belongs to somebody else. */
typedef struct bd_image {
  /* sizeof(bd_image). */
  size_t size;
  /* BD_I420 … BD_FLOAT. */
  int32_t format;
  /* In pixels, 1…32768. */
  int32_t width, height;
  /* The first byte of each plane that the format has. */
  void *planes[3];
  /* Bytes from a row of each plane to the next: at least those of a row. */
  ptrdiff_t strides[3];
  /* BD_BT601 …; usual is BT.709 for Y'CbCr. */
  int32_t matrix;
  /* BD_LIMITED …; usual is limited for Y'CbCr. */
  int32_t range;
  /* BD_ALPHA_STRAIGHT … */
  int32_t alpha;
  int32_t reserved;
  /* When it is shown, in seconds of its stream; does not matter for single pictures. */
  double time;
} bd_image;

/* A picture with all that is known of it, in memory of the library's own. */
typedef struct bd_frame bd_frame;

/* ---- sessions: pictures in memory ----------------------------------------------------------------------------------------- */

/* Makes mattes and draws looks: for the frames of one stream, or for single pictures of one size. It keeps networks, and what is
   learned of the stream. */
typedef struct bd_session bd_session;

/* What a session is for. */
typedef struct bd_session_options {
  /* sizeof(bd_session_options). */
  size_t size;
  /* Of the pictures, in pixels; 0 and 0 for single pictures of any size. */
  int32_t width, height;
  /* Whether pictures have nothing to do with each other; otherwise they are the frames of a stream. */
  int32_t is_still;
  /* Whether depth in metres comes with them. */
  int32_t has_depth;
  /* Threads for drawing and networks; 0 for one a processor, or for half of that where a rate is given: the program that takes and
     shows the frames needs the others. */
  int32_t threads;
  int32_t reserved;
  /* Frames in a second; 0 where that is not known. Mattes are made as often as keeps up with it. */
  double rate;
  /* What is set by name: what bd_describe() lists under "session" and under the look. */
  const bd_option *options;
  size_t option_count;
} bd_session_options;

#define BD_SESSION_OPTIONS {sizeof(bd_session_options), 0, 0, 0, 0, 0, 0, 0, NULL, 0}

/* Makes a session and loads the networks that it needs. */
BD_API bd_status bd_session_create(const bd_session_options *options, bd_session **session);
/* Ends it. NULL and what was freed are fine. */
BD_API void bd_session_free(bd_session *session);
/* Sets something by name, from the next picture on; NULL puts it back to its default. */
BD_API bd_status bd_session_set(bd_session *session, const char *name, const char *value);
/* Puts a picture in memory behind, of any size, until "background" is set. */
BD_API bd_status bd_session_set_background(bd_session *session, const bd_image *picture);
/* The format and size of what bd_session_render() draws of pictures in a format: BD_BGRA with straight alpha where the background is
   left out, twice as wide for looks of two views. Where the session has no size, output's is that of the pictures before. */
BD_API bd_status bd_session_output(bd_session *session, int32_t format, bd_image *output);
/* Draws a picture with the look. depth is BD_FLOAT in metres of any size, and NULL without; output has the size, and any format
   without loss of alpha, of bd_session_output(). BD_STANDBY: output is the standby frame. */
BD_API bd_status bd_session_render(bd_session *session, const bd_image *image, const bd_image *depth, bd_image *output);
/* The matte of a picture, into BD_GRAY8 or BD_FLOAT of any size: 0 everywhere where a stream shows nobody; BD_BAD_DATA for a single
   picture without anybody. */
BD_API bd_status bd_session_matte(bd_session *session, const bd_image *image, const bd_image *depth, bd_image *matte);
/* The same of a frame of the library's own, with all that is known of it: its depth, the mattes in a photo. */
BD_API bd_status bd_session_render_frame(bd_session *session, bd_frame *frame, bd_image *output);
BD_API bd_status bd_session_matte_frame(bd_session *session, bd_frame *frame, bd_image *matte);
/* The matte that the last picture was drawn through. */
BD_API bd_status bd_session_last_matte(bd_session *session, bd_image *matte);
/* Draws the standby frame. */
BD_API bd_status bd_session_standby(bd_session *session, double time, bd_image *output);
/* Forgets what was learned of the stream, as after a cut or a seek; networks stay. */
BD_API bd_status bd_session_reset(bd_session *session);
/* What is known of the session, as JSON: {"networks", "mattes", "subjectFrom", "cutoffMetres", "focus", "values", "warnings"}. */
BD_API bd_status bd_session_describe(bd_session *session, char **json);

/* ---- frames: pictures of the library's own -------------------------------------------------------------------------------- */

/* Which part of a frame. */
enum {
  BD_PART_IMAGE = 0,
  /* Metres. */
  BD_PART_DEPTH = 1,
  /* Inverse distances: 1/metres, or on a scale of the camera's own. */
  BD_PART_DISPARITY = 2,
  /* The mattes in a photo, 0…1. */
  BD_PART_PORTRAIT = 3,
  BD_PART_SKIN = 4,
  BD_PART_HAIR = 5,
  BD_PART_TEETH = 6,
  BD_PART_GLASSES = 7,
  BD_PART_SKY = 8
};

/* A part of a frame where it lies: valid until the frame is freed, and not to be written to. BD_END where it has no such part. */
BD_API bd_status bd_frame_view(bd_frame *frame, int32_t part, bd_image *view);
/* Depth in colours for people, from BD_FLOAT in metres, as BD_RGBA: by a palette ("spectrum", "turbo", "viridis", "grey"; NULL for
   the first) between two distances (0 and 0 for those of the map). */
BD_API bd_status bd_depth_colorize(const bd_image *depth, const char *palette, double nearest, double farthest, bd_frame **picture);
/* Whether the frame is the standby frame: BD_OK or BD_STANDBY. */
BD_API bd_status bd_frame_standing(bd_frame *frame);
/* Ends it. */
BD_API void bd_frame_free(bd_frame *frame);
/* Converts a picture to another format of the same size. Alpha is 255 where there was none, and dropped where there is no place. */
BD_API bd_status bd_picture_convert(const bd_image *image, bd_image *result);
/* Reads a picture file, upright, as BD_RGB, or BD_RGBA where it has alpha. */
BD_API bd_status bd_picture_read(const char *path, bd_frame **picture);
/* The same of a file in memory. */
BD_API bd_status bd_picture_decode(const void *bytes, size_t byte_count, bd_frame **picture);
/* The bytes of a file of a kind: "png", "jpeg", "webp", "avif". */
BD_API bd_status bd_picture_encode(const bd_image *image, const char *kind, int32_t quality, void **bytes, size_t *byte_count);
/* Writes a picture as the kind that the name's ending asks for, and moves it into place when it is whole. quality is 1…100, or 0 for
   the usual. */
BD_API bd_status bd_picture_write(const bd_image *image, const char *path, int32_t quality, int32_t overwrite);

/* ---- photos, videos, cameras ---------------------------------------------------------------------------------------------- */

/* A file with a photo, and what the camera put into it. */
typedef struct bd_photo bd_photo;

/* Opens a photo; only its structure is read. depth is a file of distances that belong to it, or NULL. */
BD_API bd_status bd_photo_open(const char *path, const char *depth, bd_photo **photo);
/* What is inside, as JSON: {"path", "container", "width", "height", "parts", "mattes", "metadata"}. */
BD_API bd_status bd_photo_describe(bd_photo *photo, char **json);
/* The picture with all that is known of it. */
BD_API bd_status bd_photo_frame(bd_photo *photo, bd_frame **frame);
/* Writes the photo with all its parts as the kind that the name's ending asks for. */
BD_API bd_status bd_photo_write(bd_photo *photo, const char *path, int32_t quality, int32_t overwrite);
/* Ends it. */
BD_API void bd_photo_free(bd_photo *photo);

/* Scenes one after the other: of a video, a recording, a picture, a camera or the simulated one. */
typedef struct bd_source bd_source;

/* Opens a file, a folder of pictures, "sim:talking", or a camera ("camera:/dev/video0", "camera:auto"). Options are those of
   bd_describe()'s "source": start, duration, size, fps, depth. */
BD_API bd_status bd_source_open(const char *name, const bd_option *options, size_t option_count, bd_source **source);
/* What it is, as JSON: {"name", "width", "height", "framesPerSecond", "frames", "isStill", "hasDepth"}. */
BD_API bd_status bd_source_describe(bd_source *source, char **json);
/* The next scene, or BD_END. */
BD_API bd_status bd_source_next(bd_source *source, bd_frame **frame);
/* Ends it. */
BD_API void bd_source_free(bd_source *source);

/* ---- jobs: files to files ------------------------------------------------------------------------------------------------- */

/* A photo or video that is taken through a look to a file. */
typedef struct bd_job bd_job;

/* Told the number of frames done; whatever but 0 ends the job. */
typedef int32_t (*bd_progress_function)(void *context, int64_t frames);

/* What a job does. */
typedef struct bd_job_options {
  /* sizeof(bd_job_options). */
  size_t size;
  /* What is read: as bd_source_open(). */
  const char *input;
  /* Where the result goes; NULL for the frame that bd_job_run() gives. */
  const char *output;
  /* Where the mattes go; NULL for nowhere. */
  const char *matte;
  /* Whether files that exist may be replaced; never those that are read. */
  int32_t overwrite;
  /* Threads for drawing and networks; 0 for what suits the machine. */
  int32_t threads;
  /* As of sessions, and what bd_describe() lists under "job" and "source". */
  const bd_option *options;
  size_t option_count;
  /* NULL for nobody. */
  bd_progress_function progress;
  void *progress_context;
} bd_job_options;

#define BD_JOB_OPTIONS {sizeof(bd_job_options), NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL}

/* Checks everything before anything is decoded or written. */
BD_API bd_status bd_job_create(const bd_job_options *options, bd_job **job);
/* Does the work on the caller's thread and some of its own; nothing is left behind unless all of it succeeds. picture (or NULL) gets
   what was drawn where there is no output, summary (or NULL) the job's summary as JSON. A job runs once. */
BD_API bd_status bd_job_run(bd_job *job, bd_frame **picture, char **summary);
/* Ends the work soon; bd_job_run() then gives BD_INTERRUPTED. From any thread, and from signal handlers not. */
BD_API bd_status bd_job_cancel(bd_job *job);
/* Ends it. */
BD_API void bd_job_free(bd_job *job);

/* ---- point clouds --------------------------------------------------------------------------------------------------------- */

/* Points in space that a depth map shows: metres, x right, y down, z forward. */
typedef struct bd_cloud bd_cloud;

/* A camera, for a picture of one size; lengths in pixels. */
typedef struct bd_camera {
  /* sizeof(bd_camera). */
  size_t size;
  int32_t width, height;
  double fx, fy, cx, cy;
} bd_camera;

/* The points of a frame with depth; BD_WRONG_ARGUMENT where its camera is not known. */
BD_API bd_status bd_cloud_create(bd_frame *frame, bd_cloud **cloud);
/* The points of a map of BD_FLOAT in metres; image (or NULL) gives the colours. */
BD_API bd_status bd_cloud_create_from(const bd_image *depth, const bd_image *image, const bd_camera *camera, bd_cloud **cloud);
/* How many points there are; 0 for no cloud. */
BD_API int64_t bd_cloud_count(bd_cloud *cloud);
/* Writes x, y, z of each point (3 floats), and R, G, B (3 bytes), for as many points as there are; either may be NULL. */
BD_API bd_status bd_cloud_points(bd_cloud *cloud, float *positions, uint8_t *colors);
/* Writes a file: .ply, .pcd, .glb. */
BD_API bd_status bd_cloud_write(bd_cloud *cloud, const char *path, int32_t overwrite);
/* Draws the cloud seen from yaw and pitch (degrees) at a zoom, as BD_RGB of that size. */
BD_API bd_status bd_cloud_draw(bd_cloud *cloud, int32_t width, int32_t height, double yaw, double pitch, double zoom, bd_frame **picture);
/* Ends it. */
BD_API void bd_cloud_free(bd_cloud *cloud);

#ifdef __cplusplus
}
#endif
#endif
