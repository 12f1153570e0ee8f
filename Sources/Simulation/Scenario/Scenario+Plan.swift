import Foundation
import Geometry

extension Scenario {
  /// The intended motion of the hand, from the world's origin, looking along x.
  ///
  /// - Throws: `ScenarioError` when an approach names an unknown peer.
  package func plan() throws(ScenarioError) -> MotionPlan {
    var plan = MotionPlan(from: HandPose(pitch: hand.pitch, roll: hand.holding.roll))
    for step in motion {
      switch step {
      case .motion(let piece): plan.append(piece)
      case .approach(let id, let stop, let speed):
        guard let peer = peers.first(where: { $0.id == id }) else {
          throw ScenarioError(file: name, line: nil, problem: "approach names the peer '\(id)', which is not there")
        }
        var toPeer = peer.position(at: plan.duration) - plan.end.position
        plan.append(.turn(duration: 1.5, angle: Angle.wrapped(atan2(toPeer.y, toPeer.x) - plan.end.yaw), arm: 0))
        toPeer.z = 0
        plan.append(.walk(distance: max(0, toPeer.norm - stop), speed: speed, heading: 0, bob: 0.015, stepRate: 1.8))
      }
    }
    return plan
  }
}
