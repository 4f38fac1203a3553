import BackdropImaging
import Dispatch
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct LoadAheadTests {
  @Test func itIsLoadedWhileItsOwnerDoesSomethingElse() throws {
    let (begun, allowed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let loading = LoadAhead { () throws(BackdropError) in
      begun.signal()
      allowed.wait()
      return 7
    }
    begun.wait()
    allowed.signal()
    #expect(try loading.value() == 7)
    #expect(try loading.value() == 7)
  }

  @Test func whatFailsIsToldWheneverItIsAskedFor() {
    let fault = BackdropError(.badData, "OpenVINO cannot read this network")
    let loading = LoadAhead { () throws(BackdropError) -> Int in throw fault }
    for _ in 0..<2 {
      #expect(refusal { try loading.value() }?.message == "OpenVINO cannot read this network")
    }
  }

  @Test func nobodyNeedAskForIt() {
    let ended = DispatchSemaphore(value: 0)
    do {
      _ = LoadAhead { () throws(BackdropError) in ended.signal() }
    }
    // The loader waits for the result before it goes away.
    #expect(ended.wait(timeout: .now()) == .success)
  }

  @Test func whatWasMissingIsLookedForAnew() {
    let (cache, store) = (ModelCache(), ModelStore(folder: "/nowhere"))
    cache.expectFaces(store: store)
    #expect(cache.count == 1)
    #expect(throws: BackdropError.self) { try cache.faceDetector(store: store) }
    #expect(cache.count == 0)
    #expect(throws: BackdropError.self) { try cache.bodyNetworks(threads: 1, store: store) }
    #expect(cache.count == 0)
  }
}
