import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Converts the values of a network's output to the samples of a matte.
struct NetworkOutput {
  let width: Int, height: Int
  private let meaning: NetworkDescription.Meaning
  private let channels: Int
  /// Channels that count as foreground.
  private let chosen: [Int]
  /// Numbers between neighbouring pixels, and between channels.
  private let pixelStep: Int, channelStep: Int

  static func channelCount(_ meaning: NetworkDescription.Meaning) -> Int {
    switch meaning {
    case .probability, .logit: 1
    case .backgroundAndForeground: 2
    case .classes(let names): names.count
    }
  }

  /// Finds the layout of an output of that shape: channels last or second, a batch of one, and for a single channel neither; `nil` for any
  /// other layout.
  init?(_ meaning: NetworkDescription.Meaning, shape: [Int], chosen: [Int]) {
    channels = Self.channelCount(meaning)
    (self.meaning, self.chosen) = (meaning, chosen)
    guard shape.allSatisfy({ $0 > 0 && $0 <= 1 << 16 }), shape.first == 1 else { return nil }
    if shape.count == 4, shape[3] == channels {
      (height, width, pixelStep, channelStep) = (shape[1], shape[2], channels, 1)
    } else if shape.count == 4, shape[1] == channels {
      (height, width, pixelStep, channelStep) = (shape[2], shape[3], 1, shape[2] * shape[3])
    } else if shape.count == 3, channels == 1 {
      (height, width, pixelStep, channelStep) = (shape[1], shape[2], 1, 1)
    } else {
      return nil
    }
  }

  var count: Int { width * height * channels }

  /// Writes the matte, and reuses its memory if it has the output's size. `numbers` has ``count`` values.
  func write(_ numbers: UnsafePointer<Float>, into matte: inout Matte) {
    matte.q15.fit(width, height)
    let stride = matte.q15.stride
    let (pixelStep, channelStep, kernels) = (pixelStep, channelStep, CPULevel.current.kernels.temporal)
    matte.q15.withUnsafeMutablePointer { target in
      for y in 0..<height {
        let from = numbers + y * width * pixelStep
        let to = target + y * stride
        switch meaning {
        case .probability where pixelStep == 1: kernels.quantise(from, width, to)
        case .probability:
          for x in 0..<width { to[x] = Self.q15(from[x * pixelStep]) }
        case .logit:
          for x in 0..<width {
            // In this form NaN counts as background.
            let odds = exponential(from[x * pixelStep])
            to[x] = Self.q15(odds / (1 + odds))
          }
        case .backgroundAndForeground(areLogits: false):
          for x in 0..<width { to[x] = Self.q15(from[x * pixelStep + channelStep]) }
        case .backgroundAndForeground(areLogits: true):
          // The softmax of two is the logistic function of their difference.
          for x in 0..<width {
            to[x] = Self.q15(1 / (1 + exponential(from[x * pixelStep] - from[x * pixelStep + channelStep])))
          }
        case .classes:
          for x in 0..<width { to[x] = Self.q15(share(from + x * pixelStep)) }
        }
      }
    }
  }

  /// The probability of the chosen classes together, in a softmax over all.
  private func share(_ logits: UnsafePointer<Float>) -> Float {
    var largest = logits[0]
    for c in 1..<channels { largest = max(largest, logits[c * channelStep]) }
    var sum: Float = 0
    for c in 0..<channels { sum += exponential(logits[c * channelStep] - largest) }
    var part: Float = 0
    for c in chosen { part += exponential(logits[c * channelStep] - largest) }
    return part / sum
  }

  /// 0…1 to 0…32768, to nearest; NaN counts as background.
  @inline(__always)
  private static func q15(_ value: Float) -> UInt16 {
    let clamped: Float = value > 0 ? (value < 1 ? value : 1) : 0
    // Adding 2²³ leaves the rounded integer in the low bits: a conversion that vectorizes.
    return UInt16(truncatingIfNeeded: (clamped * 32768 + 8_388_608).bitPattern)
  }
}

/// eˣ, relatively within 3·10⁻⁷ for |x| ≤ 69 and clamped beyond, in a form that vectorizes.
///
/// x·log₂e is split into an integer, which goes into the exponent, and a remainder within ±½, for which 2ʳ is the power series up to the
/// sixth power.
@inline(__always)
func exponential(_ x: Float) -> Float {
  let scaled = x * 1.442_695_04
  let power: Float = scaled > -100 ? (scaled < 100 ? scaled : 100) : -100
  // 1.5 · 2²³: adding it rounds to an integer in the low bits.
  let magic: Float = 12_582_912
  let shifted = power + magic
  let rest = power - (shifted - magic)
  var series: Float = 0.000_154_035_3
  series = series * rest + 0.001_333_355_8
  series = series * rest + 0.009_618_129_1
  series = series * rest + 0.055_504_108_7
  series = series * rest + 0.240_226_507
  series = series * rest + 0.693_147_181
  series = series * rest + 1
  return series * Float(bitPattern: (shifted.bitPattern &- magic.bitPattern &+ 127) &<< 23)
}
