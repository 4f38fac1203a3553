import Libc

/// A thread of its own for work that waits and must not hold up the cooperative pool.
package enum DetachedThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts one; it ends when `body` does.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let handed = Unmanaged.passRetained(Body(body)).toOpaque()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // What decoders and networks take; the default of some libraries is 128 KB.
    pthread_attr_setstacksize(&attributes, 2 << 20)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let result = pthread_create(&thread, &attributes, Self.main, handed)
    pthread_attr_destroy(&attributes)
    // Without a thread the program cannot go on; there is nobody to tell.
    precondition(result == 0, "a thread cannot be made (\(result))")
  }

  #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { handed in
      Unmanaged<Body>.fromOpaque(handed).takeRetainedValue().run()
      return nil
    }
  #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { handed in
      // It was handed over by `start`.
      Unmanaged<Body>.fromOpaque(handed!).takeRetainedValue().run()
      return nil
    }
  #endif
}
