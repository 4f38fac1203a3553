import CBackdropKernels
import Libc

/// Converts standard dynamic range to PQ and HLG (ITU-R BT.2100). White becomes HDR's reference white, 203 cd/m² (BT.2408), and other light
/// stays in proportion, so that the white of a picture matches that of the video around it.
///
/// HLG is for a screen of 1000 cd/m², with a system gamma of 1.2. Samples are within 1/1000 of the exact colours.
package struct RangeExpansion: Sendable {
  package let source: ColorSpace
  package let target: ColorSpace
  let matrix: Matrix3
  let weights: [Double]
  private let linear: [KernelTable<Float>]
  private let system: KernelTable<Float>?
  private let encoded: KernelTable<Float>

  /// Makes the tables, in about a millisecond; `nil` unless the source is of standard and the target of high dynamic range.
  package init?(from source: ColorSpace, to target: ColorSpace) {
    guard target.transfer.isHDR, let model = source.model, let to = target.primaries.chromaticities,
      let back = to.toPCS?.inverse, let weights = to.luminance
    else { return nil }
    (self.source, self.target, self.weights) = (source, target, weights)
    let isPQ = target.transfer == .pq
    let most = isPQ ? HighDynamicRange.maximumPQ : HighDynamicRange.peakHLG
    let white = HighDynamicRange.referenceWhite / most
    let change = back * model.toPCS
    matrix = Matrix3(change.rows.map { row in row.map { $0 * white } })
    linear = model.curves.map { curve in KernelTable((0...255).map { Float(curve.light(Double($0) / 255)) }) }
    system = isPQ ? nil : KernelTable(ToneMapping.steps { Float(pow($0, 1 / HighDynamicRange.gammaHLG - 1)) })
    let samples = ToneMapping.steps {
      Float(isPQ ? HighDynamicRange.samplePQ($0 * most) : HighDynamicRange.sampleHLG($0))
    }
    encoded = KernelTable([0] + samples.dropFirst())
  }

  /// A picture in the source's space, without its alpha, with chroma of half width and height and 8 to 16 bits in the target's colours.
  /// `color` gives matrix and range.
  package func frame(_ image: Image, bits: Int = 10, color: ColorDescription, level: CPULevel = .current) -> DeepFrame {
    let pixels = image.format.isRGB ? image : image.converted(to: .rgb8)
    let (width, height, layout) = (pixels.width, pixels.height, pixels.layout(0))
    var result = DeepFrame(width: width, height: height, bits: bits, color: color.with(target))
    var pack = Self.pack(color, bits: bits)
    let (lumaStride, chromaStride) = (result.luma.stride, result.cb.stride)
    var tables = tables
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 6 * width) { light in
      guard let light = light.baseAddress else { return }
      let (red, green, blue) = (light, light + 2 * width, light + 4 * width)
      pixels.withUnsafeBytes { source in
        result.luma.withUnsafeMutablePointer { luma in
          result.cb.withUnsafeMutablePointer { cb in
            result.cr.withUnsafeMutablePointer { cr in
              for y in stride(from: 0, to: height, by: 2) {
                let count = min(2, height - y)
                for row in 0..<count {
                  level.kernels.tone.up(
                    (source + (y + row) * layout.bytesPerRow).assumingMemoryBound(to: UInt8.self),
                    pixels.format.pixelOrder, width, &tables, red + row * width, green + row * width,
                    blue + row * width)
                }
                level.kernels.tone.pack(
                  red, green, blue, count > 1 ? width : 0, width, &pack, luma + y * lumaStride,
                  count > 1 ? luma + (y + 1) * lumaStride : nil, cb + y / 2 * chromaStride, cr + y / 2 * chromaStride)
              }
            }
          }
        }
      }
    }
    withExtendedLifetime(self) {}
    return result
  }

  private static func pack(_ color: ColorDescription, bits: Int) -> bd_tone_pack {
    let scale = YUVScale(color, bits: bits)
    let (kr, kb, luma, chroma) = (scale.red, scale.blue, scale.lumaScale, scale.chromaScale)
    return bd_tone_pack(
      red: Float(kr * luma), green: Float(scale.green * luma), blue: Float(kb * luma),
      luma_offset: Float(scale.lumaOffset + 0.5), cb: Float(chroma / (2 * (1 - kb))),
      cr: Float(chroma / (2 * (1 - kr))), chroma_offset: Float(128 << (bits - 8)) + 0.5, most: Float(1 << bits - 1))
  }

  /// The tables for the kernel, valid during the life of this conversion.
  private var tables: bd_tone_up {
    var tables = bd_tone_up()
    tables.weights = (Float(weights[0]), Float(weights[1]), Float(weights[2]))
    matrix.copy(to: &tables.matrix)
    tables.linear = (linear[0].base, linear[1].base, linear[2].base)
    tables.encoded = encoded.base
    tables.system = system?.base
    return tables
  }
}
