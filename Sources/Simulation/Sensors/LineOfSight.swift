import Geometry

/// What stands between the radios by geometry: walls inside the room, and whoever holds the phone.
struct LineOfSight: Sendable {
  /// The walls.
  let walls: [Scenario.Wall]
  /// The holder's body.
  let body: Scenario.Body?

  /// Metres by which a range between two points is too long, the hand being at `hand`; nil where the sight is free.
  func excess(from antenna: Vector3, to peer: Vector3, hand: HandPose) -> Double? {
    var obstacles = walls.filter { $0.stands(between: antenna, and: peer) }.map(\.excess)
    if let body, body.stands(between: antenna, and: peer, hand: hand) { obstacles.append(body.excess) }
    return obstacles.isEmpty ? nil : obstacles.reduce(0, +)
  }
}
