import BackdropImaging
import BackdropSandbox
import Foundation

/// The built command as a decoder.
enum SandboxFixture {
  static let program: String = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appending(path: "backdrop").path
  }()

  /// Options with a decoder that has these variables, and little memory.
  static func options(_ variables: [String: String] = [:], seconds: Double = 60) -> DecoderSandbox.Options {
    var options = DecoderSandbox.Options(program: program)
    if !variables.isEmpty {
      options.command = ["/usr/bin/env"] + variables.map { "\($0)=\($1)" } + options.command
    }
    options.seconds = seconds
    options.memory = 1 << 30
    return options
  }

  static func sandbox() throws -> DecoderSandbox { try DecoderSandbox(options()) }

  /// The same work with and without a sandbox, as text or pixels.
  static func both<Result>(
    _ sandbox: DecoderSandbox, _ body: () throws(BackdropError) -> Result
  ) -> (here: Swift.Result<Result, BackdropError>, there: Swift.Result<Result, BackdropError>) {
    func outcome(_ body: () throws(BackdropError) -> Result) -> Swift.Result<Result, BackdropError> {
      do throws(BackdropError) { return .success(try body()) } catch { return .failure(error) }
    }
    return (outcome(body), outcome { () throws(BackdropError) in try sandbox.run(body) })
  }
}

/// All that a picture is.
struct PictureFacts: Equatable {
  var format: PixelFormat
  var width: Int, height: Int
  var color: ColorDescription
  var alpha: AlphaKind
  var orientation: Orientation
  var bytes: [UInt8]

  init(_ image: Image) {
    (format, width, height) = (image.format, image.width, image.height)
    (color, alpha, orientation) = (image.color, image.alpha, image.orientation)
    bytes = image.packedBytes
  }
}
