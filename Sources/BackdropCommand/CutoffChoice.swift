import ArgumentParser

/// What `--cutoff` takes.
enum CutoffChoice: ExpressibleByArgument, Equatable {
  /// The gap between near things and the room.
  case auto
  /// A distance.
  case at(Double)

  init?(argument: String) {
    if argument == "auto" {
      self = .auto
    } else {
      guard let metres = Double(argument) else { return nil }
      self = .at(metres)
    }
  }

  var metres: Double? {
    switch self {
    case .auto: nil
    case .at(let metres): metres
    }
  }
}
