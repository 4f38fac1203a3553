import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// The position of alpha in decoded pictures.
struct AlphaSamples {
  private let plane: Int, step: Int, offset: Int, shift: Int
  private let isWide: Bool, isBigEndian: Bool, isPalette: Bool
  private let most: Int

  /// `nil` for formats without alpha, and for floats.
  init?(_ format: AVPixelFormat) {
    guard let about = av_pix_fmt_desc_get(format)?.pointee else { return nil }
    let flags = Int32(truncatingIfNeeded: about.flags)
    guard flags & AV_PIX_FMT_FLAG_ALPHA != 0, flags & (AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BITSTREAM) == 0 else {
      return nil
    }
    isPalette = flags & AV_PIX_FMT_FLAG_PAL != 0
    isBigEndian = flags & AV_PIX_FMT_FLAG_BE != 0
    let component = about.nb_components == 2 ? about.comp.1 : about.comp.3
    if isPalette {
      (plane, step, offset, shift, isWide, most) = (0, 1, 0, 0, false, 255)
      return
    }
    guard about.nb_components == 2 || about.nb_components == 4, component.depth >= 8, component.depth <= 16 else {
      return nil
    }
    (plane, step) = (Int(component.plane), Int(component.step))
    (offset, shift) = (Int(component.offset), Int(component.shift))
    isWide = component.depth > 8
    most = 1 << Int(component.depth) - 1
  }

  /// The alpha of a picture, 0…255; `nil` if it is opaque.
  func plane(of pointers: PlanePointers, width: Int, height: Int) -> Plane<UInt8>? {
    guard let base = pointers.base[plane] else { return nil }
    let stride = Int(pointers.bytesPerRow[plane])
    // A palette of 256 colours of 32 bits, alpha first.
    let palette = isPalette ? pointers.base[1].map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt32.self) } : nil
    if isPalette && palette == nil { return nil }
    var result = Plane<UInt8>(uninitializedWidth: width, height: height)
    var least: UInt8 = 255
    for y in 0..<height {
      var to = result.mutableRow(y)
      let row = UnsafePointer(base) + y * stride + offset
      for x in 0..<width {
        let value: UInt8
        if let palette {
          value = UInt8(truncatingIfNeeded: palette[Int(row[x])] >> 24)
        } else if isWide {
          let (first, second) = (Int(row[x * step]), Int(row[x * step + 1]))
          let sample = (isBigEndian ? first << 8 | second : second << 8 | first) >> shift & most
          value = UInt8((sample * 255 + most / 2) / most)
        } else {
          value = row[x * step]
        }
        to[x] = value
        least = min(least, value)
      }
    }
    return least == 255 ? nil : result
  }
}
