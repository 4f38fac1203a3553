import BackdropDepth
import BackdropImaging
import BackdropMatting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What else is known of a stream's pictures than what a network sees in its frame: what a second network sees there, and what is seen
/// in the whole picture. Both are asked now and then.
///
/// A small network is mostly wrong by whole regions, and two that learned from other shapes are seldom wrong in the same one; what a
/// close look takes for a person, a globe or a fence, is often nobody in the whole picture. So the logarithms of all their odds are
/// averaged, by weights: a sum would harden the soft edges on which they agree. What was said holds for as long as the picture stays:
/// it counts the less the more the picture has changed there since, so all that costs a small part of a run a frame.
///
/// One stream, one value.
final class OtherOpinions {
  /// Pictures after which the others are asked again.
  private static let lifetime = 10
  /// The least part of a frame that something must have been said of.
  private static let enough = 0.6
  /// A change of this much of the range takes a vote away, as ``MatteSmoother`` takes the new matte.
  private static let wholeChange: Float = 0.05
  /// No word is taken for surer than this, either way.
  private static let doubt: Float = 0.02
  /// The logarithm of the odds of opacities, in steps of 1/1024.
  private static let logarithms: [Float] = (0...1024).map {
    let opacity = min(max(Float($0) / 1024, doubt), 1 - doubt)
    return log(opacity / (1 - opacity))
  }

  private let change = PictureChange()
  private let testimony = MatteTestimony()
  /// The sum of all that was said, and the part of the picture that it is about.
  private var said = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var frame = IntegerRect(x: 0, y: 0, width: 0, height: 0)
  /// Whose matte the others are asked about.
  private var first: (any PersonSegmenting)?
  private var age = 0
  /// Of all that was said, beside 1 for the first network.
  private var weight = 0.0

  /// Whether nothing was said of this scene.
  var areUnheard: Bool { first == nil }

  /// Forgets what was said.
  func reset() {
    first = nil
    change.reset()
  }

  /// Takes the next picture.
  ///
  /// - Parameters:
  ///   - small: the part of it that the first network sees, as it sees it.
  ///   - frame: that part.
  ///   - network: the first network.
  /// - Returns: whether it is time to ask the others: each is then to be given to ``add(_:of:weight:)``.
  /// - Throws: what the comparison throws.
  func isDue(_ small: Image, showing frame: IntegerRect, to network: any PersonSegmenting) throws(BackdropError) -> Bool
  {
    try change.compare(small, showing: frame)
    age += 1
    let isElsewhere = age > 1 && overlap(frame) < Self.enough
    guard first !== network || change.map == nil || age >= Self.lifetime || isElsewhere else { return false }
    change.remember()
    (first, age, weight, self.frame) = (network, 0, 0, frame)
    said = Plane(repeating: 0, width: small.width, height: small.height)
    return true
  }

  /// The part of a frame of which something was said.
  private func overlap(_ frame: IntegerRect) -> Double {
    let width = min(frame.x + frame.width, self.frame.x + self.frame.width) - max(frame.x, self.frame.x)
    let height = min(frame.y + frame.height, self.frame.y + self.frame.height) - max(frame.y, self.frame.y)
    return Double(max(0, width) * max(0, height)) / Double(max(1, frame.width * frame.height))
  }

  /// Adds what somebody says of the picture that ``isDue(_:showing:to:)`` took last.
  ///
  /// - Parameters:
  ///   - matte: it; of any size.
  ///   - part: the part of the picture that it covers.
  ///   - weight: how far it counts, 0…1.
  func add(_ matte: Matte, of part: IntegerRect, weight: Double) {
    var odds = Plane<Float>(repeating: 0, width: matte.width, height: matte.height)
    let (width, height, stride, from, weight) = (
      matte.width, matte.height, odds.stride, matte.q15.stride, Float(weight)
    )
    Self.logarithms.withUnsafeBufferPointer { logarithms in
      matte.q15.withUnsafePointer { samples in
        odds.withUnsafeMutablePointer { odds in
          for y in 0..<height {
            for x in 0..<width {
              odds[y * stride + x] = weight * logarithms[Int(min(samples[y * from + x], Matte.one) >> 5)]
            }
          }
        }
      }
    }
    self.weight += Double(weight)
    let nothing = Plane<Float>(repeating: 0, width: said.width, height: said.height)
    odds = odds.moved(from: part, to: frame, like: nothing)
    let (sumStride, oddsStride, columns, rows) = (said.stride, odds.stride, said.width, said.height)
    said.withUnsafeMutablePointer { sum in
      odds.withUnsafePointer { odds in
        for y in 0..<rows {
          for x in 0..<columns { sum[y * sumStride + x] += odds[y * oddsStride + x] }
        }
      }
    }
  }

  /// What was said, as far as it holds for the last picture; it stands until the next call.
  ///
  /// - Parameters:
  ///   - matte: what the first network says of that picture.
  ///   - frame: the part of it that the matte covers.
  func testimony(beside matte: Matte, showing frame: IntegerRect) -> MatteTestimony {
    var said = self.said
    if self.frame != frame || said.width != matte.width || said.height != matte.height {
      let nothing = Plane<Float>(repeating: 0, width: matte.width, height: matte.height)
      said = said.moved(from: self.frame, to: frame, like: nothing)
    }
    var votes = testimony.votes
    testimony.votes = Plane(repeating: 0, width: 0, height: 0)
    votes.fit(said.width, said.height)
    let isNew = age == 0
    let change = (isNew ? nil : self.change.map) ?? said
    let (a, b, c, d, slope) = (
      said.stride, change.stride, votes.stride, matte.q15.stride, isNew ? 0 : 1 / Self.wholeChange
    )
    let (width, height, noise, others) = (said.width, said.height, self.change.noise, Float(weight))
    Self.logarithms.withUnsafeBufferPointer { logarithms in
      said.withUnsafePointer { said in
        change.withUnsafePointer { change in
          matte.q15.withUnsafePointer { samples in
            votes.withUnsafeMutablePointer { votes in
              for y in 0..<height {
                let (from, changed, own, to) = (said + y * a, change + y * b, samples + y * d, votes + y * c)
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
    testimony.votes = votes
    return testimony
  }
}
