import Foundation
import Geometry

extension Scenario {
  /// An upright box that moves through the room before the camera, such as a person: landmarks on its surface move
  /// together. It occludes nothing, and images (`--images`) do not show it.
  package struct Mover: Equatable, Sendable {
    /// Initial position of its centre, metres from the intended start of the device.
    package var position: Vector3
    /// Its legs, in time order.
    package var path: [Leg] = []
    /// Width and depth, metres.
    package var width = 0.5
    /// Metres.
    package var height = 1.7
    /// Number of landmarks on it.
    package var landmarks = 200

    /// A stationary person at `position`.
    package init(position: Vector3) { self.position = position }

    /// Position of its centre `time` seconds after the start, metres.
    package func position(at time: Double) -> Vector3 { path.reduce(position) { $0 + $1.travelled(at: time) } }
  }
}

extension Scenario.Mover {
  init(_ f: inout Fields) throws(ScenarioError) {
    let positions = -100.0...100
    guard let ahead = try f.number("ahead_m", positions) else { throw f.missing("ahead_m") }
    self.init(
      position: Vector3(ahead, -(try f.number("right_m", positions) ?? 0), try f.number("up_m", positions) ?? -0.4))
    try f.number("width_m", 0.05...10).map { width = $0 }
    try f.number("height_m", 0.05...10).map { height = $0 }
    try f.integer("landmarks", 0...5000).map { landmarks = $0 }
    path = try f.path()
  }
}
