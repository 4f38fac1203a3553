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

  /// The usual number of a job's parts: more than threads, so that threads which finish early take over work of others.
  package var partCount: Int { threadCount == 1 ? 1 : 4 * threadCount }

  /// The range of part `part` of `parts` nearly equal parts of `count` rows.
  package static func share(_ part: Int, of count: Int, in parts: Int) -> Range<Int> {
    count * part / parts..<count * (part + 1) / parts
  }

  /// Calls `work` with `job` and each part in `0 ..< parts`, in any order and on any thread, and returns when all are done.
  ///
  /// `work` must be safe to call from several threads at once for different parts. The job is a value on the caller's stack, and `work`
  /// should capture nothing, because a closure that captures is allocated for each call.
  package func run<Job>(parts: Int, _ job: inout Job, _ work: @escaping @Sendable (Job, Int) -> Void) {
    withUnsafeMutablePointer(to: &job) { run(parts: parts, JobWork(job: $0, work: work)) }
  }

  /// A part's share of the rows, as kernels count them.
  package struct RowShare {
    package let part: Int
    /// The first row, and the one after the last.
    package let from: Int32, to: Int32
  }

  /// Calls `work` with a copy of `job` and each part's share of `rows`, as ``run(parts:_:_:)`` does.
  package func run<Job>(
    parts: Int, rows: Range<Int>, _ job: Job, _ work: @escaping @Sendable (inout Job, RowShare) -> Void
  ) {
    var shared = SharedRows(job: job, rows: rows, parts: parts, work: work)
    withUnsafeMutablePointer(to: &shared) { run(parts: parts, RowWork(shared: $0)) }
  }

  private func run(parts: Int, _ work: any PartedWork) {
    var work = work
    withUnsafeMutablePointer(to: &work) { work in
      let context = UInt(bitPattern: work)
      workers.withLock { workers in
        bd_workers_run(
          OpaquePointer(bitPattern: workers), Int32(parts),
          { $0?.assumingMemoryBound(to: (any PartedWork).self).pointee.perform(Int($1)) },
          UnsafeMutableRawPointer(bitPattern: context))
      }
    }
  }
}

/// A job with the function for its parts. It fits into an existential, so that none is allocated.
private protocol PartedWork {
  func perform(_ part: Int)
}

private struct JobWork<Job>: PartedWork {
  let job: UnsafeMutablePointer<Job>
  let work: @Sendable (Job, Int) -> Void

  func perform(_ part: Int) { work(job.pointee, part) }
}

private struct SharedRows<Job> {
  let job: Job
  let rows: Range<Int>
  let parts: Int
  let work: @Sendable (inout Job, WorkerPool.RowShare) -> Void
}

private struct RowWork<Job>: PartedWork {
  let shared: UnsafeMutablePointer<SharedRows<Job>>

  func perform(_ part: Int) {
    let (rows, parts) = (shared.pointee.rows, shared.pointee.parts)
    let share = WorkerPool.share(part, of: rows.count, in: parts)
    var job = shared.pointee.job
    shared.pointee.work(
      &job,
      WorkerPool.RowShare(
        part: part, from: Int32(rows.lowerBound + share.lowerBound), to: Int32(rows.lowerBound + share.upperBound)))
  }
}
