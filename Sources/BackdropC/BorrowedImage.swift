import Backdrop
import CBackdrop
import Libc

/// A picture in the caller's memory, with checked fields.
struct BorrowedImage {
  let format: PixelFormat
  let width: Int, height: Int
  let color: ColorDescription
  let alpha: AlphaKind
  let time: Double
  private let planes: [(base: UnsafeMutableRawPointer, stride: Int)]

  private static let formats: [Int32: PixelFormat] = [
    Int32(BD_I420): .i420, Int32(BD_NV12): .nv12, Int32(BD_BGRA): .bgra8, Int32(BD_RGBA): .rgba8, Int32(BD_RGB): .rgb8,
    Int32(BD_GRAY8): .gray8, Int32(BD_FLOAT): .grayFloat,
  ]

  /// The pixel format for a number.
  static func format(_ number: Int32, _ what: String) throws(BackdropError) -> PixelFormat {
    guard let format = formats[number] else {
      throw BackdropError(
        .wrongArgument, "\(number) is not a pixel format for \(what)", hint: "use BD_I420 (1) to BD_FLOAT (7)")
    }
    return format
  }

  /// The number of a pixel format; `nil` if the C interface does not have it.
  static func number(_ format: PixelFormat) -> Int32? { formats.first { $0.value == format }?.key }

  /// Checks the caller's picture, which messages call `what`.
  init(_ pointer: UnsafePointer<bd_image>?, _ what: String) throws(BackdropError) {
    let image = try given(pointer, what).checked(\.size, "bd_image")
    format = try Self.format(image.format, what)
    (width, height) = (Int(image.width), Int(image.height))
    guard width > 0 && height > 0 else {
      throw BackdropError(.wrongArgument, "the size of \(what) is \(width)×\(height)", hint: "give at least one pixel")
    }
    try ImageLimits.standard.check(width: width, height: height)
    guard image.time.isFinite else {
      throw BackdropError(.wrongArgument, "the time of \(what) is not a number", hint: "give seconds")
    }
    time = image.time
    color = try Self.color(image)
    let kinds: [AlphaKind] = [.opaque, .straight, .premultiplied]
    guard kinds.indices.contains(Int(image.alpha)) else {
      throw BackdropError(.wrongArgument, "\(image.alpha) is not a kind of alpha", hint: "use BD_ALPHA_OPAQUE (0) to 2")
    }
    alpha = format.hasAlpha ? kinds[Int(image.alpha)] : .opaque
    let (bases, strides) = (
      [image.planes.0, image.planes.1, image.planes.2], [image.strides.0, image.strides.1, image.strides.2]
    )
    var planes: [(UnsafeMutableRawPointer, Int)] = []
    for index in 0..<format.planeCount {
      guard let base = bases[index] else {
        throw BackdropError(.wrongArgument, "plane \(index) of \(what) is NULL", hint: "set all planes of the format")
      }
      let needed = format.rowBytes(plane: index, width: width)
      guard strides[index] >= needed, strides[index] < 1 << 31 else {
        throw BackdropError(
          .wrongArgument, "the stride of plane \(index) of \(what) is \(strides[index])",
          hint: "a row of this width takes \(needed) bytes")
      }
      planes.append((base, strides[index]))
    }
    self.planes = planes
  }

  private static func color(_ image: bd_image) throws(BackdropError) -> ColorDescription {
    let matrices: [ColorDescription.Matrix] = [.bt709, .bt601, .bt709, .bt2020]
    let ranges: [ColorDescription.Range] = [.limited, .limited, .full]
    guard matrices.indices.contains(Int(image.matrix)), ranges.indices.contains(Int(image.range)) else {
      throw BackdropError(
        .wrongArgument, "the matrix \(image.matrix) or the range \(image.range) does not exist",
        hint: "use 0 for the default")
    }
    return ColorDescription(matrix: matrices[Int(image.matrix)], range: ranges[Int(image.range)])
  }

  /// Copies the picture to the library's own memory.
  func image(_ pool: ImagePool?) -> Image {
    var result = Image(format, width: width, height: height, color: color, alpha: alpha, pool: pool)
    for index in planes.indices {
      let layout = result.layout(index)
      result.withUnsafeMutableBytes(plane: index) { to in
        for y in 0..<layout.rows {
          memcpy(to + y * layout.bytesPerRow, planes[index].base + y * planes[index].stride, layout.rowBytes)
        }
      }
    }
    return result
  }

  /// The depth map of the distances in metres.
  func depth(_ camera: Intrinsics? = nil) throws(BackdropError) -> DepthMap {
    guard format == .grayFloat else {
      throw BackdropError(.wrongArgument, "the depth is in another format", hint: "pass metres as BD_FLOAT")
    }
    return DepthMap(metres: image(nil).plane(as: Float.self), intrinsics: camera)
  }

  /// Writes a picture of the same size to the caller's memory, converted to its format.
  func store(_ image: Image, spare: inout Image?) throws(BackdropError) {
    guard image.width == width && image.height == height else {
      throw BackdropError(
        .wrongArgument, "the result is \(image.width)×\(image.height), but your image is \(width)×\(height)",
        hint: "ask bd_session_output() for the size")
    }
    guard image.alpha == .opaque || format.hasAlpha else {
      throw BackdropError(
        .wrongArgument, "the result has alpha, but your image has none", hint: "use BD_BGRA or BD_RGBA")
    }
    let isSame =
      image.format == format && (!format.isYUV || image.color.isCodedLike(color))
      && !image.color.space.needsConversion(to: .sRGB)
    var source = image
    if !isSame {
      var converted = spare.take() ?? Image(.gray8, width: 1, height: 1)
      if (converted.format, converted.color, converted.width, converted.height) != (format, color, width, height) {
        converted = Image(format, width: width, height: height, color: color)
      }
      image.convert(into: &converted)
      (source, spare) = (converted, converted)
    }
    for index in planes.indices {
      let layout = source.layout(index)
      source.withUnsafeBytes(plane: index) { from in
        for y in 0..<layout.rows {
          memcpy(planes[index].base + y * planes[index].stride, from + y * layout.bytesPerRow, layout.rowBytes)
        }
      }
    }
  }

  /// Writes a matte to the caller's memory, scaled to its size.
  func store(_ matte: Matte) throws(BackdropError) {
    let scaled = matte.scaled(toWidth: width, height: height)
    let (base, stride) = planes[0]
    switch format {
    case .gray8:
      for y in 0..<height { scaled.copyRow(y, asBytes: (base + y * stride).assumingMemoryBound(to: UInt8.self)) }
    case .grayFloat:
      for y in 0..<height { scaled.copyRow(y, asFloats: base + y * stride) }
    default:
      throw BackdropError(.wrongArgument, "a matte cannot have this format", hint: "use BD_GRAY8 or BD_FLOAT")
    }
  }
}

extension Image {
  /// A view of the picture's own memory; `nil` for a format without a number in C.
  func view(time: Double) -> bd_image? {
    guard let number = BorrowedImage.number(format) else { return nil }
    var view = bd_image()
    view.size = MemoryLayout<bd_image>.size
    (view.format, view.width, view.height, view.time) = (number, Int32(width), Int32(height), time)
    var bases: [UnsafeMutableRawPointer?] = [nil, nil, nil]
    var strides = [0, 0, 0]
    for index in 0..<format.planeCount {
      withUnsafeBytes(plane: index) { bases[index] = UnsafeMutableRawPointer(mutating: $0) }
      strides[index] = layout(index).bytesPerRow
    }
    (view.planes, view.strides) = ((bases[0], bases[1], bases[2]), (strides[0], strides[1], strides[2]))
    view.matrix = [ColorDescription.Matrix.bt601: 1, .bt709: 2, .bt2020: 3][color.matrix] ?? 0
    view.range = color.range == .full ? Int32(BD_FULL) : Int32(BD_LIMITED)
    view.alpha = alpha == .straight ? 1 : alpha == .premultiplied ? 2 : 0
    return view
  }
}
