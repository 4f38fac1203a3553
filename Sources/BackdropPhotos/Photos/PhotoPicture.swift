import BackdropImaging

/// A picture of a photo: the colour picture itself, a depth image, a matte. It is decoded only on request.
///
/// Each kind of file has a separate type, so that a writer of the same kind can copy the coded bytes.
package protocol PhotoPicture: Sendable {
  /// Pixels in a row, as stored.
  var width: Int { get }
  /// Rows, as stored.
  var height: Int { get }
  /// The colours of its samples, known without decoding: sRGB if the file does not state them. Decoding maps a high dynamic range to sRGB.
  var colorSpace: ColorSpace { get }
  /// Bits of a sample as stored; by default 8. Decoding rounds deeper colours to 8.
  var bitsPerSample: Int { get }

  /// The pixels as stored, not turned; the result's ``/BackdropImaging/Image/orientation`` has no meaning.
  ///
  /// - Parameter format: the pixel format; `nil` for the file's natural one (`gray8`, `gray16`, `grayFloat`, `rgba8`).
  func decoded(as format: PixelFormat?) throws(BackdropError) -> Image
}

extension PhotoPicture {
  package var bitsPerSample: Int { 8 }
}

package struct DecodedPicture: PhotoPicture {
  package let image: Image

  package init(_ image: Image) { self.image = image }

  package var width: Int { image.width }
  package var height: Int { image.height }
  package var colorSpace: ColorSpace { image.color.space }

  package func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    format.map { image.converted(to: $0) } ?? image
  }
}
