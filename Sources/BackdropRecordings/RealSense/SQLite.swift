import BackdropImaging

/// The SQLite 3 functions that read a file (sqlite.org/c3ref), looked up in the system's library when first needed.
struct SQLite: Sendable {
  typealias Handle = UnsafeMutableRawPointer

  let open: @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>, Int32, UnsafePointer<CChar>?) -> Int32
  let close: @convention(c) (Handle) -> Int32
  let limit: @convention(c) (Handle, Int32, Int32) -> Int32
  let message: @convention(c) (Handle) -> UnsafePointer<CChar>?
  let prepare:
    @convention(c) (
      Handle, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Handle?>, UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  let bind: @convention(c) (Handle, Int32, Int64) -> Int32
  let step: @convention(c) (Handle) -> Int32
  let reset: @convention(c) (Handle) -> Int32
  let finalize: @convention(c) (Handle) -> Int32
  let integer: @convention(c) (Handle, Int32) -> Int64
  let blob: @convention(c) (Handle, Int32) -> UnsafeRawPointer?
  let byteCount: @convention(c) (Handle, Int32) -> Int32

  static let readOnly: Int32 = 1, row: Int32 = 100, done: Int32 = 101
  /// Argument of `limit`: the maximum length of a text or blob.
  static let longest: Int32 = 0

  private static let found = Result { () throws(BackdropError) in try SQLite() }

  /// The library, opened once for the process.
  static func shared() throws(BackdropError) -> SQLite { try found.get() }

  private init() throws(BackdropError) {
    guard let library = try SharedLibrary.openOfSystem(["libsqlite3.so.0"]) else {
      throw BackdropError(
        .unsupported, "the library SQLite, which reads this file, is not installed",
        hint: "install it: sudo apt install libsqlite3-0")
    }
    func find<Function>(_ name: String) throws(BackdropError) -> Function {
      guard let found = SharedLibrary.function("sqlite3_" + name, of: library, as: Function.self) else {
        throw BackdropError(.unsupported, "the library SQLite lacks sqlite3_\(name)", hint: "install a newer one")
      }
      return found
    }
    (open, close) = (try find("open_v2"), try find("close"))
    (limit, message) = (try find("limit"), try find("errmsg"))
    (prepare, bind) = (try find("prepare_v2"), try find("bind_int64"))
    (step, reset, finalize) = (try find("step"), try find("reset"), try find("finalize"))
    (integer, blob, byteCount) = (try find("column_int64"), try find("column_blob"), try find("column_bytes"))
  }
}
