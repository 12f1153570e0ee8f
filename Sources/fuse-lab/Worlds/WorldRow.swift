import JSONText

/// A row of a random world, read: what `fuse-lab worlds run` prints.
struct WorldRow: Sendable {
  /// What is judged of one peer.
  struct Peer: Sendable {
    var name: String
    /// Updates that are judged, those with an angle's interval, and those that are `converged`.
    var judged: Double, intervals: Double, converged: Double
    /// Share of the intervals that hold the truth; nil without any.
    var coverage: Double?
    /// Median error of the angles, degrees; nil without any.
    var angleError: Double?
    /// Converged updates that are wrong.
    var falselyConverged: Double

    /// Intervals that hold the truth.
    var covered: Double { intervals * (coverage ?? 0) }
    /// Whether the peer had an angle.
    var isPublished: Bool { intervals > 0 }
    /// Whether under 70 % of the intervals hold the truth, where there are any.
    var isOverConfident: Bool { isPublished && coverage ?? 0 < 0.7 }
  }

  /// Errors of the trajectory.
  struct Path: Sendable {
    /// Root mean square of the position, yaw and place aligned, metres.
    var position: Double
    /// Mean normalised squares, 3 for honest covariances.
    var positionNEES: Double, attitudeNEES: Double
  }

  /// The seed.
  var name: String
  var peers: [Peer]
  var path: Path?
  /// In the order of the updates.
  var links: [(peer: String, tally: LinkTally)]
  var diagnoses: [String]
  /// Lines of updates, and those that an open premise holds.
  var updates: Double, held: Double
  /// From the first update to the last.
  var seconds: Double
  var wrongAngles: Double?
  /// Shares of the judged updates, and of the decided ones.
  var verticalDecided: Double?, verticalWrong: Double?
  /// Figures of the ideal observer; nil where it was not run.
  var ideal: [String: Double]?

  /// The rows of a file, without those that have no trial.
  ///
  /// - Throws: `DatasetError` with file and line for what is no row.
  static func rows(in path: String) throws -> [WorldRow] {
    try JSONLines.read(path, expected: "a line of 'fuse-lab worlds run'") { json in
      if json["trials"]?.double == 0 { return nil }
      return try WorldRow(json)
    }
  }

  /// - Throws: `JSONLines.NoRow` for anything else.
  init(_ json: JSONValue) throws {
    guard let name = json["name"]?.text, let errors = json["errors"], let peers = errors["peers"]?.members,
      let links = json["links"]?.members, let diagnoses = json["diagnoses"]?.elements,
      let updates = json["updates"]?.double, let held = json["held"]?.double, let seconds = json["seconds"]?.double
    else { throw JSONLines.NoRow() }
    (self.name, self.updates, self.held, self.seconds) = (name, updates, held, seconds)
    self.peers = peers.map { Peer($0.key, $0.value) }
    path = errors["trajectory"].flatMap(Path.init)
    self.links = links.map { ($0.key, LinkTally($0.value)) }
    self.diagnoses = diagnoses.compactMap(\.text)
    wrongAngles = json["wrongAngles"]?.double
    (verticalDecided, verticalWrong) = (json["verticalDecided"]?.double, json["verticalWrong"]?.double)
    ideal = json["ideal"]?.members.map { members in
      .init(members.compactMap { member in member.value.double.map { (member.key, $0) } }) { $1 }
    }
  }

  /// Its seed, for people.
  var shortName: Substring {
    name.split(separator: "/", omittingEmptySubsequences: false).last?
      .split(separator: ".", omittingEmptySubsequences: false).first ?? ""
  }
}

extension WorldRow.Peer {
  fileprivate init(_ name: String, _ json: JSONValue) {
    func number(_ key: String) -> Double { json[key]?.double ?? 0 }
    self.name = name
    (judged, intervals, converged) = (number("judged"), number("intervals"), number("converged"))
    coverage = json["coverage90"]?.double
    angleError = json["angleErrorDegrees"]?["median"]?.double
    falselyConverged = converged * number("falseConverged")
  }
}

extension WorldRow.Path {
  fileprivate init?(_ json: JSONValue) {
    guard let position = json["ateYawAligned"]?.double, let positionNEES = json["neesPosition"]?.double,
      let attitudeNEES = json["neesAttitude"]?.double
    else { return nil }
    (self.position, self.positionNEES, self.attitudeNEES) = (position, positionNEES, attitudeNEES)
  }
}
