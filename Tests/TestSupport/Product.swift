/// All pairs of an element of one sequence and an element of the other; the second changes fastest, as in two nested loops.
@inlinable
public func product<First: Sequence, Second: Sequence>(
  _ first: First, _ second: Second
) -> some Sequence<(First.Element, Second.Element)> {
  first.lazy.flatMap { one in second.lazy.map { (one, $0) } }
}
