/// What a user may have meant by a word that nothing is called by.
package enum Spelling {
  /// The known word that `word` misspells, or nil: one slip in words of four letters or five, two from six letters on,
  /// any difference of case. For files, where another word may be meant as it stands.
  package static func intended(_ word: String, among known: [String]) -> String? {
    guard word.count <= 64 else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in known where candidate != word {
      let allowed = candidate.count >= 6 ? 2 : candidate.count >= 4 ? 1 : 0
      let slips = distance(word.lowercased(), candidate.lowercased())
      if slips <= allowed, slips < best?.distance ?? .max { best = (candidate, slips) }
    }
    return best?.word
  }

  /// The nearest candidate: at most a third of the longer word's letters differ, or it begins with all of `word`. For
  /// words that are an error anyway.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let asked = word.lowercased()
    guard !asked.isEmpty else { return nil }
    let ranked = candidates.enumerated().compactMap { index, candidate -> (Int, Int, String)? in
      let letters = candidate.lowercased()
      let distance = distance(asked, letters)
      if 3 * distance <= max(asked.count, letters.count, 3) { return (distance, index, candidate) }
      return asked.count >= 3 && letters.starts(with: asked) ? (letters.count, index, candidate) : nil
    }
    return ranked.min { ($0.0, $0.1) < ($1.0, $1.1) }?.2
  }

  /// `; did you mean 'arc'?`, or nothing where no candidate is near.
  package static func suggestion(for word: String, among candidates: [String]) -> String {
    nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// Fewest insertions, deletions, replacements and swaps of neighbours that make one word of the other: the
  /// restricted distance of Damerau, 10.1145/363958.363994. O(n m).
  package static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var before: [Int] = []
    var row = Array(0...b.count)
    for i in 0..<a.count {
      var next = [i + 1]
      for j in 0..<b.count {
        var least = min(next[j] + 1, row[j + 1] + 1, row[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
        next.append(least)
      }
      (before, row) = (row, next)
    }
    return row[b.count]
  }
}
