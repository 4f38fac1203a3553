import Backdrop
import CBackdrop

final class Cloud: Handle {
  static let title = "cloud"

  let cloud: PointCloud

  init(_ depth: DepthMap, picture: Image?) throws(BackdropError) { cloud = try PointCloud(depth, picture: picture) }

  /// The intrinsics that the caller gives.
  static func camera(_ pointer: UnsafePointer<bd_camera>?) throws(BackdropError) -> Intrinsics {
    let camera = try given(pointer, "camera").checked(\.size, "bd_camera")
    return Intrinsics(
      fx: camera.fx, fy: camera.fy, cx: camera.cx, cy: camera.cy, width: Int(camera.width), height: Int(camera.height))
  }

  /// Writes the points' coordinates and colours.
  func copy(_ positions: UnsafeMutablePointer<Float>?, _ colors: UnsafeMutablePointer<UInt8>?) {
    for index in 0..<cloud.count {
      if let positions {
        let point = cloud.position(index)
        for axis in 0..<3 { positions[3 * index + axis] = point[axis] }
      }
      if let colors {
        let color = cloud.color(index) ?? (0, 0, 0)
        (colors[3 * index], colors[3 * index + 1], colors[3 * index + 2]) = (color.red, color.green, color.blue)
      }
    }
  }

  /// Writes a file in the format of the name's extension.
  func write(to path: String, overwrite: Bool) throws(BackdropError) {
    let fileExtension = FileName(path).fileExtension
    guard let kind = PointCloud.FileKind(rawValue: fileExtension) else {
      throw BackdropError(
        .unsupported, "Backdrop does not write point clouds as .\(fileExtension)", path: path,
        hint: .known(PointCloud.FileKind.allCases.map(\.rawValue), insteadOf: fileExtension))
    }
    try OutputFile(path, overwrite: overwrite).write(cloud.file(kind).span)
  }

  func picture(width: Int, height: Int, _ view: CloudView) throws(BackdropError) -> Image {
    guard view.yaw.isFinite && view.pitch.isFinite && CloudView.zooms.contains(view.zoom) else {
      throw BackdropError(
        .wrongArgument, "no such view: yaw \(view.yaw), pitch \(view.pitch), zoom \(view.zoom)",
        hint: "give degrees, and a zoom of 0.05…50")
    }
    var renderer = try CloudRenderer(width: width, height: height, workers: WorkerPool())
    return renderer.image(of: cloud, from: view).converted(to: .rgb8)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_cloud_create")
public func bd_cloud_create(_ frame: OpaquePointer!, _ cloud: UnsafeMutablePointer<OpaquePointer?>!) -> bd_status {
  make(cloud) { () throws(BackdropError) in
    try HandleTable.shared.withShared(frame, Frame.self) { (frame) throws(BackdropError) in
      guard let depth = frame.scene.depth ?? frame.scene.disparity?.depth else {
        throw BackdropError(.badData, "the frame has no depth", hint: "use a source with depth")
      }
      return try Cloud(depth.hidden(by: frame.scene.alpha), picture: frame.image)
    }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_cloud_create_from")
public func bd_cloud_create_from(
  _ depth: UnsafePointer<bd_image>!, _ image: UnsafePointer<bd_image>!, _ camera: UnsafePointer<bd_camera>!,
  _ cloud: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(cloud) { () throws(BackdropError) in
    let map = try BorrowedImage(depth, "depth").depth(try Cloud.camera(camera))
    let picture = try image.map { (image) throws(BackdropError) in try BorrowedImage(image, "the picture").image(nil) }
    return try Cloud(map, picture: picture)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_cloud_count")
public func bd_cloud_count(_ cloud: OpaquePointer!) -> Int64 {
  var count: Int64 = 0
  _ = perform(cloud, Cloud.self) { (cloud) throws(BackdropError) in count = Int64(cloud.cloud.count) }
  return count
}

/// Declared in backdrop.h.
@_cdecl("bd_cloud_points")
public func bd_cloud_points(
  _ cloud: OpaquePointer!, _ positions: UnsafeMutablePointer<Float>!, _ colors: UnsafeMutablePointer<UInt8>!
) -> bd_status {
  perform(cloud, Cloud.self) { (cloud) throws(BackdropError) in cloud.copy(positions, colors) }
}

/// Declared in backdrop.h.
@_cdecl("bd_cloud_write")
public func bd_cloud_write(_ cloud: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ overwrite: Int32) -> bd_status {
  perform(cloud, Cloud.self) { (cloud) throws(BackdropError) in
    try cloud.write(to: try text(path, "path"), overwrite: overwrite != 0)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_cloud_draw")
public func bd_cloud_draw(
  _ cloud: OpaquePointer!, _ width: Int32, _ height: Int32, _ yaw: Double, _ pitch: Double, _ zoom: Double,
  _ picture: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(picture) { () throws(BackdropError) in
    try HandleTable.shared.with(cloud, Cloud.self) { (cloud) throws(BackdropError) in
      Frame(try cloud.picture(width: Int(width), height: Int(height), CloudView(yaw: yaw, pitch: pitch, zoom: zoom)))
    }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_cloud_free")
public func bd_cloud_free(_ cloud: OpaquePointer!) { HandleTable.shared.remove(cloud) }
