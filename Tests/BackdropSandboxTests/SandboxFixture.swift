import BackdropImaging
import BackdropSandbox
import Foundation

/// Sandboxes that run the built command as their decoder.
enum SandboxFixture {
  static let program: String = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appending(path: "backdrop").path
  }()

  /// Options for a decoder with these environment variables, and with 1 GiB of memory.
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

  /// The results of the same work without and with a sandbox.
  static func both<Result>(
    _ sandbox: DecoderSandbox, _ body: () throws(BackdropError) -> Result
  ) -> (here: Swift.Result<Result, BackdropError>, there: Swift.Result<Result, BackdropError>) {
    func outcome(_ body: () throws(BackdropError) -> Result) -> Swift.Result<Result, BackdropError> {
      do throws(BackdropError) { return .success(try body()) } catch { return .failure(error) }
    }
    return (outcome(body), outcome { () throws(BackdropError) in try sandbox.run(body) })
  }
}

/// All properties and samples of a picture, for comparison.
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
