/// Constant numbers for a kernel; their address is valid during the life of the table.
final class KernelTable<Element: BitwiseCopyable>: @unchecked Sendable {
  // Written only by the initialiser, and freed by the last owner.
  let base: UnsafePointer<Element>

  init(_ values: [Element]) {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: values.count)
    memory.initialize(from: values, count: values.count)
    base = UnsafePointer(memory)
  }

  deinit { base.deallocate() }
}
