import BackdropLooks
import TestSupport
import Testing

@testable import Backdrop

/// A photo in the editor and the job that saves it have the same matte.
@Suite struct PhotoEditorTests {
  private let workers = WorkerPool(threads: 2)
  private let touchUp = TouchUp([
    TouchUp.Stroke(.keep, size: 0.05, softness: 0.4, followsEdges: true, points: [SIMD2(0.2, 0.3), SIMD2(0.4, 0.35)]),
    TouchUp.Stroke(.erase, size: 0.04, softness: 0.4, points: [SIMD2(0.5, 0.6), SIMD2(0.52, 0.7)]),
    TouchUp.Stroke(.erase, size: 0.03, softness: 0.2, followsEdges: true, points: [SIMD2(0.6, 0.6), SIMD2(0.7, 0.5)]),
  ])

  /// A photo with depth of a person in front, and its own matte.
  private func photo(_ width: Int = 2100, _ height: Int = 1500) throws -> DepthPhoto {
    var image = Image(.rgb8, width: width, height: height, color: .jpeg)
    for y in 0..<height {
      var row = image.mutableRow(y)
      for x in 0..<width {
        let isNear = abs(x - width / 2) < width / 6 && y > height / 4
        for c in 0..<3 { row[3 * x + c] = UInt8((isNear ? 180 - 30 * c : 60 + 40 * c) + (x ^ y) % 9) }
      }
    }
    let codes = Plane<UInt8>(width: 210, height: 150) { x, y in (70..<140).contains(x) && y >= 38 ? 220 : 30 }
    let properties = DepthProperties(.disparity, .uint8, first: 0.2, last: 2, accuracy: .relative)
    let depth = try PhotoDepth(samples: Image(gray: codes), properties: properties)
    return DepthPhoto(picture: DecodedPicture(image), auxiliaries: [depth.auxiliary])
  }

  private func options() -> AnalyzerOptions {
    var options = AnalyzerOptions()
    // The photo's disparity is enough, without a network.
    options.mattes = .depth
    return options
  }

  @Test func pageAndCommandHaveOneMatte() throws {
    let photo = try photo()
    let editor = try PhotoEditor(PhotoSource(photo, name: "p.jpg"), side: 1600, options: options(), workers: workers)
    let plain = editor.photo.evidence.subject
    try editor.change(people: PeopleChoice(), touchUp: touchUp)
    let edited = editor.photo.evidence.subject
    #expect(edited.q15.samples != plain.q15.samples)
    var plan = Job.Plan(.backdrop)
    plan.analysis = options()
    plan.analysis.touchUp = .strokes(touchUp)
    plan.output = .observer
    var matte: Matte?
    _ = try Job(SceneInput(PhotoSource(photo, name: "p.jpg")), plan).run(observe: { (_, found, _) in matte = found })
    let saved = try #require(matte)
    #expect(saved.width == edited.width && saved.q15.samples == edited.q15.samples)
  }

  /// After adding and removing strokes, only the remaining ones count.
  @Test func strokesGoBackAndForth() throws {
    let photo = try photo(1700, 1200)
    func editor() throws -> PhotoEditor {
      try PhotoEditor(PhotoSource(photo, name: "p.jpg"), side: 1600, options: options(), workers: workers)
    }
    let one = try editor()
    let plain = one.photo.evidence.subject.q15.samples
    for count in [1, 2, 3, 2, 0, 3, 1, 3] {
      try one.change(people: PeopleChoice(), touchUp: TouchUp(Array(touchUp.strokes.prefix(count))))
    }
    // A stroke that grows under the user's finger.
    for count in 1...2 {
      var strokes = touchUp.strokes
      strokes[2].points = Array(strokes[2].points.prefix(count))
      try one.change(people: PeopleChoice(), touchUp: TouchUp(strokes))
    }
    let other = try editor()
    try other.change(people: PeopleChoice(), touchUp: touchUp)
    #expect(one.photo.evidence.subject.q15.samples == other.photo.evidence.subject.q15.samples)
    try one.change(people: PeopleChoice(), touchUp: nil)
    #expect(one.photo.evidence.subject.q15.samples == plain)
  }

  /// If the editor finds no subject, the painted area is the subject.
  @Test func whatIsPaintedIsThereWhereNothingWasFound() throws {
    var image = Image(.rgb8, width: 320, height: 240, color: .jpeg)
    image.fill(RGBColor(red: 0.3, green: 0.5, blue: 0.7))
    let source = PhotoSource(DepthPhoto(picture: DecodedPicture(image)), name: "flat.jpg")
    let editor = try PhotoEditor(source, side: 1600, options: options(), workers: workers)
    #expect(editor.photo.fault != nil && editor.photo.evidence.subjectOrigin == nil)
    #expect(throws: BackdropError.self) {
      try editor.change(
        people: PeopleChoice(), touchUp: TouchUp([TouchUp.Stroke(.keep, size: 2, points: [SIMD2(0, 0)])]))
    }
    let dot = TouchUp([TouchUp.Stroke(.keep, size: 0.2, softness: 0, points: [SIMD2(0.5, 0.5)])])
    try editor.change(people: PeopleChoice(), touchUp: dot)
    let evidence = editor.photo.evidence
    #expect(evidence.subjectOrigin == .touchUp && evidence.disparity != nil && editor.photo.fault == nil)
    #expect(abs(evidence.subject.coverage - Double.pi * 0.2 * 0.2 * 320 / 240) < 0.01)
    // Strokes that only erase create no subject.
    let eraser = TouchUp([TouchUp.Stroke(.erase, size: 0.2, points: [SIMD2(0.5, 0.5)])])
    try editor.change(people: PeopleChoice(), touchUp: eraser)
    #expect(editor.photo.evidence.subjectOrigin == nil && editor.photo.fault != nil)
  }

  @Test func videosTakeNoTouchUp() throws {
    var options = AnalyzerOptions()
    options.touchUp = .strokes(touchUp)
    let analyzer = SceneAnalyzer(
      StreamDescription(width: 64, height: 48, hasDepth: true), options: options, workers: workers)
    var request = EvidenceRequest()
    request.needsSubject = true
    #expect(throws: BackdropError.self) { try analyzer.prepare(for: request) }
  }

  /// A preview shapes the matte like the saved photo.
  @Test func previewsOfLooksThatShapeTheMatteDoSo() throws {
    let editor = try PhotoEditor(PhotoSource(photo(), name: "p.jpg"), side: 1600, options: options(), workers: workers)
    let preview = try LookPreview(editor.photo, side: 640, background: .scenery(.dunes), workers: workers)
    let natural = try preview.matte(.backdrop, [:])
    let (soft, halo) = (try preview.matte(.soft, [:]), try preview.matte(.halo, [:]))
    #expect(halo.coverage > natural.coverage + 0.005 && soft.q15.samples != natural.q15.samples)
  }
}
