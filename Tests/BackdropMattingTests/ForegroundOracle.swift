import BackdropDepth
import BackdropImaging
import Foundation

@testable import BackdropDepth

/// A slow estimate of the foreground's colours in double precision, plane by plane and sample by sample.
enum ForegroundOracle {
  /// Values of all bytes in the order of `packedBytes`, before rounding.
  static func estimate(_ image: Image, _ matte: Matte) -> [Double] {
    var result: [Double] = []
    for plane in 0..<image.format.planeCount {
      let rows = image.layout(plane).rows
      let columns = plane == 0 ? image.width : (image.width + 1) / 2
      let step = image.layout(plane).rowBytes / columns
      let opacity = matte.scaled(toWidth: columns, height: rows).q15.samples.map { min(Double($0) / 32768, 1) }
      let dark = image.format.isYUV ? (plane == 0 ? 16.0 : 128) : 0
      var bytes = (0..<rows).flatMap { y in (0..<columns * step).map { Double(image.row(y, plane: plane)[$0]) } }
      for channel in 0..<min(step, 3) {
        let samples = (0..<rows * columns).map { bytes[$0 * step + channel] }
        let found = Sheet(samples, opacity, columns, rows).front(nothing: dark)
        for i in found.indices { bytes[i * step + channel] = found[i] }
      }
      result += bytes
    }
    return result
  }

  /// One channel of one plane.
  private struct Sheet {
    let value: [Double], opacity: [Double]
    let width: Int, height: Int

    init(_ value: [Double], _ opacity: [Double], _ width: Int, _ height: Int) {
      (self.value, self.opacity, self.width, self.height) = (value, opacity, width, height)
    }

    struct Level {
      var width: Int, height: Int
      /// Colour times weight, and weight.
      var color: [Double], weight: [Double]
    }

    /// The state of sixteen columns of four rows: 0, 1, or 2 for neither.
    func state(_ group: Int, _ row: Int) -> Int {
      var seen: Set<Double> = []
      for y in row * 4..<min(row * 4 + 4, height) {
        for x in group * 16..<min(group * 16 + 16, width) { seen.insert(opacity[y * width + x]) }
      }
      return seen == [0] ? 0 : seen == [1] ? 1 : 2
    }

    func cells(_ side: (Double) -> Double) -> Level {
      var level = Level(width: (width + 3) / 4, height: (height + 3) / 4, color: [], weight: [])
      for row in 0..<level.height {
        for column in 0..<level.width {
          // If a group is entirely one side, its second row represents it.
          let plain = state(column / 4, row) < 2
          let all = Array(row * 4..<min(row * 4 + 4, height))
          let rows = plain ? [all.count > 1 ? all[1] : all[0]] : all
          var (color, weight, count) = (0.0, 0.0, 0.0)
          for y in rows {
            for x in column * 4..<min(column * 4 + 4, width) {
              let m = side(opacity[y * width + x])
              let purity = plain ? m : pow(m, 32) + 1e-12 * m
              color += purity * value[y * width + x]
              weight += purity
              count += 1
            }
          }
          level.color.append(color / count)
          level.weight.append(weight / count)
        }
      }
      return level
    }

    /// Colours of every level, starting with the cells.
    func pyramid(_ side: (Double) -> Double, nothing: Double) -> [Level] {
      var levels = [cells(side)]
      while let fine = levels.last, fine.width > 1 || fine.height > 1 {
        var coarse = Level(width: (fine.width + 1) / 2, height: (fine.height + 1) / 2, color: [], weight: [])
        for y in 0..<coarse.height {
          for x in 0..<coarse.width {
            let at = [(0, 0), (1, 0), (0, 1), (1, 1)].map {
              min(2 * y + $0.1, fine.height - 1) * fine.width + min(2 * x + $0.0, fine.width - 1)
            }
            coarse.color.append(at.reduce(0) { $0 + fine.color[$1] } / 4)
            coarse.weight.append(at.reduce(0) { $0 + fine.weight[$1] } / 4)
          }
        }
        levels.append(coarse)
      }
      for k in levels.indices.reversed() {
        for i in levels[k].color.indices {
          let w = levels[k].weight[i]
          let isTop = k == levels.count - 1
          let own = isTop ? (w > 0 ? 1 : 0) : min(1, 64 * w)
          let around =
            isTop
            ? nothing
            : Self.enlarged(levels[k + 1].color, levels[k + 1], i % levels[k].width, i / levels[k].width, by: 2)
          levels[k].color[i] = (w > 0 ? own * levels[k].color[i] / w : 0) + (1 - own) * around
        }
      }
      return levels
    }

    /// Bilinear, aligned at the centres, edges replicated.
    static func enlarged(_ values: [Double], _ level: Level, _ x: Int, _ y: Int, by factor: Double) -> Double {
      func taps(_ i: Int, _ size: Int) -> [(Int, Double)] {
        let position = (Double(i) + 0.5) / factor - 0.5
        let first = Int(position.rounded(.down))
        let fraction = position - Double(first)
        return [(min(max(first, 0), size - 1), 1 - fraction), (min(max(first + 1, 0), size - 1), fraction)]
      }
      return taps(y, level.height).reduce(0) { sum, row in
        taps(x, level.width).reduce(sum) { $0 + row.1 * $1.1 * values[row.0 * level.width + $1.0] }
      }
    }

    func front(nothing: Double) -> [Double] {
      let fronts = pyramid({ $0 }, nothing: nothing)
      let backs = pyramid({ 1 - $0 }, nothing: nothing)
      var f: [Double] = []
      for i in 0..<width * height {
        let (x, y, a) = (i % width, i / width, opacity[i])
        let front = Self.enlarged(fronts[0].color, fronts[0], x, y, by: 4)
        let back = Self.enlarged(backs[0].color, backs[0], x, y, by: 4)
        let gain = (value[i] - a * front - (1 - a) * back) / (a * a + (1 - a) * (1 - a) + 0.1)
        f.append(min(max(front + a * gain, 0), 255))
      }
      for i in f.indices {
        if opacity[i] >= 1 { f[i] = value[i] }
        if state(i % width / 16, i / width / 4) == 0 {
          let level = fronts[min(2, fronts.count - 1)]
          f[i] =
            level.color[
              min(i / width / 16, level.height - 1) * level.width + min(i % width / 16, level.width - 1)]
        }
      }
      return f
    }
  }
}
