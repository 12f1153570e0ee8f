import EstimatorTestSupport
import Foundation
import Geometry
import Testing

/// Motions with unobservable calibration parameters: these must neither drift nor gain certainty.
@Suite struct DegenerateMotionTests {
  /// A motion, its duration, and the components it leaves unobservable.
  struct Motion: CustomTestStringConvertible, Sendable {
    var name: String
    var seconds: Double
    var unobservable: [Int]
    var pose: @Sendable (Double) -> Pose
    var testDescription: String { name }
  }

  static let motions: [Motion] = [
    Motion(name: "stationary", seconds: 20, unobservable: Array(0..<11)) { _ in .identity },
    Motion(name: "even acceleration", seconds: 14, unobservable: Array(0..<11)) { t in
      Pose(translation: Vector3(0, -2 + 0.02 * t * t, 0))
    },
    // About the IMU, without acceleration. The lens estimate was 20 sigmas off when used here; the motion constrains
    // the trajectory equally well.
    Motion(name: "rotating about one axis", seconds: 20, unobservable: Array(0..<11)) { t in
      CalibratingRun.rotated(.yaw(0.3 * sin(0.8 * t)))
    },
    Motion(name: "rotating", seconds: 20, unobservable: Array(0..<11)) { t in
      CalibratingRun.rotated(.yaw(0.3 * sin(0.8 * t)) * .exp(Vector3(0.1 * sin(1.3 * t), 0.2 * sin(1.1 * t), 0)))
    },
  ]

  /// Estimates from an exciting motion persist: half a minute of rotation afterwards changes neither the values nor the
  /// sigmas.
  @Test func calibrationIsKeptAfterExcitationEnds() throws {
    for seed in UInt64(1)...4 {
      let before = try CalibratingRun.run(CalibratingRun.stopping, seconds: 18, seed: seed, isOnline: true)
      let after = try CalibratingRun.run(CalibratingRun.stopping, seconds: 40, seed: seed, isOnline: true)
      print(
        "stopping, seed \(seed): largest", after.largest, "sigmas left", zip(after.last, before.last).map { $0 / $1 })
      #expect(before.learnt.contains(.lens) && before.learnt.contains(.rotation))
      #expect(zip(before.last, before.first).allSatisfy { $0 < 0.8 * $1 })
      #expect(zip(after.last, before.last).allSatisfy { abs($0 / $1 - 1) < 0.05 })
      #expect(zip(after.lastErrors, after.last).allSatisfy { abs($0) < 3.5 * $1 })
    }
  }

  /// Errors stay within three sigmas, sigmas of unobservable components do not shrink, and the trajectory is no worse
  /// than with the wrong calibration taken as exact.
  @Test(arguments: motions) func unobservablePartsDoNotDrift(_ motion: Motion) throws {
    var position = (online: 0.0, off: 0.0)
    for seed in UInt64(1)...8 {
      let online = try CalibratingRun.run(motion.pose, seconds: motion.seconds, seed: seed, isOnline: true)
      let off = try CalibratingRun.run(motion.pose, seconds: motion.seconds, seed: seed, isOnline: false)
      position.online += online.position * online.position
      position.off += off.position * off.position
      print(
        "\(motion.name), seed \(seed): learnt", online.learnt.map(\.rawValue), "largest",
        online.largest.map { ($0 * 100).rounded() / 100 }, "sigmas left",
        zip(online.last, online.first).map { (100 * $0 / $1).rounded() / 100 }, "position", online.position,
        off.position)
      #expect(online.largest.allSatisfy { $0 < 3 })
      for k in motion.unobservable { #expect(online.last[k] >= 0.95 * online.first[k]) }
    }
    #expect(position.online.squareRoot() <= 1.05 * position.off.squareRoot() + 0.001)
  }
}
