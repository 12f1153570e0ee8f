import EstimatorTestSupport
import Testing

/// Global position and yaw are unobservable by camera and IMU: over a whole recording, no row of any update, no
/// propagation and no re-anchoring is informative along these four directions.
@Suite struct UnobservableDirectionsStatistics {
  /// An estimated calibration has no component in them either, wherever its Jacobians are evaluated.
  @Test(arguments: [false, true]) func aMinuteGivesNoInformationAboutThem(calibrates: Bool) throws {
    let recorder = UnobservableDirectionsRecorder()
    let travelled = recorder.record(seconds: 60, calibrates: calibrates)
    #expect(recorder.updates > 900 && recorder.rows > 20_000 && recorder.anchors > 300)
    #expect(travelled > 1e-3, "estimates that never leave the first ones prove nothing")
    #expect(recorder.largest.update < 1e-9)
    #expect(recorder.largest.propagation < 1e-9)
    #expect(recorder.largest.anchor < 1e-9)
    #expect(recorder.smallestTilt > 1e-3)
  }
}
