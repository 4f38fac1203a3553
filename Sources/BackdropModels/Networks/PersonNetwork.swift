import BackdropDepth
import BackdropImaging

/// A network with its description, which makes coarse mattes from pictures. Use one network for one stream: it may remember earlier
/// frames. Calls must not overlap.
///
/// A network of several sizes is compiled for each size at its first picture (about 0.3 s), and does not share memory of frames between
/// sizes.
package final class PersonNetwork: PersonSegmenting {
  package let description: NetworkDescription
  package var name: String { description.id }
  /// The maximum number of pixels for a network of several sizes; `nil` for no limit.
  package var maximumPixels: Int?
  private let file: String
  private let chosen: [Int]
  /// The threads of a run on the processor.
  let threads: Int
  /// The device; `nil` for the faster one of the processor and ``rival``.
  let device: NetworkDevice?
  /// Whether only the processor will run it, as far as known before compilation.
  var isOnProcessor: Bool { device == nil || device == .cpu }
  /// The device that is compared with the processor if none was chosen.
  var rival = NetworkDevice.gpu
  /// Cases in which it runs on another device than requested, a sentence each.
  package private(set) var warnings: [BackdropError] = []
  private var forms: [NetworkDescription.Size: NetworkForm] = [:]
  private var scaler: ImageScaler?
  private var frame: IntegerRect?
  package private(set) var small: Image
  package var isAveraged: Bool { description.scaling == .area }
  package var hasMemory: Bool { !description.states.isEmpty }
  /// The size at which it processed the last picture.
  package private(set) var size: NetworkDescription.Size
  private let store: ModelStore
  private let scratch = ScratchMemory()
  /// The picture that it processes ahead of time, in its input size.
  private var ahead: Ahead?
  /// The input picture of another one, for reuse.
  private var spare: Image?
  private var thread: RunAhead?

  private struct Ahead {
    let picture: Image
    let part: IntegerRect
    let small: Image
    /// Whether it was the last argument of ``load(_:frame:)``.
    var isLoaded = false
  }

  /// Opens the network's file.
  ///
  /// - Parameters:
  ///   - classes: the foreground classes, for networks with classes; `nil` for `person`.
  ///   - device: the device; `nil` for the processor or a graphics device, whichever is faster at that size. If a device refuses the
  ///     network, the processor runs it, with a warning.
  /// - Throws: `unsupported` without a runtime or the file; `badData` if the file does not match the description.
  package init(
    _ description: NetworkDescription, classes: [String]? = nil, threads: Int = 1, device: NetworkDevice? = nil,
    store: ModelStore = ModelStore()
  ) throws(BackdropError) {
    if description.file.contains("/") {
      file = description.file
    } else if let found = store.path(of: description.file) {
      file = found
    } else {
      throw BackdropError(
        .unsupported, "the model \(description.file) is not installed",
        hint: PyPIPackage.hint(for: description.file)
          ?? Hint("put it into \(store.modelsFolder), or into a folder named by BACKDROP_MODELS"))
    }
    guard FileKind(file) == .file else { throw Network.missing(file) }
    chosen = try Self.foreground(description, classes)
    (self.description, self.threads, self.device, self.store) = (description, threads, device, store)
    size = NetworkDescription.Size(description.width, description.height)
    small = Image(.bgra8, width: size.width, height: size.height)
    // With several sizes, the picture determines the one to compile.
    if description.otherSizes.isEmpty { _ = try form(of: size) }
  }

  private static func foreground(
    _ description: NetworkDescription, _ classes: [String]?
  ) throws(BackdropError) -> [Int] {
    guard case .classes(let names) = description.meaning else {
      guard classes != [] else { throw BackdropError(.wrongArgument, "you named no class", hint: .leaveClassesOut) }
      guard classes == nil || classes == ["person"] else {
        throw BackdropError(
          .wrongArgument, "the network '\(description.id)' finds only people", hint: .chooseClassNetwork)
      }
      if case .backgroundAndForeground = description.meaning { return [1] }
      return [0]
    }
    let known = names.dropFirst().joined(separator: ", ")
    guard classes != [] else { throw BackdropError(.wrongArgument, "you named no class", hint: "choose from \(known)") }
    return try (classes ?? ["person"]).map { (name) throws(BackdropError) in
      guard let index = names.firstIndex(of: name), index > 0 else {
        throw BackdropError(
          .wrongArgument, "the network '\(description.id)' has no class '\(name)'", hint: "it has \(known)")
      }
      return index
    }
  }

  package func reset() {
    dropAhead()
    for form in forms.values { form.reset() }
  }

  /// Compiles the network for pictures of that size, before the first one comes.
  ///
  /// - Throws: errors in the file.
  package func compile(for picture: (width: Int, height: Int)) throws(BackdropError) {
    do throws(BackdropError) {
      _ = try form(of: description.size(for: picture, maximumPixels: maximumPixels))
    } catch {
      throw error.at(file)
    }
  }

  /// The network compiled for a size, compiling it if necessary.
  private func form(of size: NetworkDescription.Size) throws(BackdropError) -> NetworkForm {
    if let known = forms[size] { return known }
    let made = try placed(size)
    forms[size] = made
    return made
  }

  private func load(_ size: NetworkDescription.Size, on device: NetworkDevice) throws(BackdropError) -> NetworkForm {
    try NetworkForm.load(file, description, chosen, size: size, threads: threads, device: device, store: store)
  }

  /// The network compiled for the chosen device, or for the processor if that refuses it.
  private func placed(_ size: NetworkDescription.Size) throws(BackdropError) -> NetworkForm {
    guard let device else { return try faster(size) }
    guard device != .cpu else { return try load(size, on: .cpu) }
    do throws(BackdropError) {
      return try load(size, on: device)
    } catch {
      // An error in the file recurs on the processor.
      let made = try load(size, on: .cpu)
      let hasDevices = try NetworkRuntime.shared().hasGraphics
      warnings.append(
        BackdropError(
          .unsupported, error.message + "; the processor runs it",
          hint: hasDevices ? "install the driver of the device" : PyPIPackage.devices.hint))
      return made
    }
  }

  /// The network compiled for the processor or its rival, whichever is faster, measured once.
  private func faster(_ size: NetworkDescription.Size) throws(BackdropError) -> NetworkForm {
    guard try NetworkRuntime.shared().hasGraphics || rival != .gpu else { return try load(size, on: .cpu) }
    var speeds = NetworkSpeeds()
    func known(_ device: NetworkDevice) -> Double? { speeds[description, size, threads: threads, on: device] }
    if let ours = known(.cpu), let others = known(rival), ours <= others { return try load(size, on: .cpu) }
    let other: NetworkForm
    do throws(BackdropError) { other = try load(size, on: rival) } catch { return try load(size, on: .cpu) }
    if known(.cpu) != nil && known(rival) != nil { return other }
    let ours = try load(size, on: .cpu)
    let times = (try ours.milliseconds(), try other.milliseconds())
    speeds.keep(times.0, of: description, size, threads: threads, on: .cpu)
    speeds.keep(times.1, of: description, size, threads: threads, on: rival)
    let chosen = times.0 <= times.1 ? ours : other
    chosen.reset()
    return chosen
  }

  /// Processes a stream's next picture ahead of time, on a separate thread. ``load(_:frame:)`` and ``run(into:)`` with that picture then
  /// take only the remaining time. If another picture follows, the network does not remember this one.
  ///
  /// It works for pictures with the last one's size, format and part; others are processed later.
  ///
  /// - Throws: `system` if the network cannot take pictures of that size.
  package func anticipate(_ image: Image, frame: IntegerRect? = nil) throws(BackdropError) {
    dropAhead()
    let part = frame ?? image.bounds
    guard part == self.frame ?? image.bounds, let form = forms[size], let scaler,
      scaler.sourceWidth == image.width,
      scaler.sourceHeight == image.height, scaler.format == image.format, image.alpha == .opaque
    else { return }
    var picture = spare.take() ?? small
    // Another size or format was processed meanwhile.
    if picture.width != small.width || picture.height != small.height || picture.format != small.format {
      picture = small
    }
    try scaler.apply(image, into: &picture, scratch: scratch)
    let thread = thread ?? RunAhead()
    self.thread = thread
    ahead = Ahead(picture: image, part: part, small: picture)
    thread.begin { [picture] () throws(BackdropError) in try form.see(picture) }
  }

  private func dropAhead() {
    guard ahead != nil else { return }
    ahead = nil
    // The next run reports the error again.
    do throws(BackdropError) { try thread?.finish() } catch {}
  }

  /// Brings an upright picture, or a part of it, to the network's input size: see ``small``.
  ///
  /// - Throws: `system` if the network cannot take pictures of that size.
  package func load(_ image: Image, frame: IntegerRect? = nil) throws(BackdropError) {
    let part = frame ?? image.bounds
    if let next = ahead, !next.isLoaded, next.part == part, next.picture.sharesMemory(with: image) {
      spare = small
      small = next.small
      ahead?.isLoaded = true
      return
    }
    dropAhead()
    let wanted = description.size(for: (part.width, part.height), maximumPixels: maximumPixels)
    if wanted != size {
      (size, scaler) = (wanted, nil)
      // Its memory at this size is outdated.
      forms[size]?.reset()
      small = Image(image.format, width: size.width, height: size.height, color: image.color)
    }
    // Scale in the picture's own format, which is less data, and convert afterwards.
    if scaler?.sourceWidth != image.width || scaler?.sourceHeight != image.height || scaler?.format != image.format
      || self.frame != frame
    {
      scaler = try ImageScaler(
        image.format, sourceWidth: image.width, sourceHeight: image.height, region: frame.map { Rect($0) },
        width: size.width,
        height: size.height, filter: description.scaling == .area ? .area : .bilinear)
      self.frame = frame
      if small.format != image.format {
        small = Image(image.format, width: size.width, height: size.height, color: image.color)
      }
    }
    try scaler?.apply(image, into: &small, scratch: scratch)
  }

  /// Finds the people in the last picture given to ``load(_:frame:)``; the matte covers the same part of it.
  ///
  /// - Throws: `system` if the network fails to run.
  package func run(into matte: inout Matte) throws(BackdropError) {
    do throws(BackdropError) {
      let form = try form(of: size)
      if ahead?.isLoaded ?? false {
        ahead = nil
        try thread?.finish()
      } else {
        dropAhead()
        try form.see(small)
      }
      try form.read(into: &matte)
    } catch {
      throw error.at(file)
    }
  }
}
