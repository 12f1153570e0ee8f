import Geometry

extension Scenario {
  /// A box-shaped room with landmarks on its six faces and on the furniture; distances from the start of the device.
  package struct Room: Equatable, Sendable {
    /// Corner ahead, left and up, metres.
    package var high = Vector3(9, 5, 1.4)
    /// Corner behind, right and down, metres.
    package var low = Vector3(-4, -5, -1.3)
    /// Landmarks on walls, floor and ceiling.
    package var landmarks = 6000
    /// Boxes of furniture along the walls, each with 30 landmarks.
    package var furniture = 12
    /// The faces without landmarks and pattern.
    package var blank: [Face] = []

    /// The defaults.
    package init() {}
  }

  /// One of the six faces of the room.
  package enum Face: String, Equatable, Sendable, CaseIterable {
    case ahead, behind, left, right, ceiling, floor
  }
}

extension Scenario.Room {
  /// Whether a point on the faces of this room lies on a blank one.
  func isBlank(_ point: Vector3) -> Bool {
    blank.contains { face in
      switch face {
      case .ahead: point.x == high.x
      case .behind: point.x == low.x
      case .left: point.y == high.y
      case .right: point.y == low.y
      case .ceiling: point.z == high.z
      case .floor: point.z == low.z
      }
    }
  }

  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var room = self
    let walls = 0.5...200.0
    try f.number("ahead_m", walls).map { room.high.x = $0 }
    try f.number("left_m", walls).map { room.high.y = $0 }
    try f.number("ceiling_m", walls).map { room.high.z = $0 }
    try f.number("behind_m", walls).map { room.low.x = -$0 }
    try f.number("right_m", walls).map { room.low.y = -$0 }
    try f.number("floor_m", walls).map { room.low.z = -$0 }
    try f.integer("landmarks", 0...20_000).map { room.landmarks = $0 }
    try f.integer("furniture", 0...200).map { room.furniture = $0 }
    try f.choices("blank", Scenario.Face.self).map { room.blank = $0 }
    return room
  }
}
