import BackdropDepth
import BackdropImaging
import BackdropVideo

/// A recording in one Matroska file: colour and 16-bit grey depth as two video tracks. ``RGBDVideoWriter`` writes it, and so do the
/// recorders of Azure Kinect and Orbbec Femto cameras, which add the calibration of both cameras.
///
/// A damaged frame, or one without a partner, is skipped and listed in ``skipped``.
package final class MatroskaRecording: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var warnings: [BackdropError] = []
  private let reader: any RGBDFrames
  private let options: RecordingOptions
  private let unitsPerMetre: Double
  private let intrinsics: Intrinsics?
  private var failures = FaultTally<SkippedFrame>()
  private var isOver = false

  package var skipped: FaultTally<SkippedFrame> {
    reader.skipped.map { SkippedFrame(number: $0.frame, error: BackdropError(.badData, $0.reason)) } + failures
  }

  /// Opens a file and reads its description.
  package init(_ path: String, options: RecordingOptions) throws(BackdropError) {
    self.options = options
    reader = try RGBDVideoReader.frames(
      path, limits: options.limits, tolerance: options.timeTolerance, threads: options.threads,
      attachment: KinectCalibration.fileName)
    let (heading, sizes) = (reader.heading, reader.heading.sizes)
    var (description, cameras): (RecordingDescription?, CameraPair?)
    if let text = heading.description {
      guard text.count <= 1 << 20 else {
        throw BackdropError(
          .overLimit, "the recording's description has \(text.count) bytes, too many", path: path,
          hint: "record or convert it again")
      }
      description = try RecordingDescription(text, path: path)
    } else if let text = heading.attachment {
      // These cameras measure depth in millimetres.
      do throws(BackdropError) {
        cameras = try KinectCalibration.cameras(
          text, color: (sizes.width, sizes.height), depth: (sizes.depthWidth, sizes.depthHeight))
      } catch { warnings.append(error.at(path)) }
    } else if options.unitsPerMetre == nil {
      warnings.append(
        BackdropError(
          .badData, "the file gives no unit for its depth; Backdrop assumes millimetres", path: path,
          hint: .giveDepthUnit))
    }
    unitsPerMetre = options.unitsPerMetre ?? description?.unitsPerMetre ?? 1000
    do throws(BackdropError) {
      _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    } catch { throw error.at(path) }
    intrinsics = description?.intrinsics ?? cameras?.depth.intrinsics
    info = SourceInfo(
      reader.path, width: description?.pictureWidth ?? sizes.width, height: description?.pictureHeight ?? sizes.height,
      format: options.colorFormat, framesPerSecond: heading.frameRate?.value ?? options.framesPerSecond)
    (info.frameCount, info.storedUnitsPerMetre) = (heading.frameCountEstimate, unitsPerMetre)
    (info.files, info.cameras) = ([reader.path], cameras)
    // Only a row or column added to make a side even may be cut off.
    guard (sizes.width - 1...sizes.width).contains(width), (sizes.height - 1...sizes.height).contains(height) else {
      throw BackdropError(
        .badData,
        "the recording's description claims \(width)×\(height), but the video is \(sizes.width)×\(sizes.height)",
        path: path, hint: "record or convert it again")
    }
    if !options.allowsAnyAspect && description?.depthCoversPicture != true && cameras == nil {
      try Aspect.check(depth: (sizes.depthWidth, sizes.depthHeight), picture: (width, height), path: path)
    }
  }

  package func next() throws(BackdropError) -> Scene? {
    while let pair = try reader.next() {
      do throws(BackdropError) {
        var image = pair.image
        if image.width != width || image.height != height {
          image = try image.cropped(x: 0, y: 0, width: width, height: height)
        }
        if image.format != options.colorFormat { image = image.converted(to: options.colorFormat) }
        let map = try DepthMap(
          units: pair.depth.plane(0, as: UInt16.self), unitsPerMetre: unitsPerMetre, intrinsics: intrinsics)
        return Scene(image: image, depth: map, time: pair.seconds)
      } catch {
        failures.append(pair.number, error)
      }
    }
    if !isOver {
      isOver = true
      if reader.endedEarly {
        warnings.append(BackdropError(.badData, "the file was cut off; Backdrop read it up to there", path: name))
      }
    }
    return nil
  }
}
