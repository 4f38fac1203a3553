/// A fact about a stream or a photo that determines whether a parameter has an effect.
///
/// It is serialised by its code, as `depth-matte`. For a parameter without effect, the code is that of the missing fact; ``absence`` is the
/// sentence for it.
package struct StreamFact: RawRepresentable, Hashable, Sendable, Codable {
  package let rawValue: String
  /// The reason why a parameter that needs it has no effect, as a part of a sentence; the code of a fact that was read from a file.
  package let absence: String

  package init(rawValue: String) { self.init(rawValue, absence: rawValue) }

  package init(_ rawValue: String, absence: String) { (self.rawValue, self.absence) = (rawValue, absence) }

  package static let depth = Self("depth", absence: "there is no depth")
  /// Depth cuts out the matte, alone or joined with the person network.
  package static let depthMatte = Self("depth-matte", absence: "the matte does not come from depth")
  /// A person network makes the matte, alone or joined with depth.
  package static let network = Self("network", absence: "the matte does not come from a person network")
  /// A face sets the depth at which the foreground ends.
  package static let face = Self("face", absence: "no face sets the cutoff")
  package static let noFace = Self("no-face", absence: "a face sets the cutoff")
  package static let motion = Self("motion", absence: "the input is a single picture")
  /// The matte shows a person, whose light can be measured.
  package static let subject = Self("subject", absence: "Backdrop found nobody")
  /// A face is visible, or distances are known, so that a shape can be lit.
  package static let relief = Self("relief", absence: "the input has neither a face nor depth")
  package static let background = Self("background", absence: "the look does not replace the background")
}
