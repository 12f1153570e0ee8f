import Geometry
import SensorData

extension InspectionReport {
  /// What is missing or odd, and what follows from it for whoever runs the recording.
  func meaning() -> [String] {
    var lines = [trajectorySource()]
    lines += overlap() + rest()
    if inspection.peers.isEmpty { lines.append("no ranges: there is no peer to find") }
    for (peer, ranges) in inspection.peers.sorted(by: { $0.key < $1.key }) where ranges.isRepeating {
      lines.append(
        "\(peer): \(ranges.repeated) of \(ranges.meter.count) ranges are the one before to the digit: the radio hangs, "
          + "counts coarsely, or was logged faster than it measures; what chance does not explain is no news")
    }
    if let light = inspection.light[0]?.quantile(0.5), light < 0.1 {
      lines.append("it is dark most of the time: insufficientLighting is to be expected")
    } else if inspection.frames[0] != nil, inspection.light[0] == nil {
      lines.append("no frames.csv: the light is not known, darkness shows only as missing features")
    }
    if let down = upsideDown() { lines.append(down) }
    if inspection.late > 0 { lines.append("\(Words.count(inspection.late, "event")) became known late") }
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
      if inspection.odometry.count == 0 { return "no poses in odometry0 and no camera: distances are all there is" }
      return (rig.cameras.isEmpty ? "no camera: " : "") + "the trajectory comes from odometry0"
    }
    if inspection.imu.count > 0, inspection.frames[0] != nil { return "the trajectory comes from IMU and camera" }
    return "nothing to make a trajectory from: distances are all there is"
  }

  /// Whether the sensors that must work together were on together.
  private func overlap() -> [String] {
    let source = usesOdometry ? inspection.odometry : inspection.frames[0] ?? RateMeter()
    guard let first = source.first, let last = source.last, let rangesFirst = inspection.radio.first,
      let rangesLast = inspection.radio.last
    else { return [] }
    let common = min(last, rangesLast).seconds(since: max(first, rangesFirst))
    if common <= 0 { return ["trajectory and ranges do not overlap in time: check that they share one clock"] }
    let all = max(last, rangesLast).seconds(since: min(first, rangesFirst))
    let text = "trajectory and ranges overlap for \(Words.fixed(common, 1)) of \(Words.fixed(all, 1)) s"
    return [common < 0.5 * all ? text + ": check that they share one clock" : text]
  }

  private func rest() -> [String] {
    guard let quiet = inspection.quietest.best, let gravity = rig.imu?.gravityMagnitude else { return [] }
    var lines: [String] = []
    let difference = abs(quiet.meanForce - gravity)
    if difference > 2 {
      lines.append("the accelerometer feels \(Words.fixed(quiet.meanForce, 1)) m/s^2 at rest: check its unit and scale")
    } else if difference > 0.3 {
      lines.append(
        "at rest the accelerometer is \(Words.fixed(difference, 2)) m/s^2 off: a large bias, or never at rest")
    }
    if quiet.forceSpread > 0.5 { lines.append("the device never rests: the start takes longer") }
    return lines
  }

  /// Where the device's top points in the world, from the first true or given attitude: a device can hang upside down.
  private func upsideDown() -> String? {
    let attitude = truth.first?.worldFromBody.rotation
    guard let attitude else { return nil }
    let top = (attitude * (rig.bodyFromDevice.rotation * Vector3(0, 1, 0))).z
    let back = (attitude * (rig.bodyFromDevice.rotation * Vector3(0, 0, -1))).z
    if top < -0.7 { return "the device hangs upside down at the start (its top points down)" }
    if back > 0.94 { return "the device lies on its face at the start: ahead is where its bottom edge points" }
    if back < -0.94 { return "the device lies on its back at the start: ahead is where its top edge points" }
    return nil
  }
}
