/// Changes to the light on the subject, each 0 (nothing) … 1, measured on the person and applied slowly and within limits.
///
///     var options = Renderer.Options()
///     options.light.exposure = 1
public struct SubjectLight: Sendable, Equatable {
  /// How far to bring the person's exposure to a good level for faces.
  public var exposure = 0.0
  /// How far to remove the colour of the light.
  public var whiteBalance = 0.0
  /// The strength of a light from the side, on the person alone.
  public var keyLight = 0.0

  /// Changes nothing.
  public init() {}

  /// Whether anything changes.
  public var isActive: Bool { exposure > 0 || whiteBalance > 0 || keyLight > 0 }
}

extension SubjectLight: Parameterized {
  package static let parameters: ParameterTable<Self> = [
    .light: [
      .number(
        "auto-exposure", "Adjust the person's exposure, slowly, until the face is well lit", \.exposure, in: 0...1
      ).needing(.subject),
      .number("white-balance", "Neutralize, slowly, the colour of the light on the person", \.whiteBalance, in: 0...1)
        .needing(.subject),
      .number(
        "key-light", "Add a soft light on the person from the brighter side", \.keyLight, in: 0...1
      ).needing(.subject, .relief),
    ]
  ]
}
