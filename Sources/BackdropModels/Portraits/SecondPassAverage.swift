import BackdropDepth
import BackdropImaging
import BackdropMatting
import Libc

/// The average of a stream's second passes: a second network on the same frame, and a network on the whole picture.
/// Both run from time to time.
///
/// A small network errs in whole regions, and two networks with inputs of different shapes seldom err in the same one.
/// In a close-up a network may take a globe or a fence for a person, but not in the whole picture. The average is the
/// weighted mean of all log odds, because a sum would harden the soft edges on which the networks agree. A result loses
/// weight as the picture changes there, so that all this costs a small part of a run per frame.
///
/// Use one instance for one stream.
final class SecondPassAverage {
  /// The number of pictures until the other networks run again.
  private static let lifetime = 10
  /// The minimum fraction of a frame that results must cover.
  private static let enough = 0.6
  /// A change of this much of the range discards a result, as in ``MatteSmoother``.
  private static let wholeChange: Float = 0.05
  /// Opacities are limited to this, and to 1 minus this.
  private static let minimumOpacity: Float = 0.02
  /// The logarithm of the odds of opacities, in steps of 1/1024.
  private static let logarithms: [Float] = (0...1024).map {
    let opacity = min(max(Float($0) / 1024, minimumOpacity), 1 - minimumOpacity)
    return log(opacity / (1 - opacity))
  }

  private let change = PictureChange()
  private let result = MatteLikelihood()
  /// The weighted sum of all log odds, and the part of the picture that it covers.
  private var logOdds = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var frame = IntegerRect(x: 0, y: 0, width: 0, height: 0)
  /// The network whose matte the results correct.
  private var first: (any PersonSegmenting)?
  private var age = 0
  /// The weight of all results, relative to 1 for the first network.
  private var weight = 0.0

  var isEmpty: Bool { first == nil }

  func reset() {
    first = nil
    change.reset()
  }

  /// Takes the next picture, whose part `frame` is `small` in the first network's input size. Returns whether the other networks should run
  /// again; each result then goes to ``add(_:of:weight:)``.
  ///
  /// - Throws: errors of the comparison.
  func isDue(_ small: Image, showing frame: IntegerRect, to network: any PersonSegmenting) throws(BackdropError) -> Bool
  {
    try change.compare(small, showing: frame)
    age += 1
    let isElsewhere = age > 1 && overlap(frame) < Self.enough
    guard first !== network || change.map == nil || age >= Self.lifetime || isElsewhere else { return false }
    change.remember()
    (first, age, weight, self.frame) = (network, 0, 0, frame)
    logOdds = Plane(repeating: 0, width: small.width, height: small.height)
    return true
  }

  /// The fraction of a frame that results cover.
  private func overlap(_ frame: IntegerRect) -> Double {
    let width = min(frame.x + frame.width, self.frame.x + self.frame.width) - max(frame.x, self.frame.x)
    let height = min(frame.y + frame.height, self.frame.y + self.frame.height) - max(frame.y, self.frame.y)
    return Double(max(0, width) * max(0, height)) / Double(max(1, frame.width * frame.height))
  }

  /// Adds a network's matte, at any size, of a part of the last picture of ``isDue(_:showing:to:)``, with its weight, 0…1.
  func add(_ matte: Matte, of part: IntegerRect, weight: Double) {
    let (logarithms, weight) = (Self.logarithms, Float(weight))
    let odds = matte.q15.map { weight * logarithms[Int(min($0, Matte.one) >> 5)] }
    let nothing = Plane<Float>(repeating: 0, width: logOdds.width, height: logOdds.height)
    logOdds.update(with: odds.moved(from: part, to: frame, like: nothing)) { $0 + $1 }
    self.weight += Double(weight)
  }

  /// The results that are still valid for the last picture, beside the first network's matte of its part `frame`; valid until the next
  /// call.
  func likelihood(beside matte: Matte, showing frame: IntegerRect) -> MatteLikelihood {
    var logOdds = self.logOdds
    if self.frame != frame || logOdds.width != matte.width || logOdds.height != matte.height {
      let nothing = Plane<Float>(repeating: 0, width: matte.width, height: matte.height)
      logOdds = logOdds.moved(from: self.frame, to: frame, like: nothing)
    }
    var ratios = result.logLikelihoodRatios
    result.logLikelihoodRatios = Plane(repeating: 0, width: 0, height: 0)
    ratios.fit(logOdds.width, logOdds.height)
    let isNew = age == 0
    let change = (isNew ? nil : self.change.map) ?? logOdds
    let (a, b, c, d, slope) = (
      logOdds.stride, change.stride, ratios.stride, matte.q15.stride, isNew ? 0 : 1 / Self.wholeChange
    )
    let (width, height, noise, others) = (logOdds.width, logOdds.height, self.change.noise, Float(weight))
    Self.logarithms.withUnsafeBufferPointer { logarithms in
      logOdds.withUnsafePointer { logOdds in
        change.withUnsafePointer { change in
          matte.q15.withUnsafePointer { samples in
            ratios.withUnsafeMutablePointer { ratios in
              for y in 0..<height {
                let (from, changed, own, to) = (logOdds + y * a, change + y * b, samples + y * d, ratios + y * c)
                for x in 0..<width {
                  let left = 1 - min(max((changed[x] - noise) * slope, 0), 1)
                  let odds = logarithms[Int(min(own[x], Matte.one) >> 5)]
                  let hardness = from[x] == 0 ? 1 : 1 + others * left
                  to[x] = (odds + left * from[x]) / hardness - odds
                }
              }
            }
          }
        }
      }
    }
    result.logLikelihoodRatios = ratios
    return result
  }
}
