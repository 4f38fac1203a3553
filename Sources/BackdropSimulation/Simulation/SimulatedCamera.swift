import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// A computed depth camera: head and shoulders in front of a room, with exact coverage and depth.
///
/// Every frame is a function of scenario, seed, size and index only, with the same bits on each call, machine, CPU level and thread. Frames
/// can be requested in any order, from several threads at once.
///
/// The depth is that of a structured-light sensor. Its error is an error of disparity, which grows with the square of the distance
/// (Khoshelham and Oude Elberink, "Accuracy and Resolution of Kinect Depth Data for Indoor Mapping Applications", Sensors 2012); see
/// `DepthSensor` for the numbers. The projector is to the right of the sensor: the area that it cannot reach is a band of holes along the
/// **left** side of near things. Depth and picture cover the same view, with separate scales for x and y if their aspects differ (640×480
/// depth for a 1280×720 picture).
///
/// Holes as fractions of the map: 2 to 12 % of a person (dark hair and cloth; 12 to 35 % outdoors, in the hair), and of the rest 8 to 24 %
/// in a room (the shadow, the window, the lamp's dark stand), 15 to 38 % behind the mug, all of it outdoors.
///
/// The nearest face is about 0.66 m away, all of a person less than 0.25 m behind the middle of the face; the room
/// begins at 1.8 m and its wall is at 2.7 m.
package final class SimulatedCamera: Sendable {
  package let scenario: Scenario
  /// The seed of people, surroundings, movement and noise.
  package let seed: UInt64
  package let width, height: Int
  package let depthWidth, depthHeight: Int
  package let framesPerSecond: Double
  /// The seconds in which the two people of ``Scenario/twoPeople`` walk past each other and back; `nil` if they stay side by
  /// side.
  package let walkSeconds: Double?
  /// The length of the stream in seconds; ``frame(_:)`` accepts any index.
  package let seconds: Double
  /// The picture's pinhole camera: 61.3° across for pictures of 16:9.
  package let intrinsics: Intrinsics

  let setting: Setting
  let characters: [AnimatedCharacter]
  private let sensor: DepthSensor
  private let pictures = ImagePool(limit: 4)

  package var frameCount: Int { Int((seconds * framesPerSecond).rounded()) }

  /// Paints the scenario, which takes some tenths of a second.
  ///
  /// By default the depth map is half as wide and as high as the picture. Sizes are 16…4096 on each side, `framesPerSecond` 1…240,
  /// `seconds` 0…86400; other values are a programming error (use ``init(address:)`` for external values).
  package init(
    scenario: Scenario = .talking, seed: UInt64 = 1, width: Int = 1280, height: Int = 720,
    depthWidth: Int? = nil, depthHeight: Int? = nil, framesPerSecond: Double = 30, seconds: Double = 10,
    walkSeconds: Double? = nil
  ) {
    let sides = SimulatedCamera.sides
    let depthWidth = depthWidth ?? max(width / 2, sides.lowerBound)
    let depthHeight = depthHeight ?? max(height / 2, sides.lowerBound)
    precondition(
      sides.contains(width) && sides.contains(height) && sides.contains(depthWidth) && sides.contains(depthHeight))
    precondition(SimulatedCamera.rates.contains(framesPerSecond) && SimulatedCamera.durations.contains(seconds))
    precondition(walkSeconds.map(SimulatedCamera.walks.contains) ?? true)
    (self.scenario, self.seed, self.framesPerSecond, self.seconds) = (scenario, seed, framesPerSecond, seconds)
    (self.width, self.height, self.depthWidth, self.depthHeight) = (width, height, depthWidth, depthHeight)
    self.walkSeconds = scenario == .twoPeople ? walkSeconds : nil
    let fill = max(Double(width) / 1280, Double(height) / 720)
    let focal = 1080 * fill
    intrinsics = Intrinsics(
      fx: focal, fy: focal, cx: Double(width) / 2, cy: Double(height) / 2, width: width, height: height)
    sensor = DepthSensor(
      width: depthWidth, height: depthHeight, focal: focal * Double(depthWidth) / Double(width), seed: seed)

    var canvas = Setting.canvas(width: width, height: height)
    let outdoors = scenario == .outdoor
    if outdoors { GardenPainter(seed: seed).paint(on: &canvas) } else { RoomPainter(seed: seed).paint(on: &canvas) }
    setting = Setting(
      canvas, blur: outdoors ? 13 : 5, seed: seed, size: (width, height), depthSize: (depthWidth, depthHeight))

    let light = outdoors ? Light.outdoors : Light()
    var first = Persona.first(seed: seed)
    if outdoors { first.hairReflectance = 20 }
    first.holdsMug = scenario == .mug
    if scenario == .twoPeople {
      // Walking people are farther away, so that they fit side by side.
      let (near, far): (Float, Float) = walkSeconds == nil ? (1, 0.90) : (0.62, 0.54)
      let (left, right): (Point, Point) =
        walkSeconds == nil ? (SIMD2(-13, -1.8), SIMD2(14.5, -2.6)) : (SIMD2(0, -1.8), SIMD2(0, -4.6))
      let walk = { (start: Float) in walkSeconds.map { AnimatedCharacter.Walk(start: start, seconds: $0) } }
      characters = [
        AnimatedCharacter(
          .second(seed: seed), rest: right, size: far, walk: walk(21), light: light,
          motion: Motion(seed: seed &+ 1000, listens: true), camera: intrinsics),
        AnimatedCharacter(
          first, rest: left, size: near, walk: walk(-21), light: light, motion: Motion(seed: seed), camera: intrinsics),
      ]
    } else {
      let rest = Point(first.holdsMug ? -5 : 0, -3.2)
      characters = [AnimatedCharacter(first, rest: rest, light: light, motion: Motion(seed: seed), camera: intrinsics)]
    }
  }

  /// The allowed sides of the picture and the map, in pixels.
  static let sides = 16...4096
  static let rates = 1.0...240.0
  static let durations = 0.0...86_400.0
  static let walks = 1.0...3600.0

  func placements(_ index: Int) -> [Placement] {
    let time = Double(index) / framesPerSecond
    var all = characters.flatMap { $0.placements(at: time, width: width, height: height) }
    // Sprites without depth lie on other sprites, which must stay visible.
    for front in all.indices where all[front].sprite.metres != nil {
      for behind in 0..<front { all[behind].hide(behind: all[front]) }
    }
    return all
  }

  /// The people of frame `index`, the nearest first, each with the visible part only, so that the coverages add up to
  /// ``SimulatedFrame/alpha``, except for rounding.
  package func people(_ index: Int) -> [SimulatedPerson] {
    let kernels = CPULevel.current.kernels.render
    let time = Double(index) / framesPerSecond
    // The area not covered by nearer people.
    var free = Plane<UInt16>(repeating: 32768, width: width, height: height)
    return characters.reversed().map { person in
      let placements = person.placements(at: time, width: width, height: height)
      var seen = picture(placements, kernels).1
      for y in 0..<height {
        var row = seen.mutableRow(y)
        var rest = free.mutableRow(y)
        for x in 0..<width {
          let alpha = UInt32(row[x])
          row[x] = UInt16((alpha * UInt32(rest[x]) + 16384) >> 15)
          rest[x] = UInt16((UInt32(rest[x]) * (32768 - alpha) + 16384) >> 15)
        }
      }
      return SimulatedPerson(alpha: seen, face: person.face(at: time, width: width, height: height))
    }
  }

  /// Frame `index`, at `index / framesPerSecond` seconds.
  package func frame(_ index: Int, level: CPULevel = .current) -> SimulatedFrame {
    let kernels = level.kernels.render
    let time = Double(index) / framesPerSecond
    let placements = placements(index)
    let (image, alpha) = picture(placements, kernels)
    let (metres, reflectance) = exactDepth(placements, kernels)
    let depthIntrinsics = intrinsics.scaled(toWidth: depthWidth, height: depthHeight)
    let measured = sensor.measure(metres, reflectance, frame: index, kernels)
    let faces = characters.map { $0.face(at: time, width: width, height: height) }
      .sorted { $0.width * $0.height > $1.width * $1.height }
    return SimulatedFrame(
      frame: Scene(
        image: image, depth: DepthMap(metres: measured, intrinsics: depthIntrinsics), faces: faces, time: time),
      alpha: alpha, trueDepth: DepthMap(metres: metres, intrinsics: depthIntrinsics))
  }

  /// Paints row `y` of the people alone: blue, green and red multiplied by coverage, and coverage; 32768 = 1. Columns outside the returned
  /// range are unchanged and have no people.
  @discardableResult
  func paintRow(
    _ row: UnsafeMutablePointer<UInt16>, _ y: Int, _ placements: [Placement], _ kernels: bd_render_kernels
  ) -> Range<Int> {
    guard let first = placements.map(\.cellColumns.lowerBound).min(),
      let end = placements.map(\.cellColumns.upperBound).max()
    else { return 0..<0 }
    let columns = first * Placement.step..<min(end * Placement.step, width)
    (row + 4 * columns.lowerBound).update(repeating: 0, count: 4 * columns.count)
    for placement in placements {
      placement.withLayer { kernels.layer_row(row, Int32(width), Int32(y), $0, $1) }
    }
    return columns
  }

  private func picture(_ placements: [Placement], _ kernels: bd_render_kernels) -> (Image, Plane<UInt16>) {
    var image = Image(.bgra8, width: width, height: height, color: .jpeg, pool: pictures)
    var alpha = Plane<UInt16>(uninitializedWidth: width, height: height)
    let alphaStride = alpha.stride
    let bytesPerRow = image.layout(0).bytesPerRow
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 4 * width) { row in
      // An allocation of at least one element has an address.
      let row = row.baseAddress!
      image.withUnsafeMutableBytes { out in
        alpha.withUnsafeMutablePointer { alpha in
          setting.picture.withUnsafePointer { background in
            var here: [Placement] = []
            for y in 0..<height {
              if y % Placement.step == 0 { here = placements.filter { $0.cellRows.contains(y / Placement.step) } }
              let line = (out + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
              let behind = background + y * setting.picture.stride
              let covered = alpha + y * alphaStride
              let people = paintRow(row, y, here, kernels)
              let (first, end) = (people.lowerBound, people.upperBound)
              line.update(from: behind, count: 4 * first)
              covered.update(repeating: 0, count: first)
              kernels.finish_row(
                line + 4 * first, covered + first, row + 4 * first, behind + 4 * first, Int32(people.count))
              (line + 4 * end).update(from: behind + 4 * end, count: 4 * (width - end))
              (covered + end).update(repeating: 0, count: width - end)
              if scenario == .dark {
                for i in 0..<4 * width where i % 4 < 3 { line[i] = 0 }
              }
            }
          }
        }
      }
    }
    return (image, alpha)
  }

  private func exactDepth(_ placements: [Placement], _ kernels: bd_render_kernels) -> (Plane<Float>, Plane<UInt8>) {
    var (metres, reflectance) = (setting.metres, setting.reflectance)
    let (stride, infraredStride) = (metres.stride, reflectance.stride)
    // Pixel centres of the map in pixel indices of the picture, 16.16.
    let (stepX, stepY) = (Double(width) / Double(depthWidth), Double(height) / Double(depthHeight))
    metres.withUnsafeMutablePointer { metres in
      reflectance.withUnsafeMutablePointer { reflectance in
        for placement in placements where placement.sprite.metres != nil {
          placement.withLayer { layer, mesh in
            for y in 0..<depthHeight {
              let at = (Double(y) + 0.5) * stepY - 0.5
              guard placement.cellRows.contains(max(Int(at), 0) / Placement.step) else { continue }
              var row = bd_render_depth_row(
                metres: metres + y * stride, reflectance: reflectance + y * infraredStride, count: Int32(depthWidth),
                x: Int32((stepX * 0.5 - 0.5) * 65536), dx: Int32(stepX * 65536))
              kernels.depth_row(&row, Int32(at * 65536), layer, mesh, placement.plane)
            }
          }
        }
      }
    }
    return (metres, reflectance)
  }
}
