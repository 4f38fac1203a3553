/// Passes a value to another thread. The caller ensures that only one thread uses it at a time.
package struct UncheckedTransfer<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
