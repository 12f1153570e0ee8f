import CameraGeometry

/// What moved in the picture over the last half second.
package struct ImageMotion: Equatable, Sendable {
  /// Median distance that features moved, pixels.
  let disparity: Double
  /// How the picture turned as a whole; nil where features moved so far that it cannot stand.
  let turn: ImageRotation?
  /// Over how long, seconds.
  let seconds: Double

  /// Pixels below which nothing is called a motion, whatever the noise: no tracker is better over half a second.
  private static let finest = 0.3

  /// The median distance, pixels, below which features may stand.
  ///
  /// Noise alone moves one by a median of 1.67 sigma, and that of a few by a sigma more now and then: a rest that has begun is not ended for that.
  static func farthest(_ camera: FilterCamera, isResting: Bool) -> Double {
    max(finest, (isResting ? 3 : 2) * camera.pixelNoise)
  }

  /// Whether the picture stands. A hand's slow turn hides in the noise of one feature, but not in that of all of them together.
  func stands(_ camera: FilterCamera, isResting: Bool) -> Bool {
    guard let turn, disparity < Self.farthest(camera, isResting: isResting) else { return false }
    let focal = camera.lens.focalLength
    return turn.vector.norm * focal < Self.finest
      || turn.normalizedSquare(noise: camera.pixelNoise / focal) < ChiSquaredQuantile.quantile9999(3)
  }

  /// How fast a picture that stands may turn, rad/s, 1-sigma; nil for one that does not stand.
  func unseenRate(_ camera: FilterCamera) -> Double? { bound(camera).map { $0 / seconds } }

  /// How far it may have turned, radians, 1-sigma of an error that is new in every frame, with one every `spacing` seconds: a hand sways slowly,
  /// so that all frames of the window err alike.
  func unseenRotation(_ camera: FilterCamera, every spacing: Double) -> Double? {
    let alike = spacing > 0 ? max(seconds / spacing, 1) : 1
    return bound(camera).map { max($0 * alike.squareRoot(), ZeroVelocityUpdate.rotationSigma) }
  }

  private func bound(_ camera: FilterCamera) -> Double? {
    turn.map { $0.bound(noise: camera.pixelNoise / camera.lens.focalLength) }
  }
}
