import Datasets
import Foundation
import Geometry
import Premises
import SensorData

/// An inspection in words.
struct InspectionReport {
  /// The statistics.
  var inspection: Inspection
  /// The calibration.
  var rig: RigCalibration
  /// True states and true peers.
  var truth: [GroundTruthState]
  /// True positions of peers.
  var truePeers: [GroundTruthPeer]
  /// Where a run takes the trajectory from; nil where it refuses the recording.
  var source: TrajectorySource?
  /// What a run diagnoses.
  var diagnoses: [Diagnosis] = []
  /// What the motion shows, a sentence each.
  var motion: [String] = []
  /// What the sensors' times say of their clocks.
  var spans: [SensorSpans.Finding] = []

  /// Whether the trajectory comes from `odometry0`.
  var usesOdometry: Bool { source == .odometry }

  /// The whole report.
  func lines() -> [String] {
    section("sensors", sensors()) + section("ranges", ranges()) + section("calibration (body axes)", calibration())
      + section("when stationary", stillness()) + ["", "what this means"] + meaning().map { "  " + $0 }
  }

  private var start: Timestamp? {
    ([inspection.imu.first, inspection.odometry.first, inspection.radio.first] + inspection.frames.values.map(\.first))
      .compactMap { $0 }.min()
  }

  private func section(_ title: String, _ lines: [String]) -> [String] { lines.isEmpty ? [] : ["", title] + lines }

  private func seconds(_ time: Timestamp?) -> String {
    guard let time, let start else { return "-" }
    return "\(Words.fixed(time.seconds(since: start), 2)) s"
  }

  private func row(_ name: String, _ meter: RateMeter, _ note: String) -> [String] {
    let gaps = meter.gaps.map { "\(Words.fixed($0.length, 2)) s at \(seconds($0.at))" }
    let rate = meter.rate.map { "\(Words.fixed($0, 1)) Hz" } ?? "-"
    return [
      name, "\(meter.count)", rate, seconds(meter.first), seconds(meter.last),
      gaps.isEmpty ? "no gaps" : "gaps: " + gaps.joined(separator: ", "), note,
    ]
  }

  private func sensors() -> [String] {
    var table = Table([.left, .right, .right, .right, .right, .left, .left])
    table.add(["", "count", "rate", "from", "to", "", ""])
    if inspection.imu.count > 0 { table.add(row("imu0", inspection.imu, "")) }
    for (camera, meter) in inspection.frames.sorted(by: { $0.key < $1.key }) {
      let tracks = inspection.features[camera]?.quantile(0.5).map { "median \(Words.fixed($0, 0)) features" } ?? ""
      table.add(row("cam\(camera)", meter, [tracks, lightNote(camera)].joined(separator: ", ")))
    }
    if inspection.odometry.count > 0 {
      table.add(row("odometry0", inspection.odometry, "path \(Words.fixed(inspection.odometryPath, 1)) m"))
    }
    if inspection.radio.count > 0 {
      table.add(row("uwb0", inspection.radio, Words.count(inspection.peers.count, "peer")))
    }
    if let first = truth.first, let last = truth.last {
      table.add(["ground truth", "\(truth.count)", "", seconds(first.timestamp), seconds(last.timestamp), "", ""])
    }
    let events = inspection.events.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return table.lines() + (events.isEmpty ? [] : ["  events0: " + events])
  }

  private func lightNote(_ camera: Int) -> String {
    guard let light = inspection.light[camera], let median = light.quantile(0.5) else { return "light unknown" }
    return
      "light \(Words.fixed(light.minimum, 2)) to \(Words.fixed(light.maximum, 2)), median \(Words.fixed(median, 2))"
  }

  private func ranges() -> [String] {
    var table = Table([.left, .right, .right, .right, .right, .right, .right, .left, .left])
    table.add(["peer", "count", "rate", "min", "median", "max", "noise", "", ""])
    for (peer, ranges) in inspection.peers.sorted(by: { $0.key < $1.key }) {
      func metres(_ value: Double?) -> String { value.map { "\(Words.fixed($0, 2)) m" } ?? "-" }
      let gaps = ranges.meter.gaps
      let longest = gaps.first.map { "longest gap \(Words.fixed($0.length, 2)) s at \(seconds($0.at))" } ?? "no gaps"
      let extras = [(ranges.angles, "angles"), (ranges.sigmas, "sigmas")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      table.add([
        peer, "\(ranges.meter.count)", ranges.meter.rate.map { "\(Words.fixed($0, 1)) Hz" } ?? "-",
        metres(ranges.ranges.minimum), metres(ranges.ranges.quantile(0.5)), metres(ranges.ranges.maximum),
        ranges.noise.map { "\(Words.fixed($0, 3)) m" } ?? "-", longest, extras.joined(separator: ", "),
      ])
    }
    return inspection.peers.isEmpty ? [] : table.lines()
  }

  private func calibration() -> [String] {
    var table = Table([.left, .left, .left, .left])
    for row in CalibrationSanity.lines(rig) { table.add(row) }
    return table.lines()
  }

  private func stillness() -> [String] {
    guard let still = inspection.stillest.best, let imu = rig.imu else { return [] }
    let difference = still.meanForce - imu.gravityMagnitude
    return [
      "  stillest second at \(seconds(still.time)): specific force \(Words.fixed(still.meanForce, 3)) m/s^2"
        + " (gravity \(Words.fixed(imu.gravityMagnitude, 3)), difference \(Words.fixed(difference, 3))),"
        + " spread \(Words.fixed(still.forceSpread, 3)) m/s^2,"
        + " angular rate \(Words.fixed(Angle.inDegrees(still.meanRate), 2))°/s"
    ]
  }
}
