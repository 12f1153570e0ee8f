import Geometry
import PrecisionFinding
import SensorData
import Testing

/// The finder on IMU and camera, where a frame's stamp may differ from the IMU's clock.
@Suite struct InertialFinderTests {
  static func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  /// A stationary device whose camera sees nothing: IMU at 100 Hz, empty frames and ranges at 10 Hz.
  static func events(seconds: Double) -> [TimedEvent] {
    var events: [TimedEvent] = []
    for k in 0...Int(seconds * 100) {
      let t = 0.01 * Double(k)
      events.append(
        TimedEvent(
          .imu(IMUSample(timestamp: time(t), angularVelocity: .zero, specificForce: Vector3(0, 0, 9.81)))))
      if k % 10 == 2 { events.append(TimedEvent(.frame(CameraFrame(timestamp: time(t), features: [])))) }
      if k % 10 == 5 {
        events.append(TimedEvent(.range(RangeMeasurement(timestamp: time(t), peer: "a", range: 4))))
      }
    }
    return events
  }

  /// A camera whose clock is behind by more than the ranges' spacing: frames and ranges still meet the trajectory in
  /// the order of the IMU's clock, and every range finds its pose.
  @Test(arguments: [-0.08, 0, 0.08])
  func aCameraWithAnotherClockKeepsTheOrder(offset: Double) {
    let rig = RigCalibration(
      imu: IMUCalibration(
        gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-5, accelerometerNoiseDensity: 1e-2,
        accelerometerRandomWalk: 1e-4),
      cameras: [CameraCalibration(fx: 400, fy: 400, cx: 320, cy: 240, width: 640, height: 480, timeOffset: offset)],
      radio: RadioCalibration())
    let finder = PrecisionFinder(
      rig: rig, useOdometry: false,
      initialState: GroundTruthState(timestamp: Self.time(0), worldFromBody: .identity, velocity: .zero))
    let outputs = Self.events(seconds: 3).flatMap { finder.process($0) } + finder.finish()
    let times = outputs.times
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    let updates = outputs.updates().filter { $0.timestamp > Self.time(0.5) && $0.timestamp < Self.time(2.9) }
    #expect(updates.count == 24 + 23 && updates.allSatisfy { $0.object.quality == .precise })
    // Frames without features carry no information: lighting withholds the angle, not the distance.
    let late = updates.filter { $0.timestamp > Self.time(1) }
    #expect(late.allSatisfy { $0.convergence.reasons.first == .insufficientLighting && $0.object.distance != nil })
    #expect(late.allSatisfy { $0.object.horizontalAngle == nil && $0.object.verticalDirectionEstimate == .unknown })
  }
}
