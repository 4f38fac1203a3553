import Libc

/// A separate thread for work that waits and must not block the cooperative pool.
package enum DetachedThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that ends when `body` does. It uses this thread's decoder (``DecoderIsolation``).
  ///
  /// - Throws: `system` if no more threads can be created; `body` never runs then.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(BackdropError) {
    let handed = Unmanaged.passRetained(Body(DecoderIsolation.inheriting(body))).toOpaque()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Decoders and networks need this much; the default of some C libraries is 128 KB.
    pthread_attr_setstacksize(&attributes, 2 << 20)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let result = pthread_create(&thread, &attributes, Self.main, handed)
    pthread_attr_destroy(&attributes)
    guard result == 0 else {
      Unmanaged<Body>.fromOpaque(handed).release()
      throw BackdropError(
        .system, "Backdrop cannot start a thread (\(systemReason(result)))",
        hint: "end other programs, or raise the limit of processes: ulimit -u")
    }
  }

  #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { handed in
      Unmanaged<Body>.fromOpaque(handed).takeRetainedValue().run()
      return nil
    }
  #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { handed in
      // `start` passed it.
      Unmanaged<Body>.fromOpaque(handed!).takeRetainedValue().run()
      return nil
    }
  #endif
}
