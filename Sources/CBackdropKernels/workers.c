#include "bd_workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#else
#define RELAX() ((void)0)
#endif

/// About 100 microseconds: longer than the gap between the stages of a frame, much shorter than that between frames.
enum { SPINS = 2500 };

struct bd_workers {
  void (*work)(void *, int);
  void *context;
  atomic_int done;
  /// The number of the round (24 bits), its parts (20) and the next part to take (20): one word, so that a thread that
  /// comes late cannot take a part of one round for a part of another.
  _Atomic uint64_t state;
  atomic_int sleeping, stopping;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  int count;
  pthread_t threads[];
};

static uint32_t round_in(uint64_t state) { return (uint32_t)(state >> 40); }
static int parts_in(uint64_t state) { return (int)(state >> 20 & 0xfffff); }
static int next_in(uint64_t state) { return (int)(state & 0xfffff); }
static uint32_t round_of(bd_workers *w) { return round_in(atomic_load(&w->state)); }

static void take_parts(bd_workers *w, uint32_t round) {
  for (;;) {
    uint64_t state = atomic_load(&w->state);
    do {
      if (round_in(state) != round || next_in(state) >= parts_in(state)) return;
    } while (!atomic_compare_exchange_weak(&w->state, &state, state + 1));
    // The round cannot end, nor these fields change, before this part is done.
    w->work(w->context, next_in(state));
    atomic_fetch_add(&w->done, 1);
  }
}

static void *worker_main(void *argument) {
  bd_workers *w = argument;
  uint32_t seen = 0;
  for (;;) {
    for (int i = 0; i < SPINS && round_of(w) == seen; i++) RELAX();
    if (round_of(w) == seen) {
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
  // A thread counts itself as sleeping, under the mutex, before it looks at the round for the last time.
  if (atomic_load(&w->sleeping)) {
    pthread_mutex_lock(&w->mutex);
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->mutex);
  }
}

bd_workers *bd_workers_create(int threads) {
  const int count = threads > 1 ? threads - 1 : 0;
  bd_workers *w = calloc(1, sizeof *w + (size_t)count * sizeof(pthread_t));
  if (!w) return NULL;
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->wake, NULL);
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
  while (atomic_load(&w->done) < parts) RELAX();
}
