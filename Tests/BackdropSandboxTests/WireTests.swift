import BackdropCodecs
import BackdropImaging
import BackdropPhotos
import Foundation
import Synchronization
import TestSupport
import Testing

/// The reader of a decoder's answers trusts none of their content.
@Suite struct WireTests {
  /// A decoder in this process that changes bytes of its answers.
  private final class Liar: IsolatedDecoder {
    private let seed: UInt64
    private let memory: Memory

    private final class Memory: Sendable {
      // Written before a reader gets it, and only read afterwards.
      nonisolated(unsafe) let base = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 64)
      deinit { base.deallocate() }
    }

    init(seed: UInt64) { (self.seed, memory) = (seed, Memory()) }

    /// The function's correct answer, computed on a thread that does not use this decoder.
    private static func truth(_ function: some IsolatedFunction, _ bytes: [UInt8]) -> WireWriter {
      let answer = Mutex(WireWriter())
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let found = function.answer(bytes.span, of: nil)
        answer.withLock { $0 = found }
        done.signal()
      }
      done.wait()
      return answer.withLock { $0 }
    }

    func decoder(reading descriptor: Int32) throws(BackdropError) -> any IsolatedDecoder { self }

    func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader {
      var random = SeededRandom(seed: seed)
      let outcome = Self.truth(function, bytes.withUnsafeBytes { Array($0) })
      var answer = outcome.bytes
      let pixels = outcome.images.isEmpty ? 0 : PixelBlock.byteCount(of: outcome.images)
      PixelBlock.write(outcome.images, to: memory.base)
      for _ in 0..<Int.random(in: 1...3, using: &random) where !answer.isEmpty {
        let index = Int.random(in: answer.indices, using: &random)
        answer[index] = Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : answer[index] ^ 1
      }
      if Int.random(in: 0...4, using: &random) == 0 {
        answer.removeLast(Int.random(in: 0...answer.count, using: &random))
      }
      let given = Bool.random(using: &random) ? pixels : Int.random(in: 0...pixels, using: &random)
      return WireReader(
        answer, pixels: given > 0 ? PixelBlock(memory.base, byteCount: given, owner: memory) : nil,
        limits: function.limits)
    }
  }

  /// A changed answer gives an error or a picture, and never ends the program.
  @Test func changedAnswers() throws {
    var random = SeededRandom(seed: 17)
    var image = Image.noise(.rgba8, 24, 18, &random)
    image.alpha = .straight
    image.color.space = .displayP3
    let xmp = Array(
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description a='b' c='d'><e>f</e></r:Description></r:RDF></x:xmpmeta>"
        .utf8)
    var metadata = PictureMetadata(exif: nil, xmp: xmp)
    metadata.texts = [PictureText(keyword: "Title", Array("hello".utf8))]
    let files = [
      try PNG.encode(image, metadata: metadata), try AVIF.encode(image, isFast: true, metadata: metadata),
      try JPEG.encode(image.converted(to: .rgb8)), try WebP.encode(image),
    ]
    var errors = 0
    for (seed, bytes) in product(UInt64(0)..<400, files) {
      do throws(BackdropError) {
        try DecoderIsolation.with(Liar(seed: seed)) { () throws(BackdropError) in
          let photo = try DepthPhoto.read(bytes)
          let picture = try photo.image()
          _ = picture.converted(to: .rgb8, color: .video).packedBytes
          _ = photo.replacing(picture: picture, PictureReplacement(keepsBackground: false))
        }
      } catch {
        #expect(!error.message.isEmpty && !error.message.contains("\n"))
        errors += 1
      }
    }
    #expect(errors > 400)
  }
}
