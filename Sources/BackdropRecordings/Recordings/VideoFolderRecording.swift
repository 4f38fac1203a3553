import BackdropDepth
import BackdropImaging
import BackdropVideo

/// Frames with depth from a folder whose colour is a video; depth files are matched to its frames by number.
///
/// A frame with missing or damaged depth is skipped and listed in ``skipped``; so are all frames after one that the video lost, since its
/// number is unknown.
package final class VideoFolderRecording: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var skipped: FaultTally<SkippedFrame>
  package private(set) var warnings: [BackdropError]
  private let reader: any VideoFrames
  private let layout: RecordingLayout
  private let options: RecordingOptions
  private let unitsPerMetre: Double
  private var position = 0
  private var frameNumber = 0
  private var first: Scene?

  /// Opens the video and reads the first good frame.
  package init(
    _ layout: RecordingLayout, folder: String, video: String, options: RecordingOptions
  ) throws(BackdropError) {
    reader = try VideoReader.frames(path: video, limits: options.limits, threads: options.threads)
    (skipped, warnings) = (layout.skipped, layout.warnings)
    (self.layout, self.options) = (layout, options)
    unitsPerMetre = options.unitsPerMetre ?? layout.unitsPerMetre
    info = SourceInfo(
      folder, format: options.colorFormat,
      framesPerSecond: layout.framesPerSecond ?? reader.frameRate?.value ?? options.framesPerSecond)
    (info.frameCount, info.storedUnitsPerMetre, info.files) = (layout.entries.count, unitsPerMetre, layout.files)
    if layout.hasPoses { info.unreadParts = ["camera poses"] }
    _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    guard let first = try next() else {
      throw skipped.first.first?.error
        ?? BackdropError(.badData, "no frame of the video has depth", path: folder, hint: .copyRecordingAgain)
    }
    (info.width, info.height, self.first) = (first.image.width, first.image.height, first)
  }

  package func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    while position < layout.entries.count, let frame = try reader.next() {
      frameNumber += 1
      let entry = layout.entries[position]
      if entry.number > frameNumber {
        skipped.append(.unpaired(frameNumber, color: name, depth: nil))
        continue
      }
      position += 1
      do throws(BackdropError) {
        guard reader.lostFrameCount == 0 else {
          throw BackdropError(
            .badData, "the video lost a frame before this one, so Backdrop cannot tell which depth belongs to it")
        }
        let scene = try entry.scene(
          frame.image.converted(to: options.colorFormat), options, unitsPerMetre: unitsPerMetre, camera: layout.camera,
          note: { warnings.note($0) })
        try entry.checkAspect(of: scene.depth, width: scene.image.width, height: scene.image.height, options)
        return scene
      } catch {
        skipped.append(entry.number, error)
      }
    }
    if position < layout.entries.count {
      skipped.append(
        layout.entries[position].number,
        BackdropError(
          .badData, "the video ends before the last \(layout.entries.count - position) depth pictures",
          path: layout.video))
      position = layout.entries.count
    }
    return nil
  }
}

extension RecordingFormats {
  /// Opens a folder.
  package static func openFolder(_ path: String, options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    let layout = try RecordingLayout(folder: path, options)
    if let video = layout.video {
      return try VideoFolderRecording(layout, folder: path, video: video, options: options)
    }
    return try PictureFolderRecording(layout, folder: path, options: options)
  }
}
