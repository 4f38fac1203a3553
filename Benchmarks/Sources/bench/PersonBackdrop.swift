import ArgumentParser
import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels
import BackdropSimulation
import Foundation

/// Replaces the background behind a person with a network: resize, network, smoothing, blend, without and with edge refinement. Each
/// alternates with the network alone, so the ratios are valid on a busy machine.
enum PersonBackdrop {
  static func run(
    picture: String?, model: String, variant: String?, threads: Int, rounds: Int, json: Bool
  ) throws {
    let size = Size(width: 1280, height: 720)
    let picture: Image =
      if let picture {
        try Picture.load(picture, upright: true)
      } else {
        try SimulatedCamera(address: "sim:talking").frame(0).frame.image
      }
    // The camera shakes, because on still frames the network would not run.
    let wide = try picture.filling(width: size.width + 64, height: size.height + 36)
    let pan = try [0, 1].map { step in
      try wide.cropped(x: 16 * step, y: 8 * step, width: size.width, height: size.height)
    }
    guard let known = NetworkDescription.named(model), let file = ModelStore().path(of: known.file) else {
      throw ValidationError("the network \(model) is not installed")
    }
    let shape =
      known.layout == .heightWidthChannel ? [1, known.height, known.width, 3] : [1, 3, known.height, known.width]
    let network = try Network.load(file, threads: threads)
    precondition(network.inputs[0].shape == shape, "the network has another input than described")
    for i in network.input(0).indices { network.input(0)[i] = Float(i % 256) / 256 }
    for format in [PixelFormat.bgra8, .i420] {
      let frames = pan.map { $0.converted(to: format, color: .video) }
      // The whole picture, and a crop that follows the person, as in live sessions.
      let all: [(name: String, frames: Frames)] = [
        ("frame", try Frames(frames, model: model, .fast, refinement: 0, threads: threads)),
        ("frame refined", try Frames(frames, model: model, .fast, refinement: 1, threads: threads)),
        ("frame followed and refined", try Frames(frames, model: model, .live, refinement: 1, threads: threads)),
      ]
      let streams = all.filter { variant == nil || variant == "\(format.rawValue) \($0.name)" }
      guard !streams.isEmpty else { continue }
      var times = [[Double]](repeating: [], count: 1 + streams.count)
      for round in -3..<max(1, rounds) {
        var found = [try milliseconds { try network.run() }]
        for stream in streams { found.append(try milliseconds { try stream.frames.next() }) }
        if round >= 0 { for (index, time) in found.enumerated() { times[index].append(time) } }
      }
      for (_, stream) in streams {
        precondition(stream.maker.runCount >= stream.count, "the network has not seen each of the frames")
      }
      let alone = times[0].min()!
      for (name, list) in zip(["network"] + streams.map(\.name), times) {
        let sorted = list.sorted()
        let (best, median) = (sorted[0], sorted[sorted.count / 2])
        if json {
          print(
            "{\"workload\": \"w2\", \"network\": \"\(model)\", \"variant\": \"\(format.rawValue) \(name)\", "
              + "\"threads\": \(threads), \"min_ms\": \(best), \"median_ms\": \(median), "
              + "\"of_the_network\": \(best / alone)}")
        } else {
          print(
            "w2 \(model) \(format.rawValue) \(size) \(threads)t \(name.padding(toLength: 26, withPad: " ", startingAt: 0)) "
              + String(format: "min %.3f ms  median %.3f ms  %.2f × the network", best, median, best / alone))
        }
      }
    }
  }

  /// One stream of frames.
  private final class Frames {
    let frames: [Image]
    private(set) var count = 0
    let maker: PersonMatteMaker
    let compositor: Compositor
    var matte = Matte(constant: 0, width: 1, height: 1)
    var output: Image

    init(
      _ frames: [Image], model: String, _ quality: PersonMatteMaker.Quality, refinement: Double, threads: Int
    ) throws {
      self.frames = frames
      let frame = frames[0]
      let workers = WorkerPool(threads: threads)
      var options = PersonMatteMaker.Options()
      options.quality = quality
      options.model = model
      options.refinement = refinement
      options.threads = threads
      maker = try PersonMatteMaker.load(options, workers: workers)
      compositor = try Compositor(
        .backdrop, width: frame.width, height: frame.height, format: frame.format, color: frame.color,
        workers: workers)
      try compositor.setBackground(.picture(Scenery.dunes.image().filling(width: frame.width, height: frame.height)))
      output = Image(frame.format, width: frame.width, height: frame.height, color: frame.color)
    }

    func next() throws {
      let frame = frames[count % frames.count]
      count += 1
      try maker.update(&matte, from: frame)
      try compositor.render(frame, matte: matte, into: &output)
    }
  }
}
