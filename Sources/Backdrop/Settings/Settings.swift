/// The parameters for analyzing and drawing scenes, which callers in other languages and over the network set by name.
package struct Settings: Parameterized {
  package var look = "backdrop"
  /// The path of the standby picture.
  package var standby: String?
  package var stream = StreamSettings()

  package static let parameters: ParameterTable<Self> =
    [
      .look: [.text("look", "A look's name, or a JSON file of your own", \.look)],
      .background: [
        .text(
          "background",
          "The new background: a colour, blur, bokeh, scene:NAME, a picture or video file, or none for transparency",
          \.stream.background, automatic: "black"),
        .standbyPicture(\.standby),
        .choice("audience", "Who sees the pictures", \.stream.audience, automatic: "others for cameras, else self"),
        .showRoom(\.stream.showsRealBackground),
      ],
    ] + StreamSettings.parameters.excluding("aspect").lifted(to: \.stream)

  package func loadedLook() throws(BackdropError) -> Look { try Look.load(look) }

  /// Sets a parameter by name; `nil` resets it to its default. A parameter of the look takes precedence over a setting with the same name.
  package mutating func set(_ name: String, to value: String?, _ loaded: Look) throws(BackdropError) {
    guard let parameter = loaded.parameters.first(where: { $0.name == name }) else {
      return try setOwn(name, value, loaded)
    }
    stream.values[name] = try value.map { (text) throws(BackdropError) in try parameter.value(parsing: text) }??.number
  }

  private mutating func setOwn(_ name: String, _ value: String?, _ loaded: Look) throws(BackdropError) {
    guard Self.parameters[name] != nil else {
      throw BackdropError(
        .wrongArgument, "there is no parameter '\(name)'",
        hint: .known(loaded.parameters.map(\.name) + Self.parameters.parameters.map(\.name), insteadOf: name))
    }
    try Self.parameters.set(name, parsing: value, in: &self)
    // Another look has parameters of its own.
    if name == "look" { stream.values = [:] }
  }

  /// Makes settings from options. It sets the look first, wherever that stands among the options.
  ///
  /// - Parameter others: gets each option that is no parameter of the look; returns whether it took the option.
  package init(
    _ options: [(name: String, value: String?)],
    others: (String, String?) throws(BackdropError) -> Bool = { (_, _) throws(BackdropError) in false }
  ) throws(BackdropError) {
    self.init()
    for option in options where option.name == "look" { try setOwn("look", option.value, .backdrop) }
    let loaded = try loadedLook()
    for option in options where option.name != "look" {
      let isOfLook = loaded.parameters.contains { $0.name == option.name }
      if !isOfLook, try others(option.name, option.value) { continue }
      try set(option.name, to: option.value, loaded)
    }
  }

  package init() {}

  /// The plan of a job with these settings, without outputs.
  package func jobPlan(_ writing: JobOutput, threads: Int?) throws(BackdropError) -> Job.Plan {
    var plan = Job.Plan()
    plan.settings = stream
    plan.look = try loadedLook()
    (plan.writing, plan.threads, plan.writing.threads) = (writing.options, threads, threads ?? 0)
    return plan
  }
}

extension ParameterDeclaration {
  /// The path of the standby picture.
  package static func standbyPicture(_ property: Property<String?>) -> Self {
    file(
      "standby", "The picture that others see while there is no good matte", property, of: "a picture",
      automatic: "the background"
    ).titled("Standby picture")
  }

  /// ``StreamSettings/showsRealBackground``.
  package static func showRoom(_ property: Property<Bool>) -> Self {
    toggle(
      "show-room", "Allow others to see the room, through looks that show it (portrait, noir) or through a weak blur",
      property)
  }
}

extension Parameterized {
  /// Sets a parameter by name, or resets it for `nil`. Returns whether this type has such a parameter.
  package mutating func accept(_ name: String, _ value: String?) throws(BackdropError) -> Bool {
    guard Self.parameters[name] != nil else { return false }
    try Self.parameters.set(name, parsing: value, in: &self)
    return true
  }
}
