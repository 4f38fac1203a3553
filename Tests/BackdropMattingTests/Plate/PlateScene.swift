import BackdropDepth
import BackdropImaging
import TestSupport

/// A room with a person who moves in front of it, the exact truth, and the mattes of a network with errors.
///
/// The network misses a hand and a part of the head, mistakes a part of the wall for a person, and flickers at the edges.
struct PlateScene {
  static let width = 128, height = 96
  let seed: UInt64
  var light: Float = 1
  var noise: Float = 2.5
  /// Whether the person has the wall's colours.
  var isCamouflaged = false
  /// The camera's direction: the background moves by this many samples.
  var shift: (x: Int, y: Int) = (0, 0)
  /// Whether there is a person.
  var hasPerson = true

  init(seed: UInt64) { self.seed = seed }

  /// Values on a lattice of `cell` samples, interpolated: 0…1.
  private func texture(_ x: Int, _ y: Int, cell: Int, salt: UInt64) -> Float {
    func corner(_ i: Int, _ j: Int) -> Float {
      var random = SeededRandom(
        seed: seed &+ salt &* 7919 &+ UInt64(bitPattern: Int64(i)) &* 104_729 &+ UInt64(bitPattern: Int64(j))
          &* 1_299_709)
      return Float(random.next() >> 40) / Float(1 << 24)
    }
    let (i, j) = ((x + 4096) / cell, (y + 4096) / cell)
    let (u, v) = (Float((x + 4096) % cell) / Float(cell), Float((y + 4096) % cell) / Float(cell))
    let top = corner(i, j) * (1 - u) + corner(i + 1, j) * u
    let bottom = corner(i, j + 1) * (1 - u) + corner(i + 1, j + 1) * u
    return top * (1 - v) + bottom * v
  }

  private func wall(_ x: Int, _ y: Int) -> SIMD3<Float> {
    let (x, y) = (x + shift.x, y + shift.y)
    return SIMD3(
      60 + 120 * texture(x, y, cell: 12, salt: 1), 70 + 110 * texture(x, y, cell: 9, salt: 2),
      60 + 100 * texture(x, y, cell: 15, salt: 3))
  }

  /// Opacity of the person in a frame, and of the parts that the network misses.
  private func person(_ x: Int, _ y: Int, _ frame: Int) -> (all: Float, missed: Float) {
    guard hasPerson else { return (0, 0) }
    let middle = 62 + 12 * PlateScene.swing(frame)
    func disc(_ cx: Float, _ cy: Float, _ rx: Float, _ ry: Float) -> Float {
      let (dx, dy) = ((Float(x) - cx) / rx, (Float(y) - cy) / ry)
      return min(max((1 - (dx * dx + dy * dy).squareRoot()) * min(rx, ry) + 0.5, 0), 1)
    }
    let head = disc(middle, 38, 15, 19), body = disc(middle, 96, 38, 38)
    let hand = disc(middle + 34, 58, 6, 8)
    let crown = disc(middle - 8, 26, 7, 8)
    let all = max(head, max(body, hand))
    return (all, max(hand, min(head, crown)))
  }

  /// A triangle wave, −1…1, of 40 frames.
  private static func swing(_ frame: Int) -> Float { abs(Float(frame % 40) / 10 - 2) - 1 }

  func truth(_ frame: Int) -> [Float] {
    (0..<Self.width * Self.height).map { person($0 % Self.width, $0 / Self.width, frame).all }
  }

  /// The camera's picture.
  func picture(_ frame: Int) -> Image {
    var random = SeededRandom(seed: seed ^ (UInt64(frame) &* 0x9E37_79B9))
    var image = Image(.bgra8, width: Self.width, height: Self.height)
    for y in 0..<Self.height {
      var row = image.mutableRow(y)
      for x in 0..<Self.width {
        let skin: SIMD3<Float> =
          isCamouflaged
          ? wall(x, y)
          : SIMD3(205, 60, 50) + 40 * texture(x - frame, y, cell: 8, salt: 9)
        let alpha = person(x, y, frame).all
        let color = light * (alpha * skin + (1 - alpha) * wall(x, y))
        for channel in 0..<3 {
          // The sum of two uniform values has approximately this deviation.
          let bits = random.next()
          let grain = (Float(bits & 0xFFFF) + Float(bits >> 16 & 0xFFFF)) / 65536 - 1
          row[4 * x + 2 - channel] = UInt8(min(max(color[channel] + noise * 2.45 * grain, 0), 255) + 0.5)
        }
        row[4 * x + 3] = 255
      }
    }
    return image
  }

  /// The network's matte.
  func network(_ frame: Int) -> Matte {
    let plane = Plane<UInt16>(width: Self.width, height: Self.height) { x, y in
      let (all, missed) = person(x, y, frame)
      let flicker = 0.25 * (texture(x, y, cell: 5, salt: 40 + UInt64(frame)) - 0.5) * 4 * all * (1 - all)
      var value = min(all, 1 - 0.75 * missed) + flicker
      // A picture on the wall.
      let (dx, dy) = (Float(x - 26) / 9, Float(y - 30) / 11)
      value = max(value, 0.55 * min(max(3 * (1 - (dx * dx + dy * dy).squareRoot()), 0), 1))
      return UInt16(min(max(value, 0), 1) * 32768)
    }
    return Matte(q15: plane)
  }
}

/// The mean absolute error of a matte.
func meanError(_ matte: Matte, _ truth: [Float]) -> Double {
  var sum = 0.0
  for (value, true_) in zip(matte.q15.samples, truth) { sum += Double(abs(Float(value) / 32768 - true_)) }
  return sum / Double(truth.count)
}
