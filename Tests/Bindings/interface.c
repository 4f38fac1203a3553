// Correct and wrong uses of the C interface, in C11, and in C++17 through interface.cpp. Prints a line for each check that passes.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backdrop.h"

static int failures = 0;

static void expect(int holds, const char *what) {
  printf("%s %s%s%s\n", holds ? "ok  " : "FAIL", what, holds ? "" : ": ", holds ? "" : bd_error_message());
  failures += !holds;
}

// Whether a call returned the wanted status, with a message of one line and, for errors, a hint.
static int told(bd_status status, bd_status wanted) {
  return status == wanted && bd_error_message()[0] != 0 && strchr(bd_error_message(), '\n') == NULL &&
         strchr(bd_error_hint(), '\n') == NULL;
}

static bd_image picture(int32_t format, int width, int height, unsigned char *memory) {
  bd_image image;
  memset(&image, 0, sizeof image);
  image.size = sizeof image, image.format = format, image.width = width, image.height = height;
  image.planes[0] = memory;
  if (format == BD_I420) {
    image.strides[0] = width;
    image.planes[1] = memory + (size_t)width * (size_t)height;
    image.strides[1] = image.strides[2] = (width + 1) / 2;
    image.planes[2] = memory + (size_t)width * (size_t)height + (size_t)((width + 1) / 2) * (size_t)((height + 1) / 2);
  } else {
    image.strides[0] = width * (format == BD_RGB ? 3 : format == BD_GRAY8 ? 1 : 4);
  }
  return image;
}

static bd_session *session(int width, int height, int is_still, const char *background) {
  bd_session_options options = BD_SESSION_OPTIONS;
  // Only depth, so no network is needed.
  bd_option values[] = {{"matte", "depth"}, {"background", background}, {"audience", "self"}};
  bd_session *made = NULL;
  options.width = width, options.height = height, options.is_still = is_still, options.has_depth = 1;
  options.options = values, options.option_count = 3, options.threads = 1;
  expect(bd_session_create(&options, &made) == BD_OK && made != NULL, "a session is made");
  return made;
}

static void wrong_options(void) {
  bd_session_options options = BD_SESSION_OPTIONS;
  bd_session *made = NULL;
  bd_option value = {"look", "backdrop"};
  expect(told(bd_session_create(NULL, &made), BD_WRONG_ARGUMENT) && !made, "no options");
  expect(told(bd_session_create(&options, NULL), BD_WRONG_ARGUMENT), "no place for the session");
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "a stream of no size");
  options.width = options.height = 40000;
  expect(told(bd_session_create(&options, &made), BD_OVER_LIMIT), "40,000 pixels on a side");
  options.width = -1;
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "a negative size");
  options.width = options.height = 64, options.size = 3;
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "a struct of another size");
  options.size = sizeof options, options.rate = NAN;
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "a rate that is no number");
  options.rate = 0, options.threads = -3;
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "a negative number of threads");
  options.threads = 1, options.option_count = 1, options.options = NULL;
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "options that are not there");
  options.options = &value, value.name = NULL;
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "an option without a name");
  value.name = "colour";
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "an option that there is not");
  value.name = "refine", value.value = "nan";
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "an option that is no number");
  value.value = "7";
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT), "an option out of range");
  value.name = "background", value.value = "/nonexistent.png";
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT) && strstr(bd_error_path(), "nonexistent"),
         "a background that is not there");
  value.name = "look", value.value = "noirr";
  expect(told(bd_session_create(&options, &made), BD_WRONG_ARGUMENT) && strstr(bd_error_hint(), "noir"), "a misspelt look");
}

static void wrong_pictures(bd_session *made, bd_image good, bd_image depth, bd_image result) {
  bd_image image = good;
  expect(told(bd_session_render(made, NULL, NULL, &result), BD_WRONG_ARGUMENT), "no picture");
  expect(told(bd_session_render(made, &good, NULL, NULL), BD_WRONG_ARGUMENT), "no result");
  image.planes[0] = NULL;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a plane that is NULL");
  image = good, image.strides[0] = 3;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a stride that is too short");
  image.strides[0] = -image.strides[0];
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a negative stride");
  image = good, image.width = 0;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a width of 0");
  image.width = 40000;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_OVER_LIMIT), "a width of 40,000");
  image = good, image.format = 99;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a format that there is not");
  image = good, image.time = INFINITY;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a time that is no number");
  image = good, image.size = 0;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a picture of another version");
  image = good, image.matrix = 17;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a matrix that there is not");
  expect(told(bd_session_render(made, &good, &good, &result), BD_WRONG_ARGUMENT), "depth in another format");
  image = good, image.width = 8;
  expect(told(bd_session_render(made, &image, NULL, &result), BD_WRONG_ARGUMENT), "a picture of another size");
  image = result, image.width = 8;
  expect(told(bd_session_render(made, &good, &depth, &image), BD_WRONG_ARGUMENT), "a result of another size");
  expect(told(bd_session_set(made, "background", "#12"), BD_WRONG_ARGUMENT), "a colour that is none");
  expect(told(bd_session_set(made, NULL, "1"), BD_WRONG_ARGUMENT), "no name");
  expect(told(bd_session_describe(made, NULL), BD_WRONG_ARGUMENT), "no place for a text");
  expect(bd_session_render(made, &good, &depth, &result) == BD_OK, "and the session goes on");
}

static void wrong_handles(void) {
  bd_session *made = session(16, 16, 1, "#000000");
  bd_frame *frame = NULL;
  bd_image view = picture(BD_RGB, 16, 16, NULL);
  bd_session_free(made);
  expect(told(bd_session_reset(made), BD_WRONG_ARGUMENT), "a session that was freed");
  bd_session_free(made);
  bd_session_free(NULL);
  expect(told(bd_session_reset(NULL), BD_WRONG_ARGUMENT), "no session");
  expect(told(bd_session_reset((bd_session *)&view), BD_WRONG_ARGUMENT), "a pointer that is no handle");
  made = session(16, 16, 1, "#000000");
  expect(told(bd_frame_view((bd_frame *)made, BD_PART_IMAGE, &view), BD_WRONG_ARGUMENT), "a handle of another kind");
  bd_session_free(made);
  expect(told(bd_picture_read("/nonexistent.png", &frame), BD_WRONG_ARGUMENT) && !frame, "a file that is not there");
  expect(bd_picture_decode("no picture", 10, &frame) < 0, "bytes that are no picture");
  expect(told(bd_picture_decode(NULL, 10, &frame), BD_WRONG_ARGUMENT), "no bytes");
  expect(told(bd_source_open("/etc/passwd", NULL, 0, (bd_source **)&frame), BD_BAD_DATA), "a file of another kind");
  expect(bd_cloud_count(NULL) == 0, "no cloud has no points");
}

struct use {
  bd_session *made;
  bd_image image, depth, result;
  int busy, done;
};

static void *use(void *pointer) {
  struct use *mine = (struct use *)pointer;
  for (int i = 0; i < 50; i++) {
    bd_status status = bd_session_render(mine->made, &mine->image, &mine->depth, &mine->result);
    if (status == BD_OK) mine->done++;
    if (status == BD_WRONG_ARGUMENT && strstr(bd_error_message(), "another thread")) mine->busy++;
  }
  return NULL;
}

static void threads(bd_image image, bd_image depth) {
  unsigned char *memory = (unsigned char *)malloc((size_t)image.width * (size_t)image.height * 8);
  pthread_t two[2];
  for (int shared = 0; shared < 2; shared++) {
    bd_session *first = session(image.width, image.height, 0, "#203040");
    bd_session *second = shared ? first : session(image.width, image.height, 0, "#203040");
    struct use uses[2];
    for (int i = 0; i < 2; i++) {
      uses[i].made = i ? second : first;
      uses[i].image = image, uses[i].depth = depth, uses[i].busy = uses[i].done = 0;
      uses[i].result = picture(BD_RGBA, image.width, image.height, memory + (size_t)(i * image.width * image.height * 4));
      pthread_create(&two[i], NULL, use, &uses[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(two[i], NULL);
    if (shared) {
      expect(uses[0].done + uses[0].busy + uses[1].done + uses[1].busy == 100, "one session, two threads: one of them is told");
    } else {
      expect(uses[0].done == 50 && uses[1].done == 50, "two sessions, two threads");
      bd_session_free(second);
    }
    bd_session_free(first);
  }
  free(memory);
}

static void forked(bd_session *made) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    bd_session *own = NULL;
    bd_session_options options = BD_SESSION_OPTIONS;
    alarm(10);
    options.is_still = 1;
    _exit(bd_session_reset(made) == BD_FORKED && bd_session_create(&options, &own) == BD_FORKED && bd_error_hint()[0] ? 0 : 1);
  }
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked child gets an error and does not hang");
}

static int32_t stop(void *context, int64_t frames) { return frames >= *(int64_t *)context; }

static void jobs(const char *folder) {
  char path[1000];
  int64_t limit = 3;
  bd_job_options options = BD_JOB_OPTIONS;
  bd_option values[] = {{"duration", "0.5"}, {"matte", "depth"}, {"background", "#102030"}};
  bd_job *job = NULL;
  char *summary = NULL;
  snprintf(path, sizeof path, "%s/job.mp4", folder);
  remove(path);
  options.input = "sim:talking", options.output = path, options.options = values, options.option_count = 3;
  options.progress = stop, options.progress_context = &limit, options.overwrite = 1;
  expect(bd_job_create(&options, &job) == BD_OK, "a job is made");
  expect(told(bd_job_run(job, NULL, NULL), BD_INTERRUPTED) && access(path, F_OK), "a stopped job leaves nothing behind");
  expect(told(bd_job_run(job, NULL, NULL), BD_WRONG_ARGUMENT), "a job runs once");
  bd_job_free(job);
  limit = 1000;
  expect(bd_job_create(&options, &job) == BD_OK && bd_job_run(job, NULL, &summary) == BD_OK && summary && !access(path, F_OK),
         "a job writes a video");
  bd_free(summary);
  bd_job_free(job);
  options.overwrite = 0;
  expect(told(bd_job_create(&options, &job), BD_WRONG_ARGUMENT), "a file that is there");
  expect(bd_job_create(NULL, &job) == BD_WRONG_ARGUMENT, "no options of a job");
  options.overwrite = 1;
  expect(bd_job_create(&options, &job) == BD_OK && bd_job_cancel(job) == BD_OK, "a job is cancelled");
  expect(told(bd_job_run(job, NULL, NULL), BD_INTERRUPTED), "a cancelled job ends");
  bd_job_free(job);
}

// Whether a pixel has a colour, for pictures of any format.
static int has_colour(const bd_image *image, int x, int y, int red, int green, int blue) {
  unsigned char *memory = (unsigned char *)malloc((size_t)image->width * (size_t)image->height * 3);
  bd_image converted = picture(BD_RGB, image->width, image->height, memory);
  int holds = bd_picture_convert(image, &converted) == BD_OK;
  const unsigned char *pixel = memory + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
  holds = holds && abs(pixel[0] - red) < 8 && abs(pixel[1] - green) < 8 && abs(pixel[2] - blue) < 8;
  free(memory);
  return holds;
}

// Alpha hides green in the left half of a file: no result shows it.
static void transparent(const char *folder) {
  static unsigned char cut[64 * 36 * 4], drawn[64 * 36 * 3];
  char path[1000];
  bd_image image = picture(BD_RGBA, 64, 36, cut), result = picture(BD_RGB, 64, 36, drawn), view;
  bd_session_options options = BD_SESSION_OPTIONS;
  bd_job_options work = BD_JOB_OPTIONS;
  bd_option standby[] = {{"matte", "depth"}, {"standby", path}};
  bd_option behind[] = {{"matte", "depth"}, {"background", path}, {"duration", "0.05"}, {"size", "320x180"}};
  bd_session *made = NULL;
  bd_frame *frame = NULL;
  bd_job *job = NULL;
  for (int i = 0; i < 64 * 36; i++) cut[4 * i + (i % 64 < 32 ? 1 : 0)] = 200, cut[4 * i + 3] = i % 64 < 32 ? 0 : 255;
  image.alpha = BD_ALPHA_STRAIGHT;
  snprintf(path, sizeof path, "%s/cut.png", folder);
  expect(bd_picture_write(&image, path, 0, 1) == BD_OK && bd_picture_read(path, &frame) == BD_OK &&
             bd_frame_view(frame, BD_PART_IMAGE, &view) == BD_OK && view.format == BD_RGBA && view.alpha == BD_ALPHA_STRAIGHT,
         "a file with alpha");
  bd_frame_free(frame);
  options.width = 64, options.height = 36, options.has_depth = 1, options.options = standby, options.option_count = 2;
  expect(bd_session_create(&options, &made) == BD_OK && bd_session_standby(made, 0, &result) == BD_OK &&
             has_colour(&result, 8, 18, 0, 0, 0) && has_colour(&result, 56, 18, 200, 0, 0),
         "as the standby frame: what it hides is black");
  bd_session_free(made);
  work.input = "sim:talking", work.options = behind, work.option_count = 4;
  expect(bd_job_create(&work, &job) == BD_OK && bd_job_run(job, &frame, NULL) == BD_OK && bd_frame_standing(frame) == BD_OK &&
             bd_frame_view(frame, BD_PART_IMAGE, &view) == BD_OK && view.width == 320 && has_colour(&view, 8, 8, 0, 0, 0) &&
             has_colour(&view, 311, 8, 200, 0, 0),
         "behind the frame that a job without an output gives, too");
  bd_frame_free(frame);
  bd_job_free(job);
}

static int messages = 0;
static void count(void *context, const char *message, const char *hint) {
  (void)context, (void)hint;
  messages += message[0] != 0;
}

// Creates, uses and frees objects `rounds` times; valgrind and the memory use reveal leaks.
static void again(int rounds, bd_image depth) {
  unsigned char pixels[2 * 32 * 24 * 4] = {0};
  char *json = NULL;
  int done = 0;
  for (int i = 0; i < rounds; i++) {
    bd_session_options small = BD_SESSION_OPTIONS;
    // Without the face network, which takes longer than everything else.
    bd_option value[] = {{"matte", "depth"}, {"background", "#00FF00"}, {"face", "off"}};
    bd_image in = picture(BD_RGBA, 32, 24, pixels), out = picture(BD_RGBA, 32, 24, pixels + 32 * 24 * 4);
    small.width = 32, small.height = 24, small.has_depth = 1, small.options = value, small.option_count = 3, small.threads = 1;
    bd_session *one = NULL;
    if (bd_session_create(&small, &one)) break;
    if (bd_session_render(one, &in, &depth, &out) < 0) break;
    if (bd_session_describe(one, &json)) break;
    bd_free(json);
    bd_session_free(one);
    done++;
  }
  expect(done == rounds, "made, used and freed again and again");
}

// interface FOLDER [ROUNDS [only]]: with a third argument, runs only the repeated part.
int main(int argc, char **argv) {
  int rounds = argc > 2 ? atoi(argv[2]) : 5;
  bd_source *source = NULL;
  bd_frame *frame = NULL;
  bd_image image, depth, view;
  char *json = NULL;
  if (argc < 2) return 2;
  memset(&image, 0, sizeof image), memset(&depth, 0, sizeof depth);
  expect(sizeof(bd_image) == 96 && sizeof(bd_session_options) == 56 && sizeof(bd_job_options) == 72 && sizeof(bd_camera) == 48,
         "structs are as large as they were");
  if (argc > 3) {
    static float metres[32 * 24];
    for (int i = 0; i < 32 * 24; i++) metres[i] = i % 32 < 16 ? 0.7F : 3;
    depth = picture(BD_FLOAT, 32, 24, (unsigned char *)metres);
    again(rounds, depth);
    return failures > 0;
  }
  bd_set_log(count, NULL);
  expect(bd_version()[0] != 0 && bd_describe(&json) == BD_OK && strstr(json, "\"looks\"") != NULL, "it describes itself");
  bd_free(json);
  wrong_options();
  expect(bd_source_open("sim:talking", NULL, 0, &source) == BD_OK && bd_source_next(source, &frame) == BD_OK, "a scene is read");
  expect(bd_frame_view(frame, BD_PART_IMAGE, &image) == BD_OK && bd_frame_view(frame, BD_PART_DEPTH, &depth) == BD_OK,
         "it has a picture and depth");
  expect(bd_frame_view(frame, BD_PART_TEETH, &view) == BD_END, "and no teeth");
  expect(told(bd_frame_view(frame, 77, &view), BD_WRONG_ARGUMENT), "a part that there is not");

  unsigned char *memory = (unsigned char *)malloc((size_t)image.width * (size_t)image.height * 4);
  bd_image result = picture(BD_RGBA, image.width, image.height, memory);
  bd_session *made = session(image.width, image.height, 0, "#00FF00");
  expect(bd_session_render(made, &image, &depth, &result) == BD_OK, "it is drawn");
  expect(memory[0] == 0 && memory[1] == 255 && memory[2] == 0 && memory[3] == 255, "in front of green");
  bd_image matte = picture(BD_GRAY8, 64, 36, memory);
  expect(bd_session_last_matte(made, &matte) == BD_OK && memory[0] == 0 && memory[64 * 30 + 32] == 255, "through its matte");
  expect(bd_session_matte(made, &image, &depth, &matte) == BD_OK && memory[64 * 30 + 32] == 255, "which is made alone, too");
  expect(bd_session_set(made, "background", "#0000FF") == BD_OK && bd_session_render(made, &image, &depth, &result) == BD_OK &&
             memory[2] == 255,
         "the background changes while it runs");
  expect(bd_session_standby(made, 1, &result) == BD_OK && memory[4 * (image.width * 500 + 640) + 2] == 255, "the standby frame");
  expect(bd_session_set(made, "background", "none") == BD_OK && bd_session_output(made, image.format, &view) == BD_OK &&
             view.alpha == BD_ALPHA_STRAIGHT && bd_session_render(made, &image, &depth, &result) == BD_OK && memory[3] == 0,
         "and alpha");
  bd_image opaque = picture(BD_RGB, image.width, image.height, memory);
  expect(told(bd_session_render(made, &image, &depth, &opaque), BD_WRONG_ARGUMENT), "alpha is not lost");
  wrong_pictures(made, image, depth, result);
  expect(told(bd_session_set(made, "look", "noir"), BD_UNSUPPORTED), "a look that cannot leave the background out");
  expect(bd_session_set(made, "background", NULL) == BD_OK && bd_session_set(made, "look", "noir") == BD_OK, "but another");
  bd_session_free(made);

  bd_session_options options = BD_SESSION_OPTIONS;
  bd_option show[] = {{"look", "noir"}, {"matte", "depth"}};
  options.width = image.width, options.height = image.height, options.has_depth = 1, options.options = show;
  options.option_count = 2;
  expect(bd_session_create(&options, &made) == BD_OK, "a look that shows the room");
  expect(told(bd_session_render(made, &image, &depth, &result), BD_STANDBY), "is not shown to others");
  expect(bd_session_set(made, "show-room", "on") == BD_OK && bd_session_render(made, &image, &depth, &result) == BD_OK,
         "unless that is allowed");
  bd_session_free(made);

  bd_cloud *cloud = NULL;
  expect(bd_cloud_create(frame, &cloud) == BD_OK && bd_cloud_count(cloud) > 1000, "a cloud");
  bd_cloud_free(cloud);
  wrong_handles();
  threads(image, depth);
  jobs(argv[1]);
  transparent(argv[1]);
  made = session(image.width, image.height, 0, "#000000");
  forked(made);
  bd_session_free(made);

  again(rounds, depth);
  bd_frame_free(frame);
  bd_source_free(source);
  free(memory);
  printf("%d failed\n", failures);
  return failures > 0;
}
