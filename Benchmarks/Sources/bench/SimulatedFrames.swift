import BackdropDepth
import BackdropImaging
import BackdropSimulation
import Foundation

/// Writes the pictures of a simulated camera with the exact alpha of the people to standard output, for measuring the mattes of other
/// programs: 8-bit red, green, blue and alpha, frame after frame.
enum SimulatedFrames {
  static func write(scene: String, size: Size, frames: Int) throws {
    let camera = try SimulatedCamera(address: "sim:\(scene)?size=\(size)")
    for index in 0..<frames {
      let simulated = camera.frame(index)
      let image = simulated.frame.image.converted(to: .rgba8)
      var bytes = Data(capacity: 4 * image.width * image.height)
      for y in 0..<image.height {
        let (row, opacity) = (image.row(y), simulated.alpha.row(y))
        for x in 0..<image.width {
          for channel in 0..<3 { bytes.append(row[4 * x + channel]) }
          bytes.append(UInt8((UInt32(opacity[x]) * 255 + 16384) >> 15))
        }
      }
      try FileHandle.standardOutput.write(contentsOf: bytes)
    }
  }
}
