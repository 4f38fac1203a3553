import BackdropImaging
import CSPNG

extension PNG {
  /// What a PNG file holds beside its pixels: it is carried, and nothing is done to the pixels by it.
  public struct Attachments: Sendable, Equatable {
    /// An ICC profile, as chunk `iCCP` has it (PNG specification, third edition, section 11.3.2.3), not compressed.
    public var profile: [UInt8]?
    /// EXIF as chunk `eXIf` has it (section 11.3.4.5): a TIFF structure.
    public var exif: [UInt8]?

    /// Makes attachments.
    public init(profile: [UInt8]? = nil, exif: [UInt8]? = nil) {
      (self.profile, self.exif) = (profile, exif)
    }

    /// Whether a profile is for pictures of that kind (ICC.1, section 7.2.6: the colour space in bytes 16 to 19).
    static func isProfile(_ profile: [UInt8], forGray isGray: Bool) -> Bool {
      profile.count >= 128 && profile[16..<20].elementsEqual((isGray ? "GRAY" : "RGB ").utf8)
    }
  }

  /// Reads what is beside the pixels; no pixel is decoded.
  ///
  /// - Throws: `badData` if it is no PNG file, or one that is damaged before its pixels end; `overLimit` for chunks of more than
  ///   16 MiB.
  public static func attachments(of bytes: [UInt8]) throws(BackdropError) -> Attachments {
    guard let context = spng_ctx_new(0) else { throw BackdropError(.system, "libspng could not start") }
    defer { spng_ctx_free(context) }
    return try bytes.span.withUnsafeBytes { buffer throws(BackdropError) in
      try check(spng_set_png_buffer(context, buffer.baseAddress, buffer.count))
      try check(spng_set_chunk_limits(context, chunkLimit, cacheLimit))
      var result = Attachments()
      var profile = spng_iccp()
      let profileStatus = spng_get_iccp(context, &profile)
      if profileStatus != SPNG_ECHUNKAVAIL.rawValue {
        try check(profileStatus)
        result.profile = Array(UnsafeRawBufferPointer(start: profile.profile, count: profile.profile_len))
      }
      var exif = spng_exif()
      let exifStatus = spng_get_exif(context, &exif)
      if exifStatus != SPNG_ECHUNKAVAIL.rawValue {
        try check(exifStatus)
        result.exif = Array(UnsafeRawBufferPointer(start: exif.data, count: exif.length))
      }
      return result
    }
  }

  /// Attachments as the encoder takes them: it keeps addresses until it has written them.
  final class AttachedChunks {
    private let profile: UnsafeMutableBufferPointer<UInt8>, exif: UnsafeMutableBufferPointer<UInt8>

    /// Leaves out what readers refuse: a profile for other pictures, EXIF that is no TIFF structure (CIPA DC-008, section
    /// 4.5.2).
    init(_ attachments: Attachments, isGray: Bool) {
      func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = memory.initialize(from: bytes)
        return memory
      }
      let profile = attachments.profile ?? []
      self.profile = copy(Attachments.isProfile(profile, forGray: isGray) ? profile : [])
      let exif = attachments.exif ?? []
      let isTIFF = exif.count >= 8 && (exif.starts(with: "II*\0".utf8) || exif.starts(with: "MM\0*".utf8))
      self.exif = copy(isTIFF ? exif : [])
    }

    deinit {
      profile.deallocate()
      exif.deallocate()
    }

    func set(_ context: OpaquePointer) throws(BackdropError) {
      if !profile.isEmpty {
        var chunk = spng_iccp()
        withUnsafeMutableBytes(of: &chunk.profile_name) { $0.copyBytes(from: "ICC profile".utf8) }
        chunk.profile_len = profile.count
        chunk.profile = UnsafeMutableRawPointer(profile.baseAddress)?.assumingMemoryBound(to: CChar.self)
        try check(spng_set_iccp(context, &chunk))
      }
      if !exif.isEmpty {
        var chunk = spng_exif()
        chunk.length = exif.count
        chunk.data = UnsafeMutableRawPointer(exif.baseAddress)?.assumingMemoryBound(to: CChar.self)
        try check(spng_set_exif(context, &chunk))
      }
    }
  }
}
