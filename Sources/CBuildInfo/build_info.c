#include "build_info.h"

// Package.swift defines both as bare words, from the build's environment.
#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

const char *bd_build_version(void) { return "0.1.0"; }

const char *bd_build_commit(void) {
#ifdef BACKDROP_COMMIT
  return TEXT(BACKDROP_COMMIT);
#else
  return "";
#endif
}

const char *bd_build_date(void) {
#ifdef BACKDROP_DATE
  return TEXT(BACKDROP_DATE);
#else
  return "";
#endif
}
