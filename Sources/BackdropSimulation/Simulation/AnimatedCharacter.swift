import BackdropDepth
import BackdropImaging

/// One person of a scene: painted once, posed for each frame.
struct AnimatedCharacter: Sendable {
  /// Metres from the camera to the base plane of the face's relief, at rest.
  static let headPlane: Float = 0.742
  /// Metres to the plane in which a unit is one centimetre.
  static let facePlane: Float = 0.66

  let who: Persona
  let light: Light
  let motion: Motion
  /// The point between the eyes at rest, in units of the picture.
  private let rest: Point
  /// The size relative to a person at ``facePlane``.
  private let size: Float
  private let walk: Walk?
  private let back, torso, head: Sprite
  private let glasses, mug: Sprite?
  private let pixelsPerUnit: Float

  /// A walk from one side to the other and back, slowest at its ends: its start, in units of the picture from the rest position, and its
  /// duration.
  struct Walk {
    var start: Float
    var seconds: Double
  }

  init(
    _ who: Persona, rest: Point, size: Float = 1, walk: Walk? = nil, light: Light, motion: Motion, camera: Intrinsics
  ) {
    (self.who, self.rest, self.size, self.walk, self.light, self.motion) = (who, rest, size, walk, light, motion)
    pixelsPerUnit = Float(camera.fx) * 0.01 / AnimatedCharacter.facePlane
    let lowest = Float(camera.height) / 2 / pixelsPerUnit - rest.y
    let scale = pixelsPerUnit * size
    let away = AnimatedCharacter.headPlane / size
    let hair = HairPainter(who: who, light: light)
    func sprite(_ painting: Painting, distance: Float, _ paint: (inout Painting) -> Void) -> Sprite {
      var painting = painting
      paint(&painting)
      return Sprite(painting, distance: distance, unit: 0.01 / size)
    }
    back = sprite(Painting(left: -13, top: -8, right: 13, bottom: 19, scale: scale), distance: away + 0.028 / size) {
      hair.paintBack(on: &$0)
    }
    let bottom = max(lowest / size + 3, 22)
    torso = sprite(
      Painting(left: -27, top: 4, right: 27, bottom: bottom, scale: scale), distance: away + 0.045 / size
    ) { TorsoPainter(who: who, light: light).paint(on: &$0) }
    head = sprite(Painting(left: -15, top: -17, right: 15, bottom: 20, scale: scale), distance: away) {
      HeadPainter(who: who, light: light).paint(on: &$0)
      if who.hasBeard { hair.paintBeard(on: &$0) }
      hair.paintFront(on: &$0)
    }
    glasses =
      who.hasGlasses
      ? sprite(Painting(left: -8.5, top: -2.5, right: 8.5, bottom: 4.5, scale: scale), distance: away) {
        hair.paintGlasses(on: &$0)
      } : nil
    let mugScale = pixelsPerUnit * AnimatedCharacter.mugSize
    mug =
      who.holdsMug
      ? sprite(MugPainter.canvas(scale: mugScale), distance: MugPainter.distance) {
        MugPainter(who: who, light: light).paint(on: &$0)
      } : nil
  }

  /// The point between the eyes at `time`, in units of the picture, before the head moves.
  private func anchor(at time: Double) -> Point {
    guard let walk else { return rest }
    return rest + SIMD2(walk.start * Float(Portable.cos(2 * Double.pi * time / walk.seconds)), 0)
  }

  /// The face's box at `time`, in pixels of the picture.
  func face(at time: Double, width: Int, height: Int) -> Rect {
    let pose = motion.pose(at: time)
    let anchor = anchor(at: time)
    let k = size * pose.lean
    // The middle between brow and chin, moved by the head's turn about the neck.
    let middle = Point(0, 1.2) - AnimatedCharacter.pivot
    let (sine, cosine) = (Portable.sin(pose.roll), Portable.cos(pose.roll))
    let turned = SIMD2(middle.x * cosine - middle.y * sine, middle.x * sine + middle.y * cosine)
    let relief = SIMD2(pose.yaw, pose.pitch) * 3
    let center = anchor + (turned + AnimatedCharacter.pivot + pose.shift + relief) * k
    let half = Point(7.6, 9.6) * k
    return Rect(
      x: Double((center.x - half.x) * pixelsPerUnit) + Double(width) / 2,
      y: Double((center.y - half.y) * pixelsPerUnit) + Double(height) / 2,
      width: Double(2 * half.x * pixelsPerUnit), height: Double(2 * half.y * pixelsPerUnit))
  }

  /// The pivot of the head: the top of the spine.
  private static let pivot = Point(0, 12)

  /// Units of the picture per centimetre at the mug.
  private static let mugSize = facePlane / MugPainter.distance

  /// The sprites in this person's pose, from back to front.
  func placements(at time: Double, width: Int, height: Int) -> [Placement] {
    let pose = motion.pose(at: time)
    let painter = FacePainter(who: who, light: light)
    let scale = self.head.scale
    let eyes = ([-1, 1] as [Float]).map { side in
      let eye = FacePainter.Eye(side: side, open: pose.lids, gaze: pose.gaze)
      var painting = eye.canvas(scale: scale)
      painter.paint(eye, on: &painting)
      return Sprite(painting, distance: nil)
    }
    var painting = FacePainter.mouth(scale: scale)
    painter.paintMouth(on: &painting, open: pose.jaw, wide: pose.wide, smile: pose.smile)
    let mouth = Sprite(painting, distance: nil)

    let middle = SIMD2(Float(width), Float(height)) / 2
    let (sine, cosine) = (Portable.sin(pose.roll), Portable.cos(pose.roll))
    let shrink = 1 / (size * pose.lean)
    let ppu = pixelsPerUnit
    let anchor = anchor(at: time)
    /// From the picture's pixels to the upright head's units, before any movement of the face.
    func head(_ x: Float, _ y: Float) -> Point {
      let p = ((SIMD2(x, y) - middle) / ppu - anchor) * shrink - pose.shift - AnimatedCharacter.pivot
      return SIMD2(p.x * cosine + p.y * sine, p.y * cosine - p.x * sine) + AnimatedCharacter.pivot
    }
    /// Turns the head, which moves protruding parts the most.
    func turned(_ p: Point) -> Point {
      let ball = 8.5 * Portable.bell(p.x, 9.5, p.y - 0.5, 12.5) - 4.5
      let nose = 1.9 * Portable.bell(p.x, 1.9, p.y - 3.6, 2.4)
      return p - SIMD2(pose.yaw, pose.pitch) * (ball + nose)
    }
    func hung(_ p: Point) -> Point {
      let free = Portable.smooth(5, 19, p.y)
      return SIMD2(p.x - pose.swing * free, p.y)
    }
    func face(_ x: Float, _ y: Float) -> Point { turned(head(x, y)) }
    func moved(_ x: Float, _ y: Float) -> Point {
      var p = hung(face(x, y))
      p.y -=
        pose.jaw * 1.05 * Portable.smooth(7.6, 10.6, p.y) * Portable.smooth(7.8, 4.5, abs(p.x))
        * Portable.smooth(17, 12.5, p.y)
      p.y += pose.brow * 0.9 * Portable.bell(abs(p.x) - 3.4, 2.6, p.y + 2.4, 1.5)
      return p
    }
    let bodyShift = SIMD2(pose.shift.x * 0.35, pose.shift.y * 0.2 - 0.16 * pose.breath)
    let bodySize = 1 / (size * (1 + (pose.lean - 1) * 0.6) * (1 + 0.004 * pose.breath))
    func body(_ x: Float, _ y: Float) -> Point {
      let p = ((SIMD2(x, y) - middle) / ppu - anchor) * bodySize - bodyShift
      // The neck moves with the head.
      let neck = Portable.smooth(16, 9, p.y)
      let follow = pose.shift - bodyShift - SIMD2(pose.roll * 2, 0)
      return p - follow * neck
    }
    func placed(
      _ s: Sprite, at anchor: Point, scale: Float, plane: [Float], _ source: (Float, Float) -> Point
    ) -> Placement {
      let margin: Float = 3.5
      let k = scale * ppu
      let low = SIMD2(s.left - margin, s.top - margin) * k + anchor * ppu + middle
      let high =
        SIMD2(s.left + Float(s.width) / s.scale + margin, s.top + Float(s.height) / s.scale + margin) * k + anchor * ppu
        + middle
      return Placement(
        s, plane: plane, width: width, height: height, bounds: (low.x, low.y, high.x, high.y), source: source)
    }
    func placed(_ s: Sprite, plane: [Float] = [0, 0, 0], _ source: (Float, Float) -> Point) -> Placement {
      placed(s, at: anchor, scale: size * 1.03, plane: plane, source)
    }
    // Leaning in brings the head nearer; turning it moves one side away.
    let nearer = (AnimatedCharacter.headPlane / size) * (1 / pose.lean - 1)
    let unit = 0.01 / (size * scale)
    // The plane of a sprite that turns with the head.
    func plane(of sprite: Sprite) -> [Float] {
      [
        nearer + 0.01 / size * (pose.yaw * sprite.left + pose.pitch * (sprite.top - AnimatedCharacter.pivot.y)),
        unit * pose.yaw,
        unit * pose.pitch,
      ]
    }
    var all = [
      placed(back, plane: [nearer, 0, 0]) { x, y in hung(face(x, y)) },
      placed(torso, plane: [nearer * 0.6 - 0.0012 * pose.breath, 0, 0], body),
      placed(self.head, plane: plane(of: self.head), moved),
    ]
    all += (eyes + [mouth]).map { placed($0, face) }
    if let glasses { all.append(placed(glasses, plane: plane(of: glasses), face)) }
    if let mug {
      let sway = Float(time)
      let at =
        SIMD2(16.2 + 0.5 * Portable.sin(sway * 0.9 + 1), 3.6 + 0.6 * Portable.sin(sway * 1.23)) + pose.shift * 0.3
      let tilt = 0.035 * Portable.sin(sway * 1.05 + 0.5)
      let (c, s) = (Portable.cos(tilt), Portable.sin(tilt))
      func held(_ x: Float, _ y: Float) -> Point {
        let p = ((SIMD2(x, y) - middle) / ppu - at) / AnimatedCharacter.mugSize
        return SIMD2(p.x * c + p.y * s, p.y * c - p.x * s)
      }
      all.append(
        placed(
          mug, at: at, scale: AnimatedCharacter.mugSize, plane: [0.006 * Portable.sin(sway * 0.7), 0, 0], held))
    }
    return all
  }
}
