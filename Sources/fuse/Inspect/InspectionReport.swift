import Datasets
import Foundation
import Geometry
import Premises
import SensorData
import Wording

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

  /// What is missing or unusual, and the consequences for a run.
  func meaning() -> [String] {
    var lines = [trajectorySource()]
    lines += diagnoses.map(\.words) + motion
    lines += spans.map { ($0.isFault ? "PREMISE" : "note") + " clockOverlap: " + $0.words } + faultsWhenStill()
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

  private func faultsWhenStill() -> [String] {
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

/// Quantiles of positive numbers within 1 %, in constant memory: a histogram with logarithmic bins.
package struct LogHistogram {
  private static let smallest = 1e-9
  private static let ratio = 1.02
  private static let bins = 2800  // up to 1e15

  private var counts = [Int](repeating: 0, count: bins)
  /// An empty histogram.
  package init() {}

  /// How many numbers it holds.
  package private(set) var count = 0
  /// The smallest number.
  package private(set) var minimum = Double.infinity
  /// The largest number.
  package private(set) var maximum = -Double.infinity

  /// Adds a number; all below 1e-9 count as that.
  package mutating func add(_ value: Double) {
    guard value.isFinite else { return }
    let position = log(max(value, Self.smallest) / Self.smallest) / log(Self.ratio)
    counts[min(Self.bins - 1, Int(position))] += 1
    count += 1
    minimum = min(minimum, value)
    maximum = max(maximum, value)
  }

  /// The quantile `p` (0...1); nil without numbers.
  package func quantile(_ p: Double) -> Double? {
    guard count > 0 else { return nil }
    let wanted = Int((p * Double(count - 1)).rounded())
    var seen = 0
    for (bin, bins) in counts.enumerated() {
      seen += bins
      if seen > wanted {
        return min(maximum, max(minimum, Self.smallest * pow(Self.ratio, Double(bin) + 0.5)))
      }
    }
    return maximum
  }
}

/// Statistics of the ranges of one peer.
package struct PeerRanges {
  /// No ranges yet.
  package init() {}

  /// Their rate and gaps.
  private(set) var meter = RateMeter()
  /// The ranges, metres.
  private(set) var ranges = LogHistogram()
  private var jumps = LogHistogram()
  /// How many came with an angle of arrival.
  private(set) var angles = 0
  /// How many came with a sigma of their own.
  private(set) var sigmas = 0
  /// How many equal the previous one exactly.
  private(set) var repeated = 0
  private var previous: [String: (Double, Double?)] = [:]

  /// Adds the next range.
  package mutating func add(_ range: RangeMeasurement) {
    meter.add(range.timestamp)
    ranges.add(range.range)
    if range.azimuth != nil { angles += 1 }
    if range.standardDeviation != nil { sigmas += 1 }
    // Per antenna: a second difference across two antennas would contain their baseline.
    let antenna = range.antenna ?? ""
    if previous[antenna]?.0 == range.range { repeated += 1 }
    if let (one, two) = previous[antenna], let two { jumps.add(abs(range.range - 2 * one + two)) }
    previous[antenna] = (range.range, previous[antenna]?.0)
  }

  /// Whether more of them repeat the previous one than chance explains, even with rounding to centimetres.
  package var isRepeating: Bool { Double(repeated) > 0.25 * Double(max(meter.count, 20)) }

  /// 1-sigma of the ranges' white noise, metres, from the median second difference, which removes smooth motion and is
  /// robust to outliers. 0.6745 is the normal quartile and sqrt(6) the noise of `r - 2 r' + r''`. Nil for few ranges.
  package var noise: Double? { jumps.count >= 10 ? jumps.quantile(0.5)! / (0.6745 * 6.0.squareRoot()) : nil }
}

/// Rate, span and gaps of a stream, in constant memory.
package struct RateMeter {
  /// A gap is a step longer than this many median steps
  private static let gapSteps = 5.0
  /// and longer than this, seconds.
  private static let shortestGap = 0.05

  /// No timestamps yet.
  package init() {}

  /// How many.
  private(set) var count = 0
  /// The first.
  private(set) var first: Timestamp?
  /// The last.
  private(set) var last: Timestamp?
  private var steps = LogHistogram()
  private var longSteps: [(at: Timestamp, length: Double)] = []

  /// The longest step and where it begins.
  private var longest: (at: Timestamp, length: Double)? { longSteps.first }

  /// Adds a timestamp.
  package mutating func add(_ time: Timestamp) {
    if let last {
      let step = time.seconds(since: last)
      steps.add(max(0, step))
      recordLong(step, at: last)
    }
    count += 1
    first = min(first ?? time, time)
    last = max(last ?? time, time)
  }

  /// Seconds from the first to the last.
  var span: Double { first.flatMap { first in last.map { $0.seconds(since: first) } } ?? 0 }
  /// Mean rate, Hz; nil for fewer than two.
  var rate: Double? { count > 1 && span > 0 ? Double(count - 1) / span : nil }
  /// The typical step, seconds.
  package var medianStep: Double? { steps.quantile(0.5) }

  /// The longest gaps, longest first, at most three.
  package var gaps: [(at: Timestamp, length: Double)] {
    guard let median = medianStep else { return [] }
    return longSteps.filter { $0.length > max(Self.gapSteps * median, Self.shortestGap) }
  }

  private mutating func recordLong(_ step: Double, at time: Timestamp) {
    guard longSteps.count < 3 || step > longSteps[2].length else { return }
    longSteps.append((time, step))
    longSteps.sort { $0.length != $1.length ? $0.length > $1.length : $0.at < $1.at }
    if longSteps.count > 3 { longSteps.removeLast() }
  }
}
