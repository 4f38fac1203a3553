// The engine's parameters. Commands, live sessions, pages and documentation read them from this list.

extension AnalyzerOptions: Parameterized {
  package static let parameters: ParameterTable<Self> =
    [
      .mattes: [
        .choice("matte", "Choose how Backdrop makes mattes", \.mattes).titled("Mattes from"),
        .choice(
          "quality", "Trade speed for better mattes; has no effect on mattes from depth alone", \.quality,
          automatic: "best for pictures, live for videos"),
        .file(
          "plate", "A picture of the room without people, from a camera that stands still", \.plate, of: "a picture",
          automatic: "nothing"
        ).titled("Clean plate").needing(.network),
        .file(
          "touch-up", "Apply strokes that keep or erase parts by hand, for single pictures, as the studio saves them",
          \.touchUpFile, of: "a touch-up (.json)", automatic: "nothing"),
      ]
    ] + subjectSources.reduce([:]) { $0 + $1.parameters }
    + PeopleChoice.parameters.lifted(to: \.people) + PersonMatteMaker.Options.parameters.lifted(to: \.person)

  private var touchUpFile: String? {
    get { touchUp?.name }
    set { touchUp = newValue.map(TouchUpChoice.file) }
  }
}

extension Renderer.Options: Parameterized {
  package static let parameters: ParameterTable<Self> =
    [
      .edges: [
        .number(
          "shift-edge", "Move the matte's edge outwards; negative values move it inwards", \.edgeShift, in: -20...20,
          unit: "px"
        ).titled("Edge shift").shown(in: .photo, .photoBackground, .alikePhotos),
        .number(
          "light-wrap", "Let the background's light spill over the person's edges", \.lightWrap, in: 0...1
        ).shown(in: .photo, .photoBackground, .alikePhotos).needing(.background),
        .toggle(
          "decontaminate", "Remove the old background's colour from soft edges", \.decontaminates,
          automatic: "on, except for mattes from depth; with quality best, on for depth joined with a network"
        ).titled("Edge colour cleanup").needing(.background),
      ]
    ] + SubjectLight.parameters.lifted(to: \.light)
}

extension DepthMatteRecipe.FaceChoice: ParameterChoice {
  package var summary: String {
    switch self {
    case .largest: "the largest"
    case .all: "the farthest"
    }
  }
}

extension DepthFilterChain: ParameterText {
  package static var form: String { "chain" }
}
