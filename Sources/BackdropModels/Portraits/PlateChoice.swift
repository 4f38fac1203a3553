import BackdropImaging
import BackdropMatting

/// Which clean plate, a picture of the empty room, helps to decide the mattes of a stream; see `PlateWitness`.
public enum PlateChoice: Sendable {
  /// The network decides alone.
  case off
  /// The plate is learned from what the network is sure is background.
  case learn
  /// A clean shot, of any size; it covers the same view as the frames.
  case picture(Image)

  /// Whether somebody took a clean shot.
  var isGiven: Bool { if case .picture = self { true } else { false } }
}

extension PlateWitness {
  /// The vote that a choice asks for; `nil` for none.
  convenience init?(_ choice: PlateChoice) {
    switch choice {
    case .off: return nil
    case .learn: self.init()
    case .picture(let picture): self.init(picture: picture)
    }
  }
}
