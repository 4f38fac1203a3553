import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

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
        .color(
          "screen", "The screen's colour, for chroma mattes", \.chroma.color,
          automatic: "the green or blue along the picture's border"
        ).titled("Screen colour").needing(.screen),
        .number(
          "spill", "Remove the screen's light from the foreground", \.chroma.spill, in: 0...1
        ).titled("Spill removal").needing(.screen),
        .file(
          "touch-up",
          "Apply strokes that keep or erase parts by hand, for single pictures, as the studio saves them",
          \.touchUpFile, of: "a touch-up (.json)", automatic: "nothing"),
      ],
      .depth: [
        .text(
          "filter",
          "Clean the depth of each frame: filtered, or a chain such as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill "
            + "(\(DepthFilterKind.allCases.map(\.rawValue).joined(separator: ", ")))", \.depthFilter
        ).needing(.depth),
        .toggle("face", "Set the cutoff from the face", \.followsFace).needing(.depthMatte),
        .number(
          "farthest-face", "The greatest distance at which a face may move the cutoff back", \.farthestFaceMetres,
          in: 0.3...15,
          unit: "m"
        ).needing(.depthMatte),
        .choice("faces", "Choose which of several faces sets the cutoff", \.faces).needing(.depthMatte, .face),
        .toggle(
          "find-gap", "End the foreground at the gap in front of the room while no face is visible", \.findsGap
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

extension MatteChoice: ParameterChoice {
  package var summary: String {
    switch self {
    case .auto: "a person network, joined with depth if the input has depth"
    case .depth: "depth alone"
    case .person: "a person network alone"
    case .chroma: "the colour of a green or blue screen"
    }
  }
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
