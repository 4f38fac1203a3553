package struct SourceOptions: Parameterized {
  package var input = SceneInput.Options()

  package static let parameters: ParameterTable<Self> =
    [
      .depth: [
        .file(
          "depth", "The input's depth", \.input.depth, of: "a picture, or a folder of pictures", automatic: "its own")
      ]
    ] + SceneInput.Options.parameters.lifted(to: \.input)

  package init() {}
}
