// The system's C library, whatever Swift calls it there.
#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Glibc
#endif
