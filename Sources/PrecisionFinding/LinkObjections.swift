import Premises

/// What stands against a whole link, beside its own posterior: premises of the set-up, and what the radio has just
/// measured. Each withdraws all that rests on a trajectory and its geometry; the distance stays, it is the radio's.
struct LinkObjections {
  /// Premises that are refuted, for the device or for this link.
  var refuted: [Diagnosis] = []
  /// The code of one against which evidence speaks.
  var open: String?
  /// The published distance beside the radio's; nil where there is none, or too few ranges to tell.
  var agreement: RadioAgreement.Outcome?
  /// Share of the latest ranges that are apart from the newest, and by how much, metres; nil where they are too few.
  var contradiction: (share: Double, spread: Double)?

  /// Whether the distance contradicts the radio.
  var contradictsRadio: Bool { agreement.map { $0.off > $0.allowed } ?? false }

  /// The gates. What is open hides behind what is refuted.
  func gates(_ rules: PublicationRules) -> [PublicationGate] {
    func note(_ limit: PublicationRules.Limit, _ codes: [String]) -> String? {
      codes.isEmpty ? nil : "\(limit.withholds.rawValue): \(codes.joined(separator: ", "))"
    }
    let codes = refuted.map(\.code)
    var gates = [PublicationGate(rules.refuted, Double(codes.count), note: note(rules.refuted, codes))]
    if codes.isEmpty {
      let open = [open].compactMap { $0 }
      gates.append(PublicationGate(rules.openPremise, Double(open.count), note: note(rules.openPremise, open)))
    }
    if let contradiction { gates.append(PublicationGate(rules.contradictoryRanges, contradiction.share)) }
    if let agreement { gates.append(PublicationGate(rules.agreement(allowed: agreement.allowed), agreement.off)) }
    return gates
  }
}
