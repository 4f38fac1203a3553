import Backdrop
import CBackdrop

/// A scene whose memory callers see.
final class Frame: Handle {
  static let title = "frame"

  private let scene: Scene
  /// Of a picture that was drawn.
  private let standing: Rendering.Standing
  /// Mattes as floats, made when they are asked for; views of them live as long as the frame.
  private var mattes: [MatteKind: Image] = [:]

  init(_ scene: Scene) throws(BackdropError) {
    var scene = scene
    // What C has no format for.
    if BorrowedImage.number(scene.image.format) == nil {
      scene.image = scene.image.converted(to: scene.image.format.isYUV ? .i420 : .rgb8)
    }
    (self.scene, standing) = (scene, .shown)
  }

  init(_ image: Image, _ standing: Rendering.Standing = .shown, time: Double = 0) {
    (scene, self.standing) = (Scene(image: image, time: time), standing)
  }

  var time: Double { scene.time }
  var depth: DepthMap? { scene.depth }
  var image: Image { scene.image }
  var disparity: DisparityMap? { scene.disparity }
  var reason: StandbyReason? { if case .standby(let reason) = standing { reason } else { nil } }

  private static let kinds: [Int32: MatteKind] = [
    Int32(BD_PART_PORTRAIT): .portrait, Int32(BD_PART_SKIN): .skin, Int32(BD_PART_HAIR): .hair,
    Int32(BD_PART_TEETH): .teeth, Int32(BD_PART_GLASSES): .glasses, Int32(BD_PART_SKY): .sky,
  ]

  /// A part's own memory; `nil` where the frame does not have it.
  ///
  /// - Throws: `wrongArgument` for a number without a part.
  func view(_ part: Int32) throws(BackdropError) -> bd_image? {
    switch part {
    case Int32(BD_PART_IMAGE): return scene.image.view(time: time)
    case Int32(BD_PART_DEPTH): return scene.depth.map { view($0.metres) }
    case Int32(BD_PART_DISPARITY): return scene.disparity.map { view($0.perMetre) }
    default:
      guard let kind = Self.kinds[part] else {
        throw BackdropError(
          .wrongArgument, "\(part) is no part of a frame", hint: "parts are BD_PART_IMAGE (0) to BD_PART_SKY (8)")
      }
      guard let matte = scene.mattes[kind] else { return nil }
      let image = mattes[kind] ?? Self.floats(matte)
      mattes[kind] = image
      return image.view(time: time)
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

  private static func floats(_ matte: Matte) -> Image {
    var image = Image(.grayFloat, width: matte.width, height: matte.height, color: .jpeg)
    let layout = image.layout(0)
    image.withUnsafeMutableBytes { to in
      for y in 0..<matte.height {
        let row = matte.q15.row(y)
        let line = (to + y * layout.bytesPerRow).assumingMemoryBound(to: Float.self)
        for x in row.indices { line[x] = Float(min(row[x], Matte.one)) / 32768 }
      }
    }
    return image
  }

  /// Depth, or what stands for it, in colours.
  ///
  /// - Throws: `badData` without depth; `wrongArgument` for a palette that there is not, or a range that is none.
  func colors(_ palette: String?, _ nearest: Double, _ farthest: Double) throws(BackdropError) -> Image {
    guard let chosen = palette.map({ DepthPalette(rawValue: $0) }) ?? .spectrum else {
      throw BackdropError(
        .wrongArgument, "there is no palette '\(palette ?? "")'",
        hint: .known(DepthPalette.allCases.map(\.rawValue), insteadOf: palette ?? ""))
    }
    var range: ClosedRange<Float>?
    if nearest != 0 || farthest != 0 {
      guard nearest >= 0 && farthest > nearest && farthest.isFinite else {
        throw BackdropError(
          .wrongArgument, "\(nearest) to \(farthest) is no range of distances", hint: "give the nearer first, in metres"
        )
      }
      range = Float(nearest)...Float(farthest)
    }
    var colorizer = DepthColorizer(chosen, range: range)
    if let depth = scene.depth { return colorizer.colors(for: depth).image(of: depth) }
    guard let disparity = scene.disparity else { throw BackdropError(.badData, "the frame has no depth") }
    // On the scale of the camera's own: the nearest is at 1, the farthest at 2.
    let nearness = disparity.normalized()
    var far = Plane<Float>(uninitializedWidth: disparity.width, height: disparity.height)
    let values = nearness.values
    for y in 0..<far.height {
      let from = values.row(y)
      var to = far.mutableRow(y)
      for x in from.indices { to[x] = 2 - from[x] }
    }
    colorizer.range = 1...2
    let map = DepthMap(metres: far)
    return colorizer.colors(for: map).image(of: map)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_frame_view(_ frame: OpaquePointer!, _ part: Int32, _ view: UnsafeMutablePointer<bd_image>!) -> bd_status
{
  call(frame, Frame.self) { (frame) throws(BackdropError) in
    let place = try place(view)
    guard let found = try frame.view(part) else { return bd_status(BD_END) }
    place.pointee = found
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_frame_colorize(
  _ frame: OpaquePointer!, _ palette: UnsafePointer<CChar>!, _ nearest: Double, _ farthest: Double,
  _ picture: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(picture) { () throws(BackdropError) in
    try HandleTable.shared.with(frame, Frame.self) { (frame) throws(BackdropError) in
      Frame(try frame.colors(palette.map { String(cString: $0) }, nearest, farthest), time: frame.time)
    }
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_frame_standing(_ frame: OpaquePointer!) -> bd_status {
  call(frame, Frame.self) { (frame) throws(BackdropError) in
    guard let reason = frame.reason else { return bd_status(BD_OK) }
    (reason.error ?? BackdropError(.interrupted, "the standby frame was asked for")).keep()
    return bd_status(BD_STANDBY)
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_frame_free(_ frame: OpaquePointer!) { HandleTable.shared.remove(frame) }

/// Declared in backdrop.h.
@c @implementation
public func bd_picture_read(
  _ path: UnsafePointer<CChar>!, _ picture: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(picture) { () throws(BackdropError) in
    let image = try Picture(try text(path, "path")).image
    return Frame(image.alpha == .opaque ? image.converted(to: .rgb8) : image.converted(to: .rgba8))
  }
}

/// Declared in backdrop.h.
@c @implementation
public func bd_picture_write(
  _ image: UnsafePointer<bd_image>!, _ path: UnsafePointer<CChar>!, _ quality: Int32, _ overwrite: Int32
) -> bd_status {
  call { () throws(BackdropError) in
    let picture = Picture(try BorrowedImage(image, "the picture").image(nil))
    try picture.write(
      to: try text(path, "path"), quality: quality == 0 ? 92 : Int(quality), overwrite: overwrite != 0)
    return bd_status(BD_OK)
  }
}
