/* Draws a filter's pictures on a thread of its own. */
#pragma once

#include "parameters.h"

struct worker;

/* A picture: BGRA without gaps. */
struct picture {
  uint8_t *data;
  size_t capacity;
  uint32_t width, height;
  /* The number of the OBS frame, which decides when the picture is shown. */
  uint64_t number;
  double time;
};

/* Starts the thread. `name` is the source's name in the log. */
struct worker *worker_create(const char *name, double rate);
/* Ends the thread after the current picture, and frees the worker. */
void worker_destroy(struct worker *worker);

/* Sets the values and the delay for the following pictures. The worker takes ownership of the values. */
void worker_set(struct worker *worker, struct session_values *values, unsigned delay);

/* Returns memory of at least that size for the next picture, for worker_push(). If none is free, drops the oldest picture that waits for
   the worker; returns NULL if none waits. Neither function waits for the worker. */
struct picture *worker_take(struct worker *worker, size_t bytes);
void worker_push(struct worker *worker, struct picture *picture);

/* The newest finished picture that is due at this frame, or NULL. Return it with worker_give_back(). */
struct picture *worker_due(struct worker *worker, uint64_t frame);
void worker_give_back(struct worker *worker, struct picture *picture);

/* The current problem: why the filter shows nothing or the standby frame, or why the library refused a setting. NULL if there is none. Free
   it with bfree(). */
char *worker_problem(struct worker *worker);
