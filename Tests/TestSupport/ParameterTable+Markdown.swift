import BackdropImaging

extension ParameterTable {
  /// A table for each group, for documentation in Markdown.
  package var markdown: String {
    var groups: [ParameterGroup] = []
    for parameter in parameters where !groups.contains(parameter.group) { groups.append(parameter.group) }
    return groups.map { group in
      "**\(group.title)**\n\n" + parameters.filter { $0.group == group }.markdown
    }.joined(separator: "\n")
  }
}

extension Collection<Parameter> {
  /// A table for documentation in Markdown; each line ends with a line break.
  package var markdown: String {
    map { "| `\($0.name)` | \($0.summary) | \($0.allowedInMarkdown) | \($0.usual) |\n" }
      .reduce("| name | what it does | values | default |\n|---|---|---|---|\n", +)
  }
}

extension Parameter {
  /// ``allowed``, with the effect of each choice.
  fileprivate var allowedInMarkdown: String {
    // A bar would start another column.
    guard case .choice(let choices) = kind else { return allowed.replacing("|", with: "\\|") }
    return choices.map { "`\($0.name)`: \($0.summary)" }.joined(separator: "<br>")
  }
}
