/// Detects misspelt keys.
package enum Spelling {
  /// The known word probably intended by `word`, or nil: one edit in short words, two from six letters on,
  /// any difference of case.
  package static func intended(_ word: String, among known: [String]) -> String? {
    guard word.count <= 64 else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in known where candidate != word {
      let allowed = candidate.count >= 6 ? 2 : candidate.count >= 4 ? 1 : 0
      let slips = distance(Array(word.lowercased().utf8), Array(candidate.lowercased().utf8))
      if slips <= allowed, slips < best?.distance ?? .max { best = (candidate, slips) }
    }
    return best?.word
  }

  /// Edit distance with a swap of neighbours as one edit (optimal string alignment), O(n m).
  package static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var current = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let same = a[i - 1] == b[j - 1]
        current[j] = min(last[j] + 1, current[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          current[j] = min(current[j], beforeLast[j - 2] + 1)
        }
      }
      beforeLast = last
      last = current
    }
    return last[b.count]
  }
}
