import ArgumentParser
import Backdrop
import BackdropImaging
import BackdropVideo

/// The flags for writing pictures and videos.
struct WritingOptions: ParsableArguments {
  @Option(
    help:
      "Video codec: \(VideoSettings.Codec.allCases.map(\.rawValue).joined(separator: ", ")). Default: chosen by the name's ending."
  )
  var codec: String?

  @Option(parsing: .unconditional, help: "The codec's constant-quality number; lower is better.")
  var crf: Double?

  @Option(
    parsing: .unconditional,
    help: "Quality of JPEG, HEIC, WebP and AVIF pictures, 1…100. Default: \(Picture.standardQuality).")
  var photoQuality: Int?

  @Flag(help: "Keep every pixel of WebP and AVIF pictures.")
  var lossless = false

  @Flag(
    help:
      "Keep the high dynamic range of a PQ or HLG video, as 10-bit H.265, AV1 or ProRes. Default: standard dynamic range."
  )
  var hdr = false

  /// Applies the flags to options.
  func apply(to options: inout StreamOutput.Options) throws(BackdropError) {
    options.quality = crf
    options.photoIsLossless = lossless
    options.keepsDynamicRange = hdr
    guard !lossless || photoQuality == nil else {
      throw BackdropError(
        .wrongArgument, "a lossless picture has no quality to set", hint: "remove --photo-quality or --lossless")
    }
    if let photoQuality {
      guard (1...100).contains(photoQuality) else {
        throw BackdropError(
          .wrongArgument, "photo quality \(photoQuality) is out of range: 1…100",
          hint: "the default is \(Picture.standardQuality)")
      }
      options.photoQuality = photoQuality
    }
    guard let codec else { return }
    guard let known = VideoSettings.Codec(rawValue: codec) else {
      throw BackdropError(
        .wrongArgument, "Backdrop has no codec '\(codec)'",
        hint: .known(VideoSettings.Codec.allCases.map(\.rawValue), insteadOf: codec))
    }
    options.codec = known
  }
}
