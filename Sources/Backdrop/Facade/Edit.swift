import BackdropDepth
import BackdropImaging
import BackdropLooks
import Synchronization

/// A plan for a photo or a video: a ``Job`` that has not begun. Changing it changes nothing else.
///
///     var edit = try Photo("me.heic").applying(.portrait)
///     edit.plan.focus = .point(x: 1204, y: 800)
///     try await edit.write(to: "out.heic")
public struct Edit<Source: Original>: Sendable {
  /// The original.
  public var original: Source
  /// Everything that can be chosen, as ``Job`` takes it.
  ///
  /// It is strict unless told otherwise (``Job/Plan/isStrict``): where a look is to hide the real background and it
  /// would be seen where nobody is, nothing is written.
  public var plan: Job.Plan

  /// An edit by a plan; its outputs are named when it is written.
  public init(_ original: Source, _ plan: Job.Plan) { (self.original, self.plan) = (original, plan) }

  /// Makes the result and moves it to its place when it is whole; until then nothing is there.
  ///
  /// A photo's metadata, colour profile, depth and mattes go along where they still fit; so do a video's sound, subtitles and
  /// chapters. It works on threads of its own. Cancelling the task ends the work, and nothing is written.
  ///
  /// - Parameters:
  ///   - path: where to; the ending says which kind of file, as ``OutputTarget`` reads it.
  ///   - mattePath: where the mattes go, at the picture's size; `nil` for nowhere.
  ///   - overwrite: whether files that exist may be replaced; never those that are read.
  /// - Returns: a summary, with ``JobSummary/warnings``.
  /// - Throws: `badData` where no picture has anybody in it, or the real background would be seen; `wrongArgument` for
  ///   names, values and backgrounds that make no sense, and for files that are there; `unsupported` where a network is
  ///   needed and none is installed; `interrupted` when the task was cancelled.
  @discardableResult
  public func write(
    to path: String, matte mattePath: String? = nil, overwrite: Bool = false
  ) async throws(BackdropError) -> JobSummary {
    var plan = plan
    plan.output = try OutputTarget(path)
    if let mattePath { plan.matteOutput = try OutputTarget(mattePath) }
    plan.writing.overwrite = overwrite
    return try await Self.run(original, plan).summary
  }

  /// Does the work on a thread of its own.
  fileprivate static func run(
    _ original: Source, _ plan: Job.Plan
  ) async throws(BackdropError) -> (summary: JobSummary, image: Image?) {
    let isCancelled = Atomic(false)
    return try await DetachedThread.result(onCancel: { isCancelled.store(true, ordering: .relaxed) }) {
      () throws(BackdropError) in
      if isCancelled.load(ordering: .relaxed) { throw BackdropError(.interrupted, "interrupted") }
      var image: Image?
      let summary = try Job(try original.open(), plan).run(
        isInterrupted: { isCancelled.load(ordering: .relaxed) },
        observe: plan.output?.isObserver == true ? { image = $2?.image } : nil)
      return (summary, image)
    }
  }
}

extension Edit where Source == Photo {
  /// Makes the result in memory, upright, with alpha where the background is left out.
  ///
  /// - Throws: as ``write(to:matte:overwrite:)``, but for what concerns files.
  public func image() async throws(BackdropError) -> Image {
    var plan = plan
    plan.output = .observer
    guard let image = try await Self.run(original, plan).image else {
      throw BackdropError(
        .wrongArgument, "a sweep makes several pictures, and this call returns one", hint: .leaveSweepOut)
    }
    return image
  }
}

extension DetachedThread {
  /// Runs `body` on a thread of its own, without holding up the cooperative pool.
  ///
  /// - Parameter onCancel: called when the task is cancelled; `body` should then end.
  static func result<Value: Sendable>(
    onCancel: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () throws(BackdropError) -> Value
  ) async throws(BackdropError) -> Value {
    let result: Result<Value, BackdropError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start { continuation.resume(returning: Result(catching: body)) }
      }
    } onCancel: {
      onCancel()
    }
    return try result.get()
  }
}
