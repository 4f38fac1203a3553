import CBackdropKernels

/// Remembers what is behind from what the network is sure is background: a running mean and variance of each sample, in the
/// light of the first frame.
///
/// A plate that a frame contradicts grows old, so that what is hidden does not outlive a camera that moves; one that most of
/// the frame contradicts three times in a row is dropped.
final class PlateLearner {
  /// Planes 0, 1, 2 are the mean R, G, B, 3 the variance of a channel, 4 the frames that a sample was seen in.
  let planes: PlatePlanes
  /// Whether anything is remembered.
  private(set) var isEmpty = true
  private var contradictions = 0
  private let kernels: bd_plate_kernels

  /// A new frame moves the mean by at least this part.
  private static let gain: Float = 0.05
  /// Frames in which a sample must be seen before it counts.
  static let enough: Float = 3
  private static let variancePlane = 3, seenPlane = 4

  init(width: Int, height: Int, kernels: bd_plate_kernels) {
    planes = PlatePlanes(width: width, height: height, planes: 5)
    self.kernels = kernels
  }

  var colors: [UnsafeMutablePointer<Float>] { [planes[0], planes[1], planes[2]] }
  var variance: UnsafeMutablePointer<Float> { planes[Self.variancePlane] }
  var seen: UnsafeMutablePointer<Float> { planes[Self.seenPlane] }

  /// Takes a plate of the same size over.
  func set(_ plate: Plate) {
    precondition(plate.width == planes.width && plate.height == planes.height, "a plate of another size")
    for at in 0..<planes.count {
      for channel in 0..<3 { planes[channel][at] = plate.colors[3 * at + channel] }
      variance[at] = plate.variance[at]
      seen[at] = plate.seen[at]
    }
    isEmpty = false
    contradictions = 0
  }

  /// What is remembered.
  var plate: Plate {
    var colors = [Float](repeating: 0, count: 3 * planes.count)
    for at in 0..<planes.count { for channel in 0..<3 { colors[3 * at + channel] = planes[channel][at] } }
    return Plate(
      width: planes.width, height: planes.height, colors: colors,
      variance: Array(UnsafeBufferPointer(start: variance, count: planes.count)),
      seen: Array(UnsafeBufferPointer(start: seen, count: planes.count)))
  }

  /// Forgets everything.
  func drop() {
    isEmpty = true
    contradictions = 0
  }

  /// Judges the plate by the part of the sure background that it explains, 0…1. Returns whether it was dropped.
  func judge(explained: Float) -> Bool {
    contradictions = explained < 0.5 ? contradictions + 1 : 0
    if contradictions >= 3 {
      drop()
      return true
    }
    if explained < 0.7 { for at in 0..<planes.count { seen[at] *= 0.9 } }
    return false
  }

  /// Adds a frame where `certain` is not 0.
  func add(frame: [UnsafeMutablePointer<Float>], certain: UnsafePointer<Float>, light: PlateLight) {
    let (variance, seen) = (variance, seen)
    guard !isEmpty else {
      for channel in 0..<3 { planes[channel].update(from: frame[channel], count: planes.count) }
      for at in 0..<planes.count {
        variance[at] = 16
        seen[at] = certain[at]
      }
      isEmpty = false
      return
    }
    let (inverse, offset) = (1 / light.gain, light.offset)
    kernels.learn(
      frame.map { UnsafePointer($0) as UnsafePointer<Float>? }, certain, planes.count,
      [offset.x, offset.y, offset.z, inverse.x, inverse.y, inverse.z], Self.gain, Plate.pictureWeight,
      colors.map { $0 as UnsafeMutablePointer<Float>? },
      variance, seen)
  }
}
