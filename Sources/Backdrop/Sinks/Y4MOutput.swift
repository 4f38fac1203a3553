/// YUV4MPEG2, in a file or on standard output.
struct Y4MOutput: OutputKind {
  let path: String

  static func named(_ path: String) -> Y4MOutput? {
    path == OutputTarget.standardOutput || FileName(path).fileExtension == "y4m" ? Y4MOutput(path: path) : nil
  }

  var isPipe: Bool { path == OutputTarget.standardOutput }
  var files: OutputFiles { isPipe ? .standardOutput : .one(path) }

  func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError) {
    guard !keepsAlpha else {
      throw BackdropError(
        .unsupported, "YUV4MPEG2 cannot hold transparency", path: isPipe ? nil : path, hint: .chooseTransparentKind)
    }
    guard !isPipe else { return }
    if options.photoIsLossless { throw VideoOutput.isNoPicture(path) }
    try PictureOutput.refuseCodec(options, path)
    try files.check(overwrite: options.overwrite)
  }

  func open(_ stream: StreamOutput.Stream, _ options: StreamOutput.Options) throws(BackdropError) -> any FrameWriter {
    try Writer(isPipe ? nil : try OutputFile(path, overwrite: options.overwrite), stream)
  }

  private final class Writer: FrameWriter {
    /// `nil` for standard output.
    private let file: OutputFile?
    /// `nil` if the reader closed the pipe before the first picture.
    private let writer: Y4MWriter?
    private(set) var readerIsGone = false
    /// The time of the last picture and the interval between the first two.
    private var pace: (last: Int64, step: Int64?)?
    private var isUneven = false

    init(_ file: OutputFile?, _ stream: StreamOutput.Stream) throws(BackdropError) {
      self.file = file
      // The stream cannot name its matrix; readers guess it from the size.
      var assumed = ColorDescription.assumed(width: stream.width, height: stream.height)
      assumed.range = stream.color.range
      do throws(BackdropError) {
        writer = try Y4MWriter(
          descriptor: try file?.begin().number ?? 1, width: stream.width, height: stream.height,
          frameRate: stream.frameRate, color: assumed)
      } catch {
        guard error.kind == .interrupted else { throw error }
        (writer, readerIsGone) = (nil, true)
      }
    }

    var isFull: Bool { readerIsGone }
    var notes: [String] {
      isUneven ? ["the pictures come at a varying rate; YUV4MPEG2 has a fixed rate, so their times are lost"] : []
    }

    func write(_ image: Image, deep: DeepFrame?, time: Int64, duration: Int64) throws(BackdropError) {
      follow(time)
      do throws(BackdropError) {
        try writer?.write(image)
      } catch {
        guard error.kind == .interrupted else { throw error }
        readerIsGone = true
      }
    }

    /// Notes whether pictures come at a constant rate.
    private func follow(_ time: Int64) {
      guard let (last, step) = pace else { return pace = (time, nil) }
      let now = time &- last
      pace = (time, step ?? now)
      if let step, abs(now &- step) > max(1, step / 4) { isUneven = true }
    }

    func complete() throws(BackdropError) {
      guard let file else { return }
      guard let writer, writer.frameCount > 0 else {
        throw BackdropError(.wrongArgument, "a video needs at least one picture", path: file.path)
      }
      try file.checkName()
    }

    func commit() throws(BackdropError) { try file?.commit() }
  }
}
