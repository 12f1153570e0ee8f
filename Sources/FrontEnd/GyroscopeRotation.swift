import Geometry
import SensorData

/// Rotation of a camera between two frames from the gyroscope alone; readings are stored until used.
///
/// Biases are ignored: 0.01 rad/s is half a milliradian between two frames, a fraction of a pixel.
package struct GyroscopeRotation {
  private let cameraFromIMU: Rotation
  private let timeOffset: Double
  private var samples: [IMUSample] = []
  private var last: Timestamp?

  /// Longest gap between readings, seconds; beyond it the rotation is unknown.
  private static let longestGap = 0.1
  /// Readings older than this are dropped if no frame comes, seconds; a minute at 8 kHz would be half a million.
  private static let memory = 5.0

  /// For a camera of a device with an inertial unit.
  package init(imu: IMUCalibration, camera: CameraCalibration) {
    cameraFromIMU = (imu.bodyFromIMU.rotation.inverse * camera.bodyFromCamera.rotation).inverse
    timeOffset = camera.timeOffset
  }

  /// Adds a reading; ignored if not later than the last, or not finite.
  package mutating func add(_ sample: IMUSample) {
    guard sample.angularVelocity.isFinite, samples.last.map({ $0.timestamp < sample.timestamp }) ?? true else { return }
    samples.append(sample)
    if let first = samples.first, sample.timestamp.seconds(since: first.timestamp) > 2 * Self.memory {
      samples.removeAll { sample.timestamp.seconds(since: $0.timestamp) > Self.memory }
    }
  }

  /// The rotation since the previous frame (camera now from camera then) at a frame of this stamp; nil without
  /// readings.
  package mutating func rotation(to stamp: Timestamp) -> Rotation? {
    let now = stamp.advanced(bySeconds: timeOffset)
    defer {
      last = now
      // One reading before the frame is kept for the next interval.
      if let index = samples.lastIndex(where: { $0.timestamp <= now }) { samples.removeFirst(index) }
    }
    guard let last, last < now else { return nil }
    return integral(from: last, to: now).map { cameraFromIMU * $0.inverse * cameraFromIMU.inverse }
  }

  /// The IMU at `start` from the IMU at `end`. The mean of neighbouring readings is integrated; holding each reading
  /// would be late by 2.5 ms at 200 Hz.
  private func integral(from start: Timestamp, to end: Timestamp) -> Rotation? {
    var rotation = Rotation.identity
    var time = start
    var covered = 0.0
    for (index, sample) in samples.enumerated() {
      let next = index + 1 < samples.count ? samples[index + 1] : sample
      let stop = index + 1 < samples.count ? min(next.timestamp, end) : end
      guard stop > time, sample.timestamp < end else { continue }
      let begin = max(time, sample.timestamp)
      let gap = stop.seconds(since: sample.timestamp)
      if gap > Self.longestGap { return nil }
      let seconds = stop.seconds(since: begin)
      rotation = rotation * .exp((sample.angularVelocity + next.angularVelocity) * (seconds / 2))
      covered += seconds
      time = stop
    }
    return end.seconds(since: start) - covered < 0.02 ? rotation : nil
  }
}
