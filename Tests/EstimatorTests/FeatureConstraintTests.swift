import Estimator
import Geometry
import Inertial
import SensorData
import Simulation
import TestSupport
import Testing
import Vision

@Suite struct FeatureConstraintTests {
  static let imu = IMUCalibration(
    gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-4, accelerometerNoiseDensity: 1e-2,
    accelerometerRandomWalk: 1e-3)
  static let calibration = CameraCalibration(
    bodyFromCamera: Pose(
      rotation: Rotation(matrix: Matrix3(rows: Vector3(0, 0, 1), Vector3(-1, 0, 0), Vector3(0, -1, 0))),
      translation: Vector3(0.05, -0.02, 0.1)),
    fx: 258, fy: 262, cx: 328, cy: 229, distortion: .fieldOfView(w: 0.93), width: 640, height: 480, pixelNoise: 0.7)
  static let camera = FilterCamera(calibration, imu: imu)

  /// A filter that flew a few clones along a curve and was corrected at random in between, so that present and first
  /// estimates differ by centimetres and degrees.
  static func flown(_ source: inout SeededRandom, corrected: Bool) throws -> InertialNavigation {
    var covariance = [Double](repeating: 0, count: 225)
    for i in 0..<15 { covariance[16 * i] = 1e-4 }
    let filter = try #require(
      InertialNavigation(
        calibration: imu, time: Timestamp(nanoseconds: 0),
        state: InertialState(position: Vector3(1, 2, 1), velocity: Vector3(0.1, 0.4, 0.1)),
        initialCovariance: covariance))
    for i in 0...250 {
      let time = Timestamp(nanoseconds: Int64(i) * 5_000_000)
      _ = filter.samples.add(
        IMUSample(timestamp: time, angularVelocity: Vector3(0.1, 0.05, -0.1), specificForce: Vector3(0.2, -0.3, 9.9)))
    }
    for k in 1...5 {
      guard filter.advance(to: Timestamp(nanoseconds: Int64(k) * 250_000_000)) else { Issue.record("stuck"); break }
      _ = filter.clone()
      if corrected {
        filter.apply((0..<filter.covariance.dimension).map { _ in 0.02 * source.gaussian() })
      }
    }
    return filter
  }

  static func sights(_ clones: [Clone], of point: Vector3, _ source: inout SeededRandom) -> [FeatureTrack.Sight] {
    clones.map { clone in
      let pose = clone.worldFromIMU * camera.imuFromCamera
      let pixel = camera.lens.project(pose.inverse * point)!.pixel + SIMD2(source.gaussian(), source.gaussian())
      return .init(poseID: clone.id, pixel: pixel, direction: camera.lens.direction(ofPixel: pixel)!)
    }
  }

  static func feature(_ clones: [Clone], _ point: Vector3) -> BearingFeature {
    let offset = point - (clones[0].worldFromIMU * camera.imuFromCamera).translation
    return BearingFeature(bearing: offset.normalized, inverseDistance: 1 / offset.norm)
  }

  /// The Jacobians against differences of the residual itself, clone by clone and for the point.
  @Test(arguments: [1.5, 4, 60]) func jacobiansAreTheDerivatives(distance: Double) throws {
    var source = SeededRandom(seed: 1)
    let filter = try Self.flown(&source, corrected: false)
    let point = filter.clones[0].worldFromIMU.translation + Vector3(distance, 0.2 * distance, -0.1)
    let sights = Self.sights(filter.clones, of: point, &source)
    let full = try #require(
      FeatureConstraint.linearised(sights, filter.clones, Self.feature(filter.clones, point), Self.camera))
    let n = sights.count
    for i in 0..<n {
      let numeric = FiniteDifferences.jacobian(inputs: 6) { d in
        var pose = filter.clones[i].worldFromIMU
        pose.rotation = Rotation.exp(Vector3(d[0], d[1], d[2])) * pose.rotation
        pose.translation += Vector3(d[3], d[4], d[5])
        let seen = (pose * Self.camera.imuFromCamera).inverse * point
        let pixel = Self.camera.lens.project(seen)!.pixel / Self.camera.pixelNoise
        return [pixel.x, pixel.y]
      }
      let analytic = (0..<2).map { k in (0..<6).map { full.pose[(2 * i + k) * 6 * n + 6 * i + $0] } }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
    // The point moves along the three directions of the parameters: bearing, bearing, inverse distance.
    let anchor = (filter.clones[0].worldFromIMU * Self.camera.imuFromCamera).translation
    let f = Self.feature(filter.clones, point)
    let (e1, e2) = f.bearing.tangentBasis
    let numeric = FiniteDifferences.jacobian(inputs: 3) { d in
      let bearing = f.bearing + d[0] * e1 + d[1] * e2, rho = f.inverseDistance + d[2]
      return filter.clones.flatMap { clone -> [Double] in
        let pose = clone.worldFromIMU * Self.camera.imuFromCamera
        let seen = pose.rotation.inverse * (bearing - rho * (pose.translation - anchor))
        let pixel = Self.camera.lens.project(seen)!.pixel / Self.camera.pixelNoise
        return [pixel.x, pixel.y]
      }
    }
    let analytic = (0..<2 * n).map { row in (0..<3).map { full.feature[3 * row + $0] } }
    #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
  }

  /// Global translation and yaw stay unobservable, whatever corrections moved the clones away from their first estimates,
  /// for near points and for points at infinity; a tilt does not.
  @Test(arguments: [3.0, 40, .infinity]) func fourDirectionsStayUnobservable(distance: Double) throws {
    var source = SeededRandom(seed: 2)
    for _ in 0..<10 {
      let filter = try Self.flown(&source, corrected: true)
      let near = filter.clones[0].worldFromIMU.translation + Vector3(min(distance, 100), source.gaussian(), 0.5)
      let sights = Self.sights(filter.clones, of: near, &source)
      var feature = Self.feature(filter.clones, near)
      if distance == .infinity { feature.inverseDistance = 0 }
      let doubt = DistanceDoubt(
        feature, sigma: 0.1, prior: .handHeld, companions: 50, clones: filter.clones, covariance: filter.covariance)
      let constraint = try #require(
        FeatureConstraint(
          sights: sights, clones: filter.clones, feature: feature, doubt: doubt, camera: Self.camera))
      #expect(constraint.rows == 2 * sights.count - 3)

      func response(_ theta: Vector3, _ shift: (Pose) -> Vector3) -> Double {
        let direction = filter.clones.flatMap { clone -> [Double] in
          let p = shift(clone.firstWorldFromIMU)
          return [theta.x, theta.y, theta.z, p.x, p.y, p.z]
        }
        let width = direction.count
        return (0..<constraint.rows).map { row in
          abs((0..<width).reduce(0) { $0 + constraint.jacobian[row * width + $1] * direction[$1] })
        }.max()!
      }
      for axis in [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)] {
        #expect(response(.zero) { _ in axis } < 1e-9)
      }
      let up = Vector3(0, 0, 1), side = Vector3(1, 0, 0)
      #expect(response(up) { up.cross($0.translation) } < 1e-9)
      // A turn of everything about any axis leaves the pictures alone too; gravity, in the propagation, forbids tilts.
      #expect(response(side) { side.cross($0.translation) } < 1e-9)
      #expect(
        response(.zero) { $0 == filter.clones[0].firstWorldFromIMU ? .zero : $0.translation } > 1e-6
          || distance == .infinity)
    }
  }
}
