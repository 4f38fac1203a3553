import BackdropDepth
import BackdropImaging
import CBackdropKernels
import Libc

/// Estimates how likely each sample is a person from the difference between a still camera's frame and a clean plate, a
/// picture of the view without people.
///
/// A sample's log-likelihood ratio says how much more likely its difference from the plate is on a person than on the background. It is
/// measured on this stream where the present matte is certain. Differences are taken after the light is fitted (a gain and an offset per
/// channel), tolerate shifts of one sample and faint shadows, and are divided by the noise. The ratio is weighted by the fraction of the
/// network's certain background that the plate explains, in the whole frame and near the sample. A plate that explains less than 70 % of it
/// has no effect, nor does one that shows the person. A difference far from the person, such as an opened cupboard, has no effect either.
///
/// It works at the size of the network's matte, and takes well below a millisecond there. Use one estimator for one stream. It is not safe
/// to call from two threads at once.
package final class CleanPlateLikelihoodEstimator {
  /// The fraction of the last frame's certain background that the plate explained, mapped to 0…1; 0 if there was nothing to judge by.
  package private(set) var trust = 0.0
  private let picture: Image
  private let kernels: bd_plate_kernels
  private let temporal: bd_temporal_kernels
  private var state: State?
  private let result = MatteLikelihood()

  /// The data with the size of the mattes.
  private struct State {
    /// The plate: the means of R, G and B, the variance of a channel, and the number of sightings of each sample.
    let plate: PlatePlanes
    let planes: PlatePlanes
    var difference: PlateDifference
    var cells: PlateCells
    var evidence = PlateEvidence()
    var light = PlateLight()
    /// Some samples of the certain background, for fitting the light.
    var samples: [Int32] = []

    /// - Parameter picture: `bgra8`.
    init(_ picture: Image, kernels: bd_plate_kernels) {
      let (width, height) = (picture.width, picture.height)
      plate = PlatePlanes(width: width, height: height, planes: 5)
      for y in 0..<height {
        let row = picture.row(y)
        for x in 0..<width {
          let at = y * width + x
          for channel in 0..<3 { plate[channel][at] = Float(row[4 * x + 2 - channel]) }
          plate[3][at] = 9
          // A sample mixed with an opaque neighbour does not have the background's colour.
          plate[4][at] = row[4 * x + 3] >= 250 ? pictureWeight : 0
        }
      }
      planes = PlatePlanes(width: width, height: height, planes: Slot.allCases.count)
      difference = PlateDifference(width: width, height: height, kernels: kernels)
      cells = PlateCells(width: width, height: height)
      samples.reserveCapacity(width * height)
    }

    var frame: [UnsafeMutablePointer<Float>] { [self[.red], self[.green], self[.blue]] }
    var colors: [UnsafeMutablePointer<Float>] { [plate[0], plate[1], plate[2]] }
    var variance: UnsafeMutablePointer<Float> { plate[3] }
    var seen: UnsafeMutablePointer<Float> { plate[4] }
    subscript(slot: Slot) -> UnsafeMutablePointer<Float> { planes[slot.rawValue] }
  }

  /// The number of frames that a sample of a picture counts as.
  private static let pictureWeight: Float = 60
  /// The number of sightings before a sample counts.
  private static let enough: Float = 3

  private enum Slot: Int, CaseIterable { case red, green, blue, matte, certain, difference, ratio, scratch }

  /// The network is certain of the background below this, over 3×3 samples.
  private static let sureBackground: Float = 0.03
  /// Above this it is certain of a person.
  private static let surePerson: Float = 0.95
  /// The plate explains differences below this many standard deviations.
  private static let explained: Float = 3
  /// The light is fitted to the background samples among about this many samples of a frame.
  private static let lightSamples = 2503

  /// Compares frames with a clean plate of any size, which covers the same view. Parts that are not opaque are unknown.
  package init(picture: Image, cpu: CPULevel = .current) {
    self.picture = picture
    kernels = cpu.kernels.plate
    temporal = cpu.kernels.temporal
  }

  /// Forgets the stream's differences from the plate.
  package func reset() {
    state = nil
    trust = 0
  }

  /// The likelihoods from the plate for the matte that the next frame has without it, valid until the next frame; `nil` if the plate has no
  /// effect. `picture` is the frame at the size of the matte, in any format.
  ///
  /// - Throws: `wrongArgument` if their sizes differ.
  package func likelihood(of matte: Matte, in picture: Image) throws(BackdropError) -> MatteLikelihood? {
    guard picture.width == matte.width && picture.height == matte.height else {
      throw BackdropError(
        .wrongArgument,
        "the matte is \(matte.width)×\(matte.height), but its picture is \(picture.width)×\(picture.height)")
    }
    trust = 0
    // A smaller matte is not enough to judge a plate.
    guard matte.width >= 16 && matte.height >= 16 else { return nil }
    var state: State
    if let known = self.state, known.planes.width == matte.width, known.planes.height == matte.height {
      state = known
    } else {
      state = try fresh(matte)
    }
    self.state = nil
    defer { self.state = state }
    split(picture, into: state.frame)
    read(matte, into: state[.matte])
    state.planes.mean(Slot.matte.rawValue, into: Slot.certain.rawValue, sums: state[.scratch], kernels)
    let certain = state[.certain]
    for at in 0..<state.planes.count { certain[at] = certain[at] < Self.sureBackground ? 1 : 0 }
    return estimate(&state) ? result : nil
  }

  private func fresh(_ matte: Matte) throws(BackdropError) -> State {
    let small = try picture.converted(to: .bgra8, color: .jpeg).scaled(toWidth: matte.width, height: matte.height)
    return State(small, kernels: kernels)
  }

  /// Fills in the result; returns whether the plate has an effect.
  private func estimate(_ state: inout State) -> Bool {
    let (certain, seen) = (state[.certain], state.seen)
    state.samples.removeAll(keepingCapacity: true)
    // A few thousand are enough.
    let step = max(1, state.planes.count / Self.lightSamples)
    for at in stride(from: 0, to: state.planes.count, by: step) where certain[at] > 0 && seen[at] >= Self.enough {
      state.samples.append(Int32(at))
    }
    guard state.samples.count >= state.planes.count / step / 64 else { return false }
    state.light = state.light.fitted(frame: state.frame, plate: state.colors, samples: state.samples, kernels)
    let difference = state[.difference]
    state.difference.squares(frame: state.frame, plate: state.colors, light: state.light, into: difference)
    state.planes.mean(Slot.difference.rawValue, into: Slot.difference.rawValue, sums: state[.scratch], kernels)
    state.difference.normalise(difference, variance: state.variance)
    let (explained, alike) = count(&state)
    // A plate that shows the person is not clean.
    let trust = min(max((explained - 0.7) / 0.2, 0), 1) * min(max((0.6 - alike) / 0.3, 0), 1)
    self.trust = Double(trust)
    guard trust > 0, let ratios = state.evidence.ratioTable else { return false }
    kernels.ratios(difference, state.planes.count, PlateEvidence.largest, ratios, trust, state[.ratio])
    state.planes.mean(Slot.ratio.rawValue, into: Slot.ratio.rawValue, sums: state[.scratch], kernels)
    state.cells.weigh()
    weigh(state)
    return true
  }

  /// Counts differences where the network is certain. Returns the fraction of the certain background that the plate explains, and the
  /// fraction of the certain person that looks like the plate.
  private func count(_ state: inout State) -> (explained: Float, alike: Float) {
    let (certain, seen, difference, matte, width) = (
      state[.certain], state.seen, state[.difference], state[.matte], state.planes.width
    )
    let kinds = PlateEvidence.binCount
    var limits = bd_plate_limits(
      enough: Self.enough, explained: Self.explained, sure_person: Self.surePerson, largest: PlateEvidence.largest)
    var counts = [Int32](repeating: 0, count: 3 * kinds)
    let all = state.cells.count { y, cells in
      let at = y * width
      kernels.census(
        difference + at, certain + at, seen + at, matte + at, width, &limits, PlateEvidence.bins, &counts, kinds, cells)
    }
    state.evidence.add(background: Array(counts[kinds..<2 * kinds]), person: Array(counts[(2 * kinds)...]))
    return (all[1] / max(1, all[0]), all[2] > 100 ? all[3] / all[2] : 0)
  }

  /// Weights the ratios by the plate's reliability round each sample.
  private func weigh(_ state: State) {
    let (width, height) = (state.planes.width, state.planes.height)
    let (seen, ratio) = (state.seen, state[.ratio])
    let forPerson = state[.scratch], forBackground = state[.scratch] + width
    result.logLikelihoodRatios.fit(width, height)
    result.confidence = trust
    let stride = result.logLikelihoodRatios.stride
    result.logLikelihoodRatios.withUnsafeMutablePointer { target in
      for y in 0..<height {
        state.cells.row(y, into: forPerson, forBackground)
        let at = y * width
        kernels.weigh(ratio + at, forPerson, forBackground, seen + at, width, Self.enough, target + y * stride)
      }
    }
  }

  private func read(_ matte: Matte, into target: UnsafeMutablePointer<Float>) {
    let (width, height, stride) = (matte.width, matte.height, matte.q15.stride)
    matte.q15.withUnsafePointer { from in
      for y in 0..<height { temporal.stretch(from + y * stride, width, 0, 1 / 32768, target + y * width) }
    }
  }

  private func split(_ picture: Image, into planes: [UnsafeMutablePointer<Float>]) {
    let image = picture.converted(to: .bgra8, color: .jpeg)
    for y in 0..<image.height {
      let at = y * image.width
      image.row(y).withUnsafeBufferPointer { row in
        guard let row = row.baseAddress else { return }
        kernels.split(row, image.width, planes[0] + at, planes[1] + at, planes[2] + at)
      }
    }
  }
}
