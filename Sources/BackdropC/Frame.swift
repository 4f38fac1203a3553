import Backdrop
import CBackdrop
import Libc
import Synchronization

/// A scene with memory visible to callers; several threads may read it.
final class Frame: Handle {
  static let title = "frame"

  let scene: Scene
  /// The picture, with its alpha if it has any.
  let image: Image
  /// The standing of a drawn picture; `shown` for others.
  let standing: Rendering.Standing
  /// The picture in sRGB and mattes as floats, made on request; views of them are valid as long as the frame.
  private let made = Mutex((shown: Image?.none, mattes: [MatteKind: Image]()))

  init(_ scene: Scene) throws(BackdropError) {
    var scene = scene
    // The C interface does not have all formats.
    if BorrowedImage.number(scene.image.format) == nil {
      scene.image = scene.image.converted(to: scene.image.format.isYUV ? .i420 : .rgb8)
    }
    (self.scene, image, standing) = (scene, scene.pictureWithAlpha, .shown)
  }

  init(_ image: Image, _ standing: Rendering.Standing = .shown, time: Double = 0) {
    (scene, self.image, self.standing) = (Scene(image: image, time: time), image, standing)
  }

  /// Makes a frame of a picture in sRGB, as RGB, or RGBA if it has alpha.
  init(coloured image: Image) {
    let image = image.converted(to: image.alpha == .opaque ? .rgb8 : .rgba8, color: nil).converted(to: .sRGB)
    (scene, self.image, standing) = (Scene(image: image), image, .shown)
  }

  var time: Double { scene.time }

  private static let kinds: [Int32: MatteKind] = [
    Int32(BD_PART_PORTRAIT): .portrait, Int32(BD_PART_SKIN): .skin, Int32(BD_PART_HAIR): .hair,
    Int32(BD_PART_TEETH): .teeth, Int32(BD_PART_GLASSES): .glasses, Int32(BD_PART_SKY): .sky,
  ]

  /// A view of a part's memory; `nil` if the frame does not have the part.
  func view(_ part: Int32) throws(BackdropError) -> bd_image? {
    switch part {
    case Int32(BD_PART_IMAGE):
      return made.withLock { made in
        let image = made.shown ?? image.converted(to: .sRGB)
        made.shown = image
        return image.view(time: time)
      }
    case Int32(BD_PART_DEPTH): return scene.depth.map { view($0.metres) }
    case Int32(BD_PART_DISPARITY): return scene.disparity.map { view($0.perMetre) }
    default:
      guard let kind = Self.kinds[part] else {
        throw BackdropError(
          .wrongArgument, "\(part) is not a part of a frame", hint: "use BD_PART_IMAGE (0) to BD_PART_SKY (8)")
      }
      guard let matte = scene.mattes[kind] else { return nil }
      return made.withLock { made in
        let image = made.mattes[kind] ?? Image(grayFloat: matte.opacities, color: .jpeg)
        made.mattes[kind] = image
        return image.view(time: time)
      }
    }
  }

  private func view(_ plane: Plane<Float>) -> bd_image {
    var view = bd_image()
    (view.size, view.format) = (MemoryLayout<bd_image>.size, Int32(BD_FLOAT))
    (view.width, view.height, view.time) = (Int32(plane.width), Int32(plane.height), time)
    view.strides.0 = plane.stride * 4
    plane.withUnsafePointer { view.planes.0 = UnsafeMutableRawPointer(mutating: $0) }
    return view
  }
}

/// Runs a call with a frame that other threads may read too.
private func read(_ frame: OpaquePointer?, _ body: (Frame) throws(BackdropError) -> bd_status) -> bd_status {
  call { () throws(BackdropError) in try HandleTable.shared.withShared(frame, Frame.self, body) }
}

/// Declared in backdrop.h.
@_cdecl("bd_frame_view")
public func bd_frame_view(_ frame: OpaquePointer!, _ part: Int32, _ view: UnsafeMutablePointer<bd_image>!) -> bd_status
{
  read(frame) { (frame) throws(BackdropError) in
    let result = try resultPointer(view)
    guard let found = try frame.view(part) else { return bd_status(BD_END) }
    result.pointee = found
    return bd_status(BD_OK)
  }
}

/// Draws depth in colours.
private func colors(
  of depth: DepthMap, _ palette: String?, _ nearest: Double, _ farthest: Double
) throws(BackdropError) -> Image {
  var chosen = DepthPalette.spectrum
  if let palette { chosen = try DepthPalette(known: palette, or: "there is no palette '\(palette)'") }
  var range: ClosedRange<Float>?
  if nearest != 0 || farthest != 0 {
    guard nearest >= 0 && farthest > nearest && farthest.isFinite else {
      throw BackdropError(
        .wrongArgument, "\(nearest) to \(farthest) is not a range of distances",
        hint: "give the nearer distance first, in metres")
    }
    range = Float(nearest)...Float(farthest)
  }
  var colorizer = DepthColorizer(chosen, range: range)
  return colorizer.colors(for: depth).image(of: depth)
}

/// Declared in backdrop.h.
@_cdecl("bd_depth_colorize")
public func bd_depth_colorize(
  _ depth: UnsafePointer<bd_image>!, _ palette: UnsafePointer<CChar>!, _ nearest: Double, _ farthest: Double,
  _ picture: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(picture) { () throws(BackdropError) in
    let depth = try BorrowedImage(depth, "depth")
    let name = palette.map { String(cString: $0) }
    return Frame(try colors(of: try depth.depth(), name, nearest, farthest), time: depth.time)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_frame_standing")
public func bd_frame_standing(_ frame: OpaquePointer!) -> bd_status {
  read(frame) { (frame) throws(BackdropError) in frame.standing.keptStatus() }
}

/// Declared in backdrop.h.
@_cdecl("bd_frame_free")
public func bd_frame_free(_ frame: OpaquePointer!) { HandleTable.shared.remove(frame) }

/// Declared in backdrop.h.
@_cdecl("bd_picture_read")
public func bd_picture_read(
  _ path: UnsafePointer<CChar>!, _ picture: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(picture) { () throws(BackdropError) in
    Frame(coloured: try Picture(try text(path, "path")).image)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_picture_decode")
public func bd_picture_decode(
  _ bytes: UnsafeRawPointer!, _ byte_count: Int, _ picture: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(picture) { () throws(BackdropError) in
    guard let bytes, byte_count > 0 else {
      throw BackdropError(.wrongArgument, "there are no bytes to read", hint: "pass the bytes of a picture file")
    }
    let copy = [UInt8](UnsafeRawBufferPointer(start: bytes, count: byte_count))
    return Frame(coloured: try DepthPhoto.read(copy).image())
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_picture_encode")
public func bd_picture_encode(
  _ image: UnsafePointer<bd_image>!, _ kind: UnsafePointer<CChar>!, _ quality: Int32,
  _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>!, _ byte_count: UnsafeMutablePointer<Int>!
) -> bd_status {
  perform { () throws(BackdropError) in
    let (result, count) = (try resultPointer(bytes), try resultPointer(byte_count))
    let name = try text(kind, "kind")
    guard let format = PictureFormat(named: name) else {
      throw BackdropError(
        .wrongArgument, "Backdrop knows no picture format '\(name)'",
        hint: .known(PictureFormat.all.map(\.name), insteadOf: name))
    }
    let encoded = try Picture.encode(
      try BorrowedImage(image, "the picture").image(nil), as: format,
      quality: pictureQuality(quality))
    guard let memory = malloc(encoded.count) else {
      throw BackdropError(.system, "there is not enough memory for a picture")
    }
    encoded.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: $0.count) }
    (result.pointee, count.pointee) = (memory, encoded.count)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_picture_convert")
public func bd_picture_convert(
  _ image: UnsafePointer<bd_image>!, _ result: UnsafeMutablePointer<bd_image>!
) -> bd_status {
  perform { () throws(BackdropError) in
    let (from, to) = (try BorrowedImage(image, "the picture"), try BorrowedImage(result, "the result"))
    var picture = from.image(nil)
    if !to.format.hasAlpha { picture.alpha = .opaque }
    var spare: Image?
    try to.store(picture, spare: &spare)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_picture_write")
public func bd_picture_write(
  _ image: UnsafePointer<bd_image>!, _ path: UnsafePointer<CChar>!, _ quality: Int32, _ overwrite: Int32
) -> bd_status {
  perform { () throws(BackdropError) in
    let picture = Picture(try BorrowedImage(image, "the picture").image(nil))
    try picture.write(
      to: try text(path, "path"), quality: pictureQuality(quality),
      overwrite: overwrite != 0)
  }
}
