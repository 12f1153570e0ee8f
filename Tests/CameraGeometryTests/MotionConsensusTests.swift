import CameraGeometry
import Foundation
import Geometry
import Simulation
import Testing

@Suite struct MotionConsensusTests {
  /// A direction on the arc has distance zero; one off its plane, its angle from it; one beyond an end, its angle from
  /// the end.
  @Test func theArcIsTheDirectionsOfStaticPoints() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<500 {
      let bearing = random.direction(), offset = random.gaussian3() * 0.3
      func angle(_ direction: Vector3) -> Double { Self.angle(bearing, offset, direction) }
      let distance = exp(random.uniform(log(0.3)...log(100)))
      let seen = (bearing * distance - offset).normalized
      #expect(angle(seen) < 1e-7)
      #expect(angle(bearing) < 1e-7)
      // Off the plane.
      let normal = bearing.cross(offset).normalized
      let tilt = random.uniform(0.001...0.1)
      let off = (seen * cos(tilt) + normal * sin(tilt)).normalized
      #expect(abs(angle(off) - tilt) < 1e-6)
      // Nearer than allowed: on the plane, beyond the end.
      let tooNear = (bearing * 0.15 - offset).normalized, end = (bearing * 0.3 - offset).normalized
      let beyond = atan2(end.cross(tooNear).norm, end.dot(tooNear))
      #expect(abs(angle(tooNear) - beyond) < 1e-6 || beyond > 1)
    }
  }

  /// Angle between a direction and the arc of a point at least 0.3 m away.
  static func angle(_ bearing: Vector3, _ offset: Vector3, _ direction: Vector3) -> Double {
    let rotation = Rotation.exp(Vector3(0.3, -1, 0.7))
    // The tested one in one lane, others beside it.
    let arcs = EpipolarArcs { i in
      i == 2 ? (bearing, direction) : (rotation * bearing, i == 1 ? rotation * direction : rotation.inverse * direction)
    }
    let square = arcs.squaredDistances(end: offset / 0.3, atMost: 10)[2]
    #expect(arcs.squaredDistances(end: offset / 0.3, atMost: 0.001)[2] == min(square, 0.001))
    return square.squareRoot()
  }

  @Test func withoutMotionTheArcIsAPoint() {
    let ahead = Vector3(0, 0, 1)
    #expect(Self.angle(ahead, .zero, ahead) == 0)
    for tilt in [1e-6, 0.004, 0.02, 1.0, 2.0, 3.1] {
      #expect(abs(Self.angle(ahead, .zero, Vector3(sin(tilt), 0, cos(tilt))) - tilt) < 1e-9)
    }
  }

  /// Against the arc itself, sampled in small steps, for directions of all kinds.
  @Test func theDistanceIsThatOfTheNearestDirectionOnTheArc() {
    var random = SeededRandom(seed: 2)
    for _ in 0..<200 {
      let bearing = random.direction(), offset = random.gaussian3() * exp(random.uniform(-6...0))
      let direction = (bearing + random.gaussian3() * exp(random.uniform(-5...1))).normalized
      let nearest = (0...20_000).map { k -> Double in
        let seen = bearing - offset * (Double(k) / 20_000 / 0.3)
        return atan2(seen.cross(direction).norm, seen.dot(direction))
      }.min()!
      #expect(abs(Self.angle(bearing, offset, direction) - nearest) < 1e-3)
    }
  }

  /// Points one to six metres away, observed before and after a motion by `offset` with noise; `moves` is the
  /// displacement of each point.
  static func correspondences(
    _ count: Int, offset: Vector3, sigma: Double, _ random: inout SeededRandom, moves: (Int) -> Vector3
  ) -> [MotionConsensus.Correspondence] {
    (0..<count).map { i in
      let point = Vector3(random.uniform(-1...1), random.uniform(-0.8...0.8), 1) * random.uniform(1.2...6)
      let noise = [random.gaussian3() * sigma, random.gaussian3() * sigma]
      return .init(
        before: (point.normalized + noise[0]).normalized,
        after: ((point + moves(i) - offset).normalized + noise[1]).normalized)
    }
  }

  /// The motion has a 1-sigma of 5 cm and errs by as much; up to half of the points move in different directions.
  @Test(arguments: [0.0, 0.1, 0.3, 0.5]) func movingPointsAreOutliersAndStaticOnesInliers(fraction: Double) throws {
    var random = SeededRandom(seed: 3)
    let sigma = 0.0024, count = 60, sliders = Int(fraction * 60)
    var kept = 0, caught = 0
    for _ in 0..<100 {
      let truth = random.gaussian3() * 0.1
      let correspondences = Self.correspondences(count, offset: truth, sigma: sigma, &random) { i in
        // At least 5 degrees.
        i < sliders ? Vector3(cos(Double(7 * i)), sin(Double(7 * i)), 0) * 0.6 : .zero
      }
      let consensus = try #require(
        MotionConsensus(
          offset: truth + random.gaussian3() * 0.05, covariance: 0.0025 * .identity, deviation: 2.0.squareRoot() * sigma
        ))
      let inliers = try #require(consensus.inliers(correspondences))
      caught += inliers.prefix(sliders).count { !$0 }
      kept += inliers.dropFirst(sliders).count { $0 }
    }
    // A point that moves along its own arc looks like a nearer one: that is unobservable.
    #expect(Double(caught) >= 0.8 * Double(100 * sliders))
    #expect(Double(kept) >= 0.995 * Double(100 * (count - sliders)))
  }

  /// Half of the image is a person who crosses in front of a device known to be stationary. The person is not taken for
  /// the static scene, although a device flying past a person before a very distant background would observe the same.
  @Test func aCoherentMovingObjectIsNotTheScene() throws {
    var random = SeededRandom(seed: 5)
    let sigma = 0.0024
    for _ in 0..<50 {
      let correspondences = Self.correspondences(60, offset: .zero, sigma: sigma, &random) {
        $0 < 30 ? Vector3(0.35, 0, 0) : .zero
      }
      let consensus = try #require(
        MotionConsensus(offset: .zero, covariance: 1e-4 * .identity, deviation: 2.0.squareRoot() * sigma))
      let inliers = try #require(consensus.inliers(correspondences))
      #expect(inliers.prefix(30).count { $0 } < 6 && inliers.suffix(30).count { $0 } == 30)
    }
  }

  /// A state with an error far beyond its covariance finds no majority, so no point is rejected.
  @Test func withoutAMajorityThereIsNoDecision() throws {
    var random = SeededRandom(seed: 7)
    let correspondences = Self.correspondences(60, offset: Vector3(0.6, 0, 0), sigma: 0.001, &random) { _ in .zero }
    let consensus = try #require(
      MotionConsensus(offset: Vector3(-0.6, 0.3, 0), covariance: 1e-6 * .identity, deviation: 0.0014))
    #expect(consensus.inliers(correspondences) == nil)
    #expect(consensus.inliers(Array(correspondences.prefix(5))) == nil)
    #expect(MotionConsensus(offset: .zero, covariance: .zero, deviation: 0.001) == nil)
    #expect(MotionConsensus(offset: Vector3(.nan, 0, 0), covariance: .identity, deviation: 0.001) == nil)
  }
}
