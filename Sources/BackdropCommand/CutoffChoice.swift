import ArgumentParser
import Backdrop

/// The value of `--cutoff`.
enum CutoffChoice: ExpressibleByArgument, Equatable {
  /// The gap between the foreground and the background.
  case auto
  /// A distance in metres.
  case at(Double)

  init?(argument: String) {
    if argument == "auto" {
      self = .auto
    } else {
      guard let metres = Double(argument) else { return nil }
      self = .at(metres)
    }
  }

  /// Applies the choice; a distance replaces the face's cutoff, unless faces were requested.
  func apply(to options: inout AnalyzerOptions, followsFace: Bool) {
    switch self {
    case .auto: options.findsGap = true
    case .at: if !followsFace { options.followsFace = false }
    }
  }

  var metres: Double? {
    switch self {
    case .auto: nil
    case .at(let metres): metres
    }
  }
}
