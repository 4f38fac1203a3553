extension ColorSpace {
  /// The space of the code points of ISO/IEC 23091-2 (Rec. ITU-T H.273).
  ///
  /// - Parameters:
  ///   - primaries: ColourPrimaries (table 2); unknown ones use `fallback`'s.
  ///   - transfer: TransferCharacteristics (table 3); unknown ones use `fallback`'s.
  package init(primaries: Int, transfer: Int, fallback: ColorSpace = .sRGB) {
    let colors: Primaries? =
      switch primaries {
      case 1: .bt709
      case 5: .bt601Lines625
      // SMPTE 240M has the same primaries.
      case 6, 7: .bt601Lines525
      case 9: .bt2020
      case 11: .dciP3
      case 12: .displayP3
      default: nil
      }
    let curve: Transfer? =
      switch transfer {
      // BT.709, BT.601, SMPTE 240M, IEC 61966-2-4, BT.1361, sRGB, BT.2020 with 10 and 12 bits.
      case 1, 6, 7, 11, 12, 13, 14, 15: .srgb
      case 4: .gamma22
      case 5: .gamma28
      case 8: .linear
      case 16: .pq
      case 17: .gamma26
      case 18: .hlg
      default: nil
      }
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
    let colors: Int? =
      switch primaries {
      case .bt709: 1
      case .bt601Lines625: 5
      case .bt601Lines525: 6
      case .bt2020: 9
      case .dciP3: 11
      case .displayP3: 12
      case .adobeRGB, .proPhoto, .custom: nil
      }
    let curve: Int? =
      switch transfer {
      case .srgb: 13
      case .gamma22: 4
      case .gamma28: 5
      case .linear: 8
      case .pq: 16
      case .gamma26: 17
      case .hlg: 18
      case .gamma18, .custom: nil
      }
    guard let colors, let curve else { return nil }
    return (colors, curve)
  }
}
