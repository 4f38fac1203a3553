import CBackdropKernels
import Libc

/// Converts PQ and HLG (ITU-R BT.2100) to standard dynamic range.
///
/// Samples become light in cd/m² on a screen: PQ by its curve, HLG by its curve and the system gamma of 1.2, for a screen of 1000 cd/m².
/// The white of standard dynamic range is HDR's reference white, 203 cd/m² (BT.2408). The largest channel of each pixel follows the curve
/// of BT.2390, 5.4.1, from the source's peak to 203 cd/m², and the other two scale by the same factor, which preserves hues. With a peak of
/// 1000 cd/m² light is unchanged up to 95 cd/m² (samples up to 0.71), and reference white becomes 0.89. Then light is converted to the
/// primaries of the result, clipped per channel, and coded with sRGB's curve.
///
/// ```swift
/// let image = ToneMapping(from: frame.color.space)?.image(frame)
/// ```
///
/// 8-bit samples are within 2 levels of the exact colours.
package struct ToneMapping: Sendable {
  package let source: ColorSpace
  /// The brightest light of the source, in cd/m²: brighter light becomes white.
  package let peak: Double
  /// The target: a space with the curve of sRGB.
  package let target: ColorSpace
  package let matrix: Matrix3
  /// What each of the source's channels contributes to luminance.
  package let weights: [Double]
  private let light: KernelTable<Float>
  private let system: KernelTable<Float>?
  private let curve: KernelTable<Float>
  private let encoded: KernelTable<UInt8>

  /// Makes the tables, in about a millisecond; `nil` for a source without the curve of PQ or HLG.
  ///
  /// - Parameter peak: the brightest light of the source in cd/m², from its content light level or mastering display, 203 to 10,000; 1000
  ///   if missing, and for HLG.
  package init?(from source: ColorSpace, peak: Double? = nil, to primaries: ColorSpace.Primaries = .bt709) {
    guard source.transfer.isHDR, let from = source.primaries.chromaticities, let to = primaries.chromaticities,
      let toPCS = from.toPCS, let back = to.toPCS?.inverse, let weights = from.luminance
    else { return nil }
    let isPQ = source.transfer == .pq
    let known = isPQ ? peak.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } : nil
    let white = HighDynamicRange.referenceWhite
    let most = min(max(known ?? HighDynamicRange.peakHLG, white), HighDynamicRange.maximumPQ)
    (self.source, self.peak, self.weights) = (source, most, weights)
    target = ColorSpace(primaries)
    matrix = back * toPCS
    let samples = Int(BD_TONE_SAMPLES)
    light = KernelTable(
      (0...samples).map { step in
        let sample = Double(step) / Double(samples)
        return Float(isPQ ? min(HighDynamicRange.lightPQ(sample) / most, 1) : HighDynamicRange.lightHLG(sample))
      })
    system = isPQ ? nil : KernelTable(Self.steps { Float(pow($0, HighDynamicRange.gammaHLG - 1)) })
    curve = KernelTable(
      Self.steps { Float(HighDynamicRange.mapped($0 * most, from: most, to: white) / (white * $0)) })
    let bytes = Self.steps { UInt8((ToneCurve.srgb.sample($0) * 255).rounded()) }
    encoded = KernelTable([0] + bytes.dropFirst())
  }

  /// A function's values in the middle of each step of light.
  static func steps<Value>(_ value: (Double) -> Value) -> [Value] {
    (0...Int(BD_LIGHT_STEPS)).map { step in
      let half: UInt32 = step == Int(BD_LIGHT_STEPS) ? 0 : 1 << UInt32(BD_LIGHT_SHIFT - 1)
      return value(Double(Float(bitPattern: UInt32(BD_LIGHT_FIRST) + UInt32(step) << UInt32(BD_LIGHT_SHIFT) + half)))
    }
  }

  // MARK: - Pictures

  /// The picture of a planar frame in the source's space, whose matrix and range are respected; `color` gives those of the result.
  package func image(
    _ frame: DeepFrame, as format: PixelFormat = .i420, color: ColorDescription = .video, pool: ImagePool? = nil,
    level: CPULevel = .current
  ) -> Image {
    var pixels = Image(.rgb8, width: frame.width, height: frame.height, color: color.with(target))
    let (layout, rows) = (pixels.layout(0), frame.cb.height)
    let halved: Int32 = frame.cb.width == frame.width ? 0 : 1
    let isTall = rows == frame.height
    let kernels = level.kernels.tone
    var tone = tone(frame.color, bits: frame.bits)
    frame.luma.withUnsafePointer { luma in
      frame.cb.withUnsafePointer { cb in
        frame.cr.withUnsafePointer { cr in
          pixels.withUnsafeMutableBytes { out in
            for y in 0..<frame.height {
              let near = isTall ? y : y / 2
              let far = isTall ? y : min(max(y.isMultiple(of: 2) ? near - 1 : near + 1, 0), rows - 1)
              kernels.planes(
                luma + y * frame.luma.stride, cb + near * frame.cb.stride, cb + far * frame.cb.stride,
                cr + near * frame.cr.stride, cr + far * frame.cr.stride, halved, frame.width, &tone,
                (out + y * layout.bytesPerRow).assumingMemoryBound(to: UInt8.self))
            }
          }
        }
      }
    }
    withExtendedLifetime(self) {}
    guard format != .rgb8 else { return pixels }
    var result = Image(format, width: frame.width, height: frame.height, color: color.with(target), pool: pool)
    pixels.convert(into: &result, level: level)
    return result
  }

  /// A picture of R′G′B′ samples in the target's colours, as `rgb8`, from 3 interleaved samples to a pixel, or 4 with the last ignored: of
  /// 8 to 16 bits, the lowest of each value, full range.
  package func image(pixels: Plane<UInt16>, channels: Int = 3, bits: Int = 16, level: CPULevel = .current) -> Image {
    precondition((3...4).contains(channels) && pixels.width.isMultiple(of: channels) && (8...16).contains(bits))
    let width = pixels.width / channels
    var result = Image(.rgb8, width: width, height: pixels.height, color: ColorDescription.jpeg.with(target))
    let layout = result.layout(0)
    var tone = tone(.jpeg, bits: bits)
    tone.sample = Float(Double(BD_TONE_SAMPLES) / Double(1 << bits - 1))
    pixels.withUnsafePointer { source in
      result.withUnsafeMutableBytes { out in
        for y in 0..<pixels.height {
          level.kernels.tone.pixels(
            source + y * pixels.stride, Int32(channels), width, &tone,
            (out + y * layout.bytesPerRow).assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    withExtendedLifetime(self) {}
    return result
  }

  /// The numbers and tables for the kernels, valid during the life of this mapping.
  private func tone(_ color: ColorDescription, bits: Int) -> bd_tone {
    var tone = bd_tone()
    let (samples, scale) = (Double(BD_TONE_SAMPLES), YUVScale(color, bits: bits))
    let (kr, kg, kb, chroma) = (scale.red, scale.green, scale.blue, samples / scale.chromaScale)
    (tone.luma_offset, tone.chroma_offset) = (Float(scale.lumaOffset), Float(128 << (bits - 8)))
    tone.luma = Float(samples / scale.lumaScale)
    tone.cr_red = Float(2 * (1 - kr) * chroma)
    tone.cb_blue = Float(2 * (1 - kb) * chroma)
    tone.cb_green = Float(2 * (1 - kb) * kb / kg * chroma)
    tone.cr_green = Float(2 * (1 - kr) * kr / kg * chroma)
    tone.weights = (Float(weights[0]), Float(weights[1]), Float(weights[2]))
    matrix.copy(to: &tone.matrix)
    (tone.light, tone.curve, tone.encoded) = (light.base, curve.base, encoded.base)
    tone.system = system?.base
    return tone
  }
}
