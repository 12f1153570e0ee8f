import Geometry

/// Geometric NLOS: obstacles between the radios are the walls inside the room and the user's body.
struct LineOfSight: Sendable {
  /// The walls.
  let walls: [Scenario.Wall]
  /// The user's body.
  let body: Scenario.Body?

  /// NLOS bias of a range between two points with the hand at `hand`, metres; nil in LOS.
  func nlosBias(from antenna: Vector3, to peer: Vector3, hand: HandPose) -> Double? {
    var obstacles = walls.filter { $0.intersectsSegment(from: antenna, to: peer) }.map(\.nlosBias)
    if let body, body.intersectsSegment(from: antenna, to: peer, hand: hand) { obstacles.append(body.nlosBias) }
    return obstacles.isEmpty ? nil : obstacles.reduce(0, +)
  }
}
