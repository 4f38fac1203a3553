extension ColorSpace {
  private static let primaries: [Int: Primaries] = [
    1: .bt709, 5: .bt601Lines625, 6: .bt601Lines525, 9: .bt2020, 11: .dciP3, 12: .displayP3,
  ]
  private static let transfers: [Int: Transfer] = [
    4: .gamma22, 5: .gamma28, 8: .linear, 13: .srgb, 16: .pq, 17: .gamma26, 18: .hlg,
  ]
  /// BT.709, BT.601, SMPTE 240M, IEC 61966-2-4, BT.1361, BT.2020 with 10 and 12 bits.
  private static let likeSRGB = [1, 6, 7, 11, 12, 14, 15]

  /// The space of the code points of ISO/IEC 23091-2 (Rec. ITU-T H.273): ColourPrimaries (table 2) and TransferCharacteristics (table 3);
  /// unknown ones use `fallback`'s.
  package init(primaries: Int, transfer: Int, fallback: ColorSpace = .sRGB) {
    // SMPTE 240M (7) has the primaries of BT.601 with 525 lines.
    let colors = Self.primaries[primaries == 7 ? 6 : primaries]
    let curve = Self.transfers[Self.likeSRGB.contains(transfer) ? 13 : transfer]
    if let colors, let curve {
      self.init(colors, curve)
    } else if fallback.primaries == .custom || fallback.transfer == .custom {
      self = fallback
    } else {
      self.init(colors ?? fallback.primaries, curve ?? fallback.transfer)
    }
  }

  /// The code points of the space, with sRGB's (13) for ``Transfer/srgb``; `nil` if it has none.
  package var codePoints: (primaries: Int, transfer: Int)? {
    guard let colors = Self.primaries.first(where: { $0.value == primaries })?.key,
      let curve = Self.transfers.first(where: { $0.value == transfer })?.key
    else { return nil }
    return (colors, curve)
  }
}
