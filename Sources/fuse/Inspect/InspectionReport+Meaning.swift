import Geometry
import Premises
import SensorData

extension InspectionReport {
  /// What is missing or unusual, and the consequences for a run.
  func meaning() -> [String] {
    var lines = [trajectorySource()]
    lines += diagnoses.map(\.words) + motion
    lines += spans.map { ($0.isFault ? "PREMISE" : "note") + " clockOverlap: " + $0.words } + stillness()
    if inspection.peers.isEmpty { lines.append("no ranges: there is no peer to find") }
    for (peer, ranges) in inspection.peers.sorted(by: { $0.key < $1.key }) where ranges.isRepeating {
      lines.append(
        "\(peer): \(ranges.repeated) of \(ranges.meter.count) ranges repeat the previous one exactly: the radio hangs, "
          + "rounds coarsely, or was logged faster than it measures; repetitions beyond chance are not used")
    }
    if let light = inspection.light[0]?.quantile(0.5), light < 0.1 {
      lines.append("it is dark most of the time: insufficientLighting is to be expected")
    } else if inspection.frames[0] != nil, inspection.light[0] == nil {
      lines.append("no frames.csv: the light is not known, darkness shows only as missing features")
    }
    if let down = upsideDown() { lines.append(down) }
    if inspection.late > 0 { lines.append("\(Words.count(inspection.late, "event")) arrived late") }
    if truth.isEmpty {
      lines.append("no ground truth of the trajectory: no errors in result.json")
    } else if truePeers.isEmpty {
      lines.append("no ground truth of the peers: errors of the trajectory only")
    } else {
      let unknown = Set(inspection.peers.keys).subtracting(truePeers.map(\.peer)).sorted()
      if !unknown.isEmpty {
        lines.append("no ground truth of \(unknown.joined(separator: ", ")): their errors stay empty")
      }
    }
    return lines
  }

  private func trajectorySource() -> String {
    if usesOdometry {
      if inspection.odometry.count == 0 { return "no poses in odometry0 and no camera: distances only" }
      return (rig.cameras.isEmpty ? "no camera: " : "") + "the trajectory comes from odometry0"
    }
    if source == .imuAndCamera { return "the trajectory comes from IMU and camera" }
    let missing = inspection.imu.count > 0 ? "a camera beside imu0" : "imu0 and a camera"
    return "no sensors for a trajectory: fuse run refuses this recording; it needs \(missing), or odometry0"
  }

  private func stillness() -> [String] {
    guard let still = inspection.stillest.best, let gravity = rig.imu?.gravityMagnitude else { return [] }
    var lines: [String] = []
    let difference = abs(still.meanForce - gravity)
    if difference > 2 {
      lines.append(
        "the accelerometer measures \(Words.fixed(still.meanForce, 1)) m/s^2 when stationary: check unit and scale")
    } else if difference > 0.3 {
      lines.append(
        "when still the accelerometer is \(Words.fixed(difference, 2)) m/s^2 off: a large bias, or never stationary")
    }
    if still.forceSpread > 0.5 { lines.append("the device is never stationary: initialisation takes longer") }
    return lines
  }

  /// A note on an unusual attitude of the device, from the first true attitude.
  private func upsideDown() -> String? {
    let attitude = truth.first?.worldFromBody.rotation
    guard let attitude else { return nil }
    let top = (attitude * (rig.bodyFromDevice.rotation * Vector3(0, 1, 0))).z
    let back = (attitude * (rig.bodyFromDevice.rotation * Vector3(0, 0, -1))).z
    if top < -0.7 { return "the device is upside down at the start (its top points down)" }
    if back > 0.94 { return "the device lies on its face at the start: ahead is where its bottom edge points" }
    if back < -0.94 { return "the device lies on its back at the start: ahead is where its top edge points" }
    return nil
  }
}
