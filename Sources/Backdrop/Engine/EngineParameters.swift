import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

// What a person can set of the engine. Commands, live sessions, pages and documentation have it from here.

extension AnalyzerOptions: Parameterized {
  package static let parameters: ParameterTable<Self> =
    [
      .mattes: [
        .choice("matte", "What mattes are made from", \.mattes).titled("Mattes from"),
        .choice(
          "quality", "How much is done for a matte without depth", \.quality,
          automatic: "best for pictures, live for videos"),
        .file(
          "plate", "The room without people, for a camera that stands still", \.plate, of: "a picture",
          automatic: "nothing"
        ).titled("Clean plate").needing(.network),
        .color(
          "screen", "The colour of the screen that chroma keys", \.chroma.color,
          automatic: "the green or blue of the picture's border"
        ).titled("Screen colour").needing(.screen),
        .number(
          "spill", "How much of the screen's light on the foreground is taken out", \.chroma.spill, in: 0...1
        ).titled("Spill removal").needing(.screen),
        .file(
          "touch-up",
          "What was corrected by hand, for single pictures: strokes that keep or erase, as the studio saves them",
          \.touchUpFile, of: "a touch-up (.json)", automatic: "nothing"),
      ],
      .depth: [
        .text(
          "filter",
          "What cleans the depth of each frame: filtered, or filters as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill "
            + "(\(DepthFilterKind.allCases.map(\.rawValue).joined(separator: ", ")))", \.depthFilter
        ).needing(.depth),
        .toggle("face", "Let a face decide the cutoff", \.followsFace).needing(.depthMatte),
        .number(
          "farthest-face", "The farthest that a face may be to move the cutoff back", \.farthestFaceMetres,
          in: 0.3...15,
          unit: "m"
        ).needing(.depthMatte),
        .choice("faces", "Which of several faces decides", \.faces).needing(.depthMatte, .face),
        .toggle(
          "find-gap", "End the foreground at the gap before the room while no face is seen", \.findsGap
        ).needing(.depthMatte, .noFace),
      ],
    ] + PeopleChoice.parameters.lifted(to: \.people) + PersonMatteMaker.Options.parameters.lifted(to: \.person)

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
          "shift-edge", "How far the matte's edge is moved outwards, or inwards below 0", \.edgeShift, in: -20...20,
          unit: "px"
        ).titled("Edge shift").shown(in: .photo, .photoBackground, .alikePhotos),
        .number(
          "light-wrap", "How much light of the background falls round the person's edges", \.lightWrap, in: 0...1
        ).shown(in: .photo, .photoBackground, .alikePhotos).needing(.background),
        .toggle(
          "decontaminate", "Take the old background's colour out of soft edges", \.decontaminates,
          automatic: "on, but for mattes of depth; with the best quality for those of depth and network, too"
        ).titled("Edge colour cleanup").needing(.background),
      ]
    ] + SubjectLight.parameters.lifted(to: \.light)
}

extension MatteChoice: ParameterChoice {
  package var summary: String {
    switch self {
    case .auto: "the person network, joined with depth where there is some"
    case .depth: "depth alone"
    case .person: "the person network alone"
    case .chroma: "the colour of a green or blue screen"
    }
  }
}

extension DepthMatteRecipe.FaceChoice: ParameterChoice {
  package var summary: String {
    switch self {
    case .largest: "the largest"
    case .all: "the farthest of them"
    }
  }
}

extension DepthFilterChain: ParameterText {
  package static var form: String { "chain" }
}
