import BackdropImaging

/// The error with which `body` refuses its work; `nil` if it throws nothing.
public func refusal<Result: ~Copyable>(_ body: () throws -> Result) -> BackdropError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? BackdropError
  }
}
