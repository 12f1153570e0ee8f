import Datasets
import Importing
import Premises

extension Diagnosis {
  /// What was found, on which evidence, and what to do; the same in every command.
  var words: String {
    "\(isHandled ? "note" : "PREMISE") \(code): \(sentence); \(evidence). \(remedy)"
  }
}

extension Recording {
  /// What the sensors' times refute of their common clock.
  func clockDiagnoses() throws(DatasetError) -> [Diagnosis] {
    try spans().findings.filter(\.isFault).map {
      Diagnosis(
        code: "clockOverlap", family: .time, sentence: $0.sentence, evidence: $0.evidence, remedy: $0.remedy)
    }
  }
}

extension MotionCheck {
  /// Diagnoses of a run with their cause in place of what it brings about, where that is inverted rotations.
  func explained(_ diagnoses: [Diagnosis]) -> [Diagnosis] {
    let found = found
    guard found.isInverted else { return diagnoses }
    let causes = found.findings.filter { $0.weight == .fault }
    return diagnoses.filter { !found.explains($0.code) }
      + causes.map {
        Diagnosis(
          code: $0.code, family: $0.code.hasPrefix("imu") ? .imu : .odometry, sentence: $0.sentence,
          evidence: $0.evidence, remedy: $0.remedy)
      }
  }
}

extension TruthConsistency {
  /// What the data refute about the truth, where other premises are refuted already.
  func diagnoses(after found: [Diagnosis]) -> [Diagnosis] {
    diagnoses(refuted: Set(found.filter { !$0.isHandled }.map(\.family)))
  }
}
