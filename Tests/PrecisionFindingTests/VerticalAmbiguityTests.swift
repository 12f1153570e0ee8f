import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Simulation
import Testing

/// How far it is trusted that a peer is on this side of the path's plane and not on the other.
@Suite struct VerticalAmbiguityTests {
  private static let noise = RangeNoise(white: 0.06, coloured: 0, correlationTime: 1, correlationLength: 1e9)
  private static let height = 1.5

  /// A hand that isMoving round in a circle of 2 m and bobs by `bob(t)` metres, twenty places a second for twenty seconds.
  private static func places(tilt: Rotation = .identity, bob: (Double) -> Double) -> [Vector3] {
    (0..<400).map { i in
      let t = 0.05 * Double(i)
      return tilt * Vector3(2 * cos(0.5 * t), 2 * sin(0.5 * t), bob(t))
    }
  }

  private static func mirror(_ places: [Vector3], peer: Vector3, drift: Double = 0) -> VerticalAmbiguity? {
    var aperture = PathExcitation()
    for place in places {
      aperture.note(
        place, seconds: 0.05, drift: AccumulatedDrift(positionVariance: drift * drift * 0.05),
        range: (peer - place).norm, observesHeight: false)
    }
    return aperture.mirror(noise: noise)
  }

  /// The logarithm of the odds of the right side, from ranges drawn with white noise, over 400 draws: its mean is what is told, or up to twice
  /// that, its variance twice the mean, and nearly all of it lies where the doubt says.
  @Test(arguments: [0.4, 1.3, 2.7])
  func theOddsThatRangesCollectAreForetold(frequency: Double) throws {
    var random = SeededRandom(seed: 17)
    let peer = Vector3(4, 3, Self.height)
    let image = Vector3(4, 3, -Self.height)
    let places = Self.places { 0.06 * sin(2 * .pi * frequency * $0) }
    let odds = (0..<400).map { _ in
      places.reduce(0.0) { sum, place in
        let range = (peer - place).norm + Self.noise.white * random.gaussian()
        let (right, wrong) = (range - (peer - place).norm, range - (image - place).norm)
        return sum + (wrong * wrong - right * right) / (2 * Self.noise.white * Self.noise.white)
      }
    }
    let mean = odds.reduce(0, +) / 400
    let variance = odds.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 400
    #expect(abs(variance / (2 * mean) - 1) < 0.2)

    let mirror = try #require(Self.mirror(places, peer: peer))
    #expect(mirror.plane.normal.z > 0.999)
    let told = mirror.telling * Self.height * Self.height
    #expect(told < 1.05 * mean && told > 0.45 * mean, "\(told) told, \(mean) drawn")
    // Who believes the odds more than this doubt lets him would be right to in at most these draws.
    let most = log(1 / mirror.doubt(atHeight: Self.height) - 1)
    #expect(most > mean - 2 * variance.squareRoot(), "\(most) is the most that is believed")
  }

  /// A path without a step off its plane tells nothing, whatever its plane; much of one tells all.
  @Test func aLevelPathTellsNoSide() throws {
    for tilt in [Rotation.identity, .exp(Vector3(0.2, -0.1, 0))] {
      let peer = tilt * Vector3(4, 3, Self.height)
      let flat = try #require(Self.mirror(Self.places(tilt: tilt) { _ in 0 }, peer: peer))
      #expect((flat.plane.normal - tilt * Vector3(0, 0, 1)).norm < 0.01)
      #expect(flat.doubt(atHeight: Self.height) > 0.49)
      let swept = try #require(Self.mirror(Self.places(tilt: tilt) { 0.3 * sin($0) }, peer: peer))
      #expect(swept.doubt(atHeight: Self.height) < 1e-6)
      #expect(swept.doubt(atHeight: 0) == 0.5)
    }
  }

  /// Where the path's own error passes for its bob, ranges without end prove nothing.
  @Test func aPathThatErrsIsDoubtedHoweverManyRangesThereAre() throws {
    let peer = Vector3(4, 3, Self.height)
    let places = Self.places { 0.06 * sin(2 * .pi * 0.4 * $0) }
    let known = try #require(Self.mirror(places, peer: peer, drift: 0.001))
    let poor = try #require(Self.mirror(places, peer: peer, drift: 0.1))
    #expect(known.pathErrorShare < 1e-9 && poor.pathErrorShare > 0.15)
    #expect(poor.doubt(atHeight: 100) == poor.pathErrorShare)
  }

  /// Of a side that has won, it counts how often it wins wrongly: drawn odds, begun at what the search believed.
  @Test(arguments: [(0.5, 0.4), (0.5, 3), (0.8, 0.4), (0.8, 3), (0.2, 3), (0.95, 1)])
  func aSideThatWonIsDoubtedAsOftenAsItWinsWrongly(share: Double, information: Double) {
    var random = SeededRandom(seed: 5)
    var (wins, wrong) = (0.0, 0.0)
    for _ in 0..<200_000 {
      let isHere = random.uniform(0...1) < share
      let odds = (isHere ? 1 : -1) * information + (2 * information).squareRoot() * random.gaussian()
      guard odds + log(share / (1 - share)) > 0 else { continue }
      wins += 1
      if !isHere { wrong += 1 }
    }
    let mirror = VerticalAmbiguity(
      plane: ReflectionPlane(point: .zero, normal: Vector3(0, 0, 1)), pathErrorShare: 0, telling: 100,
      tracking: .init(share: share, telling: information / 4))
    #expect(abs(mirror.doubt(atHeight: 2) - wrong / wins) < 0.01)
    // On the other side of the plane it is the rest of the hypotheses that has won.
    let other = VerticalAmbiguity(
      plane: ReflectionPlane(point: .zero, normal: Vector3(0, 0, 1)), pathErrorShare: 0, telling: 100,
      tracking: .init(share: 1 - share, telling: information / 4))
    #expect(abs(other.doubt(atHeight: -2) - mirror.doubt(atHeight: 2)) < 1e-12)
  }

  /// What the search has seen is not counted again, and what it believed is remembered once.
  @Test func theSearchIsRemembered() throws {
    let peer = Vector3(4, 3, Self.height)
    func ball(_ z: Double, _ weight: Double) -> PositionGaussian {
      PositionGaussian(weight: weight, position: Vector3(4, 3, z), covariance: 0.01 * Matrix3.identity)
    }
    var aperture = PathExcitation()
    func walk(_ bob: Double) {
      for place in Self.places(bob: { bob * sin(2 * .pi * 0.4 * $0) }) {
        aperture.note(
          place, seconds: 0.05, drift: AccumulatedDrift(), range: (peer - place).norm, observesHeight: false)
      }
    }
    walk(0.02)
    let searched = try #require(aperture.mirror(noise: Self.noise))
    #expect(searched.tracking == nil)
    aperture.endSearch([ball(Self.height, 0.9), ball(-Self.height, 0.1)], noise: Self.noise)
    let handedOver = try #require(aperture.mirror(noise: Self.noise))
    #expect(handedOver.tracking == .init(share: 0.9, telling: 0) && handedOver.telling == searched.telling)
    #expect(abs(handedOver.doubt(atHeight: Self.height) - 0.1) < 1e-6)
    #expect(abs(handedOver.doubt(atHeight: -Self.height) - 0.9) < 1e-6)
    aperture.endSearch([ball(Self.height, 1)], noise: Self.noise)
    walk(0.3)
    let swept = try #require(aperture.mirror(noise: Self.noise))
    #expect(swept.tracking?.share == 0.9 && swept.doubt(atHeight: Self.height) < 1e-6)
  }

  /// A belief in one side is one in both, in these shares: the place lies between, the spread holds both, and the angle stays as it was.
  @Test func aDoubtedPlaceHasAnImage() {
    let place = PositionGaussian(
      weight: 1, position: Vector3(3, 1, 3.5),
      covariance: Matrix3(rows: Vector3(0.04, 0.01, 0.02), Vector3(0.01, 0.05, -0.01), Vector3(0.02, -0.01, 0.09)))
    for doubt in [0, 0.1, 0.5] {
      let mirror = VerticalAmbiguity(
        plane: ReflectionPlane(point: Vector3(0, 0, 0.5), normal: Vector3(0, 0, 1)), pathErrorShare: doubt, telling: 1e6)
      let alone = PosteriorView(worldFromDevice: Beliefs.device, gaussians: [place])
      let belief = PosteriorView(worldFromDevice: Beliefs.device, gaussians: [place], mirror: mirror)
      #expect(abs(belief.places.reduce(0) { $0 + $1.weight } - 1) < 1e-12)
      #expect((belief.position.mean - Vector3(3, 1, 3.5 - 6 * doubt)).norm < 1e-9)
      let spread = belief.position.covariance - alone.position.covariance
      #expect(abs(spread[2, 2] - 36 * doubt * (1 - doubt)) < 1e-9 && abs(spread[0, 0]) < 1e-12)
      #expect(abs((belief.mirrorSpread - spread).trace) < 1e-12)
      #expect(belief.horizontalAngle.mean == alone.horizontalAngle.mean && belief.gaussians == alone.gaussians)
      let sides = belief.verticalProbabilities(height: 1.2, elevation: 0.17)
      #expect(abs(sides.above - (1 - doubt)) < 1e-3 && abs(sides.below - doubt) < 1e-3)
    }
  }

  /// Many Gaussians have one image a side, and what is read off them is as if each had its own.
  @Test func manyPlacesHaveOneImageASide() {
    var random = SeededRandom(seed: 8)
    let mirror = VerticalAmbiguity(
      plane: ReflectionPlane(point: Vector3(0, 0, 0.5), normal: Vector3(0.1, 0, 1).normalized), pathErrorShare: 0.2, telling: 0.1
    )
    let gaussians = (0..<120).map { _ in
      PositionGaussian(
        weight: random.uniform(0.1...1),
        position: Vector3(4, 2, random.uniform(0...1) < 0.8 ? 2.5 : -1.5) + 0.2 * random.gaussian3(),
        covariance: 0.02 * Matrix3.identity)
    }
    let many = PosteriorView(worldFromDevice: Beliefs.device, gaussians: gaussians, mirror: mirror)
    let each = gaussians.map { PosteriorView(worldFromDevice: Beliefs.device, gaussians: [$0], mirror: mirror) }
    let weights = gaussians.map(\.weight)
    func mean(_ value: (PosteriorView) -> Double) -> Double {
      zip(each, weights).reduce(0) { $0 + $1.1 * value($1.0) } / weights.reduce(0, +)
    }
    #expect(many.places.count == 122 && abs(many.places.reduce(0) { $0 + $1.weight } - 1) < 1e-12)
    #expect(abs(many.position.mean.z - mean { $0.position.mean.z }) < 1e-9)
    let square = mean { $0.position.covariance[2, 2] + $0.position.mean.z * $0.position.mean.z }
    #expect(abs(many.position.covariance[2, 2] - (square - many.position.mean.z * many.position.mean.z)) < 1e-9)
    let above = many.verticalProbabilities(height: 1.2, elevation: 0.17).above
    #expect(abs(above - mean { $0.verticalProbabilities(height: 1.2, elevation: 0.17).above }) < 0.01)
  }

  /// What an angle of arrival has told of the side needs no path.
  @Test func anElevationNeedsNoPath() {
    var aperture = PathExcitation()
    #expect(aperture.mirror(noise: Self.noise) == nil)
    aperture.note(.zero, seconds: 0.1, drift: AccumulatedDrift(), range: 3, observesHeight: true)
    #expect(aperture.mirror(noise: Self.noise) == nil)
  }
}
