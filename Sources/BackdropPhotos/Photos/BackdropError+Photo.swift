import BackdropImaging

extension BackdropError {
  /// The same error about a photo, with a hint.
  package func inPhoto(_ path: String) -> BackdropError {
    var copy = at(path)
    guard copy.hint == nil else { return copy }
    switch kind {
    case .badData: copy.hint = Hint("the photo is damaged or incomplete; copy the original again")
    case .overLimit: copy.hint = Hint("the photo is damaged, or somebody crafted it to do harm; use another one")
    case .unsupported: copy.hint = Hint("give another photo")
    case .wrongArgument, .system, .interrupted: break
    }
    return copy
  }
}
