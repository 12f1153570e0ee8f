import Datasets
import RunResults
import Testing

/// A sequence of unknown length in bounded memory.
@Suite struct ThinningTests {
  /// Elements of one kind: evenly spaced, with both ends, between half of the bound and the bound.
  @Test(arguments: [1, 2, 7, 100]) func oneKindIsSpacedEvenly(most: Int) {
    for count in [0, 1, 2, most, most + 1, 10 * most + 3, 1000] {
      var thinning = Thinning<Bool, Int>(most: most)
      for element in 0..<count { thinning.append(element, of: true) }
      let kept = thinning.elements
      #expect(thinning.isThinned == (count > most))
      #expect(kept.first == (count > 0 ? 0 : nil) && kept.last == (count > 0 ? count - 1 : nil))
      #expect(kept.count <= most + 1 && kept.count >= min(count, most / 2))
      let steps = zip(kept, kept.dropFirst()).map { $1 - $0 }.dropLast()
      #expect(Set(steps).count <= 1, "\(most) of \(count): \(kept)")
    }
  }

  /// Every kind keeps its ends, in the sequence's order, even where there are more kinds than places.
  @Test(arguments: [1, 5, 40]) func kindsKeepTheirEnds(most: Int) {
    var thinning = Thinning<Int, Int>(most: most)
    for element in 0..<997 { thinning.append(element, of: element % 9) }
    let kept = thinning.elements
    #expect(kept == kept.sorted() && Set(kept).count == kept.count)
    #expect(kept.count <= max(most, 9) + 9)
    for kind in 0..<9 {
      let own = kept.filter { $0 % 9 == kind }
      #expect(own.first == kind && own.last == (996 - kind) / 9 * 9 + kind, "\(kind): \(own)")
    }
  }
}
