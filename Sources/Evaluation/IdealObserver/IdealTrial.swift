import Geometry
import SensorData

/// The ranges to one peer with the true antenna positions, for the ideal observer.
package struct IdealTrial {
  /// Seconds after the first range for which it is evaluated: it is a reference for finding, not for tracking.
  package static let longest = 30.0
  /// Least time between evaluations, seconds.
  static let interval = 0.1

  /// A range and its true antenna position.
  private struct Reading {
    var timestamp: Timestamp
    var range: Double
    /// World, metres.
    var antenna: Vector3
    var antennaID: String?
    var worldFromDevice: Rotation
    /// Range minus true distance, metres.
    var error: Double
  }

  private let peer: String
  private let truth: TruthTrajectory
  private let peers: TruthPeers
  private let bodyFromDevice: Pose
  private let readings: [Reading]

  /// The ranges of one peer, in any order; those without ground truth are left out.
  ///
  /// - Parameters:
  ///   - antennas: positions by id, in the body, metres; a range without an id belongs to the only one.
  /// - Returns: nil for a peer that moves or has no ground truth, and without ranges.
  package init?(
    peer: String, ranges: [RangeMeasurement], antennas: [String: Vector3], truth: TruthTrajectory, peers: TruthPeers,
    bodyFromDevice: Pose
  ) {
    guard let target = peers.stationaryPosition(of: peer) else { return nil }
    let only = antennas.count == 1 ? antennas.first?.value : antennas[""]
    readings = ranges.sorted { $0.timestamp < $1.timestamp }.compactMap { range in
      guard range.peer == peer, let worldFromBody = truth.worldFromBody(at: range.timestamp),
        let antenna = range.antenna.map({ antennas[$0] }) ?? only ?? .zero
      else { return nil }
      let position = worldFromBody * antenna
      return Reading(
        timestamp: range.timestamp, range: range.range, antenna: position, antennaID: range.antenna,
        worldFromDevice: worldFromBody.rotation * bodyFromDevice.rotation,
        error: range.range - (target - position).norm)
    }
    guard !readings.isEmpty else { return nil }
    self.peer = peer
    self.truth = truth
    self.peers = peers
    self.bodyFromDevice = bodyFromDevice
  }

  /// Runs the observer and returns its errors. 0.1 to 1 s for 15 s of ranges at 10 Hz.
  ///
  /// - Parameters:
  ///   - model: error model of the ranges; nil: fitted to their true errors.
  ///   - excess: what the ranges are known to be too long by; nil: nothing.
  ///   - impaired: timestamps of NLOS ranges and outliers; nil: classified by their true errors.
  /// - Returns: nil for too few errors to fit a model.
  package func errors(
    model: RangeErrorModel? = nil, excess: IdealObserver.Excess? = nil, impaired: Set<Timestamp>? = nil
  ) -> IdealErrors? {
    let start = readings[0].timestamp
    let model =
      model
      ?? RangeErrorModel.fitted(
        errors: readings.map(\.error), times: readings.map { $0.timestamp.seconds(since: start) })
    guard let model else { return nil }
    let isImpaired =
      impaired.map { times in readings.map { times.contains($0.timestamp) } }
      ?? RangeErrorModel.impaired(readings.map(\.error))
    var observer = IdealObserver(model, excess: excess)
    var updates: [JudgedUpdate] = []
    var means: [AngleMoment] = []
    var (before, evaluated) = (start, Timestamp(nanoseconds: .min))
    for (reading, isImpaired) in zip(readings, isImpaired) where reading.timestamp.seconds(since: start) <= Self.longest
    {
      if !isImpaired {
        observer.update(
          range: reading.range, antenna: reading.antenna, worldFromDevice: reading.worldFromDevice,
          antennaID: reading.antennaID, after: reading.timestamp.seconds(since: before))
        before = reading.timestamp
      }
      guard updates.isEmpty || reading.timestamp.seconds(since: evaluated) >= Self.interval - 1e-6,
        let pose = truth.worldFromBody(at: reading.timestamp), let target = peers.stationaryPosition(of: peer)
      else { continue }
      evaluated = reading.timestamp
      let worldFromDevice = pose * bodyFromDevice
      let view = IdealView(observer, worldFromDevice: worldFromDevice)
      updates.append(JudgedUpdate(view, at: reading.timestamp))
      if let view {
        let real = TrueView(worldFromDevice: worldFromDevice, peer: target).horizontalAngle
        means.append(
          AngleMoment(
            timestamp: reading.timestamp, error: abs(Angle.wrapped(view.angle - real)),
            halfWidth: 0.5 * (view.arc.upperBound - view.arc.lowerBound)))
      }
    }
    let published = PeerErrors(
      peer: peer, updates: updates, truth: truth, peers: peers, bodyFromDevice: bodyFromDevice,
      alignment: WorldAlignment(beginnings: [], truthFromEstimate: [.identity]))
    let motion = published.milestones.motion.map { start.advanced(bySeconds: $0) }
    let meanErrors = AngleCheckpoint.seconds.map { seconds -> Double? in
      guard let time = motion?.advanced(bySeconds: seconds), let last = means.last(where: { $0.timestamp <= time }),
        time.seconds(since: last.timestamp) <= AngleCheckpoint.maxUpdateAge
      else { return nil }
      return last.error
    }
    let moments = means.filter { moment in
      motion.map { AngleMoment.comparisonInterval.contains(moment.timestamp.seconds(since: $0)) } ?? false
    }
    return IdealErrors(published: published, meanErrors: meanErrors, moments: moments)
  }
}

extension JudgedUpdate {
  /// What the observer would publish.
  fileprivate init(_ view: IdealView?, at time: Timestamp) {
    guard let view else {
      self.init(timestamp: time, status: "unknown")
      return
    }
    let angle = view.publishedAngle
    self.init(
      timestamp: time, distance: view.distance.mean, horizontalAngle: angle,
      horizontalAngleInterval: angle.map { ($0 + view.arc.lowerBound)...($0 + view.arc.upperBound) },
      verticalDirectionEstimate: view.publishedLevel?.rawValue ?? "unknown",
      worldPosition: angle != nil && view.publishesPosition ? view.position.mean : nil,
      positionCovariance: view.position.covariance,
      status: view.isConverged ? "converged" : "notConverged")
  }
}

/// Errors of the ideal observer for one peer, on the same ranges.
package struct IdealErrors: Equatable, Sendable {
  /// Errors of what it would publish under the product's rules.
  package var published: PeerErrors
  /// Error of its mean angle at each of `AngleCheckpoint.seconds`, published or not, radians; nil after the recording's
  /// end.
  package var meanErrors: [Double?]
  /// Its mean angle, published or not, from 2 to 12 s after the motion began.
  package var moments: [AngleMoment]

  /// Errors from their parts.
  package init(published: PeerErrors, meanErrors: [Double?] = [], moments: [AngleMoment] = []) {
    self.published = published
    self.meanErrors = meanErrors
    self.moments = moments
  }

  /// Error of its mean angle some seconds after the motion began, radians.
  package func meanError(at seconds: Double) -> Double? {
    AngleCheckpoint.seconds.firstIndex(of: seconds).flatMap { meanErrors.indices.contains($0) ? meanErrors[$0] : nil }
  }
}
