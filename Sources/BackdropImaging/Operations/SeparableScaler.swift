import CBackdropKernels

/// Prepared taps for both axes of one plane with interleaved channels; the only caller of the resampling kernel.
struct SeparableScaler: Sendable {
  let source: SampleShape
  let target: SampleShape
  private let rows: RowTable
  private let columns: ColumnTable?
  private let rowsFirst: Bool
  private let kernel: @convention(c) (UnsafePointer<bd_resample_job>?) -> Void

  /// `vertical` and `horizontal` contain the source samples for each output row and column; `nil` keeps the width.
  init(_ source: SampleShape, vertical: AxisTaps, horizontal: AxisTaps?, kind: PixelSampleKind, level: CPULevel) {
    self.source = source
    target = SampleShape(
      kind: kind, width: horizontal?.count ?? source.width, height: vertical.count, channels: source.channels)
    rows = RowTable(vertical)
    columns = horizontal.map { ColumnTable($0, channels: source.channels, level: level) }
    rowsFirst = vertical.count < vertical.range.count || columns == nil
    let halves = source.kind == .uint8 && kind == .uint8 && vertical.halves && horizontal?.halves == true
    kernel = halves ? level.kernels.resample.halve : level.kernels.resample.resample
  }

  /// The number of floats in an intermediate row.
  private var scratchRow: Int { (max(source.samples, target.samples) + 64 + 15) / 16 * 16 }

  var scratchBytes: Int { scratchRow * (rowsFirst ? 2 : 1 + rows.taps) * 4 }

  func apply(_ source: SampleSource, to target: SampleTarget, scratch: UnsafeMutableRawPointer) {
    precondition(source.shape == self.source && target.shape == self.target)
    var job = bd_resample_job(
      src: source.base, src_stride: source.bytesPerRow, src_samples: self.source.samples, dst: target.base,
      dst_stride: target.bytesPerRow, dst_samples: self.target.samples, rows: rows.table.base,
      columns: columns?.table.base, scratch: scratch.assumingMemoryBound(to: Float.self), scratch_row: scratchRow,
      src_kind: self.source.kind.rawValue, dst_kind: self.target.kind.rawValue, rows_first: rowsFirst ? 1 : 0, y0: 0,
      y1: Int32(self.target.height))
    kernel(&job)
    // The job holds raw pointers into the tables.
    withExtendedLifetime((rows, columns)) {}
  }
}
