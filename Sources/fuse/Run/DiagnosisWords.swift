import Premises

extension Diagnosis {
  /// What was found, on which evidence, and what to do; the same in every command.
  var words: String {
    "\(isHandled ? "note" : "PREMISE") \(code): \(sentence); \(evidence). \(remedy)"
  }
}

extension TruthConsistency {
  /// What the data refute about the truth, where other premises are refuted already.
  func diagnoses(after found: [Diagnosis]) -> [Diagnosis] {
    diagnoses(refuted: Set(found.filter { !$0.isHandled }.map(\.family)))
  }
}
