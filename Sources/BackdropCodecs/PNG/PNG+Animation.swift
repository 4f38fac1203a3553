extension PNG {
  /// Whether a file has several pictures (PNG specification, third edition, section 11.3.6.1). `nil` if `bytes` end before the answer.
  package static func isAnimated(_ bytes: [UInt8]) -> Bool? {
    // acTL comes before the pixels.
    guard let chunk = PNGChunks(bytes).first(where: { $0.name == "acTL" || $0.name == "IDAT" }) else { return nil }
    return chunk.name == "acTL" && PNGChunks.number(bytes, at: chunk.content.lowerBound) > 1
  }
}
