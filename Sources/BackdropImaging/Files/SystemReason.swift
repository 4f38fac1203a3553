import Libc

/// The system's words for an error number, by default that of the last call.
package func systemReason(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
