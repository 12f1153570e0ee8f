import CameraGeometry
import Geometry
import Inertial
import Simulation
import Smoothing
import SmoothingTestSupport
import TestSupport
import Testing

import struct Estimator.RigEstimate

@Suite struct JacobianTests {
  static func split(_ flat: [Double], rows: Int) -> [[Double]] {
    let width = flat.count / rows
    return (0..<rows).map { Array(flat[$0 * width..<($0 + 1) * width]) }
  }

  static func rig(_ source: inout SeededRandom) -> RigEstimate {
    var rig = RigEstimate(
      mount: CameraMount(
        imuFromCamera: Pose(rotation: source.rotation(), translation: 0.1 * source.gaussian3()),
        delay: 0.01 * source.gaussian()))
    rig.intrinsics = SyntheticMotion.axes(&source)
    return rig
  }

  @Test func rigPlusAndMinusAreInverse() {
    var source = SeededRandom(seed: 1)
    for _ in 0..<50 {
      let x = Self.rig(&source)
      let d = (0..<RigEstimate.errorSize).map { _ in 0.5 * source.gaussian() }
      #expect(zip(x.plus(d[...]).minus(x), d).allSatisfy { abs($0 - $1) < 1e-12 })
    }
  }

  @Test func minusJacobiansAreTheDerivatives() {
    var source = SeededRandom(seed: 2)
    for _ in 0..<10 {
      let x = SyntheticMotion.state(&source), y = x.plus((0..<15).map { _ in 0.4 * source.gaussian() })
      let numeric = FiniteDifferences.jacobian(inputs: 15) { x.plus($0).minus(y) }
      #expect(FiniteDifferences.largestDifference(Self.split(x.minusJacobian(y), rows: 15), numeric) < 1e-6)
      let size = RigEstimate.errorSize
      let a = Self.rig(&source), b = a.plus((0..<size).map { _ in 0.4 * source.gaussian() }[...])
      let rigNumeric = FiniteDifferences.jacobian(inputs: size) { a.plus($0[...]).minus(b) }
      #expect(FiniteDifferences.largestDifference(Self.split(a.minusJacobian(b), rows: size), rigNumeric) < 1e-6)
    }
  }

  /// At states inconsistent with the motion by decimetres and tenths of radians, and at biases and intrinsics other
  /// than those of the integration.
  @Test func inertialJacobianIsTheDerivative() throws {
    var source = SeededRandom(seed: 3)
    for _ in 0..<10 {
      let motion = SyntheticMotion(&source)
      let whole = try #require(motion.integrated(motion.states[0].state))
      let factor = InertialFactor(motion: whole, gravity: SyntheticMotion.gravity)
      func disturbed(_ state: InertialState) -> InertialState {
        state.plus((0..<15).map { (($0 < 9) ? 0.3 : 0.02) * source.gaussian() })
      }
      let a = disturbed(motion.states[0].state), b = disturbed(whole.carried(a, gravity: SyntheticMotion.gravity))
      let rig = Self.rig(&source)
      let numeric = FiniteDifferences.jacobian(inputs: 30 + RigEstimate.errorSize) { d in
        factor.residual(
          a.plus(Array(d[..<15])), b.plus(Array(d[15..<30])), rig.plus(d[30...]).intrinsics)
      }
      let analytic = Self.split(factor.jacobian(a, b, rig.intrinsics), rows: InertialFactor.rows)
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
  }

  @Test func consistentStatesLeaveNoResidual() throws {
    var source = SeededRandom(seed: 4)
    let motion = SyntheticMotion(&source)
    let a = motion.states[0].state
    let whole = try #require(motion.integrated(a))
    let factor = InertialFactor(motion: whole, gravity: SyntheticMotion.gravity)
    let residual = factor.residual(a, whole.carried(a, gravity: SyntheticMotion.gravity), IMUIntrinsics())
    #expect(residual.allSatisfy { abs($0) < 1e-12 })
  }

  /// For near points, far points and points behind infinity; by the pose, the camera's mount and delay, and the point.
  @Test(arguments: [0.7, 0.1, 0, -0.02]) func reprojectionJacobiansAreTheDerivatives(inverseDistance: Double) throws {
    var source = SeededRandom(seed: 5)
    let reprojection = Reprojection(lens: LensModel(SyntheticMotion.camera), pixelNoise: 0.7)
    for _ in 0..<10 {
      var frame = Keyframe(
        timestamp: SyntheticMotion.time(0), state: SyntheticMotion.state(&source), measuredRate: source.gaussian3())
      frame.velocity = source.gaussian3()
      let rig = Self.rig(&source)
      let camera = frame.worldFromIMU(after: rig.mount.delay) * rig.mount.imuFromCamera
      let landmark = InverseDistancePoint(
        origin: camera.translation + 0.2 * source.gaussian3(),
        bearing: (camera.rotation * Vector3(source.gaussian(), source.gaussian(), 2)).normalized,
        inverseDistance: inverseDistance)
      let pixel = SIMD2(source.uniform(0...640), source.uniform(0...480))
      func residual(_ frame: Keyframe, _ rig: RigEstimate, _ landmark: InverseDistancePoint) -> [Double] {
        let camera = frame.worldFromIMU(after: rig.mount.delay) * rig.mount.imuFromCamera
        let error = reprojection.residual(camera, landmark, pixel: pixel)!
        return [error.x, error.y]
      }
      let seen = try #require(reprojection.linearised(frame.view(rig.mount), landmark, pixel: pixel))
      let zeros = [Double](repeating: 0, count: 9), axes = [Double](repeating: 0, count: IMUIntrinsics.count)
      let byPose = FiniteDifferences.jacobian(inputs: 6) { d in
        var moved = frame
        moved.state = frame.state.plus(d + zeros)
        return residual(moved, rig, landmark)
      }
      let byMount = FiniteDifferences.jacobian(inputs: 7) { residual(frame, rig.plus(($0 + axes)[...]), landmark) }
      let byPoint = FiniteDifferences.jacobian(inputs: 3) {
        residual(frame, rig, landmark.plus(Vector3($0[0], $0[1], $0[2])))
      }
      let rows = [seen.rows.0, seen.rows.1]
      func numbers(_ v: [Vector3]) -> [Double] { v.flatMap { [$0.x, $0.y, $0.z] } }
      #expect([seen.residual.x, seen.residual.y] == residual(frame, rig, landmark))
      #expect(FiniteDifferences.largestDifference(rows.map { numbers([$0.theta, $0.position]) }, byPose) < 1e-6)
      let mounts = rows.map { numbers([$0.mountRotation, $0.mountTranslation]) + [$0.delay] }
      #expect(FiniteDifferences.largestDifference(mounts, byMount) < 1e-6)
      #expect(FiniteDifferences.largestDifference(rows.map { numbers([$0.point]) }, byPoint) < 1e-6)
    }
  }

  /// An observation does not change when camera and landmark move rigidly together.
  @Test func aCarriedLandmarkHasTheSameObservation() {
    var source = SeededRandom(seed: 6)
    for _ in 0..<20 {
      let old = Pose(rotation: source.rotation(), translation: source.gaussian3())
      let new = Pose(rotation: source.rotation(), translation: source.gaussian3())
      let landmark = InverseDistancePoint(
        origin: source.gaussian3(), bearing: source.direction(), inverseDistance: source.uniform(0...2))
      let carried = landmark.carried(from: old, to: new)
      let before = old.rotation.inverse * landmark.scaled(from: old.translation)
      let after = new.rotation.inverse * carried.scaled(from: new.translation)
      #expect((before - after).norm < 1e-12)
    }
  }
}
