import Synchronization

/// A plan for a photo or a video: a ``Job`` that has not begun. A change to it affects nothing else.
///
///     var edit = try Photo("me.heic").applying(.portrait)
///     edit.plan.focus = .point(x: 1204, y: 800)
///     try await edit.write(to: "out.heic")
public struct Edit<Source: Original>: Sendable {
  /// The original.
  public var original: Source
  /// All choices, as a ``Job`` takes them.
  ///
  /// Others see its result by default (``StreamSettings/audience``): if a look should hide the real background and would show it beside people, or
  /// if a photo contains no recognized person, the edit writes nothing.
  public var plan: Job.Plan

  /// Makes an edit from a plan; ``write(to:matte:overwrite:)`` names its outputs.
  public init(_ original: Source, _ plan: Job.Plan) { (self.original, self.plan) = (original, plan) }

  /// Makes the result and moves it into place when it is complete; no file appears before that.
  ///
  /// The result keeps a photo's metadata, colour profile, depth and mattes if they still fit, and a video's sound, subtitles and chapters.
  /// The work runs on separate threads. Cancelling the task ends the work, and writes nothing.
  ///
  /// - Parameters:
  ///   - path: the output file; its extension chooses the format, as ``OutputTarget`` reads it.
  ///   - mattePath: the file for the mattes, at the picture's size; `nil` for none.
  ///   - overwrite: whether to replace existing files; inputs are never replaced.
  /// - Returns: a summary, with ``JobSummary/warnings``.
  /// - Throws: `badData` if no picture contains a person, or the real background would be visible; `wrongArgument` for invalid names,
  ///   values and backgrounds, and for existing files; `unsupported` if a required network is missing; `interrupted` when the task was
  ///   cancelled.
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

  /// Does the work on a separate thread.
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
  /// Makes the result in memory, upright, with alpha if the background is transparent.
  ///
  /// - Throws: as ``write(to:matte:overwrite:)``, except for files.
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
  /// Runs `body` on a separate thread, without blocking the cooperative pool.
  ///
  /// - Parameter onCancel: runs when the task is cancelled; `body` should then end.
  static func result<Value: Sendable>(
    onCancel: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () throws(BackdropError) -> Value
  ) async throws(BackdropError) -> Value {
    let result: Result<Value, BackdropError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(BackdropError) {
          try start { continuation.resume(returning: Result(catching: body)) }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    } onCancel: {
      onCancel()
    }
    return try result.get()
  }
}
