import ArgumentParser
import Backdrop
import BackdropImaging
import BackdropVideo

/// The flags that say how pictures and videos are written.
struct WritingOptions: ParsableArguments {
  @Option(
    help:
      "Video codec: \(VideoSettings.Codec.allCases.map(\.rawValue).joined(separator: ", ")). Default: by the name's ending."
  )
  var codec: String?

  @Option(parsing: .unconditional, help: "The codec's constant-quality number, lower is better.")
  var crf: Double?

  /// Sets them in options that have everything else.
  func apply(to options: inout StreamOutput.Options) throws(BackdropError) {
    options.quality = crf
    guard let codec else { return }
    guard let known = VideoSettings.Codec(rawValue: codec) else {
      let names = VideoSettings.Codec.allCases.map(\.rawValue).joined(separator: ", ")
      throw BackdropError(.wrongArgument, "there is no codec '\(codec)'", hint: "there are \(names)")
    }
    options.codec = known
  }
}
