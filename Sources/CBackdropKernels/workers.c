#include "bd_workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#else
#define RELAX() ((void)0)
#endif

/// Nanoseconds. A waiting thread first spins for as long as a hand-over takes if all threads run. Then it yields its processor repeatedly,
/// for longer than the gap between the stages of a frame and much shorter than the gap between frames. Then it sleeps. On a busy machine
/// other threads run from the first yield on.
enum { HOLDS = 20000, OFFERS = 100000 };

struct bd_workers {
  void (*work)(void *, int);
  void *context;
  atomic_int done;
  /// The number of the round (24 bits), its parts (20) and the next part to take (20): in one word, so a late thread cannot mistake a part
  /// of one round for a part of another.
  _Atomic uint64_t state;
  /// Threads that sleep until a round begins; whether the caller sleeps until a round ends; whether the workers are stopping.
  atomic_int sleeping, is_awaited, stopping;
  pthread_mutex_t mutex;
  pthread_cond_t wake, finished;
  int count;
  pthread_t threads[];
};

static uint32_t round_in(uint64_t state) { return (uint32_t)(state >> 40); }
static int parts_in(uint64_t state) { return (int)(state >> 20 & 0xfffff); }
static int next_in(uint64_t state) { return (int)(state & 0xfffff); }
static uint32_t round_of(bd_workers *w) { return round_in(atomic_load(&w->state)); }

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Waits briefly for `is_true`; returns whether it became true.
static int await_shortly(bd_workers *w, int (*is_true)(bd_workers *, uint32_t), uint32_t value) {
  if (is_true(w, value)) return 1;
  const int64_t start = now();
  for (;;) {
    for (int i = 0; i < 16; i++) {
      RELAX();
      if (is_true(w, value)) return 1;
    }
    const int64_t waited = now() - start;
    if (waited > OFFERS) return 0;
    if (waited > HOLDS) sched_yield();
  }
}

static int has_begun(bd_workers *w, uint32_t seen) { return round_of(w) != seen; }
static int is_done(bd_workers *w, uint32_t parts) { return atomic_load(&w->done) >= (int)parts; }

static void take_parts(bd_workers *w, uint32_t round) {
  for (;;) {
    uint64_t state = atomic_load(&w->state);
    do {
      if (round_in(state) != round || next_in(state) >= parts_in(state)) return;
    } while (!atomic_compare_exchange_weak(&w->state, &state, state + 1));
    // The round cannot end, and these fields cannot change, before this part is done.
    w->work(w->context, next_in(state));
    const int is_last = atomic_fetch_add(&w->done, 1) + 1 == parts_in(state);
    // Under the mutex, the caller announces that it sleeps before it checks the count for the last time.
    if (is_last && atomic_load(&w->is_awaited)) {
      pthread_mutex_lock(&w->mutex);
      pthread_cond_signal(&w->finished);
      pthread_mutex_unlock(&w->mutex);
    }
  }
}

static void *worker_main(void *argument) {
  bd_workers *w = argument;
  uint32_t seen = 0;
  for (;;) {
    if (!await_shortly(w, has_begun, seen)) {
      pthread_mutex_lock(&w->mutex);
      atomic_fetch_add(&w->sleeping, 1);
      while (round_of(w) == seen) pthread_cond_wait(&w->wake, &w->mutex);
      atomic_fetch_sub(&w->sleeping, 1);
      pthread_mutex_unlock(&w->mutex);
    }
    if (atomic_load(&w->stopping)) return NULL;
    seen = round_of(w);
    take_parts(w, seen);
  }
}

static void start_round(bd_workers *w, int parts) {
  atomic_store(&w->done, 0);
  atomic_store(&w->state, (uint64_t)(round_of(w) + 1) << 40 | (uint64_t)parts << 20);
  // Under the mutex, a thread counts itself as sleeping before it checks the round for the last time.
  if (atomic_load(&w->sleeping)) {
    pthread_mutex_lock(&w->mutex);
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->mutex);
  }
}

/// Waits until all parts are done, including those taken by other threads.
static void await_end(bd_workers *w, int parts) {
  if (await_shortly(w, is_done, (uint32_t)parts)) return;
  pthread_mutex_lock(&w->mutex);
  atomic_store(&w->is_awaited, 1);
  while (!is_done(w, (uint32_t)parts)) pthread_cond_wait(&w->finished, &w->mutex);
  atomic_store(&w->is_awaited, 0);
  pthread_mutex_unlock(&w->mutex);
}

bd_workers *bd_workers_create(int threads) {
  const int count = threads > 1 ? threads - 1 : 0;
  bd_workers *w = calloc(1, sizeof *w + (size_t)count * sizeof(pthread_t));
  if (!w) return NULL;
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->wake, NULL);
  pthread_cond_init(&w->finished, NULL);
  for (; w->count < count; w->count++) {
    if (pthread_create(&w->threads[w->count], NULL, worker_main, w)) break;
  }
  return w;
}

void bd_workers_destroy(bd_workers *w) {
  if (!w) return;
  atomic_store(&w->stopping, 1);
  start_round(w, 0);
  for (int i = 0; i < w->count; i++) pthread_join(w->threads[i], NULL);
  pthread_cond_destroy(&w->finished);
  pthread_cond_destroy(&w->wake);
  pthread_mutex_destroy(&w->mutex);
  free(w);
}

void bd_workers_run(bd_workers *w, int parts, void (*work)(void *, int), void *context) {
  if (w->count == 0 || parts <= 1) {
    for (int part = 0; part < parts; part++) work(context, part);
    return;
  }
  w->work = work;
  w->context = context;
  start_round(w, parts);
  take_parts(w, round_of(w));
  await_end(w, parts);
}

static void *wait_for_end(void *argument) {
  pthread_mutex_t *mutex = argument;
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  return NULL;
}

int bd_threads_possible(int count) {
  pthread_t threads[64];
  if (count > 64) count = 64;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int started = 0;
  pthread_mutex_lock(&mutex);
  while (started < count && pthread_create(&threads[started], NULL, wait_for_end, &mutex) == 0) started++;
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  return started;
}
