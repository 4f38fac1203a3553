import BackdropImaging
import Libc

/// Turns the light of a scene into samples: highlights roll off, then the sRGB curve (IEC 61966-2-1), grain, rounding.
struct Film {
  /// Unrounded sample values, indexed by the square root of the light, in which even steps are nearly even steps of
  /// sRGB.
  private let curve: [Float]
  private static let brightest: Float = 16
  private static let entries = 8192

  init() {
    curve = (0...Self.entries).map {
      let root = Float($0) / Float(Self.entries) * Self.brightest.squareRoot()
      return Self.encoded(Self.shoulder(root * root)) * 255
    }
  }

  /// Paints `scene` and converts its light to a picture.
  static func developed(_ scene: any SceneryPainter, _ view: SceneryView, _ workers: WorkerPool) -> Image {
    var image = Image(.rgba8, width: view.width, height: view.height, color: .jpeg)
    let stride = image.layout(0).bytesPerRow
    // Rows differ in their work, so each thread takes several parts.
    let parts = min(view.height, workers.threadCount == 1 ? 1 : workers.threadCount * 16)
    image.withUnsafeMutableBytes { samples in
      var step = FilmStep(scene: scene, film: Film(), view: view, parts: parts, samples: samples, stride: stride)
      workers.run(parts: parts, &step) { $0!.assumingMemoryBound(to: FilmStep.self).pointee.develop(Int($1)) }
    }
    return image
  }

  /// Writes the `rgba8` samples of row `y`.
  fileprivate func develop(_ row: [SceneryLight], _ y: Int, into samples: UnsafeMutablePointer<UInt8>) {
    let grain = ValueNoise(seed: 0x6772_6169)
    let scale = Float(Self.entries) / Self.brightest.squareRoot()
    let last = Float(Self.entries)
    for x in 0..<row.count {
      let index = row[x].squareRoot() * scale
      // Four uniform bytes: their sum is nearly normal, like film grain; single ones dither each channel separately.
      let bits = grain.bits(Int32(truncatingIfNeeded: x), Int32(truncatingIfNeeded: y))
      let bytes = SIMD4<Float>(Float(bits & 255), Float(bits >> 8 & 255), Float(bits >> 16 & 255), Float(bits >> 24))
      let shared = (bytes.sum() - 510) * (1.1 / 147.8)
      let own = (SceneryLight(bytes.x, bytes.y, bytes.z) - 127.5) / 256
      for c in 0..<3 {
        let value = curve[Int(min(index[c], last))] + shared + own[c] + 0.5
        samples[x * 4 + c] = UInt8(min(max(value, 0), 255))
      }
      samples[x * 4 + 3] = 255
    }
  }

  /// Keeps light up to 0.6 and compresses all above into the range up to 1, like film.
  private static func shoulder(_ light: Float) -> Float {
    light <= 0.6 ? light : 0.6 + 0.4 * (1 - expf(-(light - 0.6) / 0.4))
  }

  /// Converts light 0…1 to an sRGB sample 0…1.
  static func encoded(_ light: Float) -> Float {
    light <= 0.003_130_8 ? light * 12.92 : 1.055 * powf(light, 1 / 2.4) - 0.055
  }

  /// Converts an sRGB sample 0…1 to light 0…1.
  static func linear(_ sample: Float) -> Float {
    sample <= 0.040_45 ? sample / 12.92 : powf((sample + 0.055) / 1.055, 2.4)
  }
}

/// A scene's rows, drawn by several threads.
private struct FilmStep {
  let scene: any SceneryPainter
  let film: Film
  let view: SceneryView
  let parts: Int
  let samples: UnsafeMutableRawPointer
  let stride: Int

  func develop(_ part: Int) {
    var row = [SceneryLight](repeating: .zero, count: view.width)
    for y in WorkerPool.share(part, of: view.height, in: parts) {
      scene.paint(y, into: &row)
      film.develop(row, y, into: (samples + y * stride).assumingMemoryBound(to: UInt8.self))
    }
  }
}
