import BackdropImaging

/// The SQLite 3 functions that read a file (sqlite.org/c3ref), looked up in the system's library when first needed.
struct SQLite: Sendable {
  typealias Handle = UnsafeMutableRawPointer

  typealias Open =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>, Int32, UnsafePointer<CChar>?) -> Int32
  typealias Close = @convention(c) (Handle) -> Int32
  typealias Limit = @convention(c) (Handle, Int32, Int32) -> Int32
  typealias Message = @convention(c) (Handle) -> UnsafePointer<CChar>?
  typealias Prepare =
    @convention(c) (
      Handle, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Handle?>, UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  typealias Bind = @convention(c) (Handle, Int32, Int64) -> Int32
  typealias Step = @convention(c) (Handle) -> Int32
  typealias Integer = @convention(c) (Handle, Int32) -> Int64
  typealias Blob = @convention(c) (Handle, Int32) -> UnsafeRawPointer?
  typealias Count = @convention(c) (Handle, Int32) -> Int32

  let open: Open
  let close: Close
  let limit: Limit
  let message: Message
  let prepare: Prepare
  let bind: Bind
  let step: Step
  let reset: Step
  let finalize: Step
  let integer: Integer
  let blob: Blob
  let byteCount: Count

  static let readOnly: Int32 = 1, row: Int32 = 100, done: Int32 = 101
  /// Argument of `limit`: the maximum length of a text or blob.
  static let longest: Int32 = 0

  private static let found: Result<SQLite, BackdropError> = {
    do throws(BackdropError) { return .success(try SQLite()) } catch { return .failure(error) }
  }()

  /// The library, opened once for the process.
  ///
  /// - Throws: `unsupported` if it is not installed.
  static func shared() throws(BackdropError) -> SQLite { try found.get() }

  private init() throws(BackdropError) {
    guard let library = try SharedLibrary.openOfSystem(["libsqlite3.so.0"]) else {
      throw BackdropError(
        .unsupported, "the library SQLite, which reads this file, is not installed",
        hint: "install it: sudo apt install libsqlite3-0")
    }
    func find<Function>(_ name: String, as type: Function.Type) throws(BackdropError) -> Function {
      guard let found = SharedLibrary.function(name, of: library, as: type) else {
        throw BackdropError(.unsupported, "the library SQLite lacks \(name)", hint: "install a newer one")
      }
      return found
    }
    open = try find("sqlite3_open_v2", as: Open.self)
    close = try find("sqlite3_close", as: Close.self)
    limit = try find("sqlite3_limit", as: Limit.self)
    message = try find("sqlite3_errmsg", as: Message.self)
    prepare = try find("sqlite3_prepare_v2", as: Prepare.self)
    bind = try find("sqlite3_bind_int64", as: Bind.self)
    step = try find("sqlite3_step", as: Step.self)
    reset = try find("sqlite3_reset", as: Step.self)
    finalize = try find("sqlite3_finalize", as: Step.self)
    integer = try find("sqlite3_column_int64", as: Integer.self)
    blob = try find("sqlite3_column_blob", as: Blob.self)
    byteCount = try find("sqlite3_column_bytes", as: Count.self)
  }
}
