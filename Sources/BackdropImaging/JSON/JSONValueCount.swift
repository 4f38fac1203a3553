/// How many values, lists and objects a JSON text has at most, found without decoding it, in one pass and without memory: before a
/// decoder takes many times the memory of the text. Texts that are no JSON have a count too.
package func jsonValueCount(_ text: [UInt8]) -> Int {
  var (count, isText, isEscaped) = (1, false, false)
  for byte in text {
    if isEscaped {
      isEscaped = false
    } else if isText {
      if byte == UInt8(ascii: "\\") { isEscaped = true } else if byte == UInt8(ascii: "\"") { isText = false }
    } else {
      switch byte {
      case UInt8(ascii: "\""): isText = true
      // Each list, object, key and comma stands for another value.
      case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"), UInt8(ascii: ","): count += 1
      default: break
      }
    }
  }
  return count
}
