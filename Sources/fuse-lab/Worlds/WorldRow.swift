import JSONText

/// A row of a random world, read.
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

    init(_ name: String, _ json: JSONValue) {
      func number(_ key: String) -> Double { json[key]?.double ?? 0 }
      self.name = name
      (judged, intervals, converged) = (number("judged"), number("intervals"), number("converged"))
      (coverage, angleError) = (json["coverage90"]?.double, json["angleErrorDegrees"]?["median"]?.double)
      falselyConverged = converged * number("falseConverged")
    }
  }

  /// Errors of the trajectory.
  struct Path: Sendable {
    /// Root mean square of the position, yaw and place aligned, metres.
    var position: Double
    /// Mean normalised squares, 3 for honest covariances.
    var positionNEES: Double, attitudeNEES: Double

    init?(_ json: JSONValue?) {
      guard let position = json?["ateYawAligned"]?.double, let positionNEES = json?["neesPosition"]?.double,
        let attitudeNEES = json?["neesAttitude"]?.double
      else { return nil }
      (self.position, self.positionNEES, self.attitudeNEES) = (position, positionNEES, attitudeNEES)
    }
  }

  /// The seed.
  let name: String
  let peers: [Peer]
  let path: Path?
  /// In the order of the updates.
  let links: [(peer: String, tally: LinkTally)]
  let diagnoses: [String]
  /// Figures of all peers together, and of the updates.
  private let json: JSONValue

  /// A number of the row.
  subscript(key: String) -> Double? { json[key]?.double }

  /// A number of the ideal observer's evaluation; nil where it was not run.
  func ideal(_ key: String) -> Double? { json["ideal"]?[key]?.double }

  /// The rows of a file, without those that have no trial.
  ///
  /// - Throws: `DatasetError` with file and line for what is no row.
  static func rows(in path: String) throws -> [WorldRow] {
    try JSONLines.read(path, expected: "a line of 'fuse-lab worlds --rows'") { json in
      json["trials"]?.double == 0 ? nil : try WorldRow(json)
    }
  }

  /// - Throws: `JSONLines.NoRow` for anything else.
  init(_ json: JSONValue) throws {
    guard let name = json["name"]?.text, let peers = json["errors"]?["peers"]?.members,
      let links = json["links"]?.members, let diagnoses = json["diagnoses"]?.elements,
      ["updates", "held", "seconds"].allSatisfy({ json[$0]?.double != nil })
    else { throw JSONLines.NoRow() }
    (self.name, self.json, path) = (name, json, Path(json["errors"]?["trajectory"]))
    self.peers = peers.map { Peer($0.key, $0.value) }
    self.links = links.map { ($0.key, LinkTally($0.value)) }
    self.diagnoses = diagnoses.compactMap(\.text)
  }
}
