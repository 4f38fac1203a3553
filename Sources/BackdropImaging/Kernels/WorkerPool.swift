import CBackdropKernels
import Libc

import Synchronization

/// Threads that share the rows of a picture.
///
/// They are plain threads, not the cooperative pool: a frame's work is short and blocking, and must not wait behind tasks. Starting a job
/// allocates nothing. Between jobs the threads sleep.
public final class WorkerPool: Sendable {
  /// Threads for a job, including the caller's.
  public let threadCount: Int
  // Used by one caller at a time, under the mutex.
  private let workers: Mutex<UInt>

  /// Processors of the machine.
  package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Half of the processors, for work beside equal other work: codecs, or programs that deliver and show a camera's pictures.
  package static var halfOfProcessors: Int { max(1, processorCount / 2) }

  /// Makes a pool of `threads` threads, by default one per processor.
  public init(threads: Int? = nil) {
    threadCount = ParallelParts.threadCount(threads)
    guard let made = bd_workers_create(Int32(threadCount)) else { preconditionFailure("out of memory: no threads") }
    workers = Mutex(UInt(bitPattern: made))
  }

  deinit {
    workers.withLock { bd_workers_destroy(OpaquePointer(bitPattern: $0)) }
  }

  /// The range of part `part` of `parts` nearly equal parts of `count` rows.
  package static func share(_ part: Int, of count: Int, in parts: Int) -> Range<Int> {
    count * part / parts..<count * (part + 1) / parts
  }

  /// Calls `work` with the address of `job` and each part in `0 ..< parts`, in any order and on any thread, and returns
  /// when all are done.
  ///
  /// `work` must be safe to call from several threads at once for different parts. It is a C function, and the job a value on the caller's
  /// stack, because a closure for other threads would be allocated for each call.
  package func run<Job>(
    parts: Int, _ job: inout Job, _ work: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
  ) {
    withUnsafeMutablePointer(to: &job) { job in
      let context = UInt(bitPattern: job)
      workers.withLock { workers in
        bd_workers_run(
          OpaquePointer(bitPattern: workers), Int32(parts), work, UnsafeMutableRawPointer(bitPattern: context))
      }
    }
  }
}
