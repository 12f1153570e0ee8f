import Evaluation
import Foundation
import Geometry
import Simulation
import TestSupport

/// Ranges of a device that swings about its holder and turns with the arm, with errors that are bound to its poses.
package struct BoundTrial {
  /// Real size: a field and a pattern as large as the white noise.
  package static let model = RangeErrorModel(
    white: 0.05, coloured: 0.02, memory: 2, constant: 0.1,
    field: .init(deviation: 0.07, length: 0.25, angle: Angle.degrees(20)), pattern: .init(deviation: 0.04, degree: 3))

  /// The shadow of a body: 0.4 m from 100 degrees off ahead on.
  package static let excess: IdealObserver.Excess = {
    Scenario.BodyShadow(excess: 0.4).excess(worldFromDevice: $0)
  }

  /// Position of the peer, metres.
  package let peer: Vector3
  package let poses: [RangingPose]
  package let ranges: [Double]
  /// Seconds before each range.
  package let gaps: [Double]

  /// Ten ranges a second.
  package init(
    _ motion: RangingTrial.Motion, seconds: Double, peer: Vector3, model: RangeErrorModel = Self.model,
    excess: IdealObserver.Excess? = nil, random: inout SeededRandom
  ) {
    let poses = (0...Int((seconds * 10).rounded())).map { k in
      let t = 0.1 * Double(k)
      return RangingPose(
        antenna: motion.position(at: t), worldFromDevice: .yaw(-0.9 * sin(2 * .pi * t / 3)) * HeldPhone.facingEast)
    }
    let gaps = poses.indices.map { $0 == 0 ? 0 : 0.1 }
    let errors = Whitener(model, gaps: gaps, poses: poses, peer: peer).coloured(poses.map { _ in random.gaussian() })
    (self.peer, self.poses, self.gaps) = (peer, poses, gaps)
    ranges = zip(poses, errors).map { pose, error in
      let toPeer = peer - pose.antenna
      return max(toPeer.norm + error + (excess?(pose.worldFromDevice)(toPeer) ?? 0), 0)
    }
  }

  /// The observer after all ranges.
  package func observed(
    _ model: RangeErrorModel = Self.model, excess: IdealObserver.Excess? = nil, cellsPerSigma: Double = 1.5
  ) -> IdealObserver {
    var observer = IdealObserver(model, excess: excess, cellsPerSigma: cellsPerSigma, limit: 400_000)
    for (k, pose) in poses.enumerated() {
      observer.update(
        range: ranges[k], antenna: pose.antenna, worldFromDevice: pose.worldFromDevice, after: gaps[k])
    }
    return observer
  }
}
