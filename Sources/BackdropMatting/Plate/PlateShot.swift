import BackdropDepth
import BackdropImaging

/// Makes a clean plate from a stream with moving people: the median of each pixel while nobody covers it, over frames
/// spread across the stream.
///
///     let shot = PlateShot(width: 1280, height: 720)
///     for frame in frames {
///       if shot.wantsFrame { shot.add(frame, matte: matte(of: frame)) } else { shot.skipFrame() }
///     }
///     let plate = shot.finish()
///
/// It keeps at most 41 frames. Of large frames it keeps as many as fit into half a gigabyte, but at least 5.
package final class PlateShot {
  package struct Result: Sendable {
    /// The background, `rgba8`: opaque where it was visible. The rest is transparent, with colours filled in from the
    /// surroundings.
    package var image: Image
    /// The fraction of the picture that was never visible, 0…1.
    package var unseen: Double
    /// The fraction of the rest in which half of the sightings lie more than 40 levels apart, 0…1: the camera or the background moved.
    package var unstable: Double
    package var frames: Int
  }

  package let width: Int, height: Int
  private let capacity: Int
  private var step = 1
  private var index = 0
  private var views: [View] = []

  /// A frame's R, G, B, and 0 where a person covers the background, else 255.
  private struct View {
    let index: Int
    let samples: ZeroedMemory<UInt8>
  }

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    capacity = min(41, max(5, (512 << 20) / max(1, width * height * 4)))
  }

  /// Whether to add the next frame; if not, call ``skipFrame()``.
  package var wantsFrame: Bool { index % step == 0 }

  package func skipFrame() { index += 1 }

  /// Adds a frame, with its people's matte of any size.
  ///
  /// - Throws: `badData` if the frame has another size than the shot.
  package func add(_ image: Image, matte: Matte) throws(BackdropError) {
    guard image.width == width && image.height == height else {
      throw BackdropError(.badData, "expected a frame of \(width)×\(height), found \(image.width)×\(image.height)")
    }
    // Do not count a margin round a person as background: it has soft edges, and parts that the matte misses.
    let wide = Matte(q15: try matte.q15.boxBlurred(radius: max(1, matte.width / 80))).scaled(
      toWidth: width, height: height)
    if views.count == capacity {
      step *= 2
      views.removeAll { $0.index % step != 0 }
    }
    if index % step == 0 {
      let view = View(index: index, samples: ZeroedMemory(count: 4 * width * height))
      let colors = image.converted(to: .rgba8, color: .jpeg)
      for y in 0..<height {
        let (from, covering) = (colors.row(y), wide.q15.row(y))
        let to = view.samples.base + 4 * y * width
        for x in 0..<width {
          for channel in 0..<3 { to[4 * x + channel] = from[4 * x + channel] }
          to[4 * x + 3] = covering[x] > Matte.one / 50 ? 0 : 255
        }
      }
      views.append(view)
    }
    index += 1
  }

  /// The visible background; `nil` if no frame was added.
  package func finish() -> Result? {
    guard !views.isEmpty else { return nil }
    var result = Image(.rgba8, width: width, height: height)
    result.alpha = .straight
    // A single sighting may be at the edge of a person that the matte missed.
    let needed = views.count >= 5 ? 2 : 1
    var (unseen, unstable) = (0, 0)
    var values = [UInt8](repeating: 0, count: views.count)
    let samples = views.map { $0.samples.base }
    for y in 0..<height {
      var row = result.mutableRow(y)
      for x in 0..<width {
        let at = 4 * (y * width + x)
        var isUnstable = false
        var count = 0
        for channel in 0..<3 {
          count = 0
          for view in samples where view[at + 3] > 0 {
            Self.insert(view[at + channel], &values, count)
            count += 1
          }
          guard count > 0 else { break }
          row[4 * x + channel] = values[count / 2]
          if values[count * 3 / 4] - values[count / 4] > 40 { isUnstable = true }
        }
        let isSeen = count >= needed
        row[4 * x + 3] = isSeen ? 255 : 0
        if !isSeen { unseen += 1 } else if isUnstable { unstable += 1 }
      }
    }
    // `samples` points into the memory of `views`.
    withExtendedLifetime(views) {}
    if unseen > 0 { Self.fill(&result) } else { result.alpha = .opaque }
    let total = width * height
    return Result(
      image: result, unseen: Double(unseen) / Double(max(1, total)),
      unstable: Double(unstable) / Double(max(1, total - unseen)), frames: views.count)
  }

  /// Fills in the colours of transparent pixels; alpha stays.
  private static func fill(_ image: inout Image) {
    let weight: Plane<Float> = image.channel(3).map { $0 > 0 ? 1 : 0 }
    for index in 0..<3 {
      let filled = SmoothFill.filled(image.channel(index).map { Float($0) }, weight: weight)
      image.setChannel(index, to: filled.map { UInt8(min(max($0, 0), 255) + 0.5) })
    }
  }

  /// Inserts a value into the first `count`, which are sorted.
  private static func insert(_ value: UInt8, _ values: inout [UInt8], _ count: Int) {
    var index = count
    while index > 0 && values[index - 1] > value {
      values[index] = values[index - 1]
      index -= 1
    }
    values[index] = value
  }
}
