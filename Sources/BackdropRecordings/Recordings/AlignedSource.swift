import BackdropDepth
import BackdropImaging

/// Brings the unregistered depth and pictures of a source into one view (``RecordingAlignment``).
package final class AlignedSource: SceneSource {
  private var source: any SceneSource
  private let alignment: RecordingAlignment
  private let depths: DepthAligner
  private let pictures: PictureAligner
  private var first: Scene?
  /// The size of all frames in the depth camera's view, once it is known.
  private var size: (width: Int, height: Int)?
  private var count = 0
  private var failures = FaultTally<SkippedFrame>()

  package private(set) var info: SourceInfo
  package var skipped: FaultTally<SkippedFrame> { source.skipped + failures }
  package var warnings: [BackdropError] { source.warnings }

  /// Opens a source that reads from `source`.
  ///
  /// - Throws: `badData` for invalid cameras or if the pictures' aspect differs from the colour camera's; errors of the first frame, if
  ///   it determines the size.
  package init(_ source: any SceneSource, _ alignment: RecordingAlignment) throws(BackdropError) {
    let (depth, color) = (alignment.cameras.depth, alignment.cameras.color)
    let extrinsics = alignment.cameras.extrinsics
    let camera = color.intrinsics
    guard Aspect.agree(source.width, source.height, camera.width, camera.height) else {
      throw BackdropError(
        .badData,
        "the pictures (\(source.width)×\(source.height)) have another aspect ratio than the colour camera: "
          + "\(camera.width)×\(camera.height)", path: source.name, hint: "give the cameras of this recording")
    }
    (self.source, self.alignment, info) = (source, alignment, source.info)
    depths = try DepthAligner(depth: depth, color: color, extrinsics: extrinsics)
    pictures = try PictureAligner(depth: depth, color: color, extrinsics: extrinsics)
    info.cameras = nil
    // Depth transformed to another camera is not an integer in the measured units.
    if alignment.view == .color { info.storedUnitsPerMetre = nil }
    guard alignment.view == .depth else { return }
    // In this view, frames have the size of the depth.
    guard let first = try next() else {
      throw failures.first.first?.error ?? BackdropError(.badData, "the recording has no frames", path: source.name)
    }
    self.first = first
    let size = (first.image.width, first.image.height)
    (info.width, info.height, self.size) = (size.0, size.1, size)
  }

  package func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    while let frame = try source.next() {
      count += 1
      do throws(BackdropError) { return try aligned(frame) } catch { failures.append(count, error) }
    }
    return nil
  }

  private func aligned(_ frame: Scene) throws(BackdropError) -> Scene {
    var frame = frame
    guard var map = frame.depth else {
      guard alignment.view == .depth else { return frame }
      throw BackdropError(.badData, "the frame has no depth to align the picture to", path: name)
    }
    let camera = alignment.cameras.depth.intrinsics
    guard Aspect.agree(map.width, map.height, camera.width, camera.height) else {
      throw BackdropError(
        .badData,
        "the depth (\(map.width)×\(map.height)) has another aspect ratio than the depth camera: "
          + "\(camera.width)×\(camera.height)", path: name)
    }
    map.intrinsics = camera
    map.isRegistered = false
    switch alignment.view {
    case .color: frame.depth = depths.align(map)
    case .depth:
      guard size.map({ $0 == (map.width, map.height) }) ?? true else {
        throw BackdropError(.badData, "the depth changes its size, to \(map.width)×\(map.height)", path: name)
      }
      let picture = pictures.aligned(frame.image, to: map, isOpaque: true)
      frame.image = picture.format == format ? picture : picture.converted(to: format)
      map.isRegistered = true
      frame.depth = map
    }
    return frame
  }
}
