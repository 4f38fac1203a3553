#include "worker.h"

#include <backdrop.h>
#include <string.h>
#include <util/dstr.h>
#include <util/platform.h>
#include <util/threading.h>

/* The largest delay that a user can set, in frames, and slots for it and for the pictures that are being filled, drawn and shown. */
#define MOST_DELAY 15
#define SLOTS (MOST_DELAY + 3)

enum state { STATE_FREE, STATE_FILLING, STATE_WAITING, STATE_DRAWING, STATE_DONE, STATE_SHOWING };

struct slot {
  struct picture picture;
  enum state state;
};

struct worker {
  pthread_mutex_t mutex;
  pthread_cond_t has_work;
  pthread_t thread;

  /* Protected by the mutex, which no thread holds for long. */
  bool is_ending;
  struct session_values *wanted;
  unsigned delay;
  uint64_t newest;
  struct slot slots[SLOTS];
  char *problem;
  uint64_t drawn_count, dropped_count;

  /* Used by the worker's thread only. */
  char *name;
  double rate;
  bd_session *session;
  struct session_values *applied;
  uint32_t width, height;
  bool is_standby;
  uint8_t *spare;
  size_t spare_bytes;
};

/* ---- the thread ---- */

/* Keeps the library's last error for the properties window, and logs it once. */
static void tell(struct worker *worker, const char *what) {
  struct dstr text = {0};
  const char *path = bd_error_path(), *hint = bd_error_hint();
  dstr_copy(&text, bd_error_message());
  if (*path) dstr_catf(&text, ": %s", path);
  if (*hint) dstr_catf(&text, " (%s)", hint);
  pthread_mutex_lock(&worker->mutex);
  bool is_new = !worker->problem || strcmp(worker->problem, text.array) != 0;
  if (is_new) {
    bfree(worker->problem);
    worker->problem = bstrdup(text.array);
  }
  pthread_mutex_unlock(&worker->mutex);
  if (is_new) blog(LOG_WARNING, "[backdrop] '%s': %s%s", worker->name, what, text.array);
  dstr_free(&text);
}

static void tell_none(struct worker *worker) {
  pthread_mutex_lock(&worker->mutex);
  bfree(worker->problem);
  worker->problem = NULL;
  pthread_mutex_unlock(&worker->mutex);
}

static void create_session(struct worker *worker, struct session_values *values, uint32_t width, uint32_t height) {
  bd_option *options = bzalloc((values->count + 1) * sizeof *options);
  size_t count = 0;
  /* Independent of the library's default, because other people see the filter's pictures. */
  options[count++] = (bd_option){"audience", "others"};
  for (size_t i = 0; i < values->count; i++)
    if (values->values[i]) options[count++] = (bd_option){values->names[i], values->values[i]};
  bd_session_options all = BD_SESSION_OPTIONS;
  all.width = (int32_t)width, all.height = (int32_t)height, all.rate = worker->rate;
  all.threads = values->threads;
  all.options = options, all.option_count = count;
  bd_session_free(worker->session);
  worker->is_standby = false;
  if (bd_session_create(&all, &worker->session) == BD_OK)
    tell_none(worker);
  else
    tell(worker, "nothing is shown: ");
  bfree(options);
}

static bool is_same(const char *one, const char *other) {
  return one == other || (one && other && strcmp(one, other) == 0);
}

/* Creates or updates the session for the values and the size. */
static void apply(struct worker *worker, struct session_values *values, uint32_t width, uint32_t height) {
  struct session_values *before = worker->applied;
  bool is_changed = values != NULL, is_other_size = width != worker->width || height != worker->height;
  if (!is_changed) values = before;
  if (is_other_size || (is_changed && (!worker->session || before->threads != values->threads))) {
    create_session(worker, values, width, height);
  } else if (is_changed) {
    bool is_refused = false;
    for (size_t i = 0; i < values->count; i++) {
      if (is_same(values->values[i], before->values[i])) continue;
      if (bd_session_set(worker->session, values->names[i], values->values[i]) == BD_OK) continue;
      is_refused = true;
      tell(worker, "what was there stays: ");
      /* The next try comes with the next change of the value. */
    }
    if (!is_refused) tell_none(worker);
  }
  worker->width = width, worker->height = height;
  if (is_changed) {
    session_values_free(before);
    worker->applied = values;
  }
}

/* Draws a picture in place. Returns false if there is nothing to show. */
static bool draw(struct worker *worker, struct picture *picture) {
  if (!worker->session) return false;
  size_t bytes = (size_t)picture->width * picture->height * 4;
  if (worker->spare_bytes < bytes) {
    worker->spare = brealloc(worker->spare, bytes);
    worker->spare_bytes = bytes;
  }
  bd_image image = {.size = sizeof image, .format = BD_BGRA, .alpha = BD_ALPHA_PREMULTIPLIED, .time = picture->time};
  image.width = (int32_t)picture->width, image.height = (int32_t)picture->height;
  image.planes[0] = picture->data, image.strides[0] = (ptrdiff_t)picture->width * 4;
  bd_image output = image;
  output.planes[0] = worker->spare, output.alpha = BD_ALPHA_STRAIGHT;
  bd_status status = bd_session_render(worker->session, &image, NULL, &output);
  if (status < 0) {
    tell(worker, "nothing is shown: ");
    return false;
  }
  if (status == BD_STANDBY) {
    tell(worker, "the standby frame is shown: ");
  } else if (worker->is_standby) {
    blog(LOG_INFO, "[backdrop] '%s': the scene is shown again", worker->name);
    tell_none(worker);
  }
  worker->is_standby = status == BD_STANDBY;
  uint8_t *drawn = worker->spare;
  size_t capacity = worker->spare_bytes;
  worker->spare = picture->data, worker->spare_bytes = picture->capacity;
  picture->data = drawn, picture->capacity = capacity;
  return true;
}

/* The oldest picture that can be finished in time, or the newest if none can. Drops the pictures before it. */
static struct slot *next(struct worker *worker) {
  struct slot *oldest = NULL, *newest = NULL;
  for (size_t i = 0; i < SLOTS; i++) {
    struct slot *slot = &worker->slots[i];
    if (slot->state != STATE_WAITING) continue;
    if (!newest || slot->picture.number > newest->picture.number) newest = slot;
    bool is_in_time = slot->picture.number + worker->delay > worker->newest;
    if (is_in_time && (!oldest || slot->picture.number < oldest->picture.number)) oldest = slot;
  }
  struct slot *result = oldest ? oldest : newest;
  for (size_t i = 0; result && i < SLOTS; i++) {
    struct slot *slot = &worker->slots[i];
    if (slot->state == STATE_WAITING && slot->picture.number < result->picture.number) {
      slot->state = STATE_FREE;
      worker->dropped_count++;
    }
  }
  return result;
}

static void *run(void *data) {
  struct worker *worker = data;
  os_set_thread_name("backdrop filter");
  pthread_mutex_lock(&worker->mutex);
  while (!worker->is_ending) {
    struct slot *slot = worker->wanted || worker->applied ? next(worker) : NULL;
    if (!slot) {
      pthread_cond_wait(&worker->has_work, &worker->mutex);
      continue;
    }
    struct session_values *values = worker->wanted;
    worker->wanted = NULL;
    slot->state = STATE_DRAWING;
    pthread_mutex_unlock(&worker->mutex);
    apply(worker, values, slot->picture.width, slot->picture.height);
    bool is_drawn = draw(worker, &slot->picture);
    pthread_mutex_lock(&worker->mutex);
    slot->state = is_drawn ? STATE_DONE : STATE_FREE;
    worker->drawn_count += is_drawn;
  }
  pthread_mutex_unlock(&worker->mutex);
  bd_session_free(worker->session);
  return NULL;
}

/* ---- for OBS's threads ---- */

struct worker *worker_create(const char *name, double rate) {
  struct worker *worker = bzalloc(sizeof *worker);
  worker->name = bstrdup(name);
  worker->rate = rate;
  pthread_mutex_init(&worker->mutex, NULL);
  pthread_cond_init(&worker->has_work, NULL);
  if (pthread_create(&worker->thread, NULL, run, worker) == 0) return worker;
  pthread_cond_destroy(&worker->has_work);
  pthread_mutex_destroy(&worker->mutex);
  bfree(worker->name);
  bfree(worker);
  return NULL;
}

void worker_destroy(struct worker *worker) {
  if (!worker) return;
  pthread_mutex_lock(&worker->mutex);
  worker->is_ending = true;
  pthread_cond_signal(&worker->has_work);
  pthread_mutex_unlock(&worker->mutex);
  pthread_join(worker->thread, NULL);
  blog(LOG_INFO, "[backdrop] '%s': %llu pictures drawn, %llu left out", worker->name, (unsigned long long)worker->drawn_count,
      (unsigned long long)worker->dropped_count);
  for (size_t i = 0; i < SLOTS; i++) bfree(worker->slots[i].picture.data);
  session_values_free(worker->wanted);
  session_values_free(worker->applied);
  bfree(worker->spare);
  bfree(worker->problem);
  bfree(worker->name);
  pthread_cond_destroy(&worker->has_work);
  pthread_mutex_destroy(&worker->mutex);
  bfree(worker);
}

void worker_set(struct worker *worker, struct session_values *values, unsigned delay) {
  pthread_mutex_lock(&worker->mutex);
  session_values_free(worker->wanted);
  worker->wanted = values;
  worker->delay = delay < 1 ? 1 : delay > MOST_DELAY ? MOST_DELAY : delay;
  pthread_cond_signal(&worker->has_work);
  pthread_mutex_unlock(&worker->mutex);
}

struct picture *worker_take(struct worker *worker, size_t bytes) {
  struct slot *found = NULL;
  pthread_mutex_lock(&worker->mutex);
  size_t limit = worker->delay + 3;
  for (size_t i = 0; i < limit && i < SLOTS && !found; i++)
    if (worker->slots[i].state == STATE_FREE) found = &worker->slots[i];
  for (size_t i = 0; i < SLOTS && !found; i++) {
    struct slot *slot = &worker->slots[i];
    if (slot->state != STATE_WAITING) continue;
    found = slot;
    for (size_t k = i; k < SLOTS; k++)
      if (worker->slots[k].state == STATE_WAITING && worker->slots[k].picture.number < found->picture.number)
        found = &worker->slots[k];
    worker->dropped_count++;
  }
  if (found) found->state = STATE_FILLING;
  pthread_mutex_unlock(&worker->mutex);
  if (!found) return NULL;
  if (found->picture.capacity < bytes) {
    found->picture.data = brealloc(found->picture.data, bytes);
    found->picture.capacity = bytes;
  }
  return &found->picture;
}

void worker_push(struct worker *worker, struct picture *picture) {
  struct slot *slot = (struct slot *)picture;
  pthread_mutex_lock(&worker->mutex);
  slot->state = STATE_WAITING;
  worker->newest = picture->number;
  pthread_cond_signal(&worker->has_work);
  pthread_mutex_unlock(&worker->mutex);
}

struct picture *worker_due(struct worker *worker, uint64_t frame) {
  struct slot *found = NULL;
  pthread_mutex_lock(&worker->mutex);
  for (size_t i = 0; i < SLOTS; i++) {
    struct slot *slot = &worker->slots[i];
    if (slot->state != STATE_DONE || slot->picture.number + worker->delay > frame) continue;
    /* An older finished picture missed its frame. */
    struct slot *older = found && found->picture.number < slot->picture.number ? found : found ? slot : NULL;
    if (older) older->state = STATE_FREE;
    if (!found || older == found) found = slot;
  }
  if (found) found->state = STATE_SHOWING;
  pthread_mutex_unlock(&worker->mutex);
  return found ? &found->picture : NULL;
}

void worker_give_back(struct worker *worker, struct picture *picture) {
  pthread_mutex_lock(&worker->mutex);
  ((struct slot *)picture)->state = STATE_FREE;
  pthread_mutex_unlock(&worker->mutex);
}

char *worker_problem(struct worker *worker) {
  pthread_mutex_lock(&worker->mutex);
  char *result = worker->problem ? bstrdup(worker->problem) : NULL;
  pthread_mutex_unlock(&worker->mutex);
  return result;
}
