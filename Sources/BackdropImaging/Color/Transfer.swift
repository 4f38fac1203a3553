extension ColorSpace {
  /// The curve between light and samples.
  public enum Transfer: String, Sendable, CaseIterable {
    /// sRGB, and the curves of BT.601, BT.709 and BT.2020 for standard dynamic range.
    ///
    /// The recommendations' curves describe cameras. Screens show all of them with sRGB or a similar curve, and the difference is the
    /// rendering for a dim room. Players and browsers do not convert between them, and neither does Backdrop.
    case srgb
    /// Light itself.
    case linear
    /// A power of 1.8.
    case gamma18
    /// A power of 2.2; Adobe RGB's 563/256 is less than 0.04 levels from it.
    case gamma22
    /// A power of 2.6: cinemas.
    case gamma26
    /// A power of 2.8: BT.470 system B, G.
    case gamma28
    /// SMPTE ST 2084, BT.2100: light of up to 10,000 cd/m².
    case pq
    /// Hybrid log-gamma (BT.2100).
    case hlg
    /// Others, described by the space's profile.
    case custom

    /// Whether it has a high dynamic range. Conversions to and from such a curve leave samples unchanged, since they need a choice of
    /// tones: `ToneMapping` and `RangeExpansion` make it.
    public var isHDR: Bool { self == .pq || self == .hlg }

    var name: String {
      switch self {
      case .srgb: "sRGB"
      case .linear: "linear"
      case .gamma18: "gamma 1.8"
      case .gamma22: "gamma 2.2"
      case .gamma26: "gamma 2.6"
      case .gamma28: "gamma 2.8"
      case .pq: "PQ"
      case .hlg: "HLG"
      case .custom: "custom"
      }
    }

    /// The curve; `nil` for a high dynamic range, and for `custom`.
    var curve: ToneCurve? {
      switch self {
      case .srgb: .srgb
      case .linear: .power(1)
      case .gamma18: .power(1.8)
      case .gamma22: .power(563.0 / 256)
      case .gamma26: .power(2.6)
      case .gamma28: .power(2.8)
      case .pq, .hlg, .custom: nil
      }
    }
  }
}
