/// An upper bound for the number of values, lists and objects in a JSON text, found in one pass, without decoding or allocating. Check it
/// before a decoder that needs many times the text's memory. Invalid texts have a count too.
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
      // Each list, object, key and comma accounts for one value.
      case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"), UInt8(ascii: ","): count += 1
      default: break
      }
    }
  }
  return count
}
