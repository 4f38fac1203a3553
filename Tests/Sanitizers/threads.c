// Reports waiting mutexes and released references to the thread sanitizer. Both are in Swift's libraries, which are built without the
// sanitizer. Without this library, the sanitizer would report each value in a contended `Mutex` as a race, and memory that one thread used
// last and another frees or reuses. It sees a mutex without contention, whose code is inlined.
//
// scripts/test-sanitizer.sh builds this library and loads it before the tests.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
  SWIFT void (*next)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
  next(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) {
  SWIFT void (*next)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(handle);
  next(handle);
}

void swift_release(void *object) {
  static void (*next)(void *);
  if (!next) next = (void (*)(void *))dlsym(RTLD_NEXT, "swift_release");
  // The last release happens after all uses by other threads.
  if (object && __tsan_release) {
    __tsan_release(object);
    __tsan_acquire(object);
  }
  next(object);
}
