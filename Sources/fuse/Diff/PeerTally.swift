import Datasets
import SensorData

/// What a run came to for one peer, for a person: how long it knew what, and with what it ended.
package struct PeerTally: Equatable, Sendable {
  /// Updates, those with an angle, those that were converged.
  package private(set) var updates = 0
  package private(set) var withAngle = 0
  package private(set) var converged = 0
  /// When an angle was first known, and when it first converged.
  package private(set) var firstAngle: Timestamp?
  package private(set) var firstConverged: Timestamp?
  /// The last update.
  private var last: UpdateRecord?

  /// Adds the next update.
  package mutating func add(_ update: UpdateRecord) {
    updates += 1
    last = update
    if update.horizontalAngle != nil {
      withAngle += 1
      firstAngle = firstAngle ?? update.timestamp
    }
    guard update.status == "converged" else { return }
    converged += 1
    firstConverged = firstConverged ?? update.timestamp
  }

  /// Updates whose convergence or angle another run has or lacks: what orders peers.
  package func change(to other: PeerTally) -> Int {
    max(abs(converged - other.converged), abs(withAngle - other.withAngle))
  }

  /// What changed for a person, a few words each: `converged 213 -> 70 updates`; empty where nothing did.
  package func words(to other: PeerTally, since start: Timestamp) -> [String] {
    func seconds(_ time: Timestamp?) -> String {
      time.map { "\(Words.fixed($0.seconds(since: start), 1)) s" } ?? "never"
    }
    func change(_ name: String, _ before: String, _ after: String, _ unit: String = "") -> String? {
      before == after ? nil : "\(name) \(before) -> \(after)\(unit)"
    }
    return [
      change("converged", "\(converged)", "\(other.converged)", " updates"),
      change("for the first time", seconds(firstConverged), seconds(other.firstConverged)),
      change("angle in", "\(withAngle)", "\(other.withAngle)", " updates"),
      change("first angle", seconds(firstAngle), seconds(other.firstAngle)),
      change("at the end", Self.end(last), Self.end(other.last)),
    ].compactMap(\.self)
  }

  /// What a person sees: coarse, so that no digit that nobody sees is a change.
  private static func end(_ update: UpdateRecord?) -> String {
    guard let update else { return "nothing" }
    let distance = update.distance.map { "\(Words.fixed($0, 1)) m" } ?? "no distance"
    return [distance, update.horizontalAngle.map { Words.side($0.value) }].compactMap(\.self).joined(separator: " ")
  }
}
