import CameraGeometry
import Geometry
import SensorData
import Simulation
import Testing

/// Rotation of an image from all its features.
@Suite struct ImageRotationTests {
  static let lens = FeatureTracksTests.lens
  static let noise = 1.5

  /// Features before and after a rotation of the scene; `sliding` of them move independently.
  static func fit(
    _ vector: Vector3, count: Int = 40, field: Double = 0.6, noise: Double = noise, sliding: Int = 0, fewest: Int = 10,
    _ random: inout SeededRandom
  ) -> ImageRotation? {
    func feature(_ id: Int, _ direction: Vector3, _ slide: Double) -> FeatureObservation {
      let pixel = lens.project(direction)!.pixel
      return FeatureObservation(
        featureID: Int64(id), u: pixel.x + slide + noise * random.gaussian(), v: pixel.y + noise * random.gaussian())
    }
    let directions = (0..<count).map { _ in Vector3(random.uniform(-field...field), random.uniform(-field...field), 1) }
    let old = directions.enumerated().map { feature($0, $1, 0) }
    let new = directions.enumerated().map { feature($0, Rotation.exp(vector) * $1, $0 < sliding ? 60 : 0) }
    return ImageRotation(from: old, to: new, lens: lens, fewest: fewest)
  }

  @Test func findsTheRotation() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<20 {
      let vector = 0.01 * random.gaussian3()
      let found = try #require(Self.fit(vector, noise: 0, &random)).vector
      #expect((found - vector).norm < vector.squaredNorm)
    }
  }

  /// Three degrees of freedom: a mean of 3, whose 1-sigma over 400 is 0.12. Near the image centre a pixel is an angle
  /// of 1 / f; truncation at 3.5 sigma lowers the mean slightly.
  @Test func itsCovarianceIsConsistent() throws {
    var random = SeededRandom(seed: 2)
    let sigma = Self.noise / Self.lens.focalLength
    let squares = try (0..<400).map { _ in
      try #require(Self.fit(.zero, field: 0.15, &random)).normalizedSquare(noise: sigma)
    }
    let mean = squares.reduce(0, +) / 400
    #expect(mean > 2.5 && mean < 3.5)
  }

  /// Moving points are rejected as long as they are the minority.
  @Test func movingPointsDoNotRotateTheImage() throws {
    var random = SeededRandom(seed: 3)
    let sigma = Self.noise / Self.lens.focalLength
    for _ in 0..<50 {
      #expect(try #require(Self.fit(.zero, sliding: 8, &random)).normalizedSquare(noise: sigma) < 21.1)
    }
  }

  /// The bound exceeds the rotation: root mean square over the axes.
  @Test func theBoundExceedsTheRotation() throws {
    var random = SeededRandom(seed: 4)
    let sigma = Self.noise / Self.lens.focalLength
    for size in [0, 0.002, 0.01] {
      let bounds = try (0..<50).map { _ in
        try #require(Self.fit(Vector3(0, size, 0), &random)).bound(noise: sigma)
      }
      #expect(bounds.reduce(0, +) / 50 > size)
    }
  }

  @Test func withoutEnoughCommonFeaturesThereIsNone() {
    var random = SeededRandom(seed: 5)
    #expect(Self.fit(.zero, count: 9, &random) == nil)
    #expect(ImageRotation(from: [], to: [], lens: Self.lens, fewest: 1) == nil)
    // Rotated about its own direction, a single feature does not move.
    #expect(Self.fit(.zero, count: 1, noise: 0, fewest: 1, &random) == nil)
  }
}
