import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Simulation
import Testing

/// Reliability of one side of the path's plane against the other.
@Suite struct VerticalAmbiguityTests {
  private static let noise = RangeNoise(white: 0.06, coloured: 0, correlationTime: 1, correlationLength: 1e9)
  private static let height = 1.5

  /// A hand that moves round a circle of 2 m and bobs by `bob(t)` metres, twenty positions a second for twenty seconds.
  private static func positions(tilt: Rotation = .identity, bob: (Double) -> Double) -> [Vector3] {
    (0..<400).map { i in
      let t = 0.05 * Double(i)
      return tilt * Vector3(2 * cos(0.5 * t), 2 * sin(0.5 * t), bob(t))
    }
  }

  private static func verticalAmbiguity(_ positions: [Vector3], peer: Vector3, drift: Double = 0) -> VerticalAmbiguity?
  {
    var excitation = PathExcitation()
    for position in positions {
      excitation.add(
        position, seconds: 0.05, drift: AccumulatedDrift(positionVariance: drift * drift * 0.05),
        range: (peer - position).norm, observesHeight: false)
    }
    return excitation.verticalAmbiguity(noise: noise)
  }

  /// The log odds of the right side, from ranges drawn with white noise, over 400 draws. Their mean is the prediction,
  /// or up to twice that, their variance twice the mean, and nearly all of them lie within the bound of the image
  /// probability.
  @Test(arguments: [0.4, 1.3, 2.7])
  func theLogOddsOfRangesArePredicted(frequency: Double) throws {
    var random = SeededRandom(seed: 17)
    let peer = Vector3(4, 3, Self.height)
    let image = Vector3(4, 3, -Self.height)
    let positions = Self.positions { 0.06 * sin(2 * .pi * frequency * $0) }
    let odds = (0..<400).map { _ in
      positions.reduce(0.0) { sum, position in
        let range = (peer - position).norm + Self.noise.white * random.gaussian()
        let (right, wrong) = (range - (peer - position).norm, range - (image - position).norm)
        return sum + (wrong * wrong - right * right) / (2 * Self.noise.white * Self.noise.white)
      }
    }
    let mean = odds.reduce(0, +) / 400
    let variance = odds.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 400
    #expect(abs(variance / (2 * mean) - 1) < 0.2)

    let verticalAmbiguity = try #require(Self.verticalAmbiguity(positions, peer: peer))
    #expect(verticalAmbiguity.plane.normal.z > 0.999)
    let predicted = verticalAmbiguity.expectedInformation * Self.height * Self.height
    #expect(predicted < 1.05 * mean && predicted > 0.45 * mean, "\(predicted) predicted, \(mean) drawn")
    // Log odds over this bound would be right in at most these draws.
    let most = log(1 / verticalAmbiguity.imageProbability(atOffset: Self.height) - 1)
    #expect(most > mean - 2 * variance.squareRoot(), "\(most) is the bound on the log odds")
  }

  /// A path without displacement off its plane resolves no side, whatever its plane; a large displacement resolves it.
  @Test func aLevelPathResolvesNoSide() throws {
    for tilt in [Rotation.identity, .exp(Vector3(0.2, -0.1, 0))] {
      let peer = tilt * Vector3(4, 3, Self.height)
      let flat = try #require(Self.verticalAmbiguity(Self.positions(tilt: tilt) { _ in 0 }, peer: peer))
      #expect((flat.plane.normal - tilt * Vector3(0, 0, 1)).norm < 0.01)
      #expect(flat.imageProbability(atOffset: Self.height) > 0.49)
      let swept = try #require(Self.verticalAmbiguity(Self.positions(tilt: tilt) { 0.3 * sin($0) }, peer: peer))
      #expect(swept.imageProbability(atOffset: Self.height) < 1e-6)
      #expect(swept.imageProbability(atOffset: 0) == 0.5)
    }
  }

  /// Where the path's own error passes for its bob, ranges without end prove nothing.
  @Test func pathErrorBoundsTheResolution() throws {
    let peer = Vector3(4, 3, Self.height)
    let positions = Self.positions { 0.06 * sin(2 * .pi * 0.4 * $0) }
    let known = try #require(Self.verticalAmbiguity(positions, peer: peer, drift: 0.001))
    let poor = try #require(Self.verticalAmbiguity(positions, peer: peer, drift: 0.1))
    #expect(known.pathErrorProbability < 1e-9 && poor.pathErrorProbability > 0.15)
    #expect(poor.imageProbability(atOffset: 100) == poor.pathErrorProbability)
  }

  /// A posterior on one side becomes one on both, with these weights: the position lies between, the spread holds both,
  /// and the angle stays as it was.
  @Test func anAmbiguousPositionHasAnImage() {
    let gaussian = PositionGaussian(
      weight: 1, position: Vector3(3, 1, 3.5),
      covariance: Matrix3(rows: Vector3(0.04, 0.01, 0.02), Vector3(0.01, 0.05, -0.01), Vector3(0.02, -0.01, 0.09)))
    for imageProbability in [0, 0.1, 0.5] {
      let verticalAmbiguity = VerticalAmbiguity(
        plane: ReflectionPlane(point: Vector3(0, 0, 0.5), normal: Vector3(0, 0, 1)),
        pathErrorProbability: imageProbability, expectedInformation: 1e6)
      let alone = PosteriorView(worldFromDevice: SampleViews.device, gaussians: [gaussian])
      let view = PosteriorView(
        worldFromDevice: SampleViews.device, gaussians: [gaussian], verticalAmbiguity: verticalAmbiguity)
      #expect(abs(view.gaussiansWithImages.reduce(0) { $0 + $1.weight } - 1) < 1e-12)
      #expect((view.position.mean - Vector3(3, 1, 3.5 - 6 * imageProbability)).norm < 1e-9)
      let spread = view.position.covariance - alone.position.covariance
      #expect(abs(spread[2, 2] - 36 * imageProbability * (1 - imageProbability)) < 1e-9 && abs(spread[0, 0]) < 1e-12)
      #expect(abs((view.ambiguityCovariance - spread).trace) < 1e-12)
      #expect(view.horizontalAngle.mean == alone.horizontalAngle.mean && view.gaussians == alone.gaussians)
      let sides = view.verticalProbabilities(height: 1.2, elevation: 0.17)
      #expect(abs(sides.above - (1 - imageProbability)) < 1e-3 && abs(sides.below - imageProbability) < 1e-3)
    }
  }

  /// Many Gaussians have one image a side, and the outputs are as if each had its own.
  @Test func manyGaussiansHaveOneImageASide() {
    var random = SeededRandom(seed: 8)
    let verticalAmbiguity = VerticalAmbiguity(
      plane: ReflectionPlane(point: Vector3(0, 0, 0.5), normal: Vector3(0.1, 0, 1).normalized),
      pathErrorProbability: 0.2, expectedInformation: 0.1
    )
    let gaussians = (0..<120).map { _ in
      PositionGaussian(
        weight: random.uniform(0.1...1),
        position: Vector3(4, 2, random.uniform(0...1) < 0.8 ? 2.5 : -1.5) + 0.2 * random.gaussian3(),
        covariance: 0.02 * Matrix3.identity)
    }
    let many = PosteriorView(
      worldFromDevice: SampleViews.device, gaussians: gaussians, verticalAmbiguity: verticalAmbiguity)
    let each = gaussians.map {
      PosteriorView(worldFromDevice: SampleViews.device, gaussians: [$0], verticalAmbiguity: verticalAmbiguity)
    }
    let weights = gaussians.map(\.weight)
    func mean(_ value: (PosteriorView) -> Double) -> Double {
      zip(each, weights).reduce(0) { $0 + $1.1 * value($1.0) } / weights.reduce(0, +)
    }
    #expect(
      many.gaussiansWithImages.count == 122 && abs(many.gaussiansWithImages.reduce(0) { $0 + $1.weight } - 1) < 1e-12)
    #expect(abs(many.position.mean.z - mean { $0.position.mean.z }) < 1e-9)
    let square = mean { $0.position.covariance[2, 2] + $0.position.mean.z * $0.position.mean.z }
    #expect(abs(many.position.covariance[2, 2] - (square - many.position.mean.z * many.position.mean.z)) < 1e-9)
    let above = many.verticalProbabilities(height: 1.2, elevation: 0.17).above
    #expect(abs(above - mean { $0.verticalProbabilities(height: 1.2, elevation: 0.17).above }) < 0.01)
  }

  /// An AoA that observed the side needs no path.
  @Test func anElevationNeedsNoPath() {
    var excitation = PathExcitation()
    #expect(excitation.verticalAmbiguity(noise: Self.noise) == nil)
    excitation.add(.zero, seconds: 0.1, drift: AccumulatedDrift(), range: 3, observesHeight: true)
    #expect(excitation.verticalAmbiguity(noise: Self.noise) == nil)
  }
}
