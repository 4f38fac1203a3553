import BackdropImaging

extension PersonMatteMaker.Options: Parameterized {
  package static let parameters: ParameterTable<Self> = [
    .mattes: [
      .file(
        "model", "The person network", \.model, of: "a network's name, a .json description, or a model file",
        automatic: "chosen by quality and subject"
      ).titled("Network").needing(.network),
      .text(
        "device", "Device that runs the person network", \.device, automatic: "the faster of processor and graphics"
      ).needing(.network),
      .text(
        "classes", "The classes to keep, for networks with classes: person,dog,…", \.classNames, automatic: "person"
      ).needing(.network),
      .choice("subject", "Choose what to find", \.subject, default: .person).shown(in: .photo).needing(.network),
    ],
    .edges: [
      .number(
        "refine", "How closely the network's matte follows the picture's edges", \.refinement, in: 0...1
      ).titled("Edge refinement").needing(.network),
      .number(
        "threshold", "The network's opacity that counts as one half; lower values keep more", \.threshold,
        in: 0.05...0.95, default: 0.5
      ).needing(.network),
      .number("feather", "Soften the network's matte (standard deviation)", \.featherPixels, in: 0...100, unit: "px")
        .needing(.network),
    ],
    .time: [
      .number(
        "smooth", "Smooth the network's mattes over time", \.smoothing, in: 0...1, default: 1
      ).titled("Temporal smoothing").needing(.network, .motion),
      .number(
        "matte-rate", "Mattes per second from the network; other frames reuse the last one", \.mattesPerSecond,
        in: 0.1...240, unit: "1/s", automatic: "one per frame"
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
    case .fast: "a selfie network runs once on each picture"
    case .live: "the same network, closer to the people; fast enough for a camera"
    case .high: "Robust Video Matting, at the largest size that keeps the frame rate"
    case .best: "several runs on each picture; takes a fraction of a second"
    }
  }
}

extension PersonMatteMaker.Subject: ParameterChoice {
  package var summary: String {
    switch self {
    case .person: "people"
    case .any: "salient things, animals and people"
    }
  }
}
