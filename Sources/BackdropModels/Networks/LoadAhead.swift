import BackdropImaging

/// Something that is loaded on a thread of its own while its owner does something else.
///
/// For one owner.
final class LoadAhead<Value> {
  private final class Loaded {
    var result: Result<Value, BackdropError>?
  }

  // The thread's until it has finished, the owner's from then on.
  private let loaded = Loaded()
  private var thread: RunAhead?

  /// Begins.
  init(_ load: @escaping () throws(BackdropError) -> Value) {
    let thread = RunAhead()
    thread.begin { [loaded] () throws(BackdropError) in
      do throws(BackdropError) { loaded.result = .success(try load()) } catch { loaded.result = .failure(error) }
    }
    self.thread = thread
  }

  /// It, once it is there.
  ///
  /// - Throws: the error of loading it.
  func value() throws(BackdropError) -> Value {
    try thread?.finish()
    thread = nil
    guard let result = loaded.result else { preconditionFailure("nothing was loaded, and nothing said why") }
    return try result.get()
  }
}
