import BackdropImaging
import CBackdropKernels
import Libc

/// The grade of a layer with its parameter values, in the kernels' form: consecutive matrices are combined.
final class GradeProgram {
  let steps: UnsafeMutableBufferPointer<bd_grade_step>
  private let tables: [ZeroedMemory<Float>]

  /// `nil` if nothing changes.
  init?(_ grades: [Grade], _ settings: LookValues) {
    var parts: [Part] = []
    for grade in grades {
      for part in Part.parts(of: grade.operation, settings[grade.amount]) {
        if case .matrix(let next) = part, case .matrix(let before) = parts.last {
          parts[parts.count - 1] = .matrix(next * before)
        } else {
          parts.append(part)
        }
      }
    }
    guard !parts.isEmpty else { return nil }
    var tables: [ZeroedMemory<Float>] = []
    steps = .allocate(capacity: parts.count)
    for (index, part) in parts.enumerated() {
      var step = bd_grade_step()
      switch part {
      case .matrix(let matrix):
        step.kind = Int32(BD_GRADE_MATRIX)
        withUnsafeMutableBytes(of: &step.matrix) { bytes in
          let numbers = bytes.assumingMemoryBound(to: Float.self)
          for i in 0..<12 { numbers[i] = Float(matrix.rows[i / 4][i % 4]) }
        }
      case .curve(let value):
        step.kind = Int32(BD_GRADE_CURVE)
        let count = Int(BD_CURVE_INTERVALS)
        let table = ZeroedMemory<Float>(count: count + 2)
        for i in 0...count { table[i] = Float(min(max(value(Double(i) / Double(count)), 0), 1)) }
        table[count + 1] = table[count]
        tables.append(table)
        step.curve = UnsafePointer(table.base)
      case .vibrance(let amount):
        step.kind = Int32(BD_GRADE_VIBRANCE)
        step.amount = Float(amount)
      }
      steps.initializeElement(at: index, to: step)
    }
    self.tables = tables
  }

  deinit { steps.deallocate() }

  /// The effect of a step on the channels.
  enum Part {
    case matrix(ColorMatrix)
    case curve((Double) -> Double)
    case vibrance(Double)

    /// The parts of an operation; none if it changes nothing.
    static func parts(of operation: Grade.Operation, _ amount: Double) -> [Part] {
      switch operation {
      case .exposure where amount != 0:
        return [.curve { ToneCurve.srgb.sample(min(1, exp2(amount) * ToneCurve.srgb.light($0))) }]
      case .contrast where amount != 1: return [.matrix(.contrast(amount))]
      case .brightness where amount != 0: return [.matrix(.brightness(amount))]
      case .saturation where amount != 1: return [.matrix(.saturation(amount))]
      case .vibrance where amount != 0: return [.vibrance(amount)]
      case .gamma where amount != 1: return [.curve { pow($0, amount) }]
      case .mono where amount != 0: return [.matrix(.saturation(1 - amount))]
      case .curve where amount != 0: return [.curve { $0 + amount * (shaped($0) - $0) }]
      case .noir where amount != 0:
        return [
          .matrix(.gray(red: 0.4, green: 0.5, blue: 0.1, amount: amount)),
          .curve { $0 + amount * 0.6 * (shaped($0) - $0) },
        ]
      case .exposure, .contrast, .brightness, .saturation, .vibrance, .gamma, .mono, .curve, .noir: return []
      }
    }

    private static func shaped(_ value: Double) -> Double { value * value * (3 - 2 * value) }
  }
}
