import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Smooths a stream's mattes after refinement, because refinement errors also flicker, and more than the network's soft matte.
///
/// The smoother also smooths the small pictures of the mattes, by the same gains, so that the smoothed matte belongs to the smoothed
/// picture. Where the new picture differs from that beyond its noise, it takes the new matte. It thus follows slow drift too, because the
/// differences add up. Where the picture is still, it follows small steps of the matte and mistrusts large ones: without a change of the
/// picture an edge moves little, and whole regions that come and go are errors.
///
/// Use one smoother for one stream. It is not safe to call from two threads at once.
package final class EdgeSmoother {
  /// The strength of smoothing, 0…1: 0 for none; at 1 a sample that jumps in a still picture moves by a tenth of the jump each frame.
  package var strength: Double

  /// A change of this much of the range takes the new matte completely.
  private static let wholeChange: Float = 0.05
  /// In a still picture's matte, a step of this size or more is mistrusted completely; smaller ones in proportion.
  private static let jump: Float = 0.6
  /// The fraction of a jump that is ignored at full strength.
  private static let inertia = 0.9
  /// A value for unseen samples, larger than any difference in a picture.
  private static let unseen: Float = 8

  private let kernels: bd_temporal_kernels
  private let workspace = BlurWorkspace()
  private var state = Plane<UInt16>(repeating: 0, width: 0, height: 0)
  /// The smoothed small picture, and the part of the whole picture that it shows.
  private var picture = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var pictureFrame = IntegerRect(x: 0, y: 0, width: 0, height: 0)
  private var now = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var difference = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var gains = Plane<Float>(repeating: 0, width: 0, height: 0)
  /// Mattes seen since the start.
  private var count = 0
  /// For each column of the matte the column of ``gains``, or -1 outside the frame.
  private var columns: [Int32] = []
  /// -1 for each column, for rows above and below the frame.
  private var beside: [Int32] = []
  private var columnsFor = (width: 0, picture: 0, frame: IntegerRect(x: 0, y: 0, width: 0, height: 0), small: 0)

  package init(strength: Double = 1, cpu: CPULevel = .current) {
    self.strength = strength
    kernels = cpu.kernels.temporal
  }

  package func reset() { count = 0 }

  /// Smooths the next frame's matte, of the whole picture at any size, in place, by the comparison of its small picture. That shows
  /// `frame`; outside of it the matte is unchanged. `size` is the whole picture's, in pixels.
  ///
  /// - Throws: errors of the blur.
  package func smooth(
    _ matte: inout Matte, with change: PictureChange, showing frame: IntegerRect, of size: (width: Int, height: Int)
  ) throws(BackdropError) {
    let strength = min(max(self.strength.isNaN ? 1 : self.strength, 0), 1)
    guard strength > 0 else { return reset() }
    change.reducedBrightness(into: &now)
    guard now.width > 0 && now.height > 0 else { return reset() }
    guard count > 0 && state.width == matte.width && state.height == matte.height else {
      return start(matte, frame)
    }
    if pictureFrame != frame || picture.width != now.width || picture.height != now.height {
      let nothing = Plane<Float>(repeating: Self.unseen, width: now.width, height: now.height)
      picture = picture.moved(from: pictureFrame, to: frame, like: nothing)
      pictureFrame = frame
    }
    count += 1
    // At first, take the mean of all mattes.
    let floor = max(Float(1 - Self.inertia * strength), 1 / Float(count))
    try findGains(floor)
    settle(&matte, frame, size, floor)
  }

  private func start(_ matte: Matte, _ frame: IntegerRect) {
    state.copy(matte.q15)
    picture.copy(now)
    (pictureFrame, count) = (frame, 1)
  }

  /// Finds how much of each part's new matte to take, from the difference between the picture and the smoothed one, which follows it.
  private func findGains(_ floor: Float) throws(BackdropError) {
    let (width, height) = (now.width, now.height)
    difference.fit(width, height)
    gains.fit(width, height)
    let (a, b, c) = (now.stride, picture.stride, difference.stride)
    difference.withUnsafeMutablePointer { target in
      for y in 0..<height { _ = kernels.difference(now.base + y * a, picture.base + y * b, width, target + y * c) }
    }
    try difference.boxBlur(radius: 2, into: &gains, workspace: workspace)
    let noise = PictureChange.noise(of: gains)
    let d = gains.stride
    gains.withUnsafeMutablePointer { gains in
      picture.withUnsafeMutablePointer { picture in
        for y in 0..<height {
          let (gain, old, new) = (gains + y * d, picture + y * b, now.base + y * a)
          for x in 0..<width {
            let beyond = max(gain[x] - noise, 0)
            gain[x] = min(floor + beyond / Self.wholeChange, 1)
            old[x] += gain[x] * (new[x] - old[x])
          }
        }
      }
    }
  }

  private func settle(_ matte: inout Matte, _ frame: IntegerRect, _ size: (width: Int, height: Int), _ floor: Float) {
    let (width, height) = (matte.width, matte.height)
    func sample(_ at: Int, _ matteSide: Int, _ side: Int, _ start: Int, _ length: Int, _ count: Int) -> Int {
      let position = (Double(at) + 0.5) * Double(side) / Double(max(1, matteSide)) - Double(start)
      guard position >= 0 && position < Double(length) else { return -1 }
      return min(Int(position * Double(count) / Double(length)), count - 1)
    }
    if columnsFor != (width, size.width, frame, gains.width) {
      columns = (0..<width).map { Int32(sample($0, width, size.width, frame.x, frame.width, gains.width)) }
      beside = [Int32](repeating: -1, count: width)
      columnsFor = (width, size.width, frame, gains.width)
    }
    let (matteStride, stateStride, gainStride, slope) = (
      matte.q15.stride, state.stride, gains.stride, (1 - floor) / (Self.jump * 32768)
    )
    matte.q15.withUnsafeMutablePointer { matte in
      state.withUnsafeMutablePointer { state in
        for y in 0..<height {
          let from = sample(y, height, size.height, frame.y, frame.height, gains.height)
          kernels.calm(
            matte + y * matteStride, state + y * stateStride, gains.base + max(from, 0) * gainStride,
            from < 0 ? beside : columns, width, floor, slope)
        }
      }
    }
  }
}
