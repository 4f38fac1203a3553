import BackdropImaging

/// Lines of numbers: x y z, and in most files red green blue after them, 0…255 or 0…1; comments after `#`.
extension CloudFile {
  mutating func readText(_ bytes: [UInt8], _ maximum: Int) throws(BackdropError) {
    // Pictures and archives have such bytes near their start; numbers never do.
    guard !bytes.prefix(512).contains(where: { $0 < 9 || $0 > 0x7E }) else {
      throw BackdropError(
        .unsupported, "Backdrop does not read this kind of point cloud", hint: "give a PLY, PCD, XYZ or GLB file")
    }
    var (lines, isStart) = (0, true)
    for byte in bytes {
      if isStart && byte != 0x23 && byte != 0x0A && byte != 0x0D { lines += 1 }
      isStart = byte == 0x0A
    }
    var text = CloudText(bytes)
    var numbers: [Double] = []
    guard try text.numbers(&numbers), numbers.count >= 3 else {
      throw BackdropError(.badData, "the file has no lines with x y z", hint: "give a PLY, PCD, XYZ or GLB file")
    }
    let columns = numbers.count
    let hasColors = columns >= 6
    let step = try prepare(count: lines, maximum: maximum, hasColors: hasColors)
    var (index, largest) = (0, 0.0)
    var levels: [SIMD3<Float>] = []
    repeat {
      guard numbers.count == columns else {
        throw BackdropError(.badData, "the lines have different numbers of columns")
      }
      defer { index += 1 }
      guard index % step == 0 else { continue }
      let before = positions.count
      add(numbers[0], numbers[1], numbers[2], color: nil)
      guard hasColors, positions.count > before else { continue }
      largest = max(largest, numbers[3], numbers[4], numbers[5])
      levels.append(SIMD3(Float(numbers[3]), Float(numbers[4]), Float(numbers[5])))
    } while try text.numbers(&numbers)
    total = index
    let scale: Float = largest <= 1 ? 255 : 1
    colors = levels.map { level in
      func part(_ value: Float) -> UInt8 { value >= 0 ? UInt8(min(255, (value * scale).rounded())) : 0 }
      return SIMD3(part(level.x), part(level.y), part(level.z))
    }
    for line in String(decoding: bytes.prefix(4096), as: UTF8.self).split(separator: "\n") where line.hasPrefix("#") {
      read(remark: line)
    }
  }
}
