import Foundation
import Geometry
import LeastSquares
import SensorData

/// Tests a recording's ground truth against its sensors: whether it overlaps in time, its clock, and its world's up.
///
/// - Overlap: of the truth's span and the recording's.
/// - Clock: the rotation of the device over 0.1 s, by gyroscope (or by another tracker) and by the truth, and the
///   ranges against the true distances, with the truth shifted in time. Both are one likelihood: where the radio alone
///   is late, the rotations refute a shift of the truth. Shifts up to 0.05 s count as stated.
/// - Up: the mean specific force of 2 s, carried into the truth's world, points up. Half of all windows more than 20
///   degrees off would need 3.6 m/s^2 held through each of them: no device that is carried does that.
///
/// Holds one cell for each 0.1 s of rotation and of each link's ranges; `diagnoses()` looks at 2,000 of each at most.
package struct TruthConsistency {
  /// The true pose of the body at a time; nil where there is none.
  private let worldFromBody: (Timestamp) -> Pose?
  /// The true position of a peer; nil where there is none.
  private let peerPosition: (String, Timestamp) -> Vector3?
  private let rig: RigCalibration
  /// Whether the spans of truth and recording overlap.
  private let overlaps: Bool
  private let spans: (truth: ClosedRange<Timestamp>, recording: ClosedRange<Timestamp>)

  private struct Turn {
    var start: Timestamp
    var end: Timestamp
    /// Angle of the rotation from start to end, radians.
    var angle: Double
  }

  private struct Link: Hashable, Comparable {
    var peer: String
    var antenna: String?

    static func < (a: Link, b: Link) -> Bool { (a.peer, a.antenna ?? "") < (b.peer, b.antenna ?? "") }
  }

  private struct Distance {
    var link: Link
    var time: Timestamp
    var range: Double
  }

  /// Length of a cell, and the longest interval between samples in it, seconds.
  private static let cell = 0.1, longestInterval = 0.05
  /// Length of a window of gravity, seconds.
  private static let window = 2.0
  /// 1-sigma of a cell's angle (bias of the gyroscope, noise of the truth), radians, and of a range, metres.
  private static let turnSigma = 0.01, rangeSigma = 0.3
  /// Independent values in a cell: errors of both last.
  private static let turnWeight = 0.5, rangeWeight = 0.2
  /// Normalised squares above this are cut.
  private static let cap = 16.0
  /// Largest number of cells that are compared.
  private static let most = 2000
  /// Shifts of the truth that count as stated, seconds.
  private static let stated = [0, -0.05, -0.025, 0.025, 0.05]
  /// Shifts that are tried, seconds.
  private static let shifts: [Double] = {
    let near = (2...20).map { Double($0) * 0.05 }
    let far = (5...20).map { Double($0) * 0.25 }
    return (near + far).flatMap { [$0, -$0] }
  }()
  /// Log likelihood ratio beyond which a shift is named, costs paid; and how many times it must lower the squares.
  private static let limit = 18.0, leastGain = 2.0
  /// Angle between up and the truth's z from which windows contradict it, radians.
  private static let tiltLimit = 20 * Double.pi / 180

  private var turns: [Turn] = []
  private var distances: [Distance] = []
  private var newest: [Link: Timestamp] = [:]
  private var sample: IMUSample?
  private var turned = (start: Timestamp(nanoseconds: 0), sum: Vector3.zero)
  private var anchor: OdometryPose?
  private var force = (start: Timestamp(nanoseconds: 0), sum: Vector3.zero, size: 0.0, count: 0)
  /// Means of full windows in the truth's world, in units of the mean size of the specific force.
  private var ups: [Vector3] = []

  /// A test of the truth that `worldFromBody` and `peerPosition` give, metres.
  ///
  /// - Parameters:
  ///   - truth: from its first row to its last.
  ///   - recording: from its first event to its last, whatever part of it is read.
  package init(
    rig: RigCalibration, truth: ClosedRange<Timestamp>, recording: ClosedRange<Timestamp>,
    worldFromBody: @escaping (Timestamp) -> Pose?,
    peerPosition: @escaping (String, Timestamp) -> Vector3?
  ) {
    self.rig = rig
    spans = (truth, recording)
    overlaps = truth.overlaps(recording)
    self.worldFromBody = worldFromBody
    self.peerPosition = peerPosition
  }

  /// Takes an event in, in any order; late ones are left out.
  package mutating func observe(_ event: SensorEvent) {
    guard overlaps else { return }
    switch event {
    case .imu(let sample): observe(sample)
    case .odometry(let pose) where rig.imu == nil: observe(pose)
    case .range(let range):
      let time = range.timestamp
      let link = Link(peer: range.peer, antenna: range.antenna)
      guard newest[link].map({ time.seconds(since: $0) >= Self.cell }) ?? true else { return }
      newest[link] = time
      distances.append(Distance(link: link, time: time, range: range.range))
    default: break
    }
  }

  private mutating func observe(_ sample: IMUSample) {
    defer { self.sample = sample }
    guard let last = self.sample, let imu = rig.imu else {
      turned = (sample.timestamp, .zero)
      return
    }
    let interval = sample.timestamp.seconds(since: last.timestamp)
    guard interval > 0, interval <= Self.longestInterval else {
      turned = (sample.timestamp, .zero)
      force.count = 0
      return
    }
    turned.sum += (0.5 * interval) * (last.angularVelocity + sample.angularVelocity)
    if sample.timestamp.seconds(since: turned.start) >= Self.cell {
      turns.append(Turn(start: turned.start, end: sample.timestamp, angle: turned.sum.norm))
      turned = (sample.timestamp, .zero)
    }
    addForce(imu.bodyFromIMU.rotation * sample.specificForce, at: sample.timestamp)
  }

  private mutating func observe(_ pose: OdometryPose) {
    // Without an inertial unit the other tracker says where up is.
    let bodyFromSensor = rig.odometry?.bodyFromSensor.rotation ?? .identity
    addForce(bodyFromSensor * (pose.worldFromSensor.rotation.inverse * Vector3(0, 0, 1)), at: pose.timestamp)
    guard let anchor else {
      self.anchor = pose
      return
    }
    let span = pose.timestamp.seconds(since: anchor.timestamp)
    guard span >= Self.cell || span < 0 else { return }
    self.anchor = pose
    guard span > 0, span <= 5 * Self.cell else { return }
    let turn = anchor.worldFromSensor.rotation.inverse * pose.worldFromSensor.rotation
    turns.append(Turn(start: anchor.timestamp, end: pose.timestamp, angle: turn.log.norm))
  }

  /// Adds a force in body axes to the window; windows without the truth at any of their samples are left out.
  private mutating func addForce(_ body: Vector3, at time: Timestamp) {
    guard let pose = worldFromBody(time) else {
      force.count = 0
      return
    }
    if force.count == 0 { force = (time, .zero, 0, 0) }
    force.sum += pose.rotation * body
    force.size += body.norm
    force.count += 1
    guard time.seconds(since: force.start) >= Self.window else { return }
    if force.size > 0 { ups.append(force.sum / force.size) }
    force.count = 0
  }

  // MARK: - Diagnoses

  /// What the data refute about the truth.
  ///
  /// - Parameter refuted: families of which a premise is refuted already: their sensors are no witnesses.
  package func diagnoses(refuted: Set<Diagnosis.Family> = []) -> [Diagnosis] {
    guard overlaps else {
      let after = spans.truth.lowerBound.seconds(since: spans.recording.lowerBound)
      return [
        Diagnosis(
          code: "truthOverlap", family: .truth,
          sentence: "the ground truth does not overlap with the sensors in time: nothing can be judged",
          evidence:
            "it begins \(Format.number(abs(after))) s \(after < 0 ? "before" : "after") the recording, and lasts "
            + "\(Format.number(spans.truth.upperBound.seconds(since: spans.truth.lowerBound))) s",
          remedy: "stamp truth and sensors by one clock, in nanoseconds")
      ]
    }
    if !refuted.contains(.time), let clock = clock() { return [clock] }
    let witness: Diagnosis.Family = rig.imu == nil ? .odometry : .imu
    return refuted.contains(witness) ? [] : [convention()].compactMap(\.self)
  }

  private func convention() -> Diagnosis? {
    guard ups.count >= 3 else { return nil }
    // A mean much shorter than its parts has no direction: the rotations are wrong.
    let angles = ups.map { up in up.norm < 0.5 ? Double.pi / 2 : acos(min(max(up.z / up.norm, -1), 1)) }.sorted()
    let median = angles[angles.count / 2]
    guard median > Self.tiltLimit else { return nil }
    let mean = ups.reduce(.zero, +) / Double(ups.count)
    let witness = rig.imu == nil ? "the tracker's up" : "the mean specific force"
    return Diagnosis(
      code: "truthConvention", family: .truth,
      sentence: mean.norm < 0.5
        ? "the ground truth's attitudes contradict gravity: no direction of its world stays up"
        : "the ground truth's world is not z up: up points along \(Self.axis(mean)) there",
      evidence:
        "\(witness) is \(Format.degrees(median)) degrees from the truth's +z in the median of \(ups.count) windows "
        + "of \(Format.number(Self.window)) s",
      remedy: "write body-to-world quaternions as w, x, y, z in a gravity-aligned world with z up")
  }

  private static func axis(_ up: Vector3) -> String {
    let parts = [(up.x, "x"), (up.y, "y"), (up.z, "z")]
    let largest = parts.max { abs($0.0) < abs($1.0) }!
    return (largest.0 < 0 ? "-" : "+") + largest.1
  }

  private func clock() -> Diagnosis? {
    let null = Self.stated.map { fit(shift: $0) }.min { $0.cost < $1.cost }!
    guard null.turns.count + null.distances.count > 20 else { return nil }
    let found = Self.shifts.map { shift in
      let fit = fit(shift: shift)
      return (shift: shift, ratio: Self.ratio(null, fit), fit: fit)
    }
    let largest = found.map(\.ratio).max() ?? -.infinity
    // Below the expected noise nothing is gained: of shifts that explain as much, the one with the least squares.
    let best = found.filter { $0.ratio > largest - 1 }.min { $0.fit.squares < $1.fit.squares }
    guard let best, best.ratio > Self.limit, best.fit.isMuchBetter(than: null) else { return nil }
    let late = best.shift > 0
    let seconds = Format.number(abs(best.shift))
    return Diagnosis(
      code: "truthClock", family: .truth,
      sentence: "the ground truth is stamped \(seconds) s \(late ? "late" : "early") against the sensors",
      evidence: "\(Format.ratio(best.ratio)) over \(null.turns.count) rotations and \(null.distances.count) ranges",
      remedy: "\(late ? "subtract" : "add") \(seconds) s \(late ? "from" : "to") the truth's stamps")
  }

  /// Mean capped squares of rotations and ranges, and how many there are.
  private struct Fit {
    var turns = (count: 0, mean: 0.0)
    var distances = (count: 0, mean: 0.0)

    /// Whether rotations or ranges have far smaller squares than another fit's.
    func isMuchBetter(than other: Fit) -> Bool {
      other.turns.mean > TruthConsistency.leastGain * max(turns.mean, 1)
        || other.distances.mean > TruthConsistency.leastGain * max(distances.mean, 1)
    }
    /// Weighted sum of the squares, without the floor of `cost`.
    var squares: Double {
      TruthConsistency.turnWeight * Double(turns.count) * turns.mean
        + TruthConsistency.rangeWeight * Double(distances.count) * distances.mean
    }
    /// Minus the log likelihood, up to a constant.
    var cost: Double {
      0.5 * TruthConsistency.turnWeight * Double(turns.count) * log(max(turns.mean, 1))
        + 0.5 * TruthConsistency.rangeWeight * Double(distances.count) * log(max(distances.mean, 1))
    }
  }

  /// The log likelihood ratio of a shift, the cost of having tried many paid. Few common values cannot win.
  private static func ratio(_ null: Fit, _ fit: Fit) -> Double {
    func part(_ a: (count: Int, mean: Double), _ b: (count: Int, mean: Double), _ weight: Double) -> Double {
      let n = weight * Double(min(a.count, b.count))
      return n / 2 * (log(max(a.mean, 1)) - log(max(b.mean, 1)))
    }
    let parts = [part(null.turns, fit.turns, turnWeight), part(null.distances, fit.distances, rangeWeight)]
    // A witness that speaks against the shift: the other's clock is wrong, not the truth's.
    guard parts.allSatisfy({ $0 > -3 }) else { return -.infinity }
    return parts[0] + parts[1] - log(Double(shifts.count))
  }

  private func fit(shift: Double) -> Fit {
    var fit = Fit()
    for turn in Self.thinned(turns) {
      guard let a = worldFromBody(turn.start.advanced(bySeconds: shift)),
        let b = worldFromBody(turn.end.advanced(bySeconds: shift))
      else { continue }
      let error = ((a.rotation.inverse * b.rotation).log.norm - turn.angle) / Self.turnSigma
      fit.turns.count += 1
      fit.turns.mean += min(error * error, Self.cap)
    }
    if fit.turns.count > 0 { fit.turns.mean /= Double(fit.turns.count) }
    var residuals: [Link: [Double]] = [:]
    for distance in Self.thinned(distances) {
      let time = distance.time.advanced(bySeconds: shift)
      guard let pose = worldFromBody(time), let peer = peerPosition(distance.link.peer, time),
        let antenna = rig.radio?.position(of: distance.link.antenna)
      else { continue }
      residuals[distance.link, default: []].append(distance.range - (pose * antenna - peer).norm)
    }
    for (_, values) in residuals.sorted(by: { $0.key < $1.key }) {
      // A link's bias is no evidence about clocks.
      let bias = values.median ?? 0
      for value in values {
        let error = (value - bias) / Self.rangeSigma
        fit.distances.count += 1
        fit.distances.mean += min(error * error, Self.cap)
      }
    }
    if fit.distances.count > 0 { fit.distances.mean /= Double(fit.distances.count) }
    return fit
  }

  private static func thinned<Cell>(_ cells: [Cell]) -> [Cell] {
    guard cells.count > most else { return cells }
    return (0..<most).map { cells[$0 * cells.count / most] }
  }
}
