extension Batch {
  /// One of several parts of a batch, each for a separate process or machine.
  ///
  /// An input's shard depends only on its own name, without folders. Inputs added later do not move others to another shard, and machines
  /// that reach a folder by different paths agree. Shards have equal sizes only on average: of `n` inputs one of `k` shards has `n / k`,
  /// give or take the square root of that. For few inputs, use more shards than machines.
  public struct Shard: Sendable, Equatable, CustomStringConvertible {
    /// Its number, from 1 to ``count``.
    public let number: Int
    /// The number of shards.
    public let count: Int

    /// Shard `number` of `count`.
    ///
    /// - Throws: `wrongArgument` if no such shard exists.
    public init(_ number: Int, of count: Int) throws(BackdropError) {
      guard count >= 1 else {
        throw BackdropError(
          .wrongArgument, "Backdrop cannot split the inputs into \(count) shards", hint: "write it like 3/8")
      }
      guard (1...count).contains(number) else {
        throw BackdropError(
          .wrongArgument, "shard \(number)/\(count) does not exist",
          hint: "choose from 1/\(count) to \(count)/\(count)")
      }
      (self.number, self.count) = (number, count)
    }

    /// Parses a shard such as `3/8`.
    ///
    /// - Throws: `wrongArgument` for another notation, or if no such shard exists.
    public init(_ text: String) throws(BackdropError) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count == 2, let number = parts[0], let count = parts[1] else {
        throw BackdropError(.wrongArgument, "'\(text)' is not a shard", hint: "write it like 3/8")
      }
      try self.init(number, of: count)
    }

    /// Its notation: `3/8`.
    public var description: String { "\(number)/\(count)" }

    /// Whether an input of that name belongs to this shard; it belongs to exactly one of ``count``.
    public func contains(_ input: String) -> Bool {
      // FNV-1a, then the final mix of MurmurHash3, because the lowest bits of FNV-1a depend on too little of the input. The hash must
      // never change: shards on machines with other versions would overlap.
      var sum: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in FilePath.bytes(FileName(input).whole) { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      sum = (sum ^ (sum >> 33)) &* 0xff51_afd7_ed55_8ccd
      sum = (sum ^ (sum >> 33)) &* 0xc4ce_b9fe_1a85_ec53
      sum ^= sum >> 33
      return sum % UInt64(count) == UInt64(number - 1)
    }
  }
}
