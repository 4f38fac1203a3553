import BackdropCodecs
import BackdropImaging

/// A JPEG image inside a file. All images of the file share its bytes.
package struct JPEGPicture: PhotoPicture {
  let file: [UInt8]
  let structure: JPEGStructure
  /// Its colour space, by its ICC profile.
  package let colorSpace: ColorSpace
  /// The data after all known images, such as a short video: it stays at the end of the file.
  var trailer: Range<Int>?

  /// Locates the image at the start of `range` without decoding it.
  package init(_ file: [UInt8], in range: Range<Int>? = nil, limits: ImageLimits = .standard) throws(BackdropError) {
    structure = try JPEGStructure(file, in: range, limits: limits)
    self.file = file
    colorSpace = structure.colorSpace(in: file) ?? .sRGB
  }

  package var width: Int { structure.width }
  package var height: Int { structure.height }

  /// Only this image, from its start marker to its end marker.
  package var bytes: [UInt8] { Array(file[structure.range]) }

  var xmp: [UInt8]? {
    structure.payloads(0xE1, mark: JPEGStructure.Segment.xmpMark, in: file).first.map { Array(file[$0]) }
  }

  package func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    var image = try PictureFormat.jpeg.decode(file.span.extracting(structure.range), as: format)
    image.orientation = .up
    return image
  }
}
