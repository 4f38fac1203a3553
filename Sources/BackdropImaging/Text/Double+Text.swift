import Libc

extension Double {
  /// The number in C's notation, with a point in any locale; the format is that of one number, such as `%.6f`.
  package func text(_ format: String) -> String {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer -> String in
      // The buffer has a capacity above zero, so it has an address.
      _ = withVaList([self]) { vsnprintf(buffer.baseAddress!, buffer.count, format, $0) }
      return String(cString: buffer.baseAddress!)
    }
    return text.replacing(",", with: ".")
  }
}
