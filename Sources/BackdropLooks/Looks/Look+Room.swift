import BackdropDepth
import BackdropImaging

extension Look {
  /// How much of the room is seen where the matte has an opacity of `m`, 0…1: the weight of the frame's own picture in what is
  /// drawn there, whatever is done to its colours. A blurred background that a person chose does not count.
  public func roomOpacity(_ m: Double, _ settings: LookValues) -> Double {
    var room = 0.0
    for layer in layers {
      let isRoom = layer.source == .frame || layer.source == .room
      let opacity = layer.opacity.map { settings[$0] } ?? 1
      let covers: Double =
        switch layer.through {
        case .everything: opacity
        case .matte: opacity * m
        case .inverse: opacity * (1 - m)
        }
      room += ((isRoom ? 1 : 0) - room) * covers
    }
    return room
  }

  /// Whether the look shows the room where the matte is 0, so that nobody should use it who wants to hide the room.
  public func showsRoom(_ settings: LookValues) -> Bool { roomOpacity(0, settings) > 0.02 }

  /// Whether it does so with the defaults of its parameters; what is listed.
  public var showsRoom: Bool {
    do throws(BackdropError) {
      return showsRoom(try settings())
    } catch {
      // A look that contradicts itself is never drawn.
      return true
    }
  }

  /// Standard deviation of the matte's edge in depth pixels as the look is meant; 0 where it takes the edge as it is.
  public var usualEdge: Double {
    guard case .depth(_, _, let sigma, _) = matte else { return 0 }
    return switch sigma {
    case .fixed(let value): value
    case .parameter(let name): parameters.first { $0.name == name }?.default?.number ?? 0
    }
  }

  /// Whether a background that a person chose is seen in it.
  public var hasBackground: Bool { layers.contains { $0.source == .background } }

  /// Whether it can be drawn in Y′CbCr: by blends alone.
  public var isPlain: Bool { layers.allSatisfy(\.isPlain) }
}
