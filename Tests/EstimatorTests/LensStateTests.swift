import CameraGeometry
import Estimator
import EstimatorTestSupport
import Geometry
import Inertial
import SensorData
import Simulation
import TestSupport
import Testing

/// The lens as part of the state: its columns in every row, its correlation with landmarks, and held parameters.
@Suite struct LensStateTests {
  typealias Scene = FeatureConstraintTests

  /// The filter of `FeatureConstraintTests` with the lens in its state.
  static func flown(_ source: inout SeededRandom) throws -> (filter: InertialNavigation, camera: FilterCamera) {
    var covariance = [Double](repeating: 0, count: 225)
    for i in 0..<15 { covariance[16 * i] = 1e-4 }
    let filter = try #require(
      InertialNavigation(
        calibration: Scene.imu, mount: CameraMount(imuFromCamera: Scene.camera.imuFromCamera), lens: Scene.camera.lens,
        learning: CalibrationConfiguration.allOnline, time: Timestamp(nanoseconds: 0),
        state: InertialState(position: Vector3(1, 2, 1), velocity: Vector3(0.1, 0.4, 0.1)),
        initialCovariance: covariance))
    for i in 0...250 {
      let time = Timestamp(nanoseconds: Int64(i) * 5_000_000)
      _ = filter.samples.add(
        IMUSample(timestamp: time, angularVelocity: Vector3(0.1, 0.05, -0.1), specificForce: Vector3(0.2, -0.3, 9.9)))
    }
    for k in 1...5 {
      #expect(filter.advance(to: Timestamp(nanoseconds: Int64(k) * 250_000_000)))
      _ = filter.clone()
    }
    // The lens away from its initial value.
    var correction = [Double](repeating: 0, count: filter.covariance.dimension)
    let offset = filter.covariance.offset(of: filter.lensBlock!)
    for k in 0..<4 { correction[offset + k] = 0.01 * source.gaussian() }
    filter.apply(correction)
    return (filter, Scene.camera.known(to: filter))
  }

  /// An observation's columns by the lens, compared with differences of the prediction.
  @Test(arguments: Scene.inverseDistances()) func theColumnsOfTheLensAreTheDerivatives(inverseDistance: Double) throws {
    var source = SeededRandom(seed: 41)
    for _ in 0..<10 {
      let (filter, camera) = try Self.flown(&source)
      let clone = filter.clones[4], anchor = filter.clones[1]
      let bearing = Vector3(0.4 * source.gaussian(), 0.3 * source.gaussian(), 1).normalized
      let point = AnchoredPoint(bearing: bearing, inverseDistance: inverseDistance)
      let observation = try #require(
        ReprojectionJacobian(SIMD2(100, 200), from: clone, of: point, anchor: anchor, camera: camera))
      let numeric = FiniteDifferences.jacobian(inputs: 4) { (d: [Double]) -> [Double] in
        let from = clone.worldFromCamera, to = anchor.worldFromCamera
        let seen =
          from.rotation.inverse
          * (to.rotation * point.bearing - point.inverseDistance * (from.translation - to.translation))
        let pixel = camera.lens.plus(d[...]).project(seen)!.pixel / camera.pixelNoise
        return [pixel.x, pixel.y]
      }
      let analytic = observation.rows.map { row in (0..<4).map { row.lens[$0] } }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
  }

  /// A landmark is correlated with the lens that observed it: the last columns of its definition are the derivative of
  /// least squares with respect to the lens. The remaining constraint is independent of the point.
  @Test func aLandmarkIsCorrelatedWithTheLens() throws {
    var source = SeededRandom(seed: 43)
    let (filter, camera) = try Self.flown(&source)
    let clones = filter.clones, width = 6 * clones.count + 4
    let position = clones[0].worldFromCamera.translation + Vector3(2.5, 0.5, 0.2)
    let point = Scene.anchored(clones[1], position)
    let observations = Scene.observations(clones, of: position, &source)
    let made = try #require(
      FeatureConstraint(
        observations: observations, clones: clones, anchor: 1, point: point, secondOrderNoise: nil, cameras: [camera]))
    #expect(made.rows.blocks == clones.map(\.block) + [filter.lensBlock!])
    #expect(made.rows.width == width)
    let definition = try #require(made.definition)
    let full = try #require(FeatureConstraint.linearised(observations, clones, anchor: 1, point, [camera]))
    var normal = Matrix3.zero
    var mixed = [Vector3](repeating: .zero, count: width)
    for row in full.residual.indices {
      let f = Vector3(full.point[3 * row], full.point[3 * row + 1], full.point[3 * row + 2])
      normal += Matrix3(outer: f, f)
      for j in 0..<width { mixed[j] += full.pose[row * width + j] * f }
    }
    let inverse = try #require(normal.inverse)
    for j in 0..<width {
      for i in 0..<3 { #expect(abs(definition.jacobian[i * width + j] + (inverse * mixed[j])[i]) < 1e-8) }
    }
    // The columns of the whole stack compared with differences of all predictions.
    let numeric = FiniteDifferences.jacobian(inputs: 4) { (d: [Double]) -> [Double] in
      clones.flatMap { clone -> [Double] in
        let from = clone.worldFromCamera, to = clones[1].worldFromCamera
        let seen =
          from.rotation.inverse
          * (to.rotation * point.bearing - point.inverseDistance * (from.translation - to.translation))
        let pixel = camera.lens.plus(d[...]).project(seen)!.pixel / camera.pixelNoise
        return [pixel.x, pixel.y]
      }
    }
    let analytic = full.residual.indices.map { row in Array(full.pose[row * width + width - 4..<(row + 1) * width]) }
    #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
  }

  /// An update with held rows has zero gain for them: Joseph's form, valid for any gain.
  @Test func heldRowsAreSchmidtConsidered() throws {
    var source = SeededRandom(seed: 44)
    for _ in 0..<10 {
      let n = 9, m = 4
      let root = (0..<n * n).map { _ in source.gaussian() }
      var p = [Double](repeating: 0, count: n * n)
      for i in 0..<n { for j in 0..<n { for k in 0..<n { p[i * n + j] += root[i * n + k] * root[j * n + k] } } }
      let covariance = ErrorCovariance()
      let a = try #require(covariance.augment(size: 5, independent: (0..<25).map { p[$0 / 5 * n + $0 % 5] }))
      // Correlated with the first: x_b = J x_a + w.
      let J = (0..<20).map { _ in source.gaussian() }
      let b = try #require(
        covariance.augment(
          size: 4, jacobian: [(a, J)],
          independent: ErrorCovariance.diagonal((0..<4).map { _ in source.uniform(0.5...2) })))
      p = covariance.marginal([a, b])
      let H = (0..<m * n).map { _ in source.gaussian() }
      let residual = (0..<m).map { _ in source.gaussian() }
      let held = [2, 3, 5, 8]
      let free = ErrorCovariance()
      let whole = try #require(free.augment(size: n, independent: p))
      guard case .accepted(_, let best) = free.update(jacobian: [(whole, H)], residual: residual) else {
        Issue.record("no update")
        return
      }
      // The optimal gain from the optimal update: K = P+ H^T for unit noise.
      let after = free.marginal([whole])
      var gain = [Double](repeating: 0, count: n * m)
      for i in 0..<n { for k in 0..<m { for j in 0..<n { gain[i * m + k] += after[i * n + j] * H[k * n + j] } } }
      for i in held { for k in 0..<m { gain[i * m + k] = 0 } }
      var left = [Double](repeating: 0, count: n * n)
      for i in 0..<n {
        for j in 0..<n {
          left[i * n + j] = i == j ? 1 : 0
          for k in 0..<m { left[i * n + j] -= gain[i * m + k] * H[k * n + j] }
        }
      }
      covariance.held = [(a, 2..<4), (b, 0..<1), (b, 3..<4)]
      let Ha = (0..<m).flatMap { row in H[row * n..<row * n + 5] },
        Hb = (0..<m).flatMap { row in H[row * n + 5..<row * n + 9] }
      guard case .accepted(_, let correction) = covariance.update(jacobian: [(a, Ha), (b, Hb)], residual: residual)
      else {
        Issue.record("no update")
        return
      }
      let made = covariance.marginal([a, b])
      for i in 0..<n {
        #expect(abs(correction[i] - (held.contains(i) ? 0 : best[i])) < 1e-9 * (1 + abs(best[i])))
        for j in 0..<n {
          var joseph = 0.0
          for k in 0..<n { for l in 0..<n { joseph += left[i * n + k] * p[k * n + l] * left[j * n + l] } }
          for k in 0..<m { joseph += gain[i * m + k] * gain[j * m + k] }
          #expect(abs(made[i * n + j] - joseph) < 1e-9 * (1 + abs(joseph)))
        }
      }
    }
  }
}
