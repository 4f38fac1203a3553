import BackdropCodecs
import BackdropImaging

/// A BMP file as a picture, of any depth, compressed by runs or uncompressed.
package struct BMPPicture: PhotoPicture {
  package let bytes: [UInt8]
  package var width: Int { header.width }
  package var height: Int { header.height }
  /// The colour space of its profile, which only version 5 headers have.
  package let colorSpace: ColorSpace
  private let header: BMPHeader

  /// Reads the headers only.
  package init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    header = try BMPHeader(bytes, limits: limits)
    colorSpace = header.profile.map { ColorSpace(icc: Array(bytes[$0]), forGray: false) } ?? .sRGB
    self.bytes = bytes
  }

  /// The decoded pixels: `rgba8`, with straight alpha if a mask gives it and it is not 0 everywhere.
  package func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    var image = Image(.rgba8, width: width, height: height, color: .jpeg.with(colorSpace), alpha: .opaque)
    if header.packing == .runs {
      let indices = try header.runs(in: bytes)
      for y in 0..<height { paint(indices.row(y), to: &image, row: y) }
    } else {
      var hasAlpha = false
      for y in 0..<height {
        let start = header.pixels + y * header.rowBytes
        let row = bytes.span.extracting(start..<start + header.rowBytes)
        if unpack(row, to: &image, row: header.isTopDown ? y : height - 1 - y) { hasAlpha = true }
      }
      if hasAlpha {
        image.alpha = .straight
      } else if header.masks.count == 4, header.masks[3] != 0 {
        image.setChannel(3, to: Plane(repeating: 255, width: width, height: height))
      }
    }
    return format.map { image.converted(to: $0) } ?? image
  }

  private func paint(_ indices: Span<UInt8>, to image: inout Image, row y: Int) {
    var row = image.mutableRow(y)
    for x in 0..<width {
      (row[4 * x], row[4 * x + 1], row[4 * x + 2]) = header.palette[Int(indices[x])]
      row[4 * x + 3] = 255
    }
  }

  /// Writes a row; returns whether any of its pixels has alpha above 0.
  private func unpack(_ source: Span<UInt8>, to image: inout Image, row y: Int) -> Bool {
    var row = image.mutableRow(y)
    var hasAlpha = false
    switch header.bits {
    case 1...8:
      let (perByte, mask) = (8 / header.bits, (1 << header.bits) - 1)
      for x in 0..<width {
        let shift = 8 - header.bits * (x % perByte + 1)
        let index = Int(source[x / perByte]) >> shift & mask
        (row[4 * x], row[4 * x + 1], row[4 * x + 2]) = header.palette[index]
        row[4 * x + 3] = 255
      }
    case 24:
      for x in 0..<width {
        for channel in 0..<3 { row[4 * x + channel] = source[3 * x + 2 - channel] }
        row[4 * x + 3] = 255
      }
    default:
      let channels = header.masks.map(Channel.init)
      for x in 0..<width {
        var pixel: UInt32 = 0
        let size = header.bits / 8
        for index in (0..<size).reversed() { pixel = pixel << 8 | UInt32(source[size * x + index]) }
        for channel in 0..<3 { row[4 * x + channel] = channels[channel].level(pixel) ?? 0 }
        let alpha = channels[3].level(pixel)
        row[4 * x + 3] = alpha ?? 255
        if let alpha, alpha > 0 { hasAlpha = true }
      }
    }
    return hasAlpha
  }

  /// Consecutive bits of a pixel.
  private struct Channel {
    let shift: UInt32
    let greatest: UInt32

    init(_ mask: UInt32) {
      shift = UInt32(mask == 0 ? 0 : mask.trailingZeroBitCount)
      greatest = mask >> shift
    }

    /// The value in 8 bits, rounded; `nil` without a mask.
    func level(_ pixel: UInt32) -> UInt8? {
      guard greatest > 0 else { return nil }
      let code = UInt64(pixel >> shift & greatest)
      return UInt8((code * 255 + UInt64(greatest) / 2) / UInt64(greatest))
    }
  }
}

struct BMPContainer: PhotoContainer {
  var name: String { "bmp" }
  var fileExtensions: [String] { ["bmp", "dib"] }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .bmp }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    DepthPhoto(picture: try BMPPicture(bytes, limits: limits), container: self)
  }
}
