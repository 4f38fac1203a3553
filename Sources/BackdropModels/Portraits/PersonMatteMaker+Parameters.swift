import BackdropImaging

extension PersonMatteMaker.Options: Parameterized {
  /// What a person can set of it.
  package static let parameters: ParameterTable<Self> = [
    .mattes: [
      .file(
        "model", "The person network", \.model, of: "a network's name, a .json description, or a model file",
        automatic: "what quality and subject ask for"
      ).titled("Network").needing(.network),
      .text(
        "device", "Where the person network runs", \.device, automatic: "the fastest of processor and graphics"
      ).needing(.network),
      .text(
        "classes", "What is kept, for networks with classes: person,dog,…", \.classNames, automatic: "person"
      ).needing(.network),
      .choice("subject", "What is looked for", \.subject, default: .person).shown(in: .photo).needing(.network),
    ],
    .edges: [
      .number(
        "refine", "How much the picture's own edges decide where the network's matte ends", \.refinement, in: 0...1
      ).titled("Edge refinement").needing(.network),
      .number(
        "threshold", "Opacity of the network's matte that becomes one half: lower keeps more", \.threshold,
        in: 0.05...0.95, default: 0.5
      ).needing(.network),
      .number(
        "feather", "How far the network's matte is softened (standard deviation)", \.featherPixels, in: 0...100,
        unit: "px"
      ).needing(.network),
    ],
    .time: [
      .number(
        "smooth", "How much the network's mattes are smoothed over time", \.smoothing, in: 0...1, default: 1
      ).titled("Temporal smoothing").needing(.network, .motion),
      .number(
        "matte-rate", "Mattes that the network makes in a second; other frames reuse the last", \.mattesPerSecond,
        in: 0.1...240, unit: "1/s", automatic: "one a frame"
      ).titled("Mattes per second").needing(.network, .motion),
    ],
  ]

  private var classNames: String? {
    get { classes?.joined(separator: ",") }
    set {
      classes = newValue.map { $0.split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty } }
    }
  }
}

extension PersonMatteMaker.Quality: ParameterChoice {
  package var summary: String {
    switch self {
    case .fast: "one look at each picture by a selfie network"
    case .live: "the same, closer to the people; keeps up with a camera"
    case .high: "Robust Video Matting, at the largest size that keeps the rate"
    case .best: "several looks at each picture, for a fraction of a second"
    }
  }
}

extension PersonMatteMaker.Subject: ParameterChoice {
  package var summary: String {
    switch self {
    case .person: "people"
    case .any: "whatever stands out: things, animals, people"
    }
  }
}
