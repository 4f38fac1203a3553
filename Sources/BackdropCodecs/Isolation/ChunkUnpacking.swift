import BackdropImaging

/// Unpacks a chunk or a picture of a ROS bag with the system's library of its compression, which is opened when first needed.
package struct ChunkUnpacking: IsolatedFunction {
  /// The compressions, by their names in bags: the first two of chunks, the last of pictures.
  package enum Packing: String, Sendable, WireValue {
    case bz2, lz4, zstd
  }

  package static let name = "chunk"
  package static let library = DecoderLibrary.packing
  private let packing: Packing
  private let count: Int

  /// - Parameter count: the number of unpacked bytes.
  package init(_ packing: Packing, count: Int) { (self.packing, self.count) = (packing, count) }

  package init(from wire: inout WireReader) throws(BackdropError) { try self.init(wire.read(), count: wire.read()) }
  package func write(to wire: inout WireWriter) { wire.write(packing, count) }

  /// The unpacked bytes.
  ///
  /// - Throws: `badData` for damaged data, or data of another length; `unsupported` without the library.
  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> [UInt8] {
    let unpack =
      switch packing {
      case .bz2: try BZip2.opened.get().unpack
      case .lz4: try LZ4.opened.get().unpack
      case .zstd: try ZStandard.opened.get().unpack
      }
    var isWhole = false
    let result = [UInt8](unsafeUninitializedCapacity: count) { target, used in
      isWhole = bytes.withUnsafeBytes {
        unpack($0, UnsafeMutableRawBufferPointer(start: target.baseAddress, count: count))
      }
      used = isWhole ? count : 0
    }
    guard isWhole else {
      throw packing == .zstd
        ? BackdropError(.badData, "a picture packed by Zstandard is damaged", hint: "copy it again from where it came")
        : BackdropError(
          .badData, "a chunk with \(packing) compression is damaged", hint: "copy the file again from the original")
    }
    return result
  }

  package func accepts(_ answer: [UInt8], byteCount: Int) -> Bool { answer.count == count }

  /// Opens the libraries that are installed.
  package static func openLibraries() { (_, _, _) = (BZip2.opened, LZ4.opened, ZStandard.opened) }
}

/// The library of bzip2.
private struct BZip2 {
  typealias Text = UnsafeMutablePointer<CChar>
  typealias Unpack = @convention(c) (Text?, UnsafeMutablePointer<UInt32>, Text?, UInt32, Int32, Int32) -> Int32

  let decompress: Unpack

  static let opened = SharedLibrary.function(
    "BZ2_bzBuffToBuffDecompress", ofSystem: ["libbz2.so.1.0", "libbz2.so.1"], as: Unpack.self,
    missing: BackdropError(
      .unsupported, "this file needs the library bzip2, and it is not installed",
      hint: "install it: sudo apt install libbz2-1.0")
  ).map(BZip2.init)

  /// Fills `target`; whether it has exactly that length.
  func unpack(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Bool {
    var count = UInt32(target.count)
    // The library does not write to the source.
    let text = source.baseAddress.map { Text(mutating: $0.assumingMemoryBound(to: CChar.self)) }
    return decompress(
      target.baseAddress?.assumingMemoryBound(to: CChar.self), &count, text, UInt32(source.count), 0, 0) == 0
      && Int(count) == target.count
  }
}

/// The library of LZ4 frames ("LZ4 Frame Format" 1.6), which verifies their checksums.
private struct LZ4 {
  typealias Context = UnsafeMutableRawPointer
  typealias Create = @convention(c) (UnsafeMutablePointer<Context?>, UInt32) -> Int
  typealias Free = @convention(c) (Context?) -> Int
  typealias Decompress =
    @convention(c) (
      Context?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>, UnsafeRawPointer?, UnsafeMutablePointer<Int>,
      UnsafeRawPointer?
    ) -> Int

  let create: Create
  let free: Free
  let decompress: Decompress

  static let opened = Result { () throws(BackdropError) in try LZ4() }

  private init() throws(BackdropError) {
    let library = try SharedLibrary.openOfSystem(["liblz4.so.1"])
    func find<Function>(_ name: String) throws(BackdropError) -> Function {
      guard let library, let found = SharedLibrary.function(name, of: library, as: Function.self) else {
        throw BackdropError(
          .unsupported, "this file needs the library LZ4, and it is not installed",
          hint: "install it: sudo apt install liblz4-1")
      }
      return found
    }
    create = try find("LZ4F_createDecompressionContext")
    free = try find("LZ4F_freeDecompressionContext")
    decompress = try find("LZ4F_decompress")
  }

  /// Fills `target`; whether it has exactly that length.
  func unpack(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Bool {
    var context: Context?
    // The second argument is LZ4F_VERSION, the same in all versions.
    guard create(&context, 100) == 0 else { return false }
    defer { _ = free(context) }
    var (read, written) = (0, 0)
    while true {
      var (taken, made) = (source.count - read, target.count - written)
      let missing = decompress(
        context, target.baseAddress.map { $0 + written }, &made, source.baseAddress.map { $0 + read }, &taken, nil)
      (read, written) = (read + taken, written + made)
      // It is 0 at the end of the frame, and below 0 for an error.
      if missing <= 0 { return missing == 0 && written == target.count }
      if taken == 0 && made == 0 { return false }
    }
  }
}

/// The library of Zstandard.
private struct ZStandard {
  typealias Unpack = @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int) -> Int

  let decompress: Unpack

  static let opened = SharedLibrary.function(
    "ZSTD_decompress", ofSystem: ["libzstd.so.1"], as: Unpack.self,
    missing: BackdropError(
      .unsupported, "the library Zstandard, which unpacks this file, is not installed",
      hint: "install it: sudo apt install libzstd1")
  ).map(ZStandard.init)

  /// Fills `target`; whether it has exactly that length.
  func unpack(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Bool {
    decompress(target.baseAddress, target.count, source.baseAddress, source.count) == target.count
  }
}
