import BackdropDepth
import BackdropImaging

/// Where the drawn pictures of a job and its mattes go.
struct JobOutputs {
  /// One picture for each of them.
  struct Picture: Sendable {
    var drawn: Image
    /// At any size; `nil` where nobody wants it.
    var matte: Matte?
    /// When it is shown and how long, in the input's ticks.
    var time: Int64, duration: Int64
  }

  private let result: JobOutput?
  private let mattes: JobOutput?
  private let width: Int, height: Int

  /// Opens what the plan names.
  init(_ plan: Job.Plan, _ input: JobInput) throws(BackdropError) {
    (width, height) = (input.width, input.height)
    var result: JobOutput?
    if let path = plan.output {
      result = try JobOutput(
        path, for: input, color: input.color, format: plan.isTransparent ? .bgra8 : input.format,
        keepsAlpha: plan.isTransparent, options: plan.options)
    }
    self.result = result
    var mattes: JobOutput?
    if let path = plan.matteOutput {
      var options = plan.options
      options.copiesStreams = false
      // They are chosen for the result, where there is one, and need not suit the matte.
      if result != nil { (options.codec, options.quality) = (nil, nil) }
      mattes = try JobOutput(
        path, for: input, color: ColorDescription(matrix: .bt709, range: .full), format: .gray8, options: options)
    }
    self.mattes = mattes
  }

  private var all: [JobOutput] { [result, mattes].compactMap { $0 } }
  /// Whether none takes any more pictures.
  var areFull: Bool { all.allSatisfy(\.isFull) }
  /// Whether whoever read a pipe has seen enough.
  var readerIsGone: Bool { all.contains(where: \.readerIsGone) }
  /// Whether all are files that take every picture, so that writing is worth a thread of its own.
  var areVideos: Bool { all.allSatisfy(\.isVideo) }
  /// Whether the result is a single picture, and there.
  var tookTheFirstOnly: Bool { result?.tookTheFirstOnly ?? false }
  /// Things worth telling about what was written.
  var notes: [String] { all.flatMap(\.notes) }

  /// Adds a picture to each.
  func write(_ picture: Picture) throws(BackdropError) {
    try result?.write(picture.drawn, time: picture.time, duration: picture.duration)
    if let mattes, let matte = picture.matte {
      try mattes.write(
        matte.scaled(toWidth: width, height: height).image, time: picture.time, duration: picture.duration)
    }
  }

  /// Completes both before either is seen under its name.
  func finish() throws(BackdropError) {
    for output in all { try output.complete() }
    for output in all { try output.commit() }
  }
}
