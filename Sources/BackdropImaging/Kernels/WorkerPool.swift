import CBackdropKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Threads that share out the rows of a picture.
///
/// They are plain threads, not the cooperative pool: a frame's work is short and blocking, and must not wait behind
/// tasks. Starting a job allocates nothing. Between jobs the threads sleep.
public final class WorkerPool: Sendable {
  /// Threads that work on a job, the caller's included.
  public let threadCount: Int
  // Used by one caller at a time, under the mutex.
  private let workers: Mutex<UInt>

  /// Makes a pool of `threads` threads, by default one for each processor.
  public init(threads: Int? = nil) {
    threadCount = max(1, min(threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)), 64))
    guard let made = bd_workers_create(Int32(threadCount)) else { preconditionFailure("out of memory: no threads") }
    workers = Mutex(UInt(bitPattern: made))
  }

  deinit {
    workers.withLock { bd_workers_destroy(OpaquePointer(bitPattern: $0)) }
  }

  /// Calls `body` with each part in `0 ..< parts`, in any order and on any thread, and returns when all are done.
  ///
  /// `body` must be safe to call from several threads at once for different parts.
  package func run(parts: Int, _ body: (Int) -> Void) {
    withoutActuallyEscaping(body) { body in
      withUnsafePointer(to: body) { context in
        // The closure outlives the call, which returns only when no thread uses it any more.
        let context = UInt(bitPattern: context)
        workers.withLock { workers in
          bd_workers_run(
            OpaquePointer(bitPattern: workers), Int32(parts),
            { context, part in
              context!.assumingMemoryBound(to: ((Int) -> Void).self).pointee(Int(part))
            }, UnsafeMutableRawPointer(bitPattern: context))
        }
      }
    }
  }
}
