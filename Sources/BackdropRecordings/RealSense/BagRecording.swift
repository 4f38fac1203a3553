import BackdropDepth
import BackdropImaging

/// A recording of a RealSense camera in librealsense's formats (`.bag`, src/media/ros/ros_writer.cpp, and `.db3`), read without its
/// library; also a ROS bag with a depth and a colour topic.
///
/// The frames of both streams are matched by time; a frame without a partner is skipped and listed in ``skipped``. Depth is not
/// registered: ``/BackdropDepth/SourceInfo/cameras`` has the intrinsics and extrinsics of both streams. Without colour, the left infrared picture takes its place.
package final class BagRecording: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var skipped = FaultTally<SkippedFrame>()
  package private(set) var warnings: [BackdropError] = []

  private let file: any BagSource
  private let options: RecordingOptions
  private let color: [BagFile.Message], depth: [BagFile.Message]
  private let topics: (color: UInt32, depth: UInt32)
  private let depthCamera: Intrinsics?
  private var metresPerUnit: Double { didSet { info.storedUnitsPerMetre = 1 / metresPerUnit } }
  /// Whether both streams use one clock; if not, frames are matched by the recording times of their messages.
  private var haveOneClock = true
  private var position = (color: 0, depth: 0)
  private var times = RisingTimes()
  private var first: Scene?

  /// Reads the first good frame of an open recording.
  init(_ file: any BagSource, options: RecordingOptions) throws(BackdropError) {
    do throws(BackdropError) {
      (self.file, self.options) = (file, options)
      let streams = try BagStreams(file, &warnings)
      topics = (streams.color, streams.depth)
      (color, depth) = (file.messages[streams.color] ?? [], file.messages[streams.depth] ?? [])
      depthCamera = streams.depthCamera?.intrinsics
      info = SourceInfo(file.path, format: options.colorFormat, framesPerSecond: streams.framesPerSecond ?? 30)
      (info.frameCount, info.unreadParts) = (min(color.count, depth.count), streams.unreadParts)
      (info.files, info.cameras) = ([file.path], streams.isRegistered ? nil : streams.cameras)
      metresPerUnit = options.unitsPerMetre.map { 1 / $0 } ?? streams.depthUnit ?? 0.001
      info.storedUnitsPerMetre = 1 / metresPerUnit
      _ = try DepthEncoding(.uint16, metresPerUnit: metresPerUnit).checkedScale()
      if let damage = file.damage { warnings.append(damage) }
      haveOneClock = try compareClocks()
      first = try next()
      guard let first else {
        throw skipped.first.first?.error
          ?? BackdropError(.badData, "no frame has both colour and depth", hint: "copy it again from the original")
      }
      (info.width, info.height) = (first.image.width, first.image.height)
    } catch { throw error.at(file.path) }
  }

  /// Whether both streams use one clock: their times then differ only by a later start, while two clocks differ by years.
  private func compareClocks() throws(BackdropError) -> Bool {
    guard let shown = color.first, let measured = depth.first else { return true }
    let recorded = (Double(measured.time) - Double(shown.time)) / 1e9
    let taken = try file.stamp(of: measured, in: topics.depth) - file.stamp(of: shown, in: topics.color)
    return abs(taken - recorded) < 5
  }

  /// The time for matching messages, in seconds.
  private func time(_ message: BagFile.Message, _ topic: UInt32) throws(BackdropError) -> Double {
    haveOneClock ? try file.stamp(of: message, in: topic) : Double(message.time) / 1e9
  }

  package func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    let tolerance = options.tolerance(framesPerSecond: framesPerSecond)
    while position.color < color.count && position.depth < depth.count {
      let number = position.color + 1
      let (shown, measured) = (color[position.color], depth[position.depth])
      do throws(BackdropError) {
        let time = try time(shown, topics.color)
        let distance = try self.time(measured, topics.depth) - time
        if distance < -tolerance {
          position.depth += 1
          continue
        }
        if position.depth + 1 < depth.count,
          abs(try self.time(depth[position.depth + 1], topics.depth) - time) < abs(distance)
        {
          position.depth += 1
          continue
        }
        position.color += 1
        guard distance <= tolerance else { throw BackdropError(.badData, "it has no depth") }
        if position.color < color.count,
          abs(try self.time(color[position.color], topics.color) - time - distance) < abs(distance)
        {
          throw BackdropError(.badData, "its depth belongs to the next frame")
        }
        position.depth += 1
        return try scene(shown, measured)
      } catch {
        if position.color < number { position.color = number }
        skipped.append(number, error)
      }
    }
    while position.color < color.count {
      position.color += 1
      skipped.append(position.color, BackdropError(.badData, "it has no depth"))
    }
    return nil
  }

  private func scene(_ shown: BagFile.Message, _ measured: BagFile.Message) throws(BackdropError) -> Scene {
    let picture = try BagImage(
      try file.read(shown), type: file.topics[topics.color]?.type ?? "", limits: options.limits)
    let map = try BagImage(try file.read(measured), type: file.topics[topics.depth]?.type ?? "", limits: options.limits)
    let image = try picture.picture(options.limits).converted(to: options.colorFormat)
    try checkSize(of: image, path: name)
    if options.unitsPerMetre == nil, let unit = map.depthUnit { metresPerUnit = unit }
    let depth = try map.depth(metresPerUnit, depthCamera, isRegistered: true, options.limits)
    if info.cameras == nil && !options.allowsAnyAspect {
      try Aspect.check(depth: (depth.width, depth.height), picture: (image.width, image.height), path: name)
    }
    let time = times.next(try file.stamp(of: shown, in: topics.color), framesPerSecond: framesPerSecond)
    return Scene(image: image, depth: depth, time: time)
  }
}
