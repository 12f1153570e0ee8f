import CameraGeometry
import Estimator
import Geometry
import Inertial
import SensorData
import Simulation
import TestSupport
import Testing

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

  /// A filter with a few clones along a curve, corrected at random in between, so that present and first estimates
  /// differ by centimetres and degrees.
  static func flown(_ source: inout SeededRandom, corrected: Bool) throws -> InertialNavigation {
    var covariance = [Double](repeating: 0, count: 225)
    for i in 0..<15 { covariance[16 * i] = 1e-4 }
    let filter = try #require(
      InertialNavigation(
        calibration: imu, mount: CameraMount(imuFromCamera: camera.imuFromCamera), time: Timestamp(nanoseconds: 0),
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

  static func observations(
    _ clones: [Clone], of point: Vector3, _ source: inout SeededRandom
  ) -> [FeatureTrack.Observation] {
    clones.map { clone in
      let pose = clone.worldFromCamera
      let pixel = camera.lens.project(pose.inverse * point)!.pixel + SIMD2(source.gaussian(), source.gaussian())
      return .init(poseID: clone.id, pixel: pixel, direction: camera.lens.direction(ofPixel: pixel)!)
    }
  }

  /// The point in the camera of a clone.
  static func anchored(_ clone: Clone, _ point: Vector3) -> AnchoredPoint {
    let seen = clone.worldFromCamera.inverse * point
    return AnchoredPoint(bearing: seen.normalized, inverseDistance: 1 / seen.norm)
  }

  /// A pose with an error (theta, p) added.
  static func moved(_ pose: Pose, by d: ArraySlice<Double>) -> Pose {
    let k = d.startIndex
    return Pose(
      rotation: Rotation.exp(Vector3(d[k], d[k + 1], d[k + 2])) * pose.rotation,
      translation: pose.translation + Vector3(d[k + 3], d[k + 4], d[k + 5]))
  }

  /// Prediction of a point anchored at another camera, pixels over their noise.
  static func pixel(_ from: Pose, _ point: AnchoredPoint, _ to: Pose) -> [Double] {
    let offset = from.translation - to.translation
    let seen = from.rotation.inverse * (to.rotation * point.bearing - point.inverseDistance * offset)
    let pixel = camera.lens.project(seen)!.pixel / camera.pixelNoise
    return [pixel.x, pixel.y]
  }

  static func inverseDistances() -> [Double] { [0, 1.0 / 60, 0.25, 0.7] }

  /// The Jacobians of an observation compared with differences of the prediction: by the observing clone, the anchor
  /// and the point.
  @Test(arguments: inverseDistances()) func jacobiansOfAnObservationAreTheDerivatives(inverseDistance: Double) throws {
    var source = SeededRandom(seed: 1)
    for _ in 0..<10 {
      let filter = try Self.flown(&source, corrected: false)
      let clone = filter.clones[4], anchor = filter.clones[1]
      let bearing = Vector3(0.4 * source.gaussian(), 0.3 * source.gaussian(), 1).normalized
      let point = AnchoredPoint(bearing: bearing, inverseDistance: inverseDistance)
      let observation = try #require(
        ReprojectionJacobian(SIMD2(100, 200), from: clone, of: point, anchor: anchor, camera: Self.camera))
      let numeric = FiniteDifferences.jacobian(inputs: 15) { (d: [Double]) -> [Double] in
        Self.pixel(
          Self.moved(clone.worldFromCamera, by: d[0..<6]), point.plus(Vector3(d[12], d[13], d[14])),
          Self.moved(anchor.worldFromCamera, by: d[6..<12]))
      }
      let analytic = observation.rows.map { row in
        [row.rotation, row.position, row.anchorRotation, row.anchorPosition, row.point].flatMap { [$0.x, $0.y, $0.z] }
      }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
      let predicted = Self.pixel(clone.worldFromCamera, point, anchor.worldFromCamera)
      #expect(abs(observation.rows[0].residual - (100 / Self.camera.pixelNoise - predicted[0])) < 1e-9)
      #expect(abs(observation.rows[1].residual - (200 / Self.camera.pixelNoise - predicted[1])) < 1e-9)
    }
  }

  /// The stacked Jacobians of a track, including the anchor's own observation.
  @Test(arguments: [0, 2, 4]) func jacobiansOfATrackAreTheDerivatives(anchor: Int) throws {
    var source = SeededRandom(seed: 4)
    let filter = try Self.flown(&source, corrected: false)
    let clones = filter.clones, n = clones.count
    let position = clones[0].worldFromCamera.translation + Vector3(3, 0.6, -0.1)
    let point = Self.anchored(clones[anchor], position)
    let observations = Self.observations(clones, of: position, &source)
    let full = try #require(FeatureConstraint.linearised(observations, clones, anchor: anchor, point, [Self.camera]))
    let numeric = FiniteDifferences.jacobian(inputs: 6 * n + 3) { (d: [Double]) -> [Double] in
      let poses = (0..<n).map { (i: Int) -> Pose in Self.moved(clones[i].worldFromCamera, by: d[6 * i..<6 * i + 6]) }
      let shifted = point.plus(Vector3(d[6 * n], d[6 * n + 1], d[6 * n + 2]))
      return poses.flatMap { Self.pixel($0, shifted, poses[anchor]) }
    }
    let analytic = (0..<2 * n).map { (row: Int) -> [Double] in
      Array(full.pose[row * 6 * n..<(row + 1) * 6 * n]) + Array(full.point[3 * row..<3 * row + 3])
    }
    #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
  }

  /// A landmark's initial error is that of least squares over its observations, with and without a prior: covariance is
  /// the inverse normal matrix; the derivative by the clones is that of the solution.
  @Test(arguments: [nil, 0.3, 1.0]) func aLandmarkIsInitializedFromItsOwnObservations(sigma: Double?) throws {
    var source = SeededRandom(seed: 6)
    let filter = try Self.flown(&source, corrected: false)
    let clones = filter.clones, width = 6 * clones.count
    let position = clones[0].worldFromCamera.translation + Vector3(2.5, 0.5, 0.2)
    let point = Self.anchored(clones[1], position)
    let observations = Self.observations(clones, of: position, &source)
    let prior = sigma.map { InverseDistancePrior(mean: 0.3, sigma: $0) }
    let made = try #require(
      FeatureConstraint(
        observations: observations, clones: clones, anchor: 1, point: point, secondOrderNoise: nil, prior: prior,
        cameras: [Self.camera]))
    #expect(made.rows.residual.count == 2 * observations.count - 3 + (prior == nil ? 0 : 1))

    let definition = try #require(made.definition)
    let full = try #require(FeatureConstraint.linearised(observations, clones, anchor: 1, point, [Self.camera]))
    var normal = Matrix3.zero, right = Vector3.zero
    var mixed = [Vector3](repeating: .zero, count: width)
    for row in full.residual.indices {
      let f = Vector3(full.point[3 * row], full.point[3 * row + 1], full.point[3 * row + 2])
      normal += Matrix3(outer: f, f)
      right += full.residual[row] * f
      for j in 0..<width { mixed[j] += full.pose[row * width + j] * f }
    }
    if let prior {
      let weight = 1 / (prior.sigma * prior.sigma)
      normal[2, 2] += weight
      right.z += weight * (prior.mean - point.inverseDistance)
    }
    let inverse = try #require(normal.inverse)
    let expected = point.plus(inverse * right)
    #expect((definition.point.bearing - expected.bearing).norm < 1e-9)
    #expect(abs(definition.point.inverseDistance - expected.inverseDistance) < 1e-9)
    for i in 0..<3 {
      for j in 0..<3 {
        #expect(abs(definition.independent[3 * i + j] - inverse[i, j]) < 1e-9 * inverse[i, i] + 1e-12)
      }
      for j in 0..<width { #expect(abs(definition.jacobian[i * width + j] + (inverse * mixed[j])[i]) < 1e-8) }
    }
  }

  /// Without parallax and prior the distance is undefined (this once ended in a rotation by NaN).
  @Test func withoutParallaxTheDistanceIsUndefined() throws {
    var source = SeededRandom(seed: 8)
    let filter = try Self.flown(&source, corrected: false)
    let clones = [filter.clones[2], filter.clones[2], filter.clones[2]]
    let position = clones[0].worldFromCamera.translation + Vector3(3, 0, 0)
    let observations = Self.observations(clones, of: position, &source)
    let point = Self.anchored(clones[0], position)
    func made(_ prior: InverseDistancePrior?) -> FeatureConstraint? {
      FeatureConstraint(
        observations: observations, clones: clones, anchor: 0, point: point, secondOrderNoise: nil, prior: prior,
        cameras: [Self.camera])
    }
    #expect(try #require(made(nil)).definition == nil)
    let sigma = try #require(made(.handHeld)?.definition).independent[8].squareRoot()
    #expect(abs(sigma - InverseDistancePrior.handHeld.sigma) < 1e-9)
  }

  /// Global translation and rotation stay unobservable for any corrections of the clones since their first estimates,
  /// for near points and points at infinity; scale does not.
  @Test(arguments: inverseDistances()) func fourDirectionsStayUnobservable(inverseDistance: Double) throws {
    var source = SeededRandom(seed: 2)
    for _ in 0..<10 {
      let filter = try Self.flown(&source, corrected: true)
      let near = filter.clones[0].worldFromCamera.translation + Vector3(3, source.gaussian(), 0.5)
      let observations = Self.observations(filter.clones, of: near, &source)
      let bearing = Self.anchored(filter.clones[1], near).bearing
      let constraint = try #require(
        FeatureConstraint(
          observations: observations, clones: filter.clones, anchor: 1,
          point: AnchoredPoint(bearing: bearing, inverseDistance: inverseDistance), secondOrderNoise: nil,
          cameras: [Self.camera]))

      func response(_ theta: Vector3, _ shift: (Pose) -> Vector3) -> Double {
        let direction = filter.clones.flatMap { clone -> [Double] in
          let p = shift(clone.firstWorldFromCamera)
          return [theta.x, theta.y, theta.z, p.x, p.y, p.z]
        }
        let width = direction.count
        return constraint.rows.residual.indices.map { row in
          abs((0..<width).reduce(0) { $0 + constraint.rows.jacobian[row * width + $1] * direction[$1] })
        }.max()!
      }
      for axis in [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)] {
        #expect(response(.zero) { _ in axis } < 1e-9)
        // A global rotation about any axis leaves the images unchanged; gravity, in the propagation, makes tilt
        // observable.
        #expect(response(axis) { axis.cross($0.translation) } < 1e-9)
      }
      let center = filter.clones[1].firstWorldFromCamera.translation
      let scaled = response(.zero) { $0.translation - center }
      #expect(inverseDistance == 0 ? scaled == 0 : scaled > 1e-6)
    }
  }
}
