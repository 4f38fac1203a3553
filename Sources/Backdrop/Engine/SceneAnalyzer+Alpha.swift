/// Scenes that were already cut out.
extension SceneAnalyzer {
  /// The fraction of the area kept by alpha that must be the subject before alpha becomes its matte, and the fraction for alpha to
  /// stay the matte in the next scene.
  private static let (least, leastLater) = (0.8, 0.5)
  /// Alpha that keeps a larger fraction of the picture is no cutout.
  private static let most = 0.97

  /// Uses a scene's alpha as its subject's matte if the two agree, because existing edges are better than newly found ones.
  func acceptCutout(_ scene: Scene, into evidence: inout Evidence) {
    guard let alpha = scene.alpha, evidence.subjectOrigin != nil else {
      acceptsAlpha = false
      return
    }
    let (kept, both) = Self.overlap(alpha, evidence.subject)
    acceptsAlpha = kept > 0 && kept < Self.most && both >= (acceptsAlpha ? Self.leastLater : Self.least) * kept
    guard acceptsAlpha else { return }
    evidence.subject = Matte(q15: alpha.map { UInt16((Int($0) * Int(Matte.one) + 127) / 255) })
    // A mask without soft edges, because alpha would otherwise multiply them twice.
    evidence.alpha = alpha.map { $0 > 0 ? 255 : 0 }
  }

  /// The fraction of the picture that alpha keeps, and the fraction of that which is also the subject, on a coarse grid.
  private static func overlap(_ alpha: Plane<UInt8>, _ subject: Matte) -> (kept: Double, both: Double) {
    let (columns, rows) = (min(alpha.width, 256), min(alpha.height, 256))
    var (kept, both) = (0, 0)
    for row in 0..<rows {
      let limits = alpha.row((2 * row + 1) * alpha.height / (2 * rows))
      let opacity = subject.q15.row((2 * row + 1) * subject.height / (2 * rows))
      for column in 0..<columns {
        let center = 2 * column + 1
        let limit = Int(limits[center * alpha.width / (2 * columns)])
        kept += limit
        both += limit * Int(min(opacity[center * subject.width / (2 * columns)], Matte.one)) / Int(Matte.one)
      }
    }
    let all = Double(255 * columns * rows)
    return (Double(kept) / all, Double(both) / all)
  }
}
