import Premises
import SensorData
import Testing

/// Features that are not in pixels are named within a second.
@Suite struct CoordinateTests {
  private static let camera = CameraCalibration(fx: 400, fy: 410, cx: 320, cy: 240, width: 640, height: 480)

  /// Ten frames of 30 features all over the image, as `change` writes them.
  private static func unit(_ change: (Double, Double) -> (Double, Double)) -> FeatureUnitDetector.Unit? {
    var test = FeatureUnitDetector(), found: FeatureUnitDetector.Unit?
    for k in 0..<10 {
      let features = (0..<30).map { i in
        let (u, v) = change(Double((131 * i + 7 * k) % 640), Double((97 * i + 11 * k) % 480))
        return FeatureObservation(featureID: Int64(i), u: u, v: v)
      }
      let frame = CameraFrame(timestamp: Timestamp(nanoseconds: Int64(k) * 50_000_000), features: features)
      if let unit = test.append(frame, camera) { found = unit }
    }
    return found
  }

  @Test func pixelsAreRight() {
    #expect(Self.unit { ($0, $1) } == nil)
    // A blob in the corner, and an image counted from its middle.
    #expect(Self.unit { ($0 / 50, $1 / 50) } == nil)
    #expect(Self.unit { ($0 - 320, $1 - 240) } == nil)
  }

  @Test func otherUnitsAreNamed() {
    #expect(Self.unit { ($0 / 640, $1 / 480) } == .imageSize)
    #expect(Self.unit { (($0 - 320) / 400, ($1 - 240) / 410) } == .focalLength)
  }

  @Test func aTinyImageMayBeSmall() {
    var test = FeatureUnitDetector()
    let camera = CameraCalibration(fx: 2, fy: 2, cx: 1, cy: 1, width: 2, height: 2)
    for k in 0..<40 {
      let features = (0..<30).map { FeatureObservation(featureID: Int64($0), u: 1, v: 1) }
      #expect(test.append(CameraFrame(timestamp: Timestamp(nanoseconds: Int64(k)), features: features), camera) == nil)
    }
  }
}
