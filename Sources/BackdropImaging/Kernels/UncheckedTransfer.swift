/// Takes something to another thread. The caller makes sure that no two threads use it at a time.
package struct UncheckedTransfer<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
