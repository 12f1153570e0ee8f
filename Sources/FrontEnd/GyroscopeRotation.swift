import Geometry
import SensorData

/// How a camera turned between two frames, from the gyroscope alone: its readings are kept until they are used.
///
/// Biases are left in: a hundredth of a radian a second turns half a milliradian between two frames, a fraction of a pixel.
package struct GyroscopeRotation {
  private let cameraFromIMU: Rotation
  private let timeOffset: Double
  private var samples: [IMUSample] = []
  private var last: Timestamp?

  /// A longer stretch without readings tells nothing, seconds.
  private static let longestGap = 0.1
  /// Readings a minute of which at 8 kHz would be half a million; older ones than this are dropped if no frame comes, seconds.
  private static let memory = 5.0

  /// For a camera of a device with an inertial unit.
  package init(imu: IMUCalibration, camera: CameraCalibration) {
    cameraFromIMU = (imu.bodyFromIMU.rotation.inverse * camera.bodyFromCamera.rotation).inverse
    timeOffset = camera.timeOffset
  }

  /// Takes a reading; one that is not later than the last, or no number, is ignored.
  package mutating func add(_ sample: IMUSample) {
    guard sample.angularVelocity.isFinite, samples.last.map({ $0.timestamp < sample.timestamp }) ?? true else { return }
    samples.append(sample)
    if let first = samples.first, sample.timestamp.seconds(since: first.timestamp) > 2 * Self.memory {
      samples.removeAll { sample.timestamp.seconds(since: $0.timestamp) > Self.memory }
    }
  }

  /// The turn since the frame before (camera now from camera then) when a frame of this stamp comes; nil without readings.
  package mutating func turn(to stamp: Timestamp) -> Rotation? {
    let now = stamp.advanced(bySeconds: timeOffset)
    defer {
      last = now
      // One reading before the frame stays, to begin the next stretch with.
      if let index = samples.lastIndex(where: { $0.timestamp <= now }) { samples.removeFirst(index) }
    }
    guard let last, last < now else { return nil }
    return integral(from: last, to: now).map { cameraFromIMU * $0.inverse * cameraFromIMU.inverse }
  }

  /// The IMU at `start` from the IMU at `end`, each reading standing until the next: at 200 Hz that is late by 2.5 ms,
  /// so the mean of two neighbours is taken.
  private func integral(from start: Timestamp, to end: Timestamp) -> Rotation? {
    var turn = Rotation.identity
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
      turn = turn * .exp((sample.angularVelocity + next.angularVelocity) * (seconds / 2))
      covered += seconds
      time = stop
    }
    return end.seconds(since: start) - covered < 0.02 ? turn : nil
  }
}
