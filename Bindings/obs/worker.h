/* Draws a filter's pictures on a thread of its own. */
#pragma once

#include "parameters.h"

struct worker;

/* A picture: BGRA without gaps. */
struct picture {
  uint8_t *data;
  size_t capacity;
  uint32_t width, height;
  /* Of OBS's frames; what decides when it is shown. */
  uint64_t number;
  double time;
};

/* Starts the thread. `name` is what to call the filter's source in the log. */
struct worker *worker_create(const char *name, double rate);
/* Ends it, after the picture that it is at. */
void worker_destroy(struct worker *worker);

/* What pictures are drawn with from now on; the worker takes the values over. */
void worker_set(struct worker *worker, struct session_values *values, unsigned delay);

/* Memory for the next picture, of at least so many bytes: that of the oldest that nobody began where there is no other, NULL where there is
   none at all. Filled, it goes to worker_push(). Neither waits for the worker. */
struct picture *worker_take(struct worker *worker, size_t bytes);
void worker_push(struct worker *worker, struct picture *picture);

/* The newest picture that is done, and due at this frame; NULL where there is none. It goes back by worker_give_back(). */
struct picture *worker_due(struct worker *worker, uint64_t frame);
void worker_give_back(struct worker *worker, struct picture *picture);

/* Why nothing is drawn, or the standby frame; free it with bfree(). NULL where all is well. */
char *worker_problem(struct worker *worker);
