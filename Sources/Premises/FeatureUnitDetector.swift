import SensorData

/// Whether features are in pixels: of an image of hundreds of pixels not all of them lie within a pixel or two of the corner.
package struct FeatureUnitDetector {
  /// How features are written instead.
  package enum Unit: String {
    /// Fractions of width and height.
    case imageSize = "the image's size"
    /// On the plane at distance one.
    case focalLength = "the focal length"
  }

  /// Features and frames that are looked at, and the least size of an image, pixels.
  private static let features = 100, frames = 5, leastSize = 64
  /// Largest coordinate that is none in pixels: half the field of view of 136 degrees, in focal lengths.
  private static let largest = 2.5

  private var seen = (features: 0, frames: 0)
  private var range = (low: Double.infinity, high: -Double.infinity)
  private var isDone = false

  /// No features yet.
  package init() {}

  /// Takes a frame in; the unit when it has just become known.
  package mutating func append(_ frame: CameraFrame, _ camera: CameraCalibration) -> Unit? {
    guard !isDone, !frame.features.isEmpty, min(camera.width, camera.height) >= Self.leastSize else { return nil }
    for f in frame.features {
      range = (min(range.low, f.u, f.v), max(range.high, f.u, f.v))
    }
    seen = (seen.features + frame.features.count, seen.frames + 1)
    if max(-range.low, range.high) > Self.largest {
      isDone = true
      return nil
    }
    guard seen.features >= Self.features, seen.frames >= Self.frames else { return nil }
    isDone = true
    return range.low >= 0 && range.high <= 1 ? .imageSize : .focalLength
  }
}
