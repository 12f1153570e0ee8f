import CameraGeometry
import Estimator
import EstimatorTestSupport
import Geometry
import Inertial
import SensorData
import Simulation
import TestSupport
import Testing

/// Factors of the dynamic initialisation.
@Suite struct StartFactorTests {
  static func vector(_ a: ArraySlice<Double>) -> Vector3 {
    Vector3(a[a.startIndex], a[a.startIndex + 1], a[a.startIndex + 2])
  }

  static func rows(_ blocks: [[Matrix3]]) -> [[Double]] {
    blocks.flatMap { row in (0..<3).map { i in row.flatMap { block in (0..<3).map { block[i, $0] } } } }
  }

  static func interval(_ source: inout SeededRandom) throws -> IMUInterval {
    var buffer = IMUBuffer()
    for i in 0...12 {
      _ = buffer.add(
        IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(i) * 5_000_000), angularVelocity: source.gaussian3(),
          specificForce: 9 * source.gaussian3()))
    }
    return try #require(
      IMUInterval(buffer, from: Timestamp(nanoseconds: 3_000_000), to: Timestamp(nanoseconds: 52_000_000)))
  }

  static func state(_ source: inout SeededRandom) -> InertialState {
    InertialState(
      rotation: source.rotation(), position: source.gaussian3(), velocity: source.gaussian3(),
      gyroscopeBias: 0.05 * source.gaussian3(), accelerometerBias: 0.5 * source.gaussian3())
  }

  static let noise = InertialNoise(StartWorld(seed: 1).imu)
  static let propagation = InertialPropagation(gravityMagnitude: 9.81)

  @Test func inertialJacobian() throws {
    var source = SeededRandom(seed: 11)
    for _ in 0..<20 {
      let start = Self.state(&source)
      let interval = try Self.interval(&source)
      let factor = try #require(InertialFactor(interval, from: start, Self.propagation, Self.noise))
      // Away from the propagated state: a fifth of a radian, half a metre off.
      let off = (0..<15).map { _ in 0.2 * source.gaussian() }
      var axes = IMUIntrinsics()
      axes.add((0..<IMUIntrinsics.count).map { _ in 0.02 * source.gaussian() }[...])
      let end = factor.carried(start, axes).plus(off)
      let numeric = FiniteDifferences.jacobian(inputs: 45) { d in
        var moved = axes
        moved.add(d[30..<45])
        let linear = factor.linearised(start.plus(Array(d[0..<15])), end.plus(Array(d[15..<30])), moved)
        return linear.error.flatMap { [$0.x, $0.y, $0.z] }
      }
      let analytic = Self.rows(factor.linearised(start, end, axes).jacobian)
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
  }

  @Test func intervalAgreesWithPropagation() throws {
    var source = SeededRandom(seed: 12)
    let rate = source.gaussian3(), force = 9 * source.gaussian3()
    var buffer = IMUBuffer()
    for i in 0...40 {
      _ = buffer.add(
        IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(i) * 5_000_000), angularVelocity: rate, specificForce: force))
    }
    func interval(_ a: Int64, _ b: Int64) throws -> IMUInterval {
      try #require(
        IMUInterval(
          buffer, from: Timestamp(nanoseconds: a * 1_000_000), to: Timestamp(nanoseconds: b * 1_000_000)))
    }
    let start = Self.state(&source)
    // Constant rate and force: one exact step, or any number of steps.
    let exact = Self.propagation.propagated(start, angularVelocity: rate, specificForce: force, dt: 0.137)
    let whole = try interval(13, 150)
    #expect(whole.duration == 0.137)
    #expect(whole.propagated(start, Self.propagation).minus(exact).allSatisfy { abs($0) < 1e-12 })
    let parts = try interval(77, 150).propagated(interval(13, 77).propagated(start, Self.propagation), Self.propagation)
    #expect(parts.minus(exact).allSatisfy { abs($0) < 1e-12 })
    let linear = whole.linearised(start, Self.propagation)
    #expect(linear.end == whole.propagated(start, Self.propagation))
    let numeric = FiniteDifferences.jacobian(inputs: 15) {
      whole.propagated(start.plus($0), Self.propagation).minus(linear.end)
    }
    let analytic = linear.transition.matrix
    let rows = (0..<15).map { i in Array(analytic[(15 * i)..<(15 * i + 15)]) }
    #expect(FiniteDifferences.largestDifference(rows, numeric) < 1e-6)
  }

  @Test func intervalRefusesGaps() {
    var buffer = IMUBuffer()
    for i in 0...20 where !(8..<30).contains(i * 2) {
      _ = buffer.add(
        IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(i) * 10_000_000), angularVelocity: .zero, specificForce: .zero))
    }
    func exists(_ a: Int64, _ b: Int64) -> Bool {
      IMUInterval(
        buffer, from: Timestamp(nanoseconds: a * 1_000_000), to: Timestamp(nanoseconds: b * 1_000_000)) != nil
    }
    #expect(exists(0, 30))
    #expect(!exists(0, 200), "over a gap of 120 ms")
    #expect(!exists(30, 30) && !exists(40, 20))
    #expect(!exists(160, 260), "beyond the last sample")
  }

  @Test(arguments: [0, 0.3, -0.02, 1.5]) func observationJacobian(inverseDistance: Double) throws {
    var source = SeededRandom(seed: 13)
    let world = StartWorld(seed: 2)
    let camera = FilterCamera(StartWorld.camera, imu: world.imu)
    for _ in 0..<20 {
      let state = InertialState(
        rotation: source.rotation(), position: 0.2 * source.gaussian3(), velocity: source.gaussian3())
      let rate = source.gaussian3()
      let mount = CameraMount(imuFromCamera: camera.imuFromCamera, delay: 0.01)
      let view = Reprojection.View(state, angularVelocity: rate, mount: mount)
      let worldFromCamera = view.worldFromCamera
      let ahead = worldFromCamera.rotation * Vector3(0.3 * source.gaussian(), 0.2 * source.gaussian(), 1).normalized
      let pixel = SIMD2(300.0, 200)
      let point = InverseDistancePoint(
        origin: worldFromCamera.translation + 0.1 * source.gaussian3(), bearing: ahead, inverseDistance: inverseDistance
      )
      let reprojection = Reprojection(lens: camera.lens, pixelNoise: camera.effectiveNoise)
      let linear = try #require(reprojection.linearised(view, point, pixel: pixel))
      let analytic = [linear.rows.0, linear.rows.1].map {
        [$0.theta, $0.position, $0.mountRotation, $0.mountTranslation].flatMap { [$0.x, $0.y, $0.z] }
          + [$0.delay, $0.point.x, $0.point.y, $0.point.z]
      }
      let numeric = FiniteDifferences.jacobian(inputs: 16, step: 1e-4) { d in
        // The velocity is in the world frame and does not rotate with the attitude.
        var moved = state
        moved.rotation = Rotation.exp(Self.vector(d[0..<3])) * state.rotation
        moved.position += Self.vector(d[3..<6])
        let view = Reprojection.View(moved, angularVelocity: rate, mount: mount.plus(d[6..<13]))
        let there = point.plus(Self.vector(d[13..<16]))
        let residual = reprojection.residual(view.worldFromCamera, there, pixel: pixel)!
        return [residual.x, residual.y]
      }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
  }

  /// No point of the sphere has a lower cost; without a unique minimum none is returned.
  @Test func gravityIsTheLeastOfTheSphere() throws {
    var source = SeededRandom(seed: 14)
    for _ in 0..<50 {
      let r = source.rotation().matrix
      let D =
        r * Matrix3(diagonal: Vector3(source.uniform(0...1), source.uniform(0...10), source.uniform(0...100)))
        * r.transpose
      let d = source.uniform(0.1...100) * source.gaussian3()
      func cost(_ g: Vector3) -> Double { D.form(g, g) - 2 * d.dot(g) }
      let g = try #require(GravitySphere.least(D, d, length: 9.81))
      #expect(abs(g.norm - 9.81) < 1e-9)
      let least = (0..<400).map { _ in cost(9.81 * source.gaussian3().normalized) }.min()!
      #expect(cost(g) <= least + 1e-9 * abs(least))
    }
    #expect(GravitySphere.least(.zero, .zero, length: 9.81) == nil)
    #expect(
      GravitySphere.least(Matrix3(diagonal: Vector3(1, 2, 3)), .zero, length: 9.81) == nil, "two ends of one axis")
    #expect(GravitySphere.least(.identity, Vector3(.nan, 0, 0), length: 9.81) == nil)
  }

  /// The closed form is exact for exact data.
  @Test(arguments: 1...10) func closedFormIsExact(seed: Int) throws {
    var world = StartWorld(seed: UInt64(seed))
    (world.isNoisy, world.gyroscopeBias, world.accelerometerBias) = (false, .zero, .zero)
    let camera = FilterCamera(StartWorld.camera, imu: world.imu)
    let (times, tracks) = world.window(1).selection(lens: camera.lens)
    let samples = world.samples(1.05)
    var moments = [ClosedFormInitializer.Moment(seconds: 0, pose: .identity)]
    for time in times.dropFirst() {
      let interval = try #require(IMUInterval(samples, from: times[0], to: time))
      let weightless = interval.propagated(InertialState(), InertialPropagation(gravityMagnitude: 0))
      moments.append(.init(seconds: interval.duration, pose: weightless.worldFromIMU))
    }
    let start = try #require(
      ClosedFormInitializer(
        moments, tracks: tracks.filter { $0.observations.count >= 3 }, imuFromCamera: camera.imuFromCamera,
        gravityMagnitude: 9.81, angularNoise: 1 / 458, gyroscopeBiasRate: 0))
    let actual = world.worldFromIMU(0).rotation.inverse
    // Limited by the interpolation between samples and the regularisation of distant points.
    #expect((start.gravity - actual * Vector3(0, 0, -9.81)).norm < 0.05)
    #expect((start.velocity - actual * world.velocity(0)).norm < 0.02)
  }

  @Test func blocksAreSolved() throws {
    var source = SeededRandom(seed: 15)
    var system = BlockSystem(size: 4)
    var full = [[Double]](repeating: [Double](repeating: 0, count: 12), count: 12)
    for _ in 0..<30 {
      let rows = (0..<4).map { _ in source.gaussian3() }
      let value = source.gaussian()
      for i in 0..<4 {
        system.right[i] += value * rows[i]
        for j in i..<4 { system.add(i, j, Matrix3(outer: rows[i], rows[j])) }
        for j in 0..<4 { for a in 0..<3 { for b in 0..<3 { full[3 * i + a][3 * j + b] += rows[i][a] * rows[j][b] } } }
      }
    }
    let x = try #require(system.solved()).flatMap { [$0.x, $0.y, $0.z] }
    let b = system.right.flatMap { [$0.x, $0.y, $0.z] }
    for i in 0..<12 { #expect(abs(zip(full[i], x).reduce(0) { $0 + $1.0 * $1.1 } - b[i]) < 1e-9) }
    let P = try #require(system.covariance(of: [0, 1, 2, 3]))
    for i in 0..<12 {
      for j in 0..<12 {
        let product = (0..<12).reduce(0) { $0 + full[i][$1] * P[12 * $1 + j] }
        #expect(abs(product - (i == j ? 1 : 0)) < 1e-9)
      }
    }
    let part = try #require(system.covariance(of: [3, 1]))
    #expect(abs(part[0] - P[12 * 9 + 9]) < 1e-12 && abs(part[3] - P[12 * 9 + 3]) < 1e-12)
    #expect(BlockSystem(size: 2).solved() == nil, "nothing known")
  }
}
