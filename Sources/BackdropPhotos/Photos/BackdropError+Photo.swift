import BackdropImaging

extension BackdropError {
  /// The same error about a photo, with a remedy.
  package func inPhoto(_ path: String) -> BackdropError {
    var copy = at(path)
    guard copy.remedy == nil else { return copy }
    switch kind {
    case .badData: copy.remedy = Remedy("the photo is damaged or incomplete; copy the original again")
    case .overLimit: copy.remedy = Remedy("the photo is damaged, or somebody crafted it to do harm; use another one")
    case .unsupported: copy.remedy = Remedy("give another photo")
    case .wrongArgument, .system, .interrupted: break
    }
    return copy
  }
}
