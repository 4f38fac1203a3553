import BackdropImaging
import CTurboJPEG

extension JPEG {
  /// How much colour detail to keep.
  package enum Subsampling: Sendable, CaseIterable {
    /// 4:4:4: all of it, for graphics and for pictures that you will edit further.
    case full
    /// 4:2:0: half in each direction, as in cameras' files.
    case half
  }

  /// The longest side that libjpeg can write.
  private static let largestSide = 65_500

  /// Encodes an image as a baseline JPEG file.
  ///
  /// Grey formats give a grey file (16-bit and float samples are reduced to 8 bits), all others colour. `i420` in
  /// ``/BackdropImaging/ColorDescription/jpeg`` with `half` subsampling is written directly; other Y′CbCr images are converted. Alpha is
  /// left out: premultiplied pictures appear over black, straight ones with their own colours. The picture is turned upright first. Colours
  /// keep their space: the file carries the profile of ``/BackdropImaging/ColorDescription/space``, and none for sRGB.
  ///
  /// - Throws: `wrongArgument` if `quality` is not 1…100, `overLimit` for a side above 65,500 or a profile above 16 MB.
  package static func encode(
    _ image: Image, quality: Int = Picture.standardQuality, subsampling: Subsampling = .half
  ) throws(BackdropError) -> [UInt8] {
    try check(image, quality: quality, largestSide: largestSide, as: "a JPEG")
    var image = image.orientation == .up ? image : image.upright()
    switch image.format {
    case .gray16, .grayFloat: image = image.converted(to: .gray8)
    case .i420, .nv12, .yuyv:
      image =
        subsampling == .half && image.format != .yuyv
        ? image.converted(to: .i420, color: .jpeg.with(image.color.space)) : image.converted(to: .rgba8)
    case .rgb8, .rgba8, .bgra8, .gray8: break
    }

    guard let handle = tjInitCompress() else { throw BackdropError(.system, "libjpeg-turbo could not start") }
    defer { tjDestroy(handle) }
    var output = Output()
    defer { tjFree(output.file) }
    let status =
      image.format == .i420
      ? compressPlanes(image, handle, quality, into: &output)
      : compressPixels(image, handle, quality, subsampling, into: &output)
    guard status == 0, let file = output.file else {
      throw BackdropError(.system, "libjpeg-turbo could not encode (\(String(cString: tjGetErrorStr2(handle))))")
    }
    let coded = UnsafeBufferPointer(start: file, count: Int(output.count))
    guard let profile = image.color.space.profileBytes(forGray: image.format == .gray8) else { return Array(coded) }
    // Insert the profile after the JFIF segment, which must be first.
    let head = 2 + (coded[2] == 0xFF && coded[3] == 0xE0 ? 2 + Int(coded[4]) << 8 + Int(coded[5]) : 0)
    return Array(coded[..<head]) + (try JPEGStructure.segments(ofProfile: profile)) + coded[head...]
  }

  /// The file, in the library's memory.
  private struct Output {
    var file: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
  }

  private static func compressPixels(
    _ image: Image, _ handle: tjhandle, _ quality: Int, _ subsampling: Subsampling, into output: inout Output
  ) -> Int32 {
    let order: TJPF
    switch image.format {
    case .gray8: order = TJPF_GRAY
    case .bgra8: order = TJPF_BGRX
    case .rgba8: order = TJPF_RGBX
    default: order = TJPF_RGB
    }
    let chroma = image.format == .gray8 ? TJSAMP_GRAY : subsampling == .half ? TJSAMP_420 : TJSAMP_444
    let pitch = Int32(image.layout(0).bytesPerRow)
    return image.withUnsafeBytes {
      tjCompress2(
        handle, $0.assumingMemoryBound(to: UInt8.self), Int32(image.width), pitch, Int32(image.height),
        order.rawValue, &output.file, &output.count, Int32(chroma.rawValue), Int32(quality), TJFLAG_ACCURATEDCT)
    }
  }

  private static func compressPlanes(
    _ image: Image, _ handle: tjhandle, _ quality: Int, into output: inout Output
  ) -> Int32 {
    let (width, height) = (Int32(image.width), Int32(image.height))
    let image = withWholePairs(image)
    let strides = (0..<3).map { Int32(image.layout($0).bytesPerRow) }
    return image.withUnsafeBytes { luma in
      let base = luma.assumingMemoryBound(to: UInt8.self)
      var planes: [UnsafePointer<UInt8>?] = (0..<3).map { base + (image.layout($0).offset - image.layout(0).offset) }
      return tjCompressFromYUVPlanes(
        handle, &planes, width, strides, height, Int32(TJSAMP_420.rawValue), &output.file, &output.count,
        Int32(quality), TJFLAG_ACCURATEDCT)
    }
  }

  /// The image with even sides, repeating its last column and row if needed, because TurboJPEG reads luma that far.
  private static func withWholePairs(_ image: Image) -> Image {
    let (width, height) = ((image.width + 1) / 2 * 2, (image.height + 1) / 2 * 2)
    guard width != image.width || height != image.height else { return image }
    var result = Image(.i420, width: width, height: height, color: image.color)
    for plane in 0..<3 {
      for y in 0..<result.layout(plane).rows {
        let source = image.row(min(y, image.layout(plane).rows - 1), plane: plane)
        var target = result.mutableRow(y, plane: plane)
        for x in target.indices { target[x] = source[min(x, source.count - 1)] }
      }
    }
    return result
  }
}
