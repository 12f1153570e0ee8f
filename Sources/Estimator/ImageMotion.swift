import CameraGeometry

/// Motion in the image over the last half second.
package struct ImageMotion: Equatable, Sendable {
  /// Median displacement of the features, pixels.
  let disparity: Double
  /// Rotation of the image as a whole; nil where the disparity excludes a still image.
  let rotation: ImageRotation?
  /// Time interval, seconds.
  let seconds: Double

  /// Displacement always regarded as still, pixels, whatever the noise: no tracker is better over half a second.
  private static let finest = 0.3

  /// Limit of the median displacement of a still image, pixels.
  ///
  /// Noise alone gives a median of 1.67 sigma, and with few features sometimes one sigma more. The limit is larger once
  /// the device is stationary.
  static func farthest(_ camera: FilterCamera, isStationary: Bool) -> Double {
    max(finest, (isStationary ? 3 : 2) * camera.pixelNoise)
  }

  /// Whether the image is still. A hand's slow rotation is below the noise of one feature, but not below that of their
  /// mean.
  func isStill(_ camera: FilterCamera, isStationary: Bool) -> Bool {
    guard let rotation, disparity < Self.farthest(camera, isStationary: isStationary) else { return false }
    let focal = camera.lens.focalLength
    return rotation.vector.norm * focal < Self.finest
      || rotation.normalizedSquare(noise: camera.pixelNoise / focal) < ChiSquaredQuantile.quantile9999(3)
  }

  /// 1-sigma of an undetected rotation rate of a still image, rad/s; nil for one that is not still.
  func unseenRate(_ camera: FilterCamera) -> Double? { bound(camera).map { $0 / seconds } }

  /// 1-sigma of an undetected rotation, radians, for use as an independent error in every frame, with frames `spacing`
  /// seconds apart. A hand sways slowly, so all frames of the interval have the same error.
  func unseenRotation(_ camera: FilterCamera, every spacing: Double) -> Double? {
    let correlatedFrames = spacing > 0 ? max(seconds / spacing, 1) : 1
    return bound(camera).map { max($0 * correlatedFrames.squareRoot(), ZeroVelocityUpdate.rotationSigma) }
  }

  private func bound(_ camera: FilterCamera) -> Double? {
    rotation.map { $0.bound(noise: camera.pixelNoise / camera.lens.focalLength) }
  }
}
